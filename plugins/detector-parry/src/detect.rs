//! One query: place, pair, collide, report.

use crate::broad::{Broad, Filter, Item};
use crate::build::Built;
use crate::config::Config;
use crate::manifold::Point;
use crate::math::Frame;
use crate::mesh_pair::Workspace;
use crate::narrow::{Limits, Placed, pair_contacts};
use crate::patch::Rim;
use vinci_sdk::core::contact::{ContactKey, RawContacts};
use vinci_sdk::core::error::{ErrorKind, StageError};
use vinci_sdk::core::model::SystemView;
use vinci_sdk::core::stage::DetectQuery;

/// The detector's memory. Nothing in it outlives a query except buffers and the form of the tree.
pub(crate) struct Engine {
    shapes: Vec<Built>,
    filter: Filter,
    limits: Limits,
    names: Vec<String>,
    broad: Broad,
    bodies: Vec<Frame>,
    frames: Vec<Frame>,
    workspace: Workspace,
    points: Vec<Point>,
    report: Report,
}

/// The contacts in the form the host reads.
#[derive(Default)]
struct Report {
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    group: Vec<u32>,
    /// Whether there are groups at all.
    grouped: bool,
}

impl Report {
    fn clear(&mut self) {
        self.key.clear();
        self.group.clear();
        self.grouped = false;
        [&mut self.gap, &mut self.normal, &mut self.point_a, &mut self.point_b]
            .into_iter()
            .for_each(Vec::clear);
    }

    fn push(&mut self, [shape_a, shape_b]: [u32; 2], p: &Point) {
        self.key.push(ContactKey { shape_a, shape_b, feature_a: p.feature_a, feature_b: p.feature_b });
        self.gap.push(p.gap);
        self.group.push(p.group);
        self.grouped |= p.group != 0;
        self.normal.extend_from_slice(p.normal.as_slice());
        self.point_a.extend_from_slice(p.on_a.as_slice());
        self.point_b.extend_from_slice(p.on_b.as_slice());
    }

    fn view(&self) -> RawContacts<'_> {
        RawContacts {
            key: &self.key,
            gap: &self.gap,
            normal: &self.normal,
            point_a: &self.point_a,
            point_b: &self.point_b,
            group: if self.grouped { &self.group } else { &[] },
        }
    }
}

impl Engine {
    pub(crate) fn new(config: &Config, system: &SystemView<'_>) -> Result<Self, StageError> {
        let limits = config.limits()?;
        let shapes = crate::build::shapes(system)?;
        Ok(Self {
            filter: Filter::new(system),
            limits,
            names: system.body_names.iter().map(|n| (*n).to_owned()).collect(),
            broad: Broad::new(shapes.iter().map(|s| &s.solid)),
            bodies: vec![Frame::default(); system.n_bodies()],
            frames: vec![Frame::default(); shapes.len()],
            workspace: Workspace::new(Rim::new(config.rim_points)),
            points: Vec::new(),
            report: Report::default(),
            shapes,
        })
    }

    /// All contacts with gap ≤ margin_a + margin_b, sorted by key.
    pub(crate) fn detect(&mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'_>, StageError> {
        self.place(query)?;
        let (shapes, frames) = (&self.shapes, &self.frames);
        let item = |i: u32| {
            let shape = &shapes[i as usize];
            let margin = query.margin[shape.body as usize];
            Item { solid: &shape.solid, frame: &frames[i as usize], body: shape.body, margin }
        };
        self.broad.update(item, &self.filter);
        self.report.clear();
        self.workspace.groups = 0;
        for &[i, j] in &self.broad.pairs {
            let (a, b) = (item(i), item(j));
            let placed = [&a, &b].map(|x| Placed { solid: x.solid, frame: x.frame });
            let margin = a.margin + b.margin;
            let (ws, points) = (&mut self.workspace, &mut self.points);
            pair_contacts(placed[0], placed[1], margin, &self.limits, ws, points);
            if !points.iter().all(Point::is_finite) {
                return Err(lost(&self.names, [a.body, b.body], query.t));
            }
            points.iter().for_each(|p| self.report.push([i, j], p));
        }
        Ok(self.report.view())
    }

    /// Checks the query and places all shapes in the world.
    fn place(&mut self, query: &DetectQuery<'_>) -> Result<(), StageError> {
        let n = self.bodies.len();
        if query.pose.len() != 7 * n || query.margin.len() != n {
            let (poses, margins) = (query.pose.len(), query.margin.len());
            return Err(StageError::bad_input(format!(
                "{n} bodies need {} pose coordinates and {n} margins, got {poses} and {margins}",
                7 * n
            )));
        }
        for (i, body) in self.bodies.iter_mut().enumerate() {
            let pose = Frame::from_pose(&query.pose[7 * i..7 * i + 7]);
            let margin = query.margin[i];
            *body = pose.filter(|_| margin.is_finite() && margin >= 0.0).ok_or_else(|| {
                let name = self.names.get(i).map_or("?", String::as_str);
                let pose = &query.pose[7 * i..7 * i + 7];
                StageError::new(
                    ErrorKind::NonFinite,
                    format!(
                        "body `{name}` has pose {pose:?} and margin {margin} at t = {} s; all must be finite, the \
                         quaternion non-zero and the margin not negative: the step before this one went wrong",
                        query.t
                    ),
                )
            })?;
        }
        for (frame, shape) in self.frames.iter_mut().zip(&self.shapes) {
            *frame = self.bodies[shape.body as usize].then_inner(&shape.local);
        }
        Ok(())
    }
}

/// Finite poses whose contact is not: numbers too large for double precision.
fn lost(names: &[String], bodies: [u32; 2], t: f64) -> StageError {
    let [a, b] = bodies.map(|i| names.get(i as usize).map_or("?", String::as_str));
    let message = format!(
        "the contact of bodies `{a}` and `{b}` at t = {t} s is not finite: their poses are beyond double precision; \
         check units and the step before this one"
    );
    StageError::new(ErrorKind::NonFinite, message)
}
