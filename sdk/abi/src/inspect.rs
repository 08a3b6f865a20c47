//! What is made sure of before a plugin author's code runs: arrays that fit together. A plugin may index them as their
//! documentation says, without looking; whoever calls it with anything else gets an error instead of a panic.

use vinci_core::error::ErrorKind;
use vinci_core::model::{Space, SystemView};
use vinci_core::problem::Problem;
use vinci_core::stage::{DetectQuery, StepView};
use vinci_core::{Csr, StageError};

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
        Problem::Mlcp(p) => p.check().map_err(StageError::bad_input),
        _ => Ok(()),
    }
}

/// A positive step size and a finite state.
fn finite(s: &StepView<'_>) -> Result<(), StageError> {
    if !(s.h > 0.0 && s.h.is_finite()) {
        return Err(StageError::bad_input(format!("a step of {} s; it must be positive and finite", s.h)));
    }
    for (what, values) in [("q", s.q), ("v", s.v), ("force", s.force), ("bias", s.bias)] {
        if let Err(flaw) = crate::foreign::finite(what, values) {
            return Err(StageError::new(ErrorKind::NonFinite, flaw.message));
        }
    }
    Ok(())
}

/// All arrays of a step.
pub(crate) fn step(s: &StepView<'_>) -> Result<(), StageError> {
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
    length("upper bounds", s.rows.upper.len(), n)
}

/// Whether the rows of every contact hold as many entries each (they are to store the same columns).
fn same_pattern(row_start: &[u32], stride: usize) -> bool {
    let entries = |w: &[u32]| w[1].wrapping_sub(w[0]);
    let mut contacts = row_start.windows(stride + 1).step_by(stride);
    contacts.all(|c| c.windows(2).all(|row| entries(row) == entries(c)))
}

fn contacts(s: &StepView<'_>, nv: usize) -> Result<(), StageError> {
    let c = &s.contacts;
    let n = c.key.len();
    let rows = n * (1 + c.n_t);
    matrix("the contact Jacobian", &c.jacobian, rows, nv)?;
    if !same_pattern(c.jacobian.row_start, 1 + c.n_t) {
        return Err(StageError::bad_input("contacts whose rows store different numbers of entries"));
    }
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
        ("OR groups", c.group.len(), if c.group.is_empty() { 0 } else { n }),
    ];
    lengths.into_iter().try_for_each(|(what, found, expected)| length(what, found, expected))
}
