//! Ranges of forces as a table.

use vinci_run::table::{csv_line, number};

use super::{ContactWidth, Look, Spread};

/// Columns: end of the step (s), bodies, middle of the contact (world, m), and of the normal force on the second body and of friction along
/// the tangent (in the plane) what was found, the least and the greatest, N. `inf` where nothing bounds a force.
pub const WIDTH_COLUMNS: [&str; 12] = [
    "time",
    "body_a",
    "body_b",
    "x",
    "y",
    "z",
    "normal_N",
    "normal_least_N",
    "normal_greatest_N",
    "tangent_N",
    "tangent_least_N",
    "tangent_greatest_N",
];

/// All contacts of the looks as CSV with [`WIDTH_COLUMNS`].
pub(crate) fn csv(looks: &[Look]) -> String {
    let head = csv_line(&WIDTH_COLUMNS.map(str::to_owned));
    let rows = looks.iter().flat_map(|look| look.contacts.iter().map(|contact| contact.cells(look.time)));
    std::iter::once(head).chain(rows.map(|cells| csv_line(&cells))).collect()
}

impl ContactWidth {
    /// Cells of [`WIDTH_COLUMNS`] at a time, s.
    pub fn cells(&self, time: f64) -> Vec<String> {
        let force = |x: f64| if x.is_infinite() { x.to_string() } else { number(Some(x)) };
        let spread = |s: Option<Spread>| match s {
            Some(s) => [s.found, s.least, s.greatest].map(force),
            None => [(); 3].map(|()| String::new()),
        };
        let place = [time].into_iter().chain(self.point).map(|x| number(Some(x))).collect::<Vec<_>>();
        let bodies = self.bodies.iter().cloned();
        let forces = spread(Some(self.normal)).into_iter().chain(spread(self.tangent));
        place[..1].iter().cloned().chain(bodies).chain(place[1..].iter().cloned()).chain(forces).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_cell_in_every_column() {
        let normal = Spread { found: 2.0, least: 0.5, greatest: f64::INFINITY };
        let bodies = ["a,b".to_owned(), "c".to_owned()];
        let contact = ContactWidth { bodies, point: [0.1, 0.0, 1e-9], normal, tangent: None };
        let text = csv(&[Look { time: 0.25, contacts: vec![contact], ..Look::default() }]);
        let (head, row) = text.split_once('\n').unwrap();
        assert_eq!(head, WIDTH_COLUMNS.join(","));
        assert_eq!(row, "0.25,\"a,b\",c,0.1,0,1e-9,2,0.5,inf,,,\n");
    }
}
