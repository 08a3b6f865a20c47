//! Settling by cases what a ray leaves open on a small problem: is there a solution at all?
//!
//! In the reduced LCP a node says for some pairs z_i = 0 or w_i = 0 and relaxes the others to z_i ≥ 0, w_i ≥ 0. That is a
//! linear program, min Σ z_j over A z + b ≥ 0, z ≥ 0 (rows w_i ≥ 0, and −w_i ≥ 0 where w_i = 0), whose optimality
//! conditions are the monotone LCP
//!
//! (1, b) + [0, −Aᵀ; A, 0] (z, y),
//!
//! which Lemke's method either solves or leaves on a ray whose y proves the node empty (Farkas). A node is dropped only
//! where y holds to the last bits of the equilibrated LCP, or where core accepts it as a proof about the problem as given; so
//! exhausting the tree says that there is no solution.

use crate::dense::clean;
use crate::tableau::{End, Rules, Tableau};

/// Side of a pair that a node fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Open,
    ZZero,
    WZero,
}

/// Judge of a proof: true if y, one number per row of the LCP, proves that the case has no solution: asked of the problem as given.
type Judge<'a> = dyn FnMut(&[Case], &[f64]) -> bool + 'a;

/// Outcome of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Feasible,
    Empty,
    Unknown,
}

/// Outcome of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// `z` is complementary up to the accuracy of the node problems.
    Found,
    /// Every case is empty.
    Exhausted,
    /// The node limit came first, or a node could not be decided.
    Open,
}

/// min(z, w) below this counts as complementary (the LCP is equilibrated and |q|∞ is about 1).
const COMPLEMENTARY: f64 = 1e-9;
/// Value, per unit of |y|₁, below which a vector is worth a judgement.
const PROOF_VALUE: f64 = -1e-9;
/// Aᵀy below this, per unit of |y|₁, is what rounding makes of 0: entries of the equilibrated LCP are at most 1.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The search and its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Branch {
    n: usize,
    m: Vec<f64>,
    q: Vec<f64>,
    cases: Vec<Case>,
    /// Variables z_j of the node's program.
    columns: Vec<usize>,
    /// Rows (i, sign) of A.
    rows: Vec<(usize, f64)>,
    lp: Tableau,
    y: Vec<f64>,
    w: Vec<f64>,
    node_limit: u32,
    /// The point found.
    pub(crate) z: Vec<f64>,
    /// Nodes of the last search.
    pub(crate) nodes: u32,
}

impl Branch {
    /// Depth-first search on the LCP given as rows of [q | M | …] with their length.
    pub(crate) fn search(
        &mut self,
        (rows, stride): (&[f64], usize),
        node_limit: u32,
        judge: &mut Judge<'_>,
    ) -> Verdict {
        self.q.clear();
        self.q.extend(rows.chunks_exact(stride).map(|row| row[0]));
        let n = self.q.len();
        self.m.clear();
        self.m.extend(rows.chunks_exact(stride).flat_map(|row| &row[1..=n]));
        self.n = self.q.len();
        self.cases.clear();
        self.cases.resize(self.n, Case::Open);
        self.node_limit = node_limit;
        self.nodes = 0;
        self.descend(judge)
    }

    fn descend(&mut self, judge: &mut Judge<'_>) -> Verdict {
        self.nodes += 1;
        if self.nodes > self.node_limit {
            return Verdict::Open;
        }
        let node = self.solve_node(judge);
        if node == Node::Empty {
            return Verdict::Exhausted;
        }
        let Some((i, first, second)) = self.choose(node) else {
            return if node == Node::Feasible { Verdict::Found } else { Verdict::Open };
        };
        let mut verdict = Verdict::Exhausted;
        for case in [first, second] {
            self.cases[i] = case;
            match self.descend(judge) {
                Verdict::Found => return Verdict::Found,
                Verdict::Open => verdict = Verdict::Open,
                Verdict::Exhausted => {}
            }
        }
        self.cases[i] = Case::Open;
        verdict
    }

