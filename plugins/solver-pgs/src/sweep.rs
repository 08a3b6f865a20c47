//! One Gauss-Seidel sweep over the blocks, with the velocities kept up to date.

use vinci_sdk::core::problem::Mlcp;

use crate::blocks::Blocks;
use crate::free::Free;
use crate::local::Local;

/// Modes of the blocks and the local solver.
#[derive(Debug, Default)]
pub(crate) struct Sweeper {
    local: Local,
    mode: Vec<u64>,
    b: Vec<f64>,
    x: Vec<f64>,
    /// Blocks whose mode changed in the last sweep.
    pub(crate) changed: usize,
    /// Blocks without local solution in the last sweep.
    pub(crate) unsolved: usize,
    /// Natural residual met on the way, before each block's update (not divided by |q|).
    pub(crate) met: f64,
}

impl Sweeper {
    /// Prepares for a problem of `blocks` blocks.
    pub(crate) fn start(&mut self, blocks: usize) {
        self.mode.clear();
        self.mode.resize(blocks, 0);
    }

    /// Visits all blocks, forwards or backwards, and changes z.
    pub(crate) fn sweep(
        &mut self,
        p: &Mlcp<'_>,
        blocks: &Blocks,
        free: &Free,
        z: &mut [f64],
        relaxation: f64,
        backwards: bool,
    ) {
        (self.changed, self.unsolved, self.met) = (0, 0, 0.0);
        for k in 0..blocks.len() {
            let b = if backwards { blocks.len() - 1 - k } else { k };
            self.visit(p, blocks, free, z, relaxation, b);
        }
    }

    fn visit(
        &mut self,
        p: &Mlcp<'_>,
        blocks: &Blocks,
        free: &Free,
        z: &mut [f64],
        relaxation: f64,
        block: usize,
    ) {
        let (rows, d) = (blocks.rows(block), blocks.matrix(block));
        let k = rows.len();
        self.b.clear();
        self.x.clear();
        for &i in rows {
            let w = p.m.row_dot(i, z) + p.q[i];
            self.met = self.met.max(w.min(z[i] - p.lower[i]).max(z[i] - p.upper[i]).abs());
            self.b.push(w);
            self.x.push(z[i]);
        }
        for (r, b) in self.b.iter_mut().enumerate() {
            let own: f64 = d[r * k..(r + 1) * k].iter().zip(&self.x).map(|(d, x)| d * x).sum();
            *b -= own;
        }
        if k == 1 {
            self.project(p, rows[0], d[0]);
        } else {
            self.solve_block(d, block);
        }
        for (r, &i) in rows.iter().enumerate() {
            let mut next = z[i] + relaxation * (self.x[r] - z[i]);
            next = next.max(p.lower[i]).min(p.upper[i]);
            let change = next - z[i];
            if change != 0.0 {
                z[i] = next;
                for (f, u) in free.response(i) {
                    z[f] += change * u;
                }
            }
        }
    }

    /// A single row: z = Π(−b/d); without diagonal it goes to the bound its w points to, if there is one.
    fn project(&mut self, p: &Mlcp<'_>, i: usize, d: f64) {
        let target = if d > 0.0 {
            -self.b[0] / d
        } else if self.b[0] > 0.0 && p.lower[i].is_finite() {
            p.lower[i]
        } else if self.b[0] < 0.0 && p.upper[i].is_finite() {
            p.upper[i]
        } else {
            self.unsolved += usize::from(self.b[0] != 0.0);
            self.x[0]
        };
        self.x[0] = target.max(p.lower[i]).min(p.upper[i]);
    }

    fn solve_block(&mut self, d: &[f64], block: usize) {
        let before = self.mode[block];
        if !self.local.solve(d, &self.b, &mut self.mode[block], &mut self.x) {
            self.unsolved += 1;
        }
        self.changed += usize::from(self.mode[block] != before);
    }
}
