//! The equations that a solution obeys: which rows hold as equations, which unknowns stand at bounds, which contacts open, stick or slip.
//!
//! At a solution z of a problem of class Mlcp, Cone, Conic or Root its laws are equations F(z) = 0 in which no inequality is left. While
//! none of them changes its mode, the solution z(x) of a problem that depends on x obeys
//!
//! (∂F/∂z) dz = −(∂F/∂x) dx,
//!
//! the implicit function theorem. Rows for which two modes hold at once (both z_i − l_i and w_i are 0) are ties: there z(x) has a kink, unless
//! both readings give the same. Sources: Cottle, Pang and Stone 1992, section 7.3 (sensitivity of LCPs); Anitescu and Potra 1997 for the rows.

use nalgebra::DMatrix;

use super::active_blocks::{block_equations, block_matrix, mode_of_block, slip_of_block};
use super::active_laws::{Mode, Row, Ties, row_of};
use super::own_sizes::OwnSizes;
use super::{Cone, Mlcp, Part, Problem, Root, RowTag};

/// The equations of one solution. Two sets are equal where their modes are.
#[derive(Debug, Clone, Default)]
pub struct ActiveSet {
    pub(super) rows: Vec<Row>,
    pub(super) blocks: Vec<Mode>,
    pub(super) ties: usize,
    /// Slips of friction blocks beside which their equations are linear; empty: they are not linearised.
    pub(super) slips: Vec<[f64; 2]>,
}

impl PartialEq for ActiveSet {
    fn eq(&self, other: &Self) -> bool {
        (&self.rows, &self.blocks, self.ties) == (&other.rows, &other.blocks, other.ties)
    }
}

/// Reason why a problem has no such equations, in words.
pub type NoEquations = &'static str;

/// A problem beside another has other unknowns.
pub const OTHER_FORM: NoEquations = "the problem has another form beside the state";

impl ActiveSet {
    /// Equations of a solution: unknowns z, of programs followed by the duals.
    ///
    /// # Errors
    /// Programs with complementarity pairs: their solution is the best of modes.
    pub fn of(problem: &Problem<'_>, z: &[f64], ties: Ties) -> Result<Self, NoEquations> {
        match problem {
            Problem::Mlcp(p) => Ok(Self::of_rows(p, z, &[], &OwnSizes::of(p.m, p.q, z), ties)),
            Problem::Cone(p) => Ok(Self::of_cone(p, z, ties)),
            Problem::Conic(p) => Ok(Self::of_conic(p, z, ties)),
            Problem::Root(p) => Ok(Self { rows: vec![Row::Equation; p.start.len()], ..Self::default() }),
            Problem::Qpcc(_) => Err("a program with complementarity pairs has no equations of one mode"),
        }
    }

    /// From now on the direction of friction is linear in the slip, beside the slip of this solution: a force turns fast where a contact slips
    /// slowly, and differences over a displacement would have that in them.
    pub fn linearize_slips(&mut self, problem: &Problem<'_>, z: &[f64]) {
        if let Problem::Cone(p) = problem {
            self.slips = p.blocks.iter().map(|b| slip_of_block(p, &b, z)).collect();
        }
    }

    /// Number of rows and blocks for which two modes hold at once.
    pub fn ties(&self) -> usize {
        self.ties
    }

    fn of_rows(p: &Mlcp<'_>, z: &[f64], in_block: &[bool], sizes: &OwnSizes, ties: Ties) -> Self {
        let mut new = Self { rows: Vec::with_capacity(p.n()), ..Self::default() };
        let mut tied = Vec::new();
        for i in 0..p.n() {
            if in_block.get(i) == Some(&true) {
                new.rows.push(Row::Block);
                continue;
            }
            let w = p.m.row_dot(i, z) + p.q[i];
            let size = sizes.at(i, p.tolerance, (p.z_scale[i], p.w_scale[i]));
            let (row, tie) = row_of((z[i], w), (p.lower[i], p.upper[i]), size, ties);
            new.rows.push(row);
            tied.push(tie.then_some(i));
        }
        let mut tied: Vec<usize> = tied.into_iter().flatten().collect();
        settle_pyramids(p, z, &mut new.rows, &mut tied);
        new.ties = tied.len();
        new
    }

    fn of_cone(p: &Cone<'_>, z: &[f64], ties: Ties) -> Self {
        let mut in_block = Vec::new();
        p.mark_block_rows(&mut in_block);
        let sizes = OwnSizes::of(p.rows.m, p.rows.q, z);
        let mut new = Self::of_rows(&p.rows, z, &in_block, &sizes, ties);
        for b in p.blocks.iter() {
            let (mode, tie) = mode_of_block(p, &b, z, &sizes, ties);
            new.blocks.push(mode);
            new.ties += usize::from(tie);
        }
        new
    }

    /// F(z), as many as unknowns.
    ///
    /// # Errors
    /// A residual that cannot be evaluated, or another number of unknowns: the problem is none of this form.
    pub fn equations(&self, problem: &Problem<'_>, z: &[f64], out: &mut Vec<f64>) -> Result<(), NoEquations> {
        out.clear();
        if z.len() != self.rows.len() || problem.len() + problem.dual_len() != z.len() {
            return Err(OTHER_FORM);
        }
        match problem {
            Problem::Mlcp(p) => self.row_equations(p, z, out),
            Problem::Cone(p) => {
                if p.blocks.len() != self.blocks.len() {
                    return Err(OTHER_FORM);
                }
                self.row_equations(&p.rows, z, out);
                for (k, (b, mode)) in p.blocks.iter().zip(&self.blocks).enumerate() {
                    block_equations(p, &b, (*mode, self.slips.get(k)), z, out);
                }
            }
            Problem::Conic(p) => self.program_equations(p, z, out),
            Problem::Root(p) => {
                out.resize(z.len(), 0.0);
                let called = p.oracle.call(Root::RESIDUAL, z, out);
                called.map_err(|_| "the root's residual cannot be evaluated beside the state")?;
            }
            Problem::Qpcc(_) => return Err(OTHER_FORM),
        }
        Ok(())
    }

