//! Heaps of bodies whose masses differ by powers of ten, for solvers that have several ways to solve a linear system.

use vinci_core::CsrBuf;
use vinci_core::problem::{ConeBlock, ConeBuf, MlcpBuf, Part, Problem, RowTag, Status};
use vinci_core::stage::Solver;

use crate::{Contact, INF, Numbers, contact_problem};

/// Bodies of six velocities, masses 10^(−spread … spread) kg, in a row on a floor: each touches the floor and its neighbour, in
/// directions of its own.
struct Heap {
    a: Vec<f64>,
    b: Vec<f64>,
    /// Rows of every contact: normal, two tangents.
    w: Vec<[Vec<(usize, f64)>; 3]>,
}

impl Heap {
    fn new(seed: u64, bodies: usize, spread: f64) -> Self {
        let mut numbers = Numbers(seed);
        let (mut a, mut b, mut w) = (Vec::new(), Vec::new(), Vec::new());
        for body in 0..bodies {
            let mass = 10.0_f64.powf(numbers.between(-spread, spread));
            for k in 0..6 {
                let own = if k < 3 { mass } else { 0.4 * mass };
                let push = numbers.between(-0.3, 0.3) - if k == 2 { 1.0 } else { 0.0 };
                a.push(own);
                b.push(own * push);
            }
            let mut other = |sign: f64, at: usize| -> [Vec<(usize, f64)>; 3] {
                [2, 0, 1].map(|k| {
                    let spin = (3..6).map(|j| (6 * at + j, numbers.between(-0.5, 0.5)));
                    std::iter::once((6 * at + k, sign)).chain(spin).collect()
                })
            };
            w.push(other(1.0, body));
            if body > 0 {
                let (mut own, before) = (other(1.0, body), other(-1.0, body - 1));
                own.iter_mut().zip(before).for_each(|(own, before)| own.extend(before));
                w.push(own);
            }
        }
        Self { a, b, w }
    }

    /// With polygons of four directions.
    fn polygons(&self) -> MlcpBuf {
        let opposite = |row: &Vec<(usize, f64)>| row.iter().map(|&(i, x)| (i, -x)).collect();
        let contact = |[n, t, u]: &[Vec<(usize, f64)>; 3]| Contact {
            normal: n.clone(),
            friction: vec![t.clone(), u.clone(), opposite(t), opposite(u)],
            g: 0.0,
            mu: 0.4,
        };
        let contacts: Vec<_> = self.w.iter().map(contact).collect();
        contact_problem(&self.a, &self.b, &contacts, 1e-9)
    }

    /// With circles.
    fn circles(&self) -> ConeBuf {
        let nv = self.a.len();
        let n = nv + 3 * self.w.len();
        let mut t: Vec<_> = self.a.iter().enumerate().map(|(i, &x)| (i, i, x)).collect();
        for (r, row) in self.w.iter().flatten().enumerate() {
            row.iter().for_each(|&(i, x)| t.extend([(nv + r, i, x), (i, nv + r, -x)]));
        }
        let mut q: Vec<f64> = self.b.iter().map(|b| -b).collect();
        q.resize(n, 0.0);
        let mut rows =
            MlcpBuf::from_parts(CsrBuf::from_triplets(n, n, &t), q, vec![-INF; n], vec![INF; n], 1e-9);
        for (i, tag) in rows.tag.iter_mut().take(nv).enumerate() {
            *tag = RowTag { subject: i as u32, part: Part::Velocity };
        }
        let mut out = ConeBuf { rows, ..ConeBuf::default() };
        for k in 0..self.w.len() {
            let normal = (nv + 3 * k) as u32;
            out.push_block(ConeBlock { normal, tangent: normal + 1, dim: 2, size: 0.4 });
        }
        out
    }
}

/// Two ways of a solver of polygons through heaps of masses 1 and 1e-6 … 1e6 give the same momenta.
pub fn same_momenta_of_polygons(one: &mut dyn Solver, other: &mut dyn Solver) {
    for (seed, spread) in trials() {
        let heap = Heap::new(seed, 8, spread);
        let problem = heap.polygons();
        compare(&heap, &Problem::Mlcp(problem.view()), (&mut *one, &mut *other), (seed, spread));
    }
}

/// As [`same_momenta_of_polygons`], of cones.
pub fn same_momenta_of_cones(one: &mut dyn Solver, other: &mut dyn Solver) {
    for (seed, spread) in trials() {
        let heap = Heap::new(seed, 8, spread);
        let problem = heap.circles();
        compare(&heap, &Problem::Cone(problem.view()), (&mut *one, &mut *other), (seed, spread));
    }
}

fn trials() -> impl Iterator<Item = (u64, f64)> {
    [0.0, 2.0, 6.0].into_iter().flat_map(|spread| (1..9).map(move |seed| (seed, spread)))
}

/// Momenta differ by no more than a hundred times the tolerance, of the largest one.
fn compare(heap: &Heap, problem: &Problem<'_>, ways: (&mut dyn Solver, &mut dyn Solver), trial: (u64, f64)) {
    let momenta = |solver: &mut dyn Solver| -> Vec<f64> {
        let s = solver.solve(problem).unwrap();
        assert_eq!(s.status, Status::Converged, "{trial:?}: {}", s.note);
        heap.a.iter().zip(s.z).map(|(a, v)| a * v).collect()
    };
    let (x, y) = (momenta(ways.0), momenta(ways.1));
    let size = heap.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
    let far = x.iter().zip(&y).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs())) / size;
    assert!(far < 1e-7, "{trial:?}: {far:e} apart");
}
