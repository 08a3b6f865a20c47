//! The bits of numbers: what a second call must give again.

pub(crate) fn bits(z: &[f64]) -> Vec<u64> {
    z.iter().map(|x| x.to_bits()).collect()
}
