//! Sums and sizes of vectors.

/// y += f x.
#[inline]
pub(crate) fn axpy(f: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += f * x;
    }
}

/// xᵀy for vectors of one length, in four sums.
#[inline]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut s = [0.0; 4];
    let (x, y) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest = x.remainder().iter().zip(y.remainder());
    let rest: f64 = rest.map(|(x, y)| x * y).sum();
    for (x, y) in x.zip(y) {
        for k in 0..4 {
            s[k] += x[k] * y[k];
        }
    }
    (s[0] + s[1]) + (s[2] + s[3]) + rest
}

/// The larger of two numbers that are no NaN.
#[inline]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// max |v_i|, in four lanes.
#[inline]
pub(crate) fn largest(v: &[f64]) -> f64 {
    let mut m = [0.0; 4];
    let fours = v.chunks_exact(4);
    let rest = fours.remainder().iter().fold(0.0, |a, x| larger(a, x.abs()));
    for x in fours {
        for k in 0..4 {
            m[k] = larger(m[k], x[k].abs());
        }
    }
    larger(larger(larger(m[0], m[1]), larger(m[2], m[3])), rest)
}
