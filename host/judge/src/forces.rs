//! Recorded contact forces: a table whose columns are those of `contacts.csv`.

use nalgebra::Vector3;
use vinci_core::contact::Contacts;
use vinci_core::model::{Space, System};
use vinci_core::referee::Sizes;
use vinci_scene::diagnostics::Diagnostics;

use crate::motion::{Leg, Motion};
use vinci_run::table_file::TableFile;

/// Times of forces and of the motion are the same up to this part of the step.
const SAME_TIME: f64 = 1e-6;

/// A normal that is turned by a right angle counts as this distance, m.
const BESIDE: f64 = 1e-5;

/// A force on body B (and its reverse on A): the mean over the step that ends at its time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Force {
    pub(crate) body_a: u32,
    pub(crate) body_b: u32,
    /// m, world.
    pub(crate) point: Vector3<f64>,
    /// N, world.
    pub(crate) force: Vector3<f64>,
    /// Unit normal from A to B, world; where the table has none the direction of the force.
    pub(crate) normal: Vector3<f64>,
}

/// The forces of a motion, step by step.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Forces {
    of_leg: Vec<Vec<Force>>,
    /// Largest distance of a point of every body from its centre, m; not finite for half-spaces.
    reach: Vec<f64>,
    /// SHA-256 of the file, hex.
    pub digest: String,
}

