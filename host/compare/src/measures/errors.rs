//! Errors of a run against a reference: position, rotation, velocity, spin and joints, at every common time.

use std::collections::BTreeMap;

use nalgebra::Quaternion;

use super::table::Table;
use crate::motion::turn_between;

/// Kinds of errors: name and unit.
pub const KINDS: [(&str, &str); 5] =
    [("position", "m"), ("rotation", "rad"), ("velocity", "m/s"), ("spin", "rad/s"), ("joint", "m or rad")];

/// Errors of every kind at one time; NaN where the reference has nothing to compare with.
pub type At = [f64; 5];

/// The error of a run over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Errors {
    /// Common times, s, and the errors there: of every kind the largest of all bodies.
    pub series: Vec<(f64, At)>,
}

/// Columns of one body or joint: those of a kind in both tables.
#[derive(Debug, Default)]
struct Owner {
    columns: BTreeMap<String, [usize; 2]>,
}

const PLACE: [&str; 3] = ["x", "y", "z"];
/// Parts of a quaternion.
pub(super) const TURN: [&str; 4] = ["qw", "qx", "qy", "qz"];
const VELOCITY: [&str; 3] = ["vx", "vy", "vz"];
const SPIN: [&str; 4] = ["omega", "wx", "wy", "wz"];

impl Errors {
    /// Errors of a run against a reference, by the columns that both have.
    pub fn of(run: &Table, reference: &Table) -> Self {
        let (ours, theirs): (Vec<_>, Vec<_>) =
            (run.columns.iter().collect(), reference.columns.iter().collect());
        let mut owners: BTreeMap<&str, Owner> = BTreeMap::new();
        for (i, (name, _)) in ours.iter().enumerate() {
            let Some(j) = theirs.iter().position(|(other, _)| other == name) else { continue };
            let (owner, part) = name.rsplit_once('.').unwrap_or(("", name));
            owners.entry(owner).or_default().columns.insert(part.to_owned(), [i, j]);
        }
        let value = |[i, j]: [usize; 2], [r, s]: [usize; 2]| (ours[i].1[r], theirs[j].1[s]);
        let at = |rows: (usize, usize)| {
            let rows = [rows.0, rows.1];
            let each = owners.values().map(|owner| owner.errors(&|columns| value(columns, rows)));
            each.fold([f64::NAN; 5], |most, one| std::array::from_fn(|k| largest(most[k], one[k])))
        };
        let series = run.common(reference).into_iter();
        Self { series: series.map(|rows| (run.times[rows.0], at(rows))).collect() }
    }

    /// The largest error of a kind over time; NaN where there is none.
    pub fn most(&self, kind: usize) -> f64 {
        self.series.iter().fold(f64::NAN, |most, (_, at)| largest(most, at[kind]))
    }

    /// √(mean e²) over the common times.
    pub fn rms(&self, kind: usize) -> f64 {
        let squares: Vec<f64> =
            self.series.iter().map(|(_, at)| at[kind] * at[kind]).filter(|e| !e.is_nan()).collect();
        (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
    }
}

/// The larger one; what is not there is none.
fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || b > a { b } else { a }
}

impl Owner {
    fn errors(&self, value: &dyn Fn([usize; 2]) -> (f64, f64)) -> At {
        let pair = |name: &str| self.columns.get(name).map(|columns| value(*columns));
        let norm = |names: &[&str]| {
            let all: Vec<f64> = names.iter().filter_map(|name| pair(name)).map(|(a, b)| a - b).collect();
            if all.is_empty() { f64::NAN } else { all.iter().map(|d| d * d).sum::<f64>().sqrt() }
        };
        // Coordinates of joints have names of their own.
        let joint = norm(&["q"]);
        [norm(&PLACE), rotation(&pair), norm(&VELOCITY), norm(&SPIN), joint]
    }
}

/// The angle between two orientations, rad: in the plane with its turns, in space the smallest.
fn rotation(pair: &dyn Fn(&str) -> Option<(f64, f64)>) -> f64 {
    if let Some((a, b)) = pair("angle") {
        return (a - b).abs();
    }
    let Some(parts) = TURN.iter().map(|name| pair(name)).collect::<Option<Vec<_>>>() else { return f64::NAN };
    let of = |side: fn(&(f64, f64)) -> f64| {
        let [w, x, y, z] = std::array::from_fn(|k| side(&parts[k]));
        Quaternion::new(w, x, y, z)
    };
    turn_between(&of(|p| p.0), &of(|p| p.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(times: &[f64], columns: &[(&str, &[f64])]) -> Table {
        let columns = columns.iter().map(|(name, list)| ((*name).to_owned(), list.to_vec())).collect();
        Table { times: times.to_vec(), columns }
    }

    #[test]
    fn errors_are_norms_of_what_both_have() {
        let run = table(
            &[0.0, 1.0, 2.0],
            &[
                ("a.x", &[0.0, 3.0, 0.0]),
                ("a.y", &[0.0, 4.0, 1.0]),
                ("b.x", &[9.0; 3]),
                ("a.vx", &[1.0; 3]),
                ("a.angle", &[0.0, 0.0, 7.0]),
            ],
        );
        let reference = table(
            &[1.0, 2.0, 3.0],
            &[("a.x", &[0.0; 3]), ("a.y", &[0.0; 3]), ("a.vx", &[1.5; 3]), ("a.angle", &[0.0; 3])],
        );
        let errors = Errors::of(&run, &reference);
        assert_eq!(errors.series.len(), 2);
        assert_eq!((errors.most(0), errors.most(1), errors.most(2)), (5.0, 7.0, 0.5));
        assert_eq!(errors.rms(0), 13.0_f64.sqrt());
        assert!(errors.most(3).is_nan() && errors.rms(4).is_nan());
    }

    #[test]
    fn a_turn_in_space_is_its_angle_whatever_the_sign_of_the_quaternion() {
        let turned = |angle: f64, sign: f64| {
            let (sin, cos) = (0.5 * angle).sin_cos();
            let of = |x: f64| vec![sign * x];
            let list = [("c.qw", of(cos)), ("c.qx", of(sin)), ("c.qy", of(0.0)), ("c.qz", of(0.0))];
            Table { times: vec![0.0], columns: list.map(|(name, list)| (name.to_owned(), list)).into() }
        };
        let error = Errors::of(&turned(0.3, 1.0), &turned(0.1, -1.0)).most(1);
        assert!((error - 0.2).abs() < 1e-15, "{error}");
    }
}
