use super::*;

/// xorshift64*: numbers in −1 … 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// A heap of bodies of `dof` velocities, masses 10^(−spread … spread), every one in contact with the next two; contacts of three
/// rows with the diagonal `own`. One contact in five is open: its rows say x = b.
struct Heap {
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
    first: Vec<bool>,
    group: Vec<u32>,
}

impl Heap {
    fn new(bodies: usize, dof: usize, spread: f64, own: f64) -> Self {
        let (mut random, mut w) = (Random(7), Vec::new());
        let pairs = (0..bodies).flat_map(|b| [(b, b + 1), (b, b + 2)]).filter(|p| p.1 < bodies);
        let pairs: Vec<_> = pairs.collect();
        let (nv, n) = (bodies * dof, bodies * dof + 3 * pairs.len());
        let mut rows = vec![Vec::new(); n];
        for b in 0..bodies {
            let mass = 10.0_f64.powf(spread * random.next());
            (0..dof).for_each(|k| rows[b * dof + k].push((b * dof + k, mass * (1.0 + 0.1 * k as f64))));
        }
        for (c, &(a, b)) in pairs.iter().enumerate() {
            for r in nv + 3 * c..nv + 3 * c + 3 {
                if c % 5 == 4 {
                    rows[r].push((r, 1.0));
                    continue;
                }
                rows[r].push((r, own));
                for j in (a * dof..(a + 1) * dof).chain(b * dof..(b + 1) * dof) {
                    w.push((j, r, random.next()));
                }
            }
        }
        for (j, r, x) in w {
            rows[j].push((r, -x));
            rows[r].push((j, x));
        }
        let mut out = Self {
            row_start: vec![0],
            column: Vec::new(),
            value: Vec::new(),
            first: (0..n).map(|i| i < nv).collect(),
            group: (0..n).map(|i| i.saturating_sub(nv) as u32 / 3).collect(),
        };
        for row in rows {
            row.iter().for_each(|&(j, x)| (out.column.push(j as u32), out.value.push(x)).0);
            out.row_start.push(out.column.len() as u32);
        }
        out
    }

    fn structure(&self) -> Structure<'_> {
        Structure { first: &self.first, group: &self.group }
    }

    fn solved_by(&self, lu: &mut BlockLu, order: Order) -> Vec<f64> {
        let k = (&self.row_start[..], &self.column[..], &self.value[..]);
        assert!(lu.factor(k, self.structure(), order));
        let mut x: Vec<f64> = (0..self.first.len()).map(|i| (i as f64).sin()).collect();
        lu.solve(&mut x);
        x
    }

    /// Largest backward error of a row, relative to |K| |x| + |b|.
    fn error(&self, x: &[f64]) -> f64 {
        let row = |i: usize| self.row_start[i] as usize..self.row_start[i + 1] as usize;
        let rows = 0..self.first.len();
        let error = rows.map(|i| {
            let terms = row(i).map(|k| self.value[k] * x[self.column[k] as usize]);
            let right = (i as f64).sin();
            let (sum, size) = terms.fold((-right, 1.0_f64), |(s, m), t| (s + t, m + t.abs()));
            sum.abs() / size
        });
        error.fold(0.0, f64::max)
    }
}

#[test]
fn fronts_solve_what_anywhere_solves_at_mass_ratios_of_1e12() {
    for (bodies, dof, spread) in [(12, 6, 0.0), (40, 6, 6.0), (40, 3, 6.0), (1, 6, 0.0)] {
        // Fewer rows of contacts than velocities: sticking contacts are no more than can be carried.
        let heap = Heap::new(bodies, dof, spread, if dof == 3 { 1e-3 } else { 1e-9 });
        let mut lu = BlockLu::default();
        let x = heap.solved_by(&mut lu, Order::FirstRowsFirst);
        assert!(lu.stored().is_some(), "{bodies} bodies were not solved by fronts");
        assert!(heap.error(&x) < 1e-11, "{:e}", heap.error(&x));
        let mut sparse = SparseLu::default();
        assert!(sparse.analyse(&heap.row_start, &heap.column) && sparse.factor(&heap.value));
        let mut y: Vec<f64> = (0..x.len()).map(|i| (i as f64).sin()).collect();
        sparse.solve(&mut y);
        let size = y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
        let far = x.iter().zip(&y).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs())) / size;
        assert!(far < 1e-5, "{bodies} bodies: {far:e} apart");
    }
}

#[test]
fn the_free_order_stores_less_where_contacts_are_regular() {
    let heap = Heap::new(60, 3, 1.0, 0.3);
    let (mut free, mut ordered) = (BlockLu::default(), BlockLu::default());
    let (x, y) = (heap.solved_by(&mut free, Order::Any), heap.solved_by(&mut ordered, Order::FirstRowsFirst));
    x.iter().zip(&y).for_each(|(x, y)| assert!((x - y).abs() < 1e-9 * (1.0 + y.abs()), "{x} {y}"));
    assert!(free.stored() < ordered.stored(), "{:?} {:?}", free.stored(), ordered.stored());
}

/// A velocity without a mass has no pivot of its own: its contacts determine it.
#[test]
fn what_has_no_pivots_in_its_blocks_is_solved_anywhere() {
    let mut heap = Heap::new(12, 6, 0.0, 0.3);
    heap.value[0] = 0.0;
    let mut lu = BlockLu::default();
    let x = heap.solved_by(&mut lu, Order::FirstRowsFirst);
    assert!(heap.error(&x) < 1e-13, "{:e}", heap.error(&x));
    assert_eq!(lu.stored(), None);
    heap.value.fill(0.0);
    let k = (&heap.row_start[..], &heap.column[..], &heap.value[..]);
    let (mut y, factors) = (vec![1.0; x.len()], lu.factor(k, heap.structure(), Order::Any));
    lu.solve(&mut y);
    assert!(!factors || y.iter().any(|y| !y.is_finite()), "a matrix of zeros has no inverse");
}

#[test]
fn the_same_bits_come_again_and_from_fresh_memory() {
    let (a, b) = (Heap::new(20, 6, 3.0, 1e-9), Heap::new(9, 3, 3.0, 1e-3));
    let mut lu = BlockLu::default();
    let x = a.solved_by(&mut lu, Order::FirstRowsFirst);
    b.solved_by(&mut lu, Order::FirstRowsFirst);
    assert_eq!(x, a.solved_by(&mut lu, Order::FirstRowsFirst));
    assert_eq!(x, a.solved_by(&mut BlockLu::default(), Order::FirstRowsFirst));
}
