//! One query: place, pair, collide, report.

use crate::broad::{Broad, Item};
use crate::build::Built;
use crate::config::{Config, Limits};
use crate::manifold::Point;
use crate::mesh_pair::Workspace;
use crate::narrow::{Placed, pair_contacts};
use crate::patch::Rim;
use vinci_detect::{DetectedContacts, Filter, Placement};
use vinci_sdk::core::contact::RawContacts;
use vinci_sdk::core::error::StageError;
use vinci_sdk::core::model::SystemView;
use vinci_sdk::core::stage::DetectQuery;

/// Requirements on poses and margins, for messages.
const DEMAND: &str = "all must be finite, the quaternion non-zero and the margin not negative";

/// The detector's memory. Nothing in it outlives a query except buffers and the form of the tree.
pub(crate) struct Engine {
    shapes: Vec<Built>,
    filter: Filter,
    limits: Limits,
    broad: Broad,
    placement: Placement,
    workspace: Workspace,
    points: Vec<Point>,
    report: DetectedContacts,
}

impl Engine {
    pub(crate) fn new(config: &Config, system: &SystemView<'_>) -> Result<Self, StageError> {
        let limits = config.limits()?;
        let shapes = crate::build::shapes(system)?;
        let filter = Filter::new(system);
        Ok(Self {
            limits,
            broad: Broad::new(shapes.iter().map(|s| (&s.solid, s.body)), &filter),
            filter,
            placement: Placement::new(system, shapes.iter().map(|s| (s.body, s.local))),
            workspace: Workspace::new(Rim::new(config.rim_points)),
            points: Vec::new(),
            report: DetectedContacts::default(),
            shapes,
        })
    }

    /// All contacts with gap ≤ margin_a + margin_b, sorted by key.
    pub(crate) fn detect(&mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'_>, StageError> {
        self.placement.place(query, DEMAND)?;
        let (shapes, placement) = (&self.shapes, &self.placement);
        let item = |i: u32| {
            let shape = &shapes[i as usize];
            let margin = query.margin[shape.body as usize];
            Item { solid: &shape.solid, frame: placement.frame(i), body: shape.body, margin }
        };
        self.broad.update(item, &self.filter);
        self.report.clear();
        self.workspace.corners.groups = 0;
        for &[i, j] in &self.broad.pairs {
            let (a, b) = (item(i), item(j));
            let placed = [&a, &b].map(|x| Placed { solid: x.solid, frame: x.frame });
            let margin = a.margin + b.margin;
            let (ws, points) = (&mut self.workspace, &mut self.points);
            pair_contacts(placed[0], placed[1], margin, &self.limits, ws, points);
            let from = self.report.len();
            for p in points.iter() {
                let features = [p.feature_a, p.feature_b];
                self.report.push([i, j], features, p.gap, [p.normal, p.on_a, p.on_b], p.group);
            }
            if !self.report.is_finite(from) {
                return Err(placement.lost([a.body, b.body], query.t));
            }
        }
        Ok(self.report.view())
    }
}
