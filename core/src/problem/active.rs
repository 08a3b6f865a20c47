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

use super::{Cone, ConeBlock, Conic, Mlcp, Part, Problem, Root, RowTag};

/// Size of z_i − l_i and of w_i, in typical sizes of both, below which both are 0.
const TIE: f64 = 1e-6;

/// How ties are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// As equations: w_i = 0, contacts stick.
    Equations,
    /// As bounds: z_i = l_i, contacts slip or are open.
    Bounds,
}

/// Law of one unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Row {
    /// w_i = 0.
    Equation,
    /// z_i = l_i.
    Lower,
    /// z_i = u_i.
    Upper,
    /// z_i keeps this value: nothing depends on it.
    Held(f64),
    /// That of its block or cone.
    Block,
}

/// Law of a friction block or of a second-order cone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// z = 0 (cones: y = 0).
    Open,
    /// w = 0 (cones: s = 0).
    Stick,
    /// Both on the boundary.
    Slip,
}

/// The equations of one solution.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveSet {
    rows: Vec<Row>,
    blocks: Vec<Mode>,
    ties: usize,
}

/// Why a problem has no such equations, in words.
pub type NoEquations = &'static str;

impl ActiveSet {
    /// Of a solution: unknowns z, of programs followed by the duals.
    ///
    /// # Errors
    /// Programs with complementarity pairs: their solution is the best of modes.
    pub fn of(problem: &Problem<'_>, z: &[f64], ties: Ties) -> Result<Self, NoEquations> {
        match problem {
            Problem::Mlcp(p) => Ok(Self::of_rows(p, z, &[], ties)),
            Problem::Cone(p) => Ok(Self::of_cone(p, z, ties)),
            Problem::Conic(p) => Ok(Self::of_conic(p, z, ties)),
            Problem::Root(p) => {
                Ok(Self { rows: vec![Row::Equation; p.start.len()], blocks: Vec::new(), ties: 0 })
            }
            Problem::Qpcc(_) => Err("a program with complementarity pairs has no equations of one mode"),
        }
    }

    /// Number of rows and blocks for which two modes hold at once.
    pub fn ties(&self) -> usize {
        self.ties
    }

