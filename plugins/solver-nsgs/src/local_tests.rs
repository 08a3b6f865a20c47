//! Residuals of local solutions over thousands of blocks, and the cases by hand.

use super::*;

/// |p − P_K(p − (u + μ|u_t| e_n))|, or the disc's.
fn error(b: &Block, mu: Option<f64>, radius: f64, p: [f64; 3]) -> f64 {
    let u = b.u(p);
    let t = (p[1] - u[1], p[2] - u[2]);
    match mu {
        Some(mu) => {
            let (n, t) = project_cone(p[0] - u[0] - mu * u[1].hypot(u[2]), t, mu);
            (p[0] - n).hypot((p[1] - t.0).hypot(p[2] - t.1))
        }
        None => {
            let (x, y) = project_disc(t, radius);
            (p[1] - x).hypot(p[2] - y)
        }
    }
}

/// Deterministic numbers in [−1, 1].
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// G Gᵀ + a little: what a contact between bodies of any shape may have.
fn definite(next: &mut impl FnMut() -> f64, dim: usize) -> W3 {
    let g: W3 = std::array::from_fn(|_| std::array::from_fn(|_| next()));
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            if i > dim || j > dim {
                return 0.0;
            }
            (0..3).map(|k| g[i][k] * g[j][k]).sum::<f64>() + if i == j { 0.05 } else { 0.0 }
        })
    })
}

#[test]
fn blocks_are_solved_to_rounding() {
    let mut next = numbers(3);
    let mut modes = [0; 3];
    for k in 0..6000 {
        let dim = 1 + k % 2;
        let w = definite(&mut next, dim);
        let q = [3.0 * next() - 1.0, next(), if dim == 2 { next() } else { 0.0 }];
        let b = Block { w, q, dim };
        let mu = 0.5 + 0.5 * next();
        let p = b.coulomb(mu, [0.0; 3]);
        // The coefficient at which one contact may jam is 1/tan of its tilt; below it the solution is exact.
        let tilt = w[0][1].hypot(w[0][2]);
        if mu * tilt < w[0][0] {
            let e = error(&b, Some(mu), 0.0, p);
            assert!(e < 1e-12 * (1.0 + p[0]), "{k}: {e:e} {b:?} {mu} {p:?}");
            let mode = if p[0] == 0.0 { 0 } else { 1 + usize::from(p[1].hypot(p[2]) < 0.9999 * mu * p[0]) };
            modes[mode] += 1;
        }
    }
    assert!(modes.iter().all(|m| *m > 200), "{modes:?}");
}

#[test]
fn discs_are_solved_to_rounding() {
    let mut next = numbers(7);
    let mut slipping = 0;
    for k in 0..4000 {
        let dim = 1 + k % 2;
        let mut w = definite(&mut next, dim);
        (0..3).for_each(|i| (w[0][i], w[i][0]) = (0.0, 0.0));
        let b = Block { w, q: [0.0, next(), if dim == 2 { next() } else { 0.0 }], dim };
        let radius = 0.5 + 0.49 * next();
        let p = b.disc(radius, [0.0, next(), if dim == 2 { next() } else { 0.0 }]);
        let e = error(&b, None, radius, p);
        assert!(e < 1e-13, "{k}: {e:e} {b:?} {radius} {p:?}");
        slipping += usize::from(p[1].hypot(p[2]) > 0.999 * radius);
    }
    assert!(slipping > 500 && slipping < 3900, "{slipping}");
}

#[test]
fn point_mass_of_the_worked_instance() {
    // m = 2, μ = .5, h = .1, g = 10: W = 1/2. At v = (1, 0) it slides on at .5, at v = (.3, 0) it stops.
    let w = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0; 3]];
    assert_eq!(Block { w, q: [-1.0, 1.0, 0.0], dim: 1 }.coulomb(0.5, [0.0; 3]), [2.0, -1.0, 0.0]);
    let stick = Block { w, q: [-1.0, 0.3, 0.0], dim: 1 }.coulomb(0.5, [0.0; 3]);
    assert!((stick[0] - 2.0).abs() < 1e-15 && (stick[1] + 0.6).abs() < 1e-15);
    assert_eq!(Block { w, q: [0.1, 0.3, 0.0], dim: 1 }.coulomb(0.5, [0.0; 3]), [0.0; 3]);
}
