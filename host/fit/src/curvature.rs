//! Curvature and staircases, told apart by how differences come to a derivative.

/// Factor by which errors of central differences fall from level to level where they fall with h²; terms of higher order are in it, too.
const SQUARE: std::ops::RangeInclusive<f64> = 30.0..=1000.0;

/// Returns true if central differences come to a derivative as those of a smooth function do: their errors fall with h², by 100 from level to
/// level, until they drown in noise. Over a riser of a staircase they grow with 1/h, and over a tread they are none; a single fall by such a
/// factor may be chance, so two in a row are asked for, or one before the noise. Errors with their noise, the largest step first.
pub(crate) fn is_curved(off: &[[f64; 2]]) -> bool {
    let resolved = off.iter().take_while(|[error, noise]| *error > 10.0 * noise).count();
    let falls = |pair: &[[f64; 2]]| SQUARE.contains(&(pair[0][0] / pair[1][0]));
    let in_a_row = off[..resolved].windows(2).rev().take_while(|pair| falls(pair)).count();
    in_a_row >= if resolved < off.len() { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::is_curved;

    #[test]
    fn errors_that_fall_with_the_square_are_curvature() {
        let noise = 1e-12;
        let of = |errors: &[f64]| is_curved(&errors.iter().map(|e| [*e, noise]).collect::<Vec<_>>());
        assert!(of(&[1e-2, 1e-4, 1e-6]));
        assert!(of(&[3e-2, 1e-2, 1e-4, 1e-6]), "the largest step is not yet that small");
        assert!(of(&[1e-9, 2e-11, 0.0]), "noise comes soon");
        assert!(!of(&[1e-2, 1e-4]), "one fall may be chance");
        // A body at rest that is thrown up on one side: between two risers an error falls by 50.
        assert!(!of(&[7.4e-3, 6.26e-2, 1.25e-3, 1.25e-3]));
        assert!(!of(&[1e-2, 1e-1, 0.0]) && !of(&[1e-2, 0.0]) && !of(&[1e-2, 1e-2, 1e-2]));
    }
}
