//! Columns of the tables of a run, with their units.

use vinci_core::model::{Space, System};
use vinci_engine::labels::{self, Label};

use crate::table::Column;

/// The first columns of contacts; those behind them are [`CONTACT_PLACES`].
pub const CONTACTS: &str =
    "time,body_a,body_b,gap,normal_impulse,friction_impulse_1,friction_impulse_2,slip_speed,mode";
/// Where contacts are, in world axes: the middle between the points on A and B (m), the unit normal from A to B, in space the
/// first tangent (the second is n × t₁; in the plane the only one is (−n_y, n_x)), the mean force on B over the step (N), and
/// the pair's coefficient of friction.
pub const CONTACT_PLACES: [&str; 2] =
    ["x,y,nx,ny,fx,fy,friction", "x,y,z,nx,ny,nz,tx,ty,tz,fx,fy,fz,friction"];

/// The unit of counts in the lists below.
const COUNT: &str = "count";

/// Units of [`CONTACTS`], words without; then those of [`CONTACT_PLACES`].
const CONTACT_UNITS: [&str; 9] = ["s", "", "", "m", "N s", "N s", "N s", "m/s", ""];
const PLACE_UNITS: [&[&str]; 2] = [
    &["m", "m", "1", "1", "N", "N", "1"],
    &["m", "m", "m", "1", "1", "1", "1", "1", "1", "N", "N", "N", "1"],
];

/// Columns by their names; those without a unit hold words.
fn named<'a>(names: &str, units: impl IntoIterator<Item = &'a &'static str>) -> Vec<Column> {
    let column = |(name, unit): (&str, &&'static str)| match *unit {
        "" => Column::words(name),
        COUNT => Column::counts(name),
        unit => Column::numbers(name, unit),
    };
    names.split(',').zip(units).map(column).collect()
}

/// Columns of `contacts`.
pub(super) fn contacts(space: Space) -> Vec<Column> {
    let kind = usize::from(space == Space::Spatial);
    let places = named(CONTACT_PLACES[kind], PLACE_UNITS[kind]);
    named(CONTACTS, &CONTACT_UNITS).into_iter().chain(places).collect()
}

/// Columns of `trajectory`: positions and velocities, block by block.
pub(super) fn trajectory(system: &System) -> Vec<Column> {
    let label = |(label, unit): (Label, &'static str)| Column::numbers(label.to_string(), unit);
    let block = |b: usize| {
        let [q, v] = labels::units(system, b);
        let [labels_q, labels_v] = labels::block(system, b);
        labels_q.into_iter().zip(q).chain(labels_v.into_iter().zip(v)).map(label).collect::<Vec<_>>()
    };
    timed((0..system.n_blocks()).flat_map(block))
}

/// Columns of `links`: `TREE/LINK.x` and so on.
pub(super) fn links(system: &System, links: &[u32]) -> Vec<Column> {
    timed(links.iter().flat_map(|&body| {
        let name = &system.bodies[body as usize].name;
        let pose = labels::pose(system.space).iter();
        pose.map(move |number| Column::numbers(format!("{name}.{number}"), labels::unit_of_name(number)))
    }))
}

/// Columns of efforts, with those of dofs that may deviate: commanded velocity, and Δq − Δq̄ of the step.
pub(crate) fn drives(system: &System, dofs: &[usize], may_deviate: &[u32]) -> Vec<Column> {
    let deviating = may_deviate.iter().filter_map(|&dof| {
        let (label, unit) = (labels::velocity(system, dof as usize)?, labels::unit(system, dof as usize)?);
        let rate = if unit == "m" { "m/s" } else { "rad/s" };
        let columns = [("command", rate), ("deviation", unit)];
        Some(columns.map(|(name, unit)| Column::numbers(format!("{label}.{name}"), unit)))
    });
    efforts(system, dofs).into_iter().chain(deviating.flatten()).collect()
}

/// Columns of the efforts along these velocities.
pub(super) fn efforts(system: &System, dofs: &[usize]) -> Vec<Column> {
    timed(dofs.iter().filter_map(|&dof| {
        let unit = if labels::unit(system, dof)? == "m" { "N" } else { "N m" };
        Some(Column::numbers(labels::effort(system, dof)?.to_string(), unit))
    }))
}

/// Columns of `supports`.
pub(super) fn supports() -> Vec<Column> {
    let units = ["s", "", COUNT, "m", "m", "N", "N", "N", "m/s"];
    named("time,body,point,x,y,load,fx,fy,slip", &units)
}

/// Columns of `gradients`. The unit of a value is that of its row by that of its column.
pub(super) fn gradients() -> Vec<Column> {
    named("time,row,column,value", &["s", "", "", "SI"])
}

/// Columns of `steps`: size of the step, number of contacts, relative natural-map residual of the solution, and what the referee
/// recomputed: imbalance of momentum relative to its row, complementarity, penetration at the start.
pub(super) fn steps() -> Vec<Column> {
    let units = ["s", "s", COUNT, "1", "1", "m/s", "m"];
    named("time,step,contacts,residual,momentum,complementarity,penetration", &units)
}

/// Columns behind that of time.
fn timed(columns: impl Iterator<Item = Column>) -> Vec<Column> {
    std::iter::once(Column::numbers("time", "s")).chain(columns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_of_contacts_has_its_unit() {
        assert_eq!(steps().iter().filter(|column| column.cells == crate::table::Cells::Counts).count(), 1);
        assert_eq!(CONTACTS.split(',').count(), CONTACT_UNITS.len());
        for (names, units) in CONTACT_PLACES.iter().zip(PLACE_UNITS) {
            assert_eq!(names.split(',').count(), units.len());
        }
        for (columns, n) in [(supports(), 9), (gradients(), 4), (steps(), 7)] {
            assert_eq!(columns.len(), n);
        }
    }
}
