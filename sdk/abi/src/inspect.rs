//! What is made sure of before a plugin author's code runs: arrays that fit together. A plugin may index them as their
//! documentation says, without looking; whoever calls it with anything else gets an error instead of a panic.

use vinci_core::error::ErrorKind;
use vinci_core::model::{Space, SystemView};
use vinci_core::problem::{Mlcp, Problem};

use vinci_core::stage::{DetectQuery, StepView};
use vinci_core::{Csr, StageError};

use crate::finite::{all_finite, finite as finite_values};

/// What an instance must remember of the system it was made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    space: Space,
    n_bodies: usize,
}

impl Size {
    pub(crate) fn of(system: &SystemView<'_>) -> Self {
        Self { space: system.space, n_bodies: system.n_bodies() }
    }
}

#[inline]
fn length(what: impl std::fmt::Display, found: usize, expected: usize) -> Result<(), StageError> {
    if found == expected {
        return Ok(());
    }
    Err(StageError::bad_input(format!("{found} {what} where {expected} are expected")))
}

/// A sparse matrix of `n_rows` rows, or one without any; whether its columns exist is not looked at.
fn matrix(what: &str, m: &Csr<'_>, n_rows: usize, n_cols: usize) -> Result<(), StageError> {
    length(format_args!("columns of entries of {what}"), m.column.len(), m.value.len())?;
    length(
        format_args!("entries of {what}"),
        m.value.len(),
        m.row_start.last().map_or(0, |&end| end as usize),
    )?;
    if m.n_rows() == 0 && n_rows > 0 {
        return length(format_args!("rows of {what}"), 0, n_rows);
    }
    length(format_args!("rows of {what}"), m.n_rows(), n_rows)?;
    if n_rows > 0 { length(format_args!("columns of {what}"), m.n_cols, n_cols) } else { Ok(()) }
}

/// Poses and margins of all bodies, finite poses.
pub(crate) fn query(query: &DetectQuery<'_>, size: Size) -> Result<(), StageError> {
    length("pose coordinates", query.pose.len(), size.n_bodies * size.space.nq())?;
    length("margins", query.margin.len(), size.n_bodies)?;
    match query.pose.iter().position(|x| !x.is_finite()) {
        Some(i) => {
            let (body, value) = (i / size.space.nq(), query.pose[i]);
            Err(StageError::bad_input(format!("the pose of body {body} holds {value}")))
        }
        None => Ok(()),
    }
}

/// All arrays of a problem that have a length.
pub(crate) fn problem(problem: &Problem<'_>) -> Result<(), StageError> {
    match problem {
        Problem::Mlcp(p) => mlcp(p).map_err(StageError::bad_input),
        Problem::Cone(c) => {
            mlcp(&c.rows).map_err(StageError::bad_input)?;
            c.check_blocks().map_err(StageError::bad_input)
        }
        Problem::Conic(p) => p.check().map_err(StageError::bad_input),
        Problem::Qpcc(p) => p.check().map_err(StageError::bad_input),
        _ => Ok(()),
    }
}

/// As [`Mlcp::check`], at memory speed where nothing is wrong: loops without early exit, the message found afterwards.
pub(crate) fn mlcp(p: &Mlcp<'_>) -> Result<(), String> {
    if mlcp_fits(p) && numbers_fit(p) { Ok(()) } else { p.check() }
}

/// Whether all lengths are `n`.
#[inline]
fn all<const K: usize>(lengths: [usize; K], n: usize) -> bool {
    lengths.into_iter().fold(true, |fine, length| fine & (length == n))
}

fn mlcp_fits(p: &Mlcp<'_>) -> bool {
    let (n, entries) = (p.q.len(), p.m.value.len());
    let starts = p.m.row_start;
    all([p.m.n_cols, p.lower.len(), p.upper.len(), p.tag.len(), p.z_scale.len(), p.w_scale.len()], n)
        && (p.guess.is_empty() || p.guess.len() == n)
        && starts.len() == n + 1
        && starts[0] == 0
        && starts[n] as usize == entries
        && p.m.column.len() == entries
}

fn numbers_fit(p: &Mlcp<'_>) -> bool {
    let ascending = p.m.row_start.windows(2).fold(true, |fine, w| fine & (w[0] <= w[1]));
    let last_column = p.m.column.iter().fold(0, |last, &c| last.max(c));
    let bounds = p.lower.iter().zip(p.upper).fold(true, |fine, (l, u)| fine & (l <= u));
    ascending
        && bounds
        && (last_column as usize) < p.q.len().max(1)
        && all_finite(p.q)
        && all_finite(p.m.value)
}

