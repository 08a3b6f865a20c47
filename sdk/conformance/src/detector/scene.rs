//! Small scenes, and the invariants that hold for every answer of a detector.

use std::collections::BTreeSet;

use vinci_abi::ForeignDetector;
use vinci_core::contact::RawContacts;
use vinci_core::model::{Shape, ShapeKind, ShapeView, Space, SystemView};
use vinci_core::stage::{DetectQuery, Detector};

use crate::subject::{Stop, Subject, ensure};

/// Active distance of every body, m.
pub(crate) const MARGIN: f64 = 0.05;

/// Bodies with one shape each.
#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) space: Space,
    pub(crate) is_static: Vec<u8>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) pose: Vec<f64>,
    pub(crate) ignored: Vec<u32>,
}

/// A contact in the order of the shapes it joins: as if A were the shape of the lower index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrderedContact {
    pub(crate) shapes: [u32; 2],
    pub(crate) gap: f64,
    /// From the lower to the higher index.
    pub(crate) normal: [f64; 3],
    /// On the lower index, on the higher.
    pub(crate) points: [[f64; 3]; 2],
}

impl Scene {
    pub(crate) fn new(space: Space) -> Self {
        Self { space, is_static: vec![], shapes: vec![], pose: vec![], ignored: vec![] }
    }

    /// Adds a body at `position` turned by `angle` (planar about z, spatial about y) with one shape.
    pub(crate) fn body(mut self, kind: ShapeKind, params: &[f64], position: [f64; 3], angle: f64) -> Self {
        let unbounded = kind.is_unbounded();
        self.shapes.push(Shape {
            kind,
            body: self.is_static.len() as u32,
            material: 0,
            pose: pose(self.space, [0.0; 3], 0.0),
            params: params.to_vec(),
            indices: vec![],
        });
        self.is_static.push(u8::from(unbounded));
        self.pose.extend(pose(self.space, position, angle));
        self
    }

    /// Moves body `i`.
    pub(crate) fn place(&mut self, i: usize, position: [f64; 3], angle: f64) {
        let nq = self.space.nq();
        self.pose[i * nq..(i + 1) * nq].copy_from_slice(&pose(self.space, position, angle));
    }

    /// The direction in which things stand on a half-plane or half-space.
    pub(crate) fn up(&self) -> usize {
        if self.space == Space::Planar { 1 } else { 2 }
    }

    pub(crate) fn with_system<R>(&self, body: impl FnOnce(&SystemView<'_>) -> R) -> R {
        let shapes: Vec<ShapeView<'_>> = self.shapes.iter().map(Shape::view).collect();
        let names: Vec<String> = (0..self.is_static.len()).map(|i| format!("body{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let moving = self.is_static.iter().filter(|&&s| s == 0).count();
        body(&SystemView {
            space: self.space,
            body_names: &names,
            is_static: &self.is_static,
            shapes: &shapes,
            ignored_pairs: &self.ignored,
            nv: (moving * self.space.nv()) as u32,
            nq: (moving * self.space.nq()) as u32,
            ..SystemView::NOTHING
        })
    }

    pub(crate) fn detector(&self, subject: &Subject) -> Result<ForeignDetector, Stop> {
        Ok(self.with_system(|system| subject.detector(system))?)
    }

    /// Asks, checks the invariants, and gives the contacts in the order of their shapes.
    pub(crate) fn detect(&self, detector: &mut ForeignDetector) -> Result<Vec<OrderedContact>, Stop> {
        let margin = vec![MARGIN; self.is_static.len()];
        let raw = detector.detect(&DetectQuery { t: 0.0, pose: &self.pose, margin: &margin })?;
        no_two_alike(&raw)?;
        (0..raw.len()).map(|i| self.checked(&raw, i)).collect()
    }

    fn checked(&self, raw: &RawContacts<'_>, i: usize) -> Result<OrderedContact, Stop> {
        let (key, gap) = (raw.key[i], raw.gap[i]);
        let at = |list: &[f64]| [list[3 * i], list[3 * i + 1], list[3 * i + 2]];
        let (n, a, b) = (at(raw.normal), at(raw.point_a), at(raw.point_b));
        let measured: f64 = (0..3).map(|k| n[k] * (b[k] - a[k])).sum();
        ensure!(
            (measured - gap).abs() < 1e-9,
            "contact {i}: gap {gap}, but normal · (point_b − point_a) is {measured}"
        );
        ensure!(
            gap <= 2.0 * MARGIN + 1e-9,
            "contact {i}: gap {gap} is beyond the active distance {}",
            2.0 * MARGIN
        );
        let planar = self.space == Space::Spatial || [n, a, b].iter().all(|x| x[2] == 0.0);
        ensure!(planar, "contact {i}: points and normals of planar scenes have z = 0");
        let bodies = [key.shape_a, key.shape_b].map(|s| self.shapes[s as usize].body);
        let wanted = self.with_system(|system| system.may_collide(bodies[0], bodies[1]));
        ensure!(wanted, "a contact between bodies {bodies:?}, which are not to collide");
        Ok(if key.shape_a < key.shape_b {
            OrderedContact { shapes: [key.shape_a, key.shape_b], gap, normal: n, points: [a, b] }
        } else {
            OrderedContact { shapes: [key.shape_b, key.shape_a], gap, normal: n.map(|x| -x), points: [b, a] }
        })
    }
}

/// Looks whether identities tell contacts apart.
pub(super) fn no_two_alike(raw: &RawContacts<'_>) -> Result<(), Stop> {
    let mut seen = BTreeSet::new();
    for key in raw.key {
        ensure!(seen.insert(*key), "two contacts have the identity {key:?}");
    }
    Ok(())
}

fn pose(space: Space, p: [f64; 3], angle: f64) -> Vec<f64> {
    match space {
        Space::Planar => vec![p[0], p[1], angle],
        Space::Spatial => {
            vec![p[0], p[1], p[2], (angle / 2.0).cos(), 0.0, (angle / 2.0).sin(), 0.0]
        }
    }
}