    /// The open pair furthest from complementarity, the nearer case first; nothing when all pairs are complementary.
    fn choose(&self, node: Node) -> Option<(usize, Case, Case)> {
        let open = (0..self.n).filter(|&i| self.cases[i] == Case::Open);
        if node == Node::Unknown {
            return open.into_iter().next().map(|i| (i, Case::ZZero, Case::WZero));
        }
        let worst = open.map(|i| (i, self.z[i].min(self.w[i]))).max_by(|a, b| a.1.total_cmp(&b.1))?;
        let i = worst.0;
        let nearer =
            if self.z[i] < self.w[i] { (Case::ZZero, Case::WZero) } else { (Case::WZero, Case::ZZero) };
        (worst.1 > COMPLEMENTARY).then_some((i, nearer.0, nearer.1))
    }

    fn solve_node(&mut self, judge: &mut Judge<'_>) -> Node {
        self.write_node();
        let rules = Rules { max_pivots: 2000, refactor_every: 50 };
        match self.lp.lemke(rules) {
            End::Solved => {
                self.take_point();
                Node::Feasible
            }
            End::Ray(entering) if self.proves_empty(entering, judge) => Node::Empty,
            _ => Node::Unknown,
        }
    }

    /// Fills the tableau with (1, b) + [0, −Aᵀ; A, 0].
    fn write_node(&mut self) {
        self.columns.clear();
        self.columns.extend((0..self.n).filter(|&j| self.cases[j] != Case::ZZero));
        self.rows.clear();
        self.rows.extend((0..self.n).map(|i| (i, 1.0)));
        self.rows.extend((0..self.n).filter(|&i| self.cases[i] == Case::WZero).map(|i| (i, -1.0)));
        let k = self.columns.len();
        let (t, stride) = self.lp.open(k + self.rows.len());
        t.fill(0.0);
        for row in t[..k * stride].chunks_exact_mut(stride) {
            row[0] = 1.0;
        }
        for (r, &(i, sign)) in self.rows.iter().enumerate() {
            t[(k + r) * stride] = sign * self.q[i];
            for (c, &j) in self.columns.iter().enumerate() {
                let a = sign * self.m[i * self.n + j];
                t[(k + r) * stride + 1 + c] = a;
                t[c * stride + 1 + k + r] = -a;
            }
        }
        self.lp.reset();
    }

    fn take_point(&mut self) {
        self.z.clear();
        self.z.resize(self.n, 0.0);
        for (c, &j) in self.columns.iter().enumerate() {
            self.z[j] = self.lp.z(c).max(0.0);
        }
        self.w.clear();
        for i in 0..self.n {
            let row = &self.m[i * self.n..(i + 1) * self.n];
            self.w.push(self.q[i] + row.iter().zip(&self.z).map(|(m, z)| m * z).sum::<f64>());
        }
    }

    /// Farkas: y ≥ 0, Aᵀy ≤ 0 and bᵀy < 0 leave no z ≥ 0 with A z + b ≥ 0.
    fn proves_empty(&mut self, entering: usize, judge: &mut Judge<'_>) -> bool {
        let k = self.columns.len();
        self.y.clear();
        self.y.extend((0..self.rows.len()).map(|r| self.lp.ray(entering, k + r).max(0.0)));
        clean(&mut self.y);
        let total: f64 = self.y.iter().sum();
        let value: f64 = self.y.iter().zip(&self.rows).map(|(y, &(i, sign))| y * sign * self.q[i]).sum();
        if !(value < PROOF_VALUE * total) {
            return false;
        }
        let mut net = vec![0.0; self.n];
        self.y.iter().zip(&self.rows).for_each(|(y, &(i, sign))| net[i] += sign * y);
        let of = |j: usize| (0..self.n).map(|i| net[i] * self.m[i * self.n + j]).sum::<f64>();
        self.columns.iter().all(|&j| of(j) <= ROUNDING * total) || judge(&self.cases, &net)
    }
}

#[cfg(test)]
mod tests;