/// A positive step size and a finite state.
fn finite(s: &StepView<'_>) -> Result<(), StageError> {
    if !(s.h > 0.0 && s.h.is_finite()) {
        return Err(StageError::bad_input(format!("a step of {} s; it must be positive and finite", s.h)));
    }
    for (what, values) in [("q", s.q), ("v", s.v), ("force", s.force), ("bias", s.bias)] {
        if let Err(flaw) = finite_values(what, values) {
            return Err(StageError::new(ErrorKind::NonFinite, flaw.message));
        }
    }
    Ok(())
}

/// All arrays of a step: one look where everything fits, the message found afterwards.
pub(crate) fn step(s: &StepView<'_>) -> Result<(), StageError> {
    if step_fits(s) && contacts_fit(s) && supports_fit(s) { Ok(()) } else { explain(s) }
}

fn step_fits(s: &StepView<'_>) -> bool {
    let (nv, rows) = (s.v.len(), s.rows.rate.len());
    let Some((&end, starts)) = s.block_start.split_last() else { return false };
    let squares = |sum: usize, w: &[u32]| sum.wrapping_add((w[1].wrapping_sub(w[0]) as usize).pow(2));
    let entries = s.block_start.windows(2).fold(0, squares);
    let ascending = s.block_start.windows(2).fold(true, |fine, w| fine & (w[0] <= w[1]));
    ascending
        && end as usize == nv
        && s.q_start.len() == starts.len() + 1
        && s.q_start[starts.len()] as usize == s.q.len()
        && all([s.block_kind.len(), s.motion.len()], starts.len())
        && all([s.mass.len(), s.drag.len()], entries)
        && all([s.force.len(), s.bias.len(), s.role.len(), s.command.len(), s.impedance.len()], nv)
        && matrix_fits(&s.stiffness, if s.stiffness.n_rows() == 0 { 0 } else { nv }, nv)
        && matrix_fits(&s.viscosity, if s.viscosity.n_rows() == 0 { 0 } else { nv }, nv)
        && matrix_fits(&s.rows.jacobian, rows, nv)
        && all([s.rows.lower.len(), s.rows.upper.len()], rows)
        && s.h > 0.0
        && s.h < f64::INFINITY
        && [s.q, s.v, s.force, s.bias].into_iter().all(all_finite)
}

fn contacts_fit(s: &StepView<'_>) -> bool {
    let c = &s.contacts;
    let n = c.key.len();
    let rows = n * (1 + c.n_t);
    matrix_fits(&c.jacobian, rows, s.v.len())
        && all([c.body_a.len(), c.body_b.len(), c.gap.len(), c.friction.len(), c.restitution.len()], n)
        && all([c.stiffness.len(), c.damping.len(), c.age.len()], n)
        && all([c.normal.len(), c.point_a.len(), c.point_b.len()], 3 * n)
        && c.tangent.len() == 3 * n * c.n_t
        && all([c.rate.len(), c.last_impulse.len()], rows)
        && (c.group.is_empty() || c.group.len() == n)
        && (c.dissipation.is_empty() || c.dissipation.len() == n)
        && quaternions_fit(s)
}

fn quaternions_fit(s: &StepView<'_>) -> bool {
    let inside = |at: &[u32]| at[0] as usize + 4 <= s.q.len() && at[1] as usize + 3 <= s.v.len();
    s.quaternion.len().is_multiple_of(2) && s.quaternion.chunks_exact(2).all(inside)
}

fn supports_fit(s: &StepView<'_>) -> bool {
    let (p, n) = (&s.supports, s.supports.bound.len());
    [s.force_rate, s.drive_speed].iter().all(|x| x.is_empty() || x.len() == s.v.len() && all_finite(x))
        && all([p.body.len(), p.load.len()], n)
        && all([p.point.len(), p.last_impulse.len()], 2 * n)
        && matrix_fits(&p.jacobian, 2 * n, s.v.len())
        && [s.rows_middle, s.rows_end]
            .iter()
            .all(|m| m.n_rows() == 0 || matrix_fits(m, s.rows.rate.len(), s.v.len()))
}

#[inline]
fn matrix_fits(m: &Csr<'_>, n_rows: usize, n_cols: usize) -> bool {
    m.n_rows() == n_rows
        && (n_rows == 0 || m.n_cols == n_cols)
        && m.column.len() == m.value.len()
        && m.row_start.last().map_or(0, |&end| end as usize) == m.value.len()
}

