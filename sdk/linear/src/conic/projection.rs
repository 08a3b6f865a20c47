//! Π, the projection on a second-order cone, and its generalised derivative.

/// Π(t) on the second-order cone and an element of its generalised derivative (dim × dim, by rows).
pub(super) fn project(t: &[f64], projected: &mut Vec<f64>, derivative: &mut Vec<f64>) {
    let (dim, t0) = (t.len(), t[0]);
    let r = t[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
    projected.clear();
    projected.resize(dim, 0.0);
    derivative.clear();
    derivative.resize(dim * dim, 0.0);
    if r <= -t0 {
        return;
    }
    if r <= t0 {
        projected.copy_from_slice(t);
        (0..dim).for_each(|k| derivative[k * dim + k] = 1.0);
        return;
    }
    let (half, ratio) = (0.5 * (t0 + r), t0 / r);
    projected[0] = half;
    derivative[0] = 0.5;
    for k in 1..dim {
        projected[k] = half * t[k] / r;
        derivative[k] = 0.5 * t[k] / r;
        derivative[k * dim] = 0.5 * t[k] / r;
        for l in 1..dim {
            let identity = f64::from(u8::from(k == l));
            derivative[k * dim + l] = 0.5 * ((1.0 + ratio) * identity - ratio * (t[k] / r) * (t[l] / r));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::project;

    /// The derivative is the one of differences, inside each of the three pieces.
    #[test]
    fn derivative_of_the_projection() {
        for t in [[2.0, 0.5, 0.3], [-2.0, 0.5, 0.3], [0.3, 0.8, -0.9], [-0.3, 0.8, -0.9]] {
            let (mut at, mut d, mut near, mut unused) = (vec![], vec![], vec![], vec![]);
            project(&t, &mut at, &mut d);
            for l in 0..3 {
                let mut moved = t;
                moved[l] += 1e-7;
                project(&moved, &mut near, &mut unused);
                for k in 0..3 {
                    let slope = (near[k] - at[k]) / 1e-7;
                    assert!((slope - d[3 * k + l]).abs() < 1e-6, "{t:?}: {k}, {l}");
                }
            }
        }
    }
}
