//! Fronts of bodies that touch, against the LU that may pivot anywhere.

use vinci_linear::{FrontalLu, SparseLu};

/// A matrix by rows.
struct Matrix {
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
}

/// Numbers in (−1, 1) that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Bodies of `size` velocities on a grid of side³, each coupled to its neighbours, unsymmetric, the diagonal heavy.
fn grid(side: usize, size: usize, noise: &mut Noise) -> Matrix {
    let number = |x: usize, y: usize, z: usize| (z * side + y) * side + x;
    let mut out = Matrix { row_start: vec![0], column: vec![], value: vec![] };
    for body in 0..side * side * side {
        let (x, y, z) = (body % side, body / side % side, body / side / side);
        let near = |u: usize| u.saturating_sub(1)..(u + 2).min(side);
        let others = near(z).flat_map(|k| near(y).flat_map(move |j| near(x).map(move |i| (i, j, k))));
        let touch = |&(i, j, k): &(usize, usize, usize)| x.abs_diff(i) + y.abs_diff(j) + z.abs_diff(k) <= 1;
        let bodies: Vec<usize> = others.filter(touch).map(|(i, j, k)| number(i, j, k)).collect();
        for row in 0..size {
            for &other in &bodies {
                for column in 0..size {
                    let heavy = if (other, column) == (body, row) { 8.0 * size as f64 } else { 0.0 };
                    out.column.push((other * size + column) as u32);
                    out.value.push(heavy + noise.next());
                }
            }
            out.row_start.push(out.column.len() as u32);
        }
    }
    out
}

/// Largest difference of K x and b.
fn defect(k: &Matrix, x: &[f64], b: &[f64]) -> f64 {
    let row = |i: usize| k.row_start[i] as usize..k.row_start[i + 1] as usize;
    let product = |i: usize| row(i).map(|e| k.value[e] * x[k.column[e] as usize]).sum::<f64>();
    (0..b.len()).map(|i| (product(i) - b[i]).abs()).fold(0.0, f64::max)
}

#[test]
fn grids_of_bodies_are_solved_as_by_the_lu_that_may_pivot_anywhere() {
    let mut noise = Noise(7);
    for (side, size) in [(1, 1), (1, 6), (2, 6), (3, 2), (5, 6), (8, 3)] {
        let k = grid(side, size, &mut noise);
        let b: Vec<f64> = (1..k.row_start.len()).map(|_| noise.next()).collect();
        let (mut frontal, mut free) = (FrontalLu::default(), SparseLu::default());
        assert!(frontal.analyse(&k.row_start, &k.column) && frontal.factor(&k.value), "{side}³ × {size}");
        assert!(free.analyse(&k.row_start, &k.column) && free.factor(&k.value));
        let (mut x, mut y) = (b.clone(), b.clone());
        frontal.solve(&mut x);
        free.solve(&mut y);
        assert!(defect(&k, &x, &b) < 1e-13, "{side}³ × {size}: {:e}", defect(&k, &x, &b));
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-13));
    }
}

#[test]
fn one_dense_block_pivots_within_itself() {
    // Regular, but without a pivot where it stands; more columns than a panel.
    let n = 61;
    let mut noise = Noise(3);
    let value: Vec<f64> = (0..n * n).map(|k| if k % (n + 1) == 0 { 0.0 } else { noise.next() }).collect();
    let column = (0..n * n).map(|k| (k % n) as u32).collect();
    let k = Matrix { row_start: (0..=n).map(|i| (i * n) as u32).collect(), column, value };
    let b: Vec<f64> = (0..n).map(|_| noise.next()).collect();
    let (mut lu, mut x) = (FrontalLu::default(), b.clone());
    assert!(lu.analyse(&k.row_start, &k.column) && lu.factor(&k.value));
    lu.solve(&mut x);
    assert!(defect(&k, &x, &b) < 1e-11, "{:e}", defect(&k, &x, &b));
    assert_eq!(lu.stored(), n * n);
}

