//! Checks before a plugin author's code runs: arrays that fit together. A plugin may index them as their
//! documentation says, without looking; whoever calls it with anything else gets an error instead of a panic.

use vinci_core::error::ErrorKind;
use vinci_core::model::{Space, SystemView};
use vinci_core::problem::{Mlcp, Problem};

use vinci_core::StageError;
use vinci_core::stage::{ControlView, DetectQuery, StepView};
use vinci_core::state::Layout;

use crate::finite::all_finite;
use crate::raw::{self, Sizes};

/// Sizes of the system that an instance was made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    space: Space,
    n_bodies: usize,
    efforts: usize,
    set_points: usize,
}

impl Size {
    pub(crate) fn of(system: &SystemView<'_>) -> Self {
        let (efforts, set_points) = (system.efforts.len(), system.set_points.len());
        Self { space: system.space, n_bodies: system.n_bodies(), efforts, set_points }
    }
}

#[inline]
fn length(what: impl std::fmt::Display, found: usize, expected: usize) -> Result<(), StageError> {
    if found == expected {
        return Ok(());
    }
    Err(StageError::bad_input(format!("{found} {what} where {expected} are expected")))
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

/// [`Mlcp::check`] at memory speed where nothing is wrong: loops without early exit, the message found afterwards.
pub(crate) fn mlcp(p: &Mlcp<'_>) -> Result<(), String> {
    if mlcp_fits(p) && numbers_fit(p) { Ok(()) } else { p.check() }
}

/// Returns true if all lengths are `n`.
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

/// The sizes of a step.
#[inline]
pub(crate) fn sizes(s: &StepView<'_>) -> Sizes {
    Sizes {
        nv: s.v.len(),
        nq: s.q.len(),
        blocks: s.block_start.len().saturating_sub(1),
        entries: entries(s.block_start),
        n: s.contacts.key.len(),
        n_t: s.contacts.n_t,
        rows: s.rows.rate.len(),
        supports: s.supports.bound.len(),
        ..Sizes::default()
    }
}

/// Entries of a matrix of dense blocks.
#[inline]
fn entries(block_start: &[u32]) -> usize {
    let squares = |sum: usize, w: &[u32]| sum.wrapping_add((w[1].wrapping_sub(w[0]) as usize).pow(2));
    block_start.windows(2).fold(0, squares)
}

/// All arrays of a step: one look where everything fits, the message found afterwards.
pub(crate) fn step(s: &StepView<'_>) -> Result<(), StageError> {
    let sizes = sizes(s);
    let fine = raw::StepView::fits(s, &sizes)
        && raw::Contacts::fits(&s.contacts, &sizes)
        && raw::Rows::fits(&s.rows, &sizes)
        && raw::Supports::fits(&s.supports, &sizes)
        && blocks_fit(&s.layout(), s.q.len(), s.v.len())
        && quaternions_fit(&s.layout(), s.q.len(), s.v.len())
        && raw::StepView::all_finite(s)
        && s.h > 0.0
        && s.h < f64::INFINITY;
    if fine { Ok(()) } else { explain(s, &sizes) }
}

/// Blocks ascend and end with the last velocity and position.
fn blocks_fit(s: &Layout<'_>, nq: usize, nv: usize) -> bool {
    let ascending = s.block_start.windows(2).fold(true, |fine, w| fine & (w[0] <= w[1]));
    let ends = |starts: &[u32], n: usize| starts.last().is_some_and(|&end| end as usize == n);
    ascending && ends(s.block_start, nv) && ends(s.q_start, nq)
}

fn quaternions_fit(s: &Layout<'_>, nq: usize, nv: usize) -> bool {
    let inside = |at: &[u32]| at[0] as usize + 4 <= nq && at[1] as usize + 3 <= nv;
    s.quaternion.len().is_multiple_of(2) && s.quaternion.chunks_exact(2).all(inside)
}

/// The first thing that does not fit.
#[cold]
fn explain(s: &StepView<'_>, sizes: &Sizes) -> Result<(), StageError> {
    if !(s.h > 0.0 && s.h.is_finite()) {
        return Err(StageError::bad_input(format!("a step of {} s; it must be positive and finite", s.h)));
    }
    raw::StepView::finite(s).map_err(|flaw| StageError::new(ErrorKind::NonFinite, flaw.message))?;
    let Some(&end) = s.block_start.last() else {
        return Err(StageError::bad_input("no starts of blocks; without blocks there is one, 0"));
    };
    length("velocities in blocks", end as usize, sizes.nv)?;
    let views = [
        raw::StepView::measure(s, sizes),
        raw::Contacts::measure(&s.contacts, sizes),
        raw::Rows::measure(&s.rows, sizes),
        raw::Supports::measure(&s.supports, sizes),
    ];
    views.into_iter().try_for_each(|measured| measured.map_err(StageError::bad_input))?;
    let end = s.q_start.last().map_or(0, |&end| end as usize);
    length("positions", s.q.len(), end)?;
    Err(misplaced(&s.layout(), s.q.len(), s.v.len()))
}

#[cold]
fn misplaced(layout: &Layout<'_>, nq: usize, nv: usize) -> StageError {
    let fine = blocks_fit(layout, nq, nv);
    StageError::bad_input(if fine {
        "a quaternion outside q and v"
    } else {
        "blocks whose starts do not ascend"
    })
}

/// All arrays of a grid time as a controller sees it; `size` is that of the system that it was made for.
pub(crate) fn control(view: &ControlView<'_>, size: Size) -> Result<(), StageError> {
    let sizes = Sizes {
        nv: view.v.len(),
        nq: view.q.len(),
        blocks: view.block_start.len().saturating_sub(1),
        entries: entries(view.block_start),
        n: view.contacts.key.len(),
        n_t: view.contacts.n_t,
        pose: size.n_bodies * size.space.nq(),
        twist: size.n_bodies * size.space.nv(),
        efforts: size.efforts,
        set_points: size.set_points,
        ..Sizes::default()
    };
    let (layout, nq, nv) = (view.layout(), view.q.len(), view.v.len());
    let fine = raw::ControlView::fits(view, &sizes)
        && raw::Contacts::fits(&view.contacts, &sizes)
        && raw::ControlView::all_finite(view)
        && blocks_fit(&layout, nq, nv)
        && quaternions_fit(&layout, nq, nv)
        && times_fit(view)
        && view.space == size.space;
    if fine { Ok(()) } else { explain_control(view, size, &sizes) }
}

/// Times of a call: the grid's positive, the last step's perhaps 0.
fn times_fit(view: &ControlView<'_>) -> bool {
    let positive = |time: f64| time > 0.0 && time < f64::INFINITY;
    positive(view.h)
        && positive(view.period)
        && (0.0..f64::INFINITY).contains(&view.h_last)
        && view.t.is_finite()
}

/// The first thing that does not fit at a grid time.
#[cold]
fn explain_control(view: &ControlView<'_>, size: Size, sizes: &Sizes) -> Result<(), StageError> {
    if !times_fit(view) {
        let ControlView { t, h, period, h_last, .. } = view;
        return Err(StageError::bad_input(format!(
            "t = {t} s, a grid of {h} s, a period of {period} s, a last step of {h_last} s: all must be finite, grid and period positive"
        )));
    }
    if view.space != size.space {
        return Err(StageError::bad_input("another space than that of the system"));
    }
    raw::ControlView::finite(view).map_err(|flaw| StageError::new(ErrorKind::NonFinite, flaw.message))?;
    raw::ControlView::measure(view, sizes)
        .and_then(|()| raw::Contacts::measure(&view.contacts, sizes))
        .map_err(StageError::bad_input)?;
    Err(misplaced(&view.layout(), view.q.len(), view.v.len()))
}