impl Forces {
    /// Names in such a table.
    pub(crate) const WORDS: [&'static str; 3] = ["body_a", "body_b", "mode"];

    /// Reads a table of forces for the steps of a motion.
    ///
    /// # Errors
    /// Columns that are missing, bodies that the scene does not have, cells without a number, times at which no step ends.
    pub(crate) fn of(
        table: &TableFile,
        system: &System,
        motion: &Motion,
        legs: &[Leg],
    ) -> Result<Self, Diagnostics> {
        let axes: &[&str] = if system.space == Space::Planar { &["x", "y"] } else { &["x", "y", "z"] };
        let column = |name: &str| {
            let at = table.at(name).ok_or_else(|| {
                let help = "columns are those of contacts.csv: time, body_a, body_b, the point x, y, z in m, the force on body_b \
                            fx, fy, fz in N, in world axes";
                table.bad(format!("there is no column `{name}`"), help)
            });
            at.and_then(|at| table.finite(at))
        };
        let t = column("time")?;
        let vectors = |prefix: &str| {
            axes.iter().map(|axis| column(&format!("{prefix}{axis}"))).collect::<Result<Vec<_>, _>>()
        };
        let (points, forces) = (vectors("")?, vectors("f")?);
        let normals = if table.at("nx").is_some() { Some(vectors("n")?) } else { None };
        let bodies = [body_column(table, system, "body_a")?, body_column(table, system, "body_b")?];
        let vector =
            |of: &[&[f64]], row: usize| Vector3::from_fn(|k, _| of.get(k).map_or(0.0, |column| column[row]));
        let mut of_leg = vec![Vec::new(); legs.len()];
        for row in 0..table.rows() {
            let leg = leg_at(t[row], motion, legs).ok_or_else(|| {
                let message = format!("row {}: no step of the motion ends at t = {} s", row + 1, t[row]);
                table.bad(message, "a force is the mean over the step that ends at its time")
            })?;
            let force = vector(&forces, row);
            let along = |way: Vector3<f64>| way.try_normalize(0.0).unwrap_or_default();
            of_leg[leg].push(Force {
                body_a: bodies[0][row],
                body_b: bodies[1][row],
                point: vector(&points, row),
                force,
                normal: along(normals.as_ref().map_or(force, |normals| vector(normals, row))),
            });
        }
        Ok(Self { of_leg, reach: Sizes::of(system).reach, digest: table.digest.clone() })
    }

    /// Impulses of a step at its contacts, each force at the nearest contact of its two bodies; the pairs of bodies that have forces but
    /// no contact, or none within the smaller body; and the longest way to a contact, m.
    pub(crate) fn impulses(
        &self,
        leg: usize,
        contacts: &Contacts<'_>,
        h: f64,
        impulse: &mut [f64],
    ) -> (Vec<(u32, u32)>, f64) {
        let (mut unmatched, mut taken, mut farthest) = (Vec::new(), vec![false; contacts.len()], 0.0_f64);
        for one in &self.of_leg[leg] {
            match nearest(one, contacts, &taken).filter(|(i, _)| self.is_near(one, contacts, *i)) {
                Some((i, sign)) => {
                    taken[i] = true;
                    farthest =
                        if one.force.norm() > 0.0 { farthest.max(way(one, contacts, i)) } else { farthest };
                    add(contacts, i, h * sign * one.force, impulse);
                }
                None if one.force.norm() > 0.0 => unmatched.push((one.body_a, one.body_b)),
                None => {}
            }
        }
        (unmatched, farthest)
    }

    /// Returns true if a force is no farther from contact i than two points of the smaller of its bodies can be.
    fn is_near(&self, one: &Force, contacts: &Contacts<'_>, i: usize) -> bool {
        let reach = |body: u32| self.reach[body as usize];
        !(way(one, contacts, i) > 2.0 * reach(one.body_a).min(reach(one.body_b)))
    }
}

/// The point midway between the two points of contact i, m.
fn middle(contacts: &Contacts<'_>, i: usize) -> Vector3<f64> {
    let point = |list: &[f64]| Vector3::from_column_slice(&list[3 * i..3 * i + 3]);
    0.5 * (point(contacts.point_a) + point(contacts.point_b))
}

/// Distance of a force from contact i, m.
fn way(one: &Force, contacts: &Contacts<'_>, i: usize) -> f64 {
    (middle(contacts, i) - one.point).norm()
}

/// The contact of the same two bodies that is nearest to a force, and whether its body B is the force's (1) or A (−1).
///
/// Of several as near the first that is not `taken`: a contact counts as many times as it is reported.
fn nearest(one: &Force, contacts: &Contacts<'_>, taken: &[bool]) -> Option<(usize, f64)> {
    let normal = |i: usize| Vector3::from_column_slice(&contacts.normal[3 * i..3 * i + 3]);
    let (own, reverse) = ((one.body_a, one.body_b), (one.body_b, one.body_a));
    let pairs = contacts.body_a.iter().copied().zip(contacts.body_b.iter().copied()).enumerate();
    let of_pair = pairs.filter(|(_, pair)| *pair == own || *pair == reverse);
    // Two contacts may stand at one point, with two normals.
    let turned = |i: usize| {
        let sign = if contacts.body_a[i] == one.body_a { 1.0 } else { -1.0 };
        1.0 - sign * one.normal.dot(&normal(i))
    };
    let distance = |i: usize| way(one, contacts, i).powi(2) + BESIDE * BESIDE * turned(i);
    let key = |i: usize| (distance(i), taken[i]);
    let least = of_pair.min_by(|(i, _), (j, _)| {
        let (a, b) = (key(*i), key(*j));
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    });
    least.map(|(i, pair)| (i, if pair == own { 1.0 } else { -1.0 }))
}

/// Adds an impulse on body B, N s in world axes, to those of contact i.
fn add(contacts: &Contacts<'_>, i: usize, p: Vector3<f64>, impulse: &mut [f64]) {
    let axis = |list: &[f64], k: usize| Vector3::from_column_slice(&list[3 * k..3 * k + 3]);
    let row = contacts.row(i);
    impulse[row] += p.dot(&axis(contacts.normal, i));
    for k in 0..contacts.n_t {
        impulse[row + 1 + k] += p.dot(&axis(contacts.tangent, i * contacts.n_t + k));
    }
}

fn leg_at(t: f64, motion: &Motion, legs: &[Leg]) -> Option<usize> {
    let k = legs.partition_point(|leg| motion.t[leg.to] < t - SAME_TIME * leg.h);
    legs.get(k).filter(|leg| (motion.t[leg.to] - t).abs() <= SAME_TIME * leg.h).map(|_| k)
}

fn body_column(table: &TableFile, system: &System, name: &str) -> Result<Vec<u32>, Diagnostics> {
    let at = table.at(name).filter(|at| table.words[*at].len() == table.rows());
    let at =
        at.ok_or_else(|| table.bad(format!("there is no column `{name}`"), "it names bodies of the scene"))?;
    let mut known = std::collections::BTreeMap::new();
    for (body, of) in system.bodies.iter().enumerate() {
        known.entry(of.name.as_str()).or_insert(body as u32);
    }
    let found = table.words[at].iter().enumerate().map(|(row, body)| {
        known.get(body.as_str()).copied().ok_or_else(|| {
            let message = format!("row {}: the scene has no body `{body}`", row + 1);
            table.bad(message, "bodies are called as in the scene, links of trees TREE/LINK")
        })
    });
    found.collect()
}
