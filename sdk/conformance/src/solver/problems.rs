//! Problems with known answers, and problems on which only honesty is asked for.

use vinci_core::CsrBuf;
use vinci_core::problem::{MlcpBuf, Part, RowTag};

use crate::random::Random;

/// A problem, and what is known of it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) problem: MlcpBuf,
    pub(crate) truth: Truth,
}

/// Known truth of a problem.
#[derive(Clone, PartialEq)]
pub(crate) enum Truth {
    /// This is the only solution, and every method that takes the class finds it.
    Easy(Vec<f64>),
    /// There is a solution; honest failure is no shame.
    Solvable,
    /// There is none.
    Infeasible,
}

const INF: f64 = f64::INFINITY;

fn case(name: &str, m: &[&[f64]], q: &[f64], bounds: &[(f64, f64)], truth: Truth) -> Case {
    let n = q.len();
    let triplets: Vec<_> = (0..n).flat_map(|i| (0..n).map(move |j| (i, j, m[i][j]))).collect();
    let triplets: Vec<_> = triplets.into_iter().filter(|t| t.2 != 0.0).collect();
    let matrix = CsrBuf::from_triplets(n, n, &triplets);
    let (lower, upper) = bounds.iter().copied().unzip();
    let problem = MlcpBuf::from_parts(matrix, q.to_vec(), lower, upper, 1e-8);
    Case { name: name.into(), problem, truth }
}

fn lcp(name: &str, m: &[&[f64]], q: &[f64], truth: Truth) -> Case {
    case(name, m, q, &vec![(0.0, INF); q.len()], truth)
}

/// Sizes 0 and 1, bounds of every kind, symmetric and diagonally dominant: no method has an excuse.
pub(crate) fn easy() -> Vec<Case> {
    let free = (-INF, INF);
    vec![
        lcp("empty", &[], &[], Truth::Easy(vec![])),
        lcp("one, in contact", &[&[2.0]], &[-4.0], Truth::Easy(vec![2.0])),
        lcp("one, separated", &[&[2.0]], &[4.0], Truth::Easy(vec![0.0])),
        lcp("one, touching", &[&[2.0]], &[0.0], Truth::Easy(vec![0.0])),
        lcp("all zero", &[&[1.0, 0.0], &[0.0, 1.0]], &[0.0, 0.0], Truth::Easy(vec![0.0, 0.0])),
        lcp("two", &[&[2.0, 1.0], &[1.0, 2.0]], &[-5.0, -6.0], Truth::Easy(vec![4.0 / 3.0, 7.0 / 3.0])),
        lcp("one of two", &[&[2.0, 1.0], &[1.0, 2.0]], &[-4.0, 1.0], Truth::Easy(vec![2.0, 0.0])),
        case(
            "boxed",
            &[&[2.0, 0.5, 0.0], &[0.5, 2.0, 0.5], &[0.0, 0.5, 2.0]],
            &[9.0, 0.0, -9.0],
            &[(-1.0, 1.0); 3],
            Truth::Easy(vec![-1.0, 0.0, 1.0]),
        ),
        case("upper bound only", &[&[1.0]], &[3.0], &[(-INF, -1.0)], Truth::Easy(vec![-3.0])),
        case("fixed", &[&[1.0]], &[3.0], &[(2.0, 2.0)], Truth::Easy(vec![2.0])),
        case(
            "free",
            &[&[4.0, 1.0], &[1.0, 3.0]],
            &[-1.0, -2.0],
            &[free; 2],
            Truth::Easy(vec![1.0 / 11.0, 7.0 / 11.0]),
        ),
        case(
            "free and bounded",
            &[&[4.0, 1.0], &[1.0, 3.0]],
            &[-4.0, 4.0],
            &[free, (0.0, INF)],
            Truth::Easy(vec![1.0, 0.0]),
        ),
        empty_row_pattern(),
    ]
}

/// Entries unsorted within a row, as the format allows.
fn empty_row_pattern() -> Case {
    let mut m = CsrBuf::default();
    m.clear(2);
    m.push(1, 1.0);
    m.push(0, 3.0);
    m.end_row();
    m.push(1, 3.0);
    m.end_row();
    let problem = MlcpBuf::from_parts(m, vec![-7.0, -3.0], vec![0.0; 2], vec![INF; 2], 1e-8);
    Case { name: "unsorted columns".into(), problem, truth: Truth::Easy(vec![2.0, 1.0]) }
}

/// Solutions by construction: diagonally dominant matrix, z and w chosen complementary, q = w − M z.
pub(crate) fn random_dominant(seed: u64) -> Vec<Case> {
    let mut random = Random::new(seed);
    (0..20).map(|k| random_case(k, &mut random)).collect()
}