#[test]
fn bodies_apart_are_stored_as_they_are() {
    let n = 3000;
    let k = Matrix {
        row_start: (0..=n).collect(),
        column: (0..n).collect(),
        value: (0..n).map(|i| 1.0 + f64::from(i)).collect(),
    };
    let mut lu = FrontalLu::default();
    assert!(lu.analyse(&k.row_start, &k.column) && lu.factor(&k.value));
    assert_eq!(lu.stored(), 3000);
    let mut x: Vec<f64> = k.value.iter().map(|a| 2.0 * a).collect();
    lu.solve(&mut x);
    assert!(x.iter().all(|x| *x == 2.0));
}

#[test]
fn what_has_no_pivot_is_refused() {
    let mut lu = FrontalLu::default();
    // A path of four without a diagonal: regular, but what is at an end has no pivot before its neighbour.
    assert!(lu.analyse(&[0, 1, 3, 5, 6], &[1, 0, 2, 1, 3, 2]));
    assert!(!lu.factor(&[1.0; 6]));
    assert!(lu.analyse(&[0, 1, 2], &[0, 1]));
    assert!(!lu.factor(&[1.0, f64::NAN]) && !lu.factor(&[0.0, 1.0]));
    assert!(lu.factor(&[2.0, 4.0]));
    assert!(lu.analyse(&[0], &[]) && lu.factor(&[]));
}

#[test]
fn what_is_kept_from_other_matrices_changes_no_bit() {
    let mut noise = Noise(11);
    let (small, large) = (grid(3, 6, &mut noise), grid(5, 6, &mut noise));
    let solve = |lu: &mut FrontalLu| {
        assert!(lu.analyse(&small.row_start, &small.column) && lu.factor(&small.value));
        let mut x: Vec<f64> = (0..small.row_start.len() - 1).map(|i| 1.0 / (1.0 + i as f64)).collect();
        lu.solve(&mut x);
        x.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    let (mut fresh, mut used) = (FrontalLu::default(), FrontalLu::default());
    assert!(used.analyse(&large.row_start, &large.column) && used.factor(&large.value));
    let first = solve(&mut used);
    assert_eq!(first, solve(&mut fresh));
    assert_eq!(first, solve(&mut used));
}

/// Bodies in a chain, each held to the one before by a row whose impulse is an unknown: the impulses stand behind all
/// velocities, and the pattern puts each with its later body.
#[test]
fn impulses_with_the_columns_of_a_body_are_of_its_block() {
    let bodies = 40;
    let mut noise = Noise(5);
    // Unknowns of body b: two velocities and an impulse.
    let members = |b: usize| [2 * b, 2 * b + 1, 2 * bodies + b];
    let mut rows = vec![Vec::new(); 3 * bodies];
    for b in 0..bodies {
        let near = b.saturating_sub(1)..(b + 2).min(bodies);
        for i in members(b) {
            rows[i].extend(near.clone().flat_map(members).map(|j| (j as u32, 0.0)));
        }
    }
    let mut set = |i: usize, j: usize, x: f64| {
        rows[i].iter_mut().filter(|e| e.0 as usize == j).for_each(|e| e.1 = x);
    };
    for b in 0..bodies {
        let [u, v, p] = members(b);
        [u, v].into_iter().for_each(|i| set(i, i, 1.0));
        // Nothing on the diagonal of the impulse: alone it has no pivot.
        for j in [u, v].into_iter().chain(b.checked_sub(1).map(|a| members(a)[0])) {
            let x = 1.0 + 0.3 * noise.next();
            set(p, j, x);
            set(j, p, -x);
        }
    }
    let mut k = Matrix { row_start: vec![0], column: vec![], value: vec![] };
    for row in rows {
        k.column.extend(row.iter().map(|e| e.0));
        k.value.extend(row.iter().map(|e| e.1));
        k.row_start.push(k.column.len() as u32);
    }
    let b: Vec<f64> = (0..3 * bodies).map(|_| noise.next()).collect();
    let (mut lu, mut x) = (FrontalLu::default(), b.clone());
    assert!(lu.analyse(&k.row_start, &k.column) && lu.factor(&k.value));
    lu.solve(&mut x);
    assert!(defect(&k, &x, &b) < 1e-12, "{:e}", defect(&k, &x, &b));
    // A chain fills nothing: 9 numbers of each body, 18 of each pair of neighbours.
    assert_eq!(lu.stored(), 9 * bodies + 18 * (bodies - 1));
}