    fn of_rows(p: &Mlcp<'_>, z: &[f64], in_block: &[bool], ties: Ties) -> Self {
        let mut new = Self { rows: Vec::with_capacity(p.n()), blocks: Vec::new(), ties: 0 };
        let mut tied = Vec::new();
        for i in 0..p.n() {
            if in_block.get(i) == Some(&true) {
                new.rows.push(Row::Block);
                continue;
            }
            let w = p.m.row_dot(i, z) + p.q[i];
            let size = (p.z_scale[i], p.w_scale[i]);
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
        let mut new = Self::of_rows(&p.rows, z, &in_block, ties);
        for b in p.blocks.iter() {
            let (mode, tie) = mode_of_block(p, &b, z, ties);
            new.blocks.push(mode);
            new.ties += usize::from(tie);
        }
        new
    }

    fn of_conic(p: &Conic<'_>, z: &[f64], ties: Ties) -> Self {
        let (x, y) = z.split_at(p.n());
        let mut new = Self { rows: vec![Row::Equation; p.n()], blocks: Vec::new(), ties: 0 };
        let largest = y.iter().fold(f64::MIN_POSITIVE, |m, y| m.max(y.abs()));
        let in_cone = |i: usize| p.cones().any(|rows| rows.contains(&i));
        for i in 0..p.m() {
            if in_cone(i) {
                new.rows.push(Row::Block);
                continue;
            }
            // With y for z and the distance of s to its bounds for w.
            let (low, high) = (p.s(i, x) - p.lower[i], p.s(i, x) - p.upper[i]);
            let w = if low.abs() <= high.abs() || high.is_infinite() { low } else { high };
            let sided = if w == low { (0.0, f64::INFINITY) } else { (f64::NEG_INFINITY, 0.0) };
            let sided = if p.lower[i] == p.upper[i] { (f64::NEG_INFINITY, f64::INFINITY) } else { sided };
            let (row, tie) = row_of((y[i], w), sided, (largest, p.s_scale[i]), ties);
            let at_bound = if row == Row::Equation {
                if w == low { Row::Lower } else { Row::Upper }
            } else {
                Row::Held(0.0)
            };
            new.rows.push(at_bound);
            new.ties += usize::from(tie);
        }
        for rows in p.cones() {
            let (mode, tie) = mode_of_cone(p, rows, (x, y), largest, ties);
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
        const OTHER: NoEquations = "the problem has another form beside the state";
        out.clear();
        if z.len() != self.rows.len() || problem.len() + problem.dual_len() != z.len() {
            return Err(OTHER);
        }
        match problem {
            Problem::Mlcp(p) => self.row_equations(p, z, out),
            Problem::Cone(p) => {
                if p.blocks.len() != self.blocks.len() {
                    return Err(OTHER);
                }
                self.row_equations(&p.rows, z, out);
                p.blocks.iter().zip(&self.blocks).for_each(|(b, mode)| block_equations(p, &b, *mode, z, out));
            }
            Problem::Conic(p) => self.program_equations(p, z, out),
            Problem::Root(p) => {
                out.resize(z.len(), 0.0);
                let called = p.oracle.call(Root::RESIDUAL, z, out);
                called.map_err(|_| "the root's residual cannot be evaluated beside the state")?;
            }
            Problem::Qpcc(_) => return Err(OTHER),
        }
        Ok(())
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

    /// P x + c − Gᵀ y = 0, and for every row y_i = 0 or s_i at its bound; y ∘ s = 0 where a cone slips.
    fn program_equations(&self, p: &Conic<'_>, z: &[f64], out: &mut Vec<f64>) {
        let (x, y) = z.split_at(p.n());
        p.stationarity(x, y, out);
        out.extend((0..p.m()).map(|i| match self.rows[p.n() + i] {
            Row::Lower => p.s(i, x) - p.lower[i],
            Row::Upper => p.s(i, x) - p.upper[i],
            _ => y[i],
        }));
        for (rows, mode) in p.cones().zip(&self.blocks) {
            let (first, s) = (rows.start, |i: usize| p.s(i, x));
            for i in rows.clone() {
                out[p.n() + i] = match mode {
                    Mode::Open => y[i],
                    Mode::Stick => s(i),
                    Mode::Slip if i == first => rows.clone().map(|k| y[k] * s(k)).sum(),
                    Mode::Slip => y[first] * s(i) + s(first) * y[i],
                };
            }
        }
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

    fn program_matrix(&self, p: &Conic<'_>, z: &[f64], out: &mut DMatrix<f64>) {
        let (n, (x, y)) = (p.n(), z.split_at(p.n()));
        for i in 0..n {
            p.p.entries(i).for_each(|(j, value)| out[(i, j)] += value);
        }
        for i in 0..p.m() {
            p.rows.entries(i).for_each(|(j, value)| out[(j, n + i)] -= value);
            match self.rows[n + i] {
                Row::Lower | Row::Upper => p.rows.entries(i).for_each(|(j, value)| out[(n + i, j)] += value),
                Row::Block => {}
                _ => out[(n + i, n + i)] = 1.0,
            }
        }
        for (rows, mode) in p.cones().zip(&self.blocks) {
            let (first, s) = (rows.start, |i: usize| p.s(i, x));
            let mut add_s = |row: usize, k: usize, factor: f64| {
                p.rows.entries(k).for_each(|(j, value)| out[(n + row, j)] += factor * value);
            };
            let pairs = |i: usize| -> Vec<(usize, f64, f64)> {
                // (k, ∂F_i/∂s_k, ∂F_i/∂y_k)
                match mode {
                    Mode::Open => vec![(i, 0.0, 1.0)],
                    Mode::Stick => vec![(i, 1.0, 0.0)],
                    Mode::Slip if i == first => rows.clone().map(|k| (k, y[k], s(k))).collect(),
                    Mode::Slip => vec![(i, y[first], s(first)), (first, y[i], s(i))],
                }
            };
            let all: Vec<_> = rows.clone().flat_map(|i| pairs(i).into_iter().map(move |t| (i, t))).collect();
            all.iter().for_each(|(i, (k, by_s, _))| add_s(*i, *k, *by_s));
            all.iter().for_each(|(i, (k, _, by_y))| out[(n + i, n + k)] += by_y);
        }
    }
}

/// The law of a row, and whether two hold.
fn row_of(
    (z, w): (f64, f64),
    (lower, upper): (f64, f64),
    (z_size, w_size): (f64, f64),
    ties: Ties,
) -> (Row, bool) {
    if lower == f64::NEG_INFINITY && upper == f64::INFINITY {
        return (Row::Equation, false);
    }
    let (below, above) = (z - lower, upper - z);
    let (room, bound) = if below <= above { (below, Row::Lower) } else { (above, Row::Upper) };
    let (room, w) = (room.abs() / z_size, w.abs() / w_size);
    match (room <= TIE && w <= TIE, ties) {
        (true, Ties::Equations) => (Row::Equation, true),
        (true, Ties::Bounds) => (bound, true),
        (false, _) => (if room > w { Row::Equation } else { bound }, false),
    }
}

/// Rows of friction pyramids. Where a contact sticks within its pyramid (σ = 0 with slack), all its directions are equations: they span the
/// tangent plane with positive factors, so whatever force keeps it is there. Where it is open, its friction says nothing.
fn settle_pyramids(p: &Mlcp<'_>, z: &[f64], rows: &mut [Row], tied: &mut Vec<usize>) {
    let tag = |i: usize| p.tag[i];
    let slips = |i: usize| matches!(tag(i).part, Part::Slip | Part::SupportSlip);
    for i in (0..rows.len()).filter(|i| slips(*i)) {
        let friction = if tag(i).part == Part::Slip { Part::Friction } else { Part::Support };
        let subject = tag(i).subject;
        let normal = RowTag { subject, part: Part::Normal };
        let open = (0..rows.len()).any(|k| tag(k) == normal && rows[k] == Row::Lower && !tied.contains(&k));
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

/// (p_n, p_t) and (u_n, u_t) of a block; discs have their radius for μ p_n.
fn block_numbers(p: &Cone<'_>, b: &ConeBlock, z: &[f64]) -> ([f64; 3], [f64; 3]) {
    let w = |i: u32| p.rows.m.row_dot(i as usize, z) + p.rows.q[i as usize];
    let (t1, t2) = b.tangential(z);
    let second = if b.dim == 2 { w(b.tangent + 1) } else { 0.0 };
    let (n, u) = if b.is_disc() { (1.0, 0.0) } else { (z[b.normal as usize], w(b.normal)) };
    ([n, t1, t2], [u, w(b.tangent), second])
}

fn mode_of_block(p: &Cone<'_>, b: &ConeBlock, z: &[f64], ties: Ties) -> (Mode, bool) {
    let ([n, t1, t2], [u_n, u1, u2]) = block_numbers(p, b, z);
    let row = if b.is_disc() { b.tangent } else { b.normal } as usize;
    let (z_size, w_size) = (p.rows.z_scale[row], p.rows.w_scale[row]);
    let (slip, room) = (u1.hypot(u2) / w_size, (b.size * n - t1.hypot(t2)) / z_size);
    let (pressed, apart) = (n / z_size, u_n / w_size);
    if !b.is_disc() && pressed <= TIE && apart <= TIE {
        return (if ties == Ties::Equations { Mode::Stick } else { Mode::Open }, true);
    }
    if !b.is_disc() && apart > pressed {
        return (Mode::Open, false);
    }
    match (slip <= TIE && room <= TIE, ties) {
        // Without friction there is nothing to stick with.
        (true, _) if b.size * n <= TIE * z_size => (Mode::Slip, false),
        (true, Ties::Equations) => (Mode::Stick, true),
        (true, Ties::Bounds) => (Mode::Slip, true),
        (false, _) => (if slip > room { Mode::Slip } else { Mode::Stick }, false),
    }
}

fn mode_of_cone(
    p: &Conic<'_>,
    rows: std::ops::Range<usize>,
    (x, y): (&[f64], &[f64]),
    y_size: f64,
    ties: Ties,
) -> (Mode, bool) {
    let first = rows.start;
    let norm = |f: &dyn Fn(usize) -> f64| rows.clone().skip(1).map(|i| f(i).powi(2)).sum::<f64>().sqrt();
    let (s, s_size) = (|i: usize| p.s(i, x), p.s_scale[first]);
    let s_inside = (s(first) - norm(&s)) / s_size;
    let y_inside = (y[first] - norm(&|i| y[i])) / y_size;
    let zero = (s(first) / s_size <= TIE, y[first] / y_size <= TIE);
    match zero {
        (true, true) => (if ties == Ties::Equations { Mode::Stick } else { Mode::Open }, true),
        (true, false) => (Mode::Stick, y_inside <= TIE),
        (false, true) => (Mode::Open, s_inside <= TIE),
        (false, false) => (Mode::Slip, false),
    }
}

/// Open: p = 0. Stick: u = 0. Slip: u_n = 0 and p_t + μ p_n u_t/|u_t| = 0.
fn block_equations(p: &Cone<'_>, b: &ConeBlock, mode: Mode, z: &[f64], out: &mut [f64]) {
    let ([n, t1, t2], [u_n, u1, u2]) = block_numbers(p, b, z);
    let (length, tangential) = (u1.hypot(u2), [(t1, u1), (t2, u2)]);
    if !b.is_disc() {
        out[b.normal as usize] = if mode == Mode::Open { n } else { u_n };
    }
    for d in 0..b.dim as usize {
        let (t, u) = tangential[d];
        out[b.tangent as usize + d] = match mode {
            Mode::Open => t,
            Mode::Stick => u,
            Mode::Slip if length > 0.0 => t + b.size * n * u / length,
            Mode::Slip => t,
        };
    }
}

fn block_matrix(p: &Cone<'_>, b: &ConeBlock, mode: Mode, z: &[f64], out: &mut DMatrix<f64>) {
    let ([n, ..], [_, u1, u2]) = block_numbers(p, b, z);
    let (length, u, t0) = (u1.hypot(u2), [u1, u2], b.tangent as usize);
    let add_row = |row: usize, k: usize, factor: f64, out: &mut DMatrix<f64>| {
        p.rows.m.entries(k).for_each(|(j, value)| out[(row, j)] += factor * value);
    };
    if !b.is_disc() {
        let row = b.normal as usize;
        if mode == Mode::Open { out[(row, row)] = 1.0 } else { add_row(row, row, 1.0, out) }
    }
    for d in 0..b.dim as usize {
        let row = t0 + d;
        if mode == Mode::Stick {
            add_row(row, row, 1.0, out);
            continue;
        }
        out[(row, row)] += 1.0;
        if mode == Mode::Open || !(length > 0.0) {
            continue;
        }
        if !b.is_disc() {
            out[(row, b.normal as usize)] += b.size * u[d] / length;
        }
        for e in 0..b.dim as usize {
            let identity = f64::from(u8::from(d == e));
            let turning = (identity - u[d] * u[e] / (length * length)) / length;
            add_row(row, t0 + e, b.size * n * turning, out);
        }
    }
}

#[cfg(test)]
#[path = "active_tests.rs"]
mod tests;