/// The first thing that does not fit.
#[cold]
fn explain(s: &StepView<'_>) -> Result<(), StageError> {
    finite(s)?;
    let (nv, Some((&end, starts))) = (s.v.len(), s.block_start.split_last()) else {
        return Err(StageError::bad_input("no starts of blocks; without blocks there is one, 0"));
    };
    let blocks = starts.len();
    length("velocities in blocks", end as usize, nv)?;
    length("starts of position blocks", s.q_start.len(), blocks + 1)?;
    length("positions", s.q.len(), s.q_start[blocks] as usize)?;
    length("kinds of blocks", s.block_kind.len(), blocks)?;
    length("motion models", s.motion.len(), blocks)?;
    if s.block_start.windows(2).any(|w| w[0] > w[1]) {
        return Err(StageError::bad_input("blocks whose starts do not ascend"));
    }
    let entries = s.block_start.windows(2).map(|w| ((w[1] - w[0]) as usize).pow(2)).sum();
    length("entries of M", s.mass.len(), entries)?;
    length("entries of D", s.drag.len(), entries)?;
    length("forces", s.force.len(), nv)?;
    length("bias forces", s.bias.len(), nv)?;
    length("roles", s.role.len(), nv)?;
    length("commands", s.command.len(), nv)?;
    length("impedances", s.impedance.len(), nv)?;
    for (what, m) in [("the stiffness", &s.stiffness), ("the viscosity", &s.viscosity)] {
        matrix(what, m, if m.n_rows() == 0 { 0 } else { nv }, nv)?;
    }
    contacts(s, nv)?;
    let n = s.rows.rate.len();
    matrix("the other rows", &s.rows.jacobian, n, nv)?;
    length("lower bounds", s.rows.lower.len(), n)?;
    length("upper bounds", s.rows.upper.len(), n)?;
    supports(s, nv)
}

fn supports(s: &StepView<'_>, nv: usize) -> Result<(), StageError> {
    let (p, n) = (&s.supports, s.supports.bound.len());
    matrix("the Jacobian of support points", &p.jacobian, 2 * n, nv)?;
    length("bodies of support points", p.body.len(), n)?;
    length("loads of support points", p.load.len(), n)?;
    length("coordinates of support points", p.point.len(), 2 * n)?;
    length("last impulses of support points", p.last_impulse.len(), 2 * n)?;
    for (what, m) in [("the rows at the middle", &s.rows_middle), ("the rows at the end", &s.rows_end)] {
        matrix(what, m, if m.n_rows() == 0 { 0 } else { s.rows.rate.len() }, nv)?;
    }
    length("rates of forces", s.force_rate.len(), if s.force_rate.is_empty() { 0 } else { nv })?;
    length("speeds of drives", s.drive_speed.len(), if s.drive_speed.is_empty() { 0 } else { nv })?;
    finite_values("force rate", s.force_rate)
        .and_then(|()| finite_values("speed of a drive", s.drive_speed))
        .map_err(|flaw| StageError::new(ErrorKind::NonFinite, flaw.message))
}

fn contacts(s: &StepView<'_>, nv: usize) -> Result<(), StageError> {
    let c = &s.contacts;
    let n = c.key.len();
    let rows = n * (1 + c.n_t);
    matrix("the contact Jacobian", &c.jacobian, rows, nv)?;
    let lengths = [
        ("bodies on side A", c.body_a.len(), n),
        ("bodies on side B", c.body_b.len(), n),
        ("gaps", c.gap.len(), n),
        ("normal coordinates", c.normal.len(), 3 * n),
        ("tangent coordinates", c.tangent.len(), 3 * n * c.n_t),
        ("coordinates of points on A", c.point_a.len(), 3 * n),
        ("coordinates of points on B", c.point_b.len(), 3 * n),
        ("contact rates", c.rate.len(), rows),
        ("friction coefficients", c.friction.len(), n),
        ("restitution coefficients", c.restitution.len(), n),
        ("contact stiffnesses", c.stiffness.len(), n),
        ("contact dampings", c.damping.len(), n),
        ("last impulses", c.last_impulse.len(), rows),
        ("contact ages", c.age.len(), n),
        ("contact dissipations", c.dissipation.len(), if c.dissipation.is_empty() { 0 } else { n }),
        ("OR groups", c.group.len(), if c.group.is_empty() { 0 } else { n }),
    ];
    lengths.into_iter().try_for_each(|(what, found, expected)| length(what, found, expected))?;
    if quaternions_fit(s) { Ok(()) } else { Err(StageError::bad_input("a quaternion outside q and v")) }
}