    /// Puts unknowns that stand at bounds there to the bit, forces of open contacts too: a contact is open where it does not press at all.
    pub fn hold_bounds(&self, problem: &Problem<'_>, z: &mut [f64]) {
        let rows = match problem {
            Problem::Mlcp(p) => p,
            Problem::Cone(p) => {
                for (b, _) in p.blocks.iter().zip(&self.blocks).filter(|(_, mode)| **mode == Mode::Open) {
                    let tangents = b.tangent..b.tangent + b.dim;
                    let normal = (!b.is_disc()).then_some(b.normal);
                    tangents.chain(normal).for_each(|i| z[i as usize] = 0.0);
                }
                &p.rows
            }
            _ => return,
        };
        for (i, row) in self.rows.iter().enumerate() {
            match row {
                Row::Lower => z[i] = rows.lower[i],
                Row::Upper => z[i] = rows.upper[i],
                Row::Equation | Row::Held(_) | Row::Block => {}
            }
        }
    }

    fn row_equations(&self, p: &Mlcp<'_>, z: &[f64], out: &mut Vec<f64>) {
        out.extend((0..z.len()).map(|i| match self.rows[i] {
            Row::Equation => p.m.row_dot(i, z) + p.q[i],
            Row::Lower => z[i] - p.lower[i],
            Row::Upper => z[i] - p.upper[i],
            Row::Held(value) => z[i] - value,
            Row::Block => 0.0,
        }));
    }

    /// ∂F/∂z, n × n.
    ///
    /// # Errors
    /// A Jacobian that cannot be evaluated.
    pub fn matrix(&self, problem: &Problem<'_>, z: &[f64]) -> Result<DMatrix<f64>, NoEquations> {
        let n = z.len();
        let mut out = DMatrix::zeros(n, n);
        match problem {
            Problem::Mlcp(p) => self.row_matrix(p, &mut out),
            Problem::Cone(p) => {
                self.row_matrix(&p.rows, &mut out);
                p.blocks
                    .iter()
                    .zip(&self.blocks)
                    .for_each(|(b, mode)| block_matrix(p, &b, *mode, z, &mut out));
            }
            Problem::Conic(p) => self.program_matrix(p, z, &mut out),
            Problem::Root(p) => {
                let mut by_rows = vec![0.0; n * n];
                let called = p.oracle.call(Root::JACOBIAN, z, &mut by_rows);
                called.map_err(|_| "the root's Jacobian cannot be evaluated")?;
                out = DMatrix::from_row_slice(n, n, &by_rows);
            }
            Problem::Qpcc(_) => {
                return Err("a program with complementarity pairs has no equations of one mode");
            }
        }
        Ok(out)
    }

    fn row_matrix(&self, p: &Mlcp<'_>, out: &mut DMatrix<f64>) {
        for (i, row) in self.rows.iter().enumerate() {
            match row {
                Row::Equation => p.m.entries(i).for_each(|(j, value)| out[(i, j)] += value),
                Row::Block => {}
                _ => out[(i, i)] = 1.0,
            }
        }
    }
}

/// Rows of friction pyramids. Where a contact sticks within its pyramid (σ = 0 with slack), all its directions are equations: they span the
/// tangent plane with positive factors, so whatever force keeps it is there. Where it is open, its friction says nothing.
fn settle_pyramids(p: &Mlcp<'_>, z: &[f64], rows: &mut [Row], tied: &mut Vec<usize>) {
    let tag = |i: usize| p.tag[i];
    let slips = |i: usize| matches!(tag(i).part, Part::Slip | Part::SupportSlip);
    // A decompression returns impulses that are bounds above 0: such contacts press.
    let opened: Vec<bool> =
        (0..rows.len()).map(|k| rows[k] == Row::Lower && p.lower[k] == 0.0 && !tied.contains(&k)).collect();
    for i in (0..rows.len()).filter(|i| slips(*i)) {
        let friction = if tag(i).part == Part::Slip { Part::Friction } else { Part::Support };
        let subject = tag(i).subject;
        let normal = RowTag { subject, part: Part::Normal };
        let open = (0..rows.len()).any(|k| tag(k) == normal && opened[k]);
        let directions: Vec<usize> =
            (0..rows.len()).filter(|k| tag(*k) == RowTag { subject, part: friction }).collect();
        if open {
            directions.iter().chain([&i]).for_each(|k| rows[*k] = Row::Held(z[*k]));
            tied.retain(|k| *k != i && !directions.contains(k));
        } else if rows[i] == Row::Lower && !tied.contains(&i) {
            let stuck: Vec<usize> = directions.into_iter().filter(|k| tied.contains(k)).collect();
            stuck.iter().for_each(|k| rows[*k] = Row::Equation);
            tied.retain(|k| !stuck.contains(k));
        }
    }
}

#[cfg(test)]
#[path = "active_tests.rs"]
mod tests;