fn random_case(k: usize, random: &mut Random) -> Case {
    let n = 1 + random.below(12);
    let mut m: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| random.between(-1.0, 1.0)).collect()).collect();
    for i in 0..n {
        m[i][i] = 1.0 + m[i].iter().map(|x| x.abs()).sum::<f64>();
    }
    let (mut z, mut q, mut bounds) = (vec![], vec![], vec![]);
    for _ in 0..n {
        let (low, high) = (random.between(-2.0, 0.0), random.between(0.0, 2.0));
        let (bound, value, w) = match random.below(5) {
            0 => ((low, INF), low, random.between(0.0, 3.0)),
            1 => ((low, high), high, random.between(-3.0, 0.0)),
            2 => ((low, high), random.between(low, high), 0.0),
            3 => ((-INF, INF), random.between(-3.0, 3.0), 0.0),
            _ => ((0.0, INF), random.between(0.0, 3.0), 0.0),
        };
        bounds.push(bound);
        z.push(value);
        q.push(w);
    }
    for i in 0..n {
        q[i] -= (0..n).map(|j| m[i][j] * z[j]).sum::<f64>();
    }
    let rows: Vec<&[f64]> = m.iter().map(Vec::as_slice).collect();
    case(&format!("random {k}"), &rows, &q, &bounds, Truth::Easy(z))
}

/// Degenerate, redundant, badly scaled, with friction: the status must be true, whatever it is.
pub(crate) fn hard() -> Vec<Case> {
    let mut all = vec![
        // The cycling example of Kostreva: a P-matrix, z = 1/3 everywhere.
        lcp("cycling", &[&[1.0, 2.0, 0.0], &[0.0, 1.0, 2.0], &[2.0, 0.0, 1.0]], &[-1.0; 3], Truth::Solvable),
        // One body on four points of which two would do: any split of the load.
        lcp("redundant contacts", &[[1.0; 4].as_slice(); 4], &[-1.0; 4], Truth::Solvable),
        lcp("zero matrix", &[&[0.0, 0.0], &[0.0, 0.0]], &[1.0, 0.0], Truth::Solvable),
        lcp("skew", &[&[0.0, 1.0], &[-1.0, 0.0]], &[-1.0, 2.0], Truth::Solvable),
        lcp("mass ratio 1e8", &[&[1.0 + 1e-8, -1.0], &[-1.0, 1.0]], &[0.0, -1e-8], Truth::Solvable),
        lcp("scales 1e-6 to 1e6", &[&[1e-6, 0.0], &[0.0, 1e6]], &[-1e-6, -1e6], Truth::Solvable),
        lcp("jammed", &[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0], Truth::Infeasible),
        lcp("nothing holds", &[&[0.0]], &[-1.0], Truth::Infeasible),
        saddle(),
    ];
    for mu in [0.0, 0.5, 1.0, 10.0] {
        all.push(block(mu));
    }
    all
}

/// Velocity of a unit mass as a free row, pressed on the ground by its weight over 0.01 s: a zero on the diagonal.
fn saddle() -> Case {
    let bounds = [(-INF, INF), (0.0, INF)];
    case("saddle", &[&[1.0, -1.0], &[1.0, 0.0]], &[0.0981, 0.0], &bounds, Truth::Solvable)
}

/// First step of a unit block sliding at 1 m/s on a table: normal impulse, two friction directions, slip speed.
fn block(mu: f64) -> Case {
    let rows: [&[f64]; 4] =
        [&[1.0, 0.0, 0.0, 0.0], &[0.0, 1.0, -1.0, 1.0], &[0.0, -1.0, 1.0, 1.0], &[mu, -1.0, -1.0, 0.0]];
    let q = [-0.0981, 1.0, -1.0, 0.0];
    let mut case = lcp(&format!("friction {mu}"), &rows, &q, Truth::Solvable);
    for (tag, part) in
        case.problem.tag.iter_mut().zip([Part::Normal, Part::Friction, Part::Friction, Part::Slip])
    {
        *tag = RowTag { subject: 0, part };
    }
    case
}

/// A long chain, tridiagonal.
pub(crate) fn chain(n: usize) -> Case {
    let triplets: Vec<_> = (0..n)
        .flat_map(|i| [(i, i.wrapping_sub(1), -1.0), (i, i, 2.5), (i, i + 1, -1.0)])
        .filter(|&(_, j, _)| j < n)
        .collect();
    let q: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let m = CsrBuf::from_triplets(n, n, &triplets);
    let problem = MlcpBuf::from_parts(m, q, vec![0.0; n], vec![INF; n], 1e-8);
    Case { name: format!("chain of {n}"), problem, truth: Truth::Solvable }
}
