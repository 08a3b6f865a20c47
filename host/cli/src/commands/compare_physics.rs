//! Parameters that the runs of a comparison take from their scene in different ways.

use super::compare_plan::Plan;
use super::compare_row::Row;
use vinci_compare::physics::{self, Difference, Taken};
use vinci_compare::{ComparisonRuns, is_of_time_grid};

/// Differences between the runs, with the bridges that they took and the commands that they missed.
pub(super) fn differences(asked: &ComparisonRuns, plan: &Plan, rows: &[Row]) -> Vec<Difference> {
    // What another simulator takes from the scene nobody says here.
    let own = |row: &Row| !asked.combinations.iter().any(|c| c.motion.is_some() && c.values == row.label);
    let may_miss = rows.iter().any(|row| missed(row).is_some());
    let taken = rows.iter().zip(plan.physics()).filter(|(row, _)| own(row)).map(|(row, physics)| {
        let mut physics = physics::with_bridges(physics, &row.bridges());
        if may_miss {
            physics = physics::with_commands(&physics, missed(row));
        }
        Taken { model: model(&asked.axes, row), run: row.label.join(", "), physics }
    });
    let taken: Vec<Taken> = taken.collect();
    physics::differences(&physics::by_model(&taken), rows.iter().all(own))
}

/// Values of a row without those of the time grid.
fn model(axes: &[String], row: &Row) -> String {
    let own = axes.iter().zip(&row.label).filter(|(axis, _)| !is_of_time_grid(axis));
    own.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
}

/// Largest distance from a command, m or rad; none under steppers that may not miss one.
fn missed(row: &Row) -> Option<f64> {
    row.summary["max_command_deviation"].as_f64()
}
