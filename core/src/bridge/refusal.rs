//! Reasons why a bridge does not lead from an instance.

use crate::problem::{Part, RowTag, UNTAGGED};
use thiserror::Error;

/// The instance has not what the bridge's formula takes for granted: over it, the solution would be another problem's.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum Refusal {
    /// A coupling is neither symmetric nor antisymmetric, so that the rows are no optimality conditions.
    #[error(
        "row {row}{} breaks the symmetry of the matrix: M[{row}, {column}] = {value} but M[{column}, {row}] = {mirror}",
        row_text(.tag)
    )]
    NoMirror {
        /// The row whose entry has none.
        row: usize,
        /// Its provenance.
        tag: RowTag,
        /// The column of the entry.
        column: usize,
        /// The entry.
        value: f64,
        /// The entry across the diagonal.
        mirror: f64,
    },
    /// Couplings ask for a row to be an unknown and a multiplier at once.
    #[error("row {row}{} would have to be both an unknown and a multiplier of the program", row_text(.tag))]
    BothSides {
        /// The row.
        row: usize,
        /// Its provenance.
        tag: RowTag,
    },
    /// A symmetric block has a direction of negative curvature.
    #[error("the symmetric block around row {row}{} is not positive semidefinite", row_text(.tag))]
    Indefinite {
        /// A row of it.
        row: usize,
        /// Its provenance.
        tag: RowTag,
    },
    /// A second-order cone of more rows than pyramids are made for.
    #[error("cone {cone} has {dim} rows; there are pyramids for 2 and 3")]
    LargeCone {
        /// Its number.
        cone: usize,
        /// Its rows.
        dim: usize,
    },
    /// The target class has no cones.
    #[error("the problem has second-order cones, the first at row {row}{}", row_text(.tag))]
    Cones {
        /// First row of the first cone.
        row: usize,
        /// Its provenance.
        tag: RowTag,
    },
}

/// " (friction of contact 2)", or nothing for rows without provenance.
fn row_text(tag: &RowTag) -> String {
    if tag.subject == UNTAGGED {
        return String::new();
    }
    let of = match tag.part {
        Part::Generic | Part::Bound => "unknown",
        Part::Velocity => return format!(" (velocity {})", tag.subject),
        Part::Bilateral | Part::Limit => "joint row",
        Part::Support | Part::SupportSlip => "support point",
        _ => "contact",
    };
    format!(" ({} of {of} {})", tag.part.name(), tag.subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_by_what_they_are() {
        let tag = RowTag { subject: 2, part: Part::Friction };
        let refusal = Refusal::NoMirror { row: 7, tag, column: 3, value: 0.5, mirror: 0.0 };
        assert_eq!(
            refusal.to_string(),
            "row 7 (friction of contact 2) breaks the symmetry of the matrix: M[7, 3] = 0.5 but M[3, 7] = 0"
        );
        let refusal = Refusal::BothSides { row: 1, tag: RowTag::default() };
        assert_eq!(
            refusal.to_string(),
            "row 1 would have to be both an unknown and a multiplier of the program"
        );
        assert_eq!(row_text(&RowTag { subject: 4, part: Part::Velocity }), " (velocity 4)");
        assert_eq!(
            row_text(&RowTag { subject: 0, part: Part::SupportSlip }),
            " (support-slip of support point 0)"
        );
    }
}
