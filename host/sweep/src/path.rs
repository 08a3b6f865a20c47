//! The geometric model: a path for one planar body among everything that never moves, whatever forces would move it there.
//!
//! Places (x, y, angle) are put into cells. From the middle of a cell the body moves by at most s = ½ √(Δx² + Δy²) + ½ r Δφ within the cell,
//! r the body's reach. So the cell is free where nothing static is nearer than s (the detector's gap), blocked where something is
//! certainly deeper in the body than s ([`super::depth`]; for shapes that it does not know the detector's gap), and mixed otherwise.
//! A chain is a sequence of cells that share faces and are not blocked. The cheapest one is looked for, and its mixed cells are halved.
//! This ends where a chain has only free cells and mixed ones of the last level, or where there is no chain
//! (R. Brooks, T. Lozano-Pérez, *A subdivision algorithm in configuration space*, 1983). The goal is asked at the corners and middles of the
//! cells of the last level. So every real path of a body to such a place is found (its cells are not blocked), whatever was divided before,
//! and some are found that are none: this rung prunes optimistically. More halvings are nearer to the truth.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use vinci_core::model::{Frames, MotionSource, Space, System};
use vinci_core::stage::DetectQuery;

use vinci_engine::expression::{Expression, is_true};
use vinci_run::Prepared;
use vinci_scene::Path;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan, did_you_mean, list};

use super::cells::{Cell, Cells};
use super::compile::formula_of;
use super::depth::Solids;
use super::plan::Model;
use super::types::PathPlan;

/// Cells of the last level at most.
const MOST_CELLS: u64 = 1 << 31;

/// Cells at most before any is divided: all of them are laid out in memory.
const MOST_WHOLE: u64 = 10_000_000;
/// Halvings at most.
const MOST_HALVINGS: u32 = 8;
/// Sides of the body are looked at in as many pieces along its reach.
const PIECES: f64 = 12.0;
/// Cost of a mixed cell, in free ones.
const MIXED: u64 = 8;

/// Cells of the ground that were looked at, kept as long as nothing but the body's start changes.
#[derive(Debug, Default)]
pub struct Ground {
    key: String,
    cells: Cells,
}

/// A way that is asked for.
pub(super) struct Task<'a> {
    pub(super) path: &'a PathPlan,
    pub(super) place: &'a TextSpan,
    /// The rung it is asked for on.
    pub(super) model: &'a Model,
    /// Numbers of the rung.
    pub(super) numbers: &'a [f64],
}

impl Task<'_> {
    fn error(&self, code: Code, message: String, help: String) -> Diagnostics {
        Diagnostic::error(code, message).at(self.place.clone()).help(help).into()
    }

    /// The body, its goal and its cells.
    fn parts(&self, system: &System) -> Result<(u32, Expression, Cells), Diagnostics> {
        let body = self.body(system)?;
        let own = ["x", "y", "angle"].map(|c| format!("{}.{c}", self.path.body));
        let known: Vec<&str> = own.iter().chain(&self.model.names).map(String::as_str).collect();
        let goal =
            formula_of(Expression::condition, &self.path.goal, &known, &self.model.texts, &self.model.goal)?;
        Ok((body, goal, self.cells()?))
    }

    /// Checks it as far as no values are needed.
    pub(super) fn check(&self, system: &System) -> Result<(), Diagnostics> {
        self.parts(system).map(|_| ())
    }

    fn body(&self, system: &System) -> Result<u32, Diagnostics> {
        let name = &self.path.body;
        if system.space != Space::Planar {
            let help = "paths are searched in planar scenes only".to_owned();
            return Err(self.error(Code::Contradiction, "this scene is spatial".into(), help));
        }
        let moving = |b: &u32| matches!(system.motion_source(*b), MotionSource::Block(_));
        let names: Vec<&str> = (0..system.bodies.len() as u32)
            .filter(moving)
            .map(|b| system.bodies[b as usize].name.as_str())
            .collect();
        let found =
            (0..system.bodies.len() as u32).filter(moving).find(|b| system.bodies[*b as usize].name == *name);
        found.ok_or_else(|| {
            let meant = did_you_mean(name, names.iter().copied()).map_or_else(String::new, |m| m + " ");
            let help = format!("{meant}bodies that move: {}", list(names.iter().copied()));
            self.error(Code::UnknownName, format!("there is no body `{name}` that moves"), help)
        })
    }

    fn cells(&self) -> Result<Cells, Diagnostics> {
        let region = [self.path.region.x, self.path.region.y, self.path.region.angle];
        let (count, halvings) = (self.path.cells, self.path.halvings);
        if halvings > MOST_HALVINGS {
            let help = format!("at most {MOST_HALVINGS}");
            return Err(self.error(Code::OutOfRange, format!("`halvings` is {halvings}"), help));
        }
        let all =
            |halvings: u32| count.iter().map(|n| u64::from(*n) << halvings).try_fold(1_u64, u64::checked_mul);
        let within = |n: Option<u64>, most: u64| n.is_some_and(|n| 1 <= n && n <= most);
        let few = within(all(0), MOST_WHOLE) && within(all(halvings), MOST_CELLS);
        if region.iter().any(|[a, b]| !(a < b)) || !few {
            let help = format!(
                "regions are [a, b] with a < b, cells at least 1 each and {MOST_WHOLE} in all, {MOST_CELLS} divided as \
                 often as they may be"
            );
            return Err(self.error(Code::OutOfRange, "the region has no cells, or too many".into(), help));
        }
        Ok(Cells::new(region.map(|r| r[0]), region.map(|r| r[1]), count, halvings))
    }

    /// None where there is a way, else why not.
    pub(super) fn reached(
        &self,
        prepared: &mut Prepared,
        ground: &mut Ground,
    ) -> Result<Option<String>, Diagnostics> {
        let (body, goal, cells) = self.parts(&prepared.simulation.system)?;
        let key = self.key(prepared);
        if ground.key != key {
            *ground = Ground { key, cells };
        }
        let cells = &mut ground.cells;
        let system = &prepared.simulation.system;
        let frames = system.placed(prepared.simulation.q());
        let start = [0, 1, 2].map(|k| frames.pose(body)[k]);
        if cells.of(start).is_none() {
            return Ok(Some("the start is outside the region".into()));
        }
        let reach = system.shapes.iter().filter(|s| s.body == body).map(|s| s.reach()).fold(0.0, f64::max);
        let fixed = |body| matches!(system.motion_source(body), MotionSource::Fixed);
        let ignored = |other: u32| {
            let pair = [body.min(other), body.max(other)];
            system.ignored_pairs.chunks_exact(2).any(|p| p == pair)
        };
        let others = system.shapes.iter().filter(|s| fixed(s.body) && !ignored(s.body));
        let others = others.map(|s| (s, frames.pose(s.body)));
        let own = system.shapes.iter().filter(|s| s.body == body);
        let solids = Solids::new(own, others, reach / PIECES);
        let margin = vec![0.0; system.bodies.len()];
        let mut probe = Probe { prepared, body, frames, reach, solids, pose: Vec::new(), margin };
        let mut search = Search::default();
        loop {
            let holds = |place| self.holds(&goal, place);
            let Some(last) = search.chain(cells, start, &mut probe, holds)? else {
                // How many cells were seen depends on what earlier runs divided, so no row says it.
                return Ok(Some("no way to the goal".into()));
            };
            let unsure = |at: &u32| cells.cell(*at) == Cell::Mixed && cells.level(*at) < cells.halvings;
            let halved: Vec<u32> = search.back(last).filter(unsure).collect();
            if halved.is_empty() {
                return Ok(None);
            }
            halved.into_iter().for_each(|at| cells.halve(at));
        }
    }

    fn holds(&self, goal: &Expression, place: [f64; 3]) -> bool {
        let all: Vec<f64> = place.iter().chain(self.numbers).copied().collect();
        is_true(goal.at(0.0, &all))
    }

    /// Everything free cells depend on: the detector and the scene without the body's start.
    fn key(&self, prepared: &Prepared) -> String {
        let mut scene = prepared.loaded.scene_node.clone();
        let bodies = prepared.loaded.scene.bodies.iter();
        if let Some(k) = bodies.enumerate().find(|(_, b)| b.name == self.path.body).map(|(k, _)| k) {
            for key in ["position", "angle", "velocity", "angular_velocity"] {
                scene.remove(&Path::root().join("bodies").join(k).join(key));
            }
        }
        let scene = serde_json::to_string(&scene).unwrap_or_default();
        let detectors: Vec<_> = std::iter::once(&prepared.detector)
            .chain(&prepared.others)
            .map(|used| (used.manifest.id.as_str(), used.options.as_str()))
            .collect();
        format!("{detectors:?} {:?} {scene}", self.path)
    }
}

/// The cheapest chain of cells that are not blocked (Dijkstra). A cell costs its width, mixed ones [`MIXED`] times that.
#[derive(Debug, Default)]
struct Search {
    /// Cost of the cheapest chain to each cell that was found so far, and the cell before it.
    found: Vec<(u64, u32)>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    /// Answers whether the goal is in a cell, where that was asked.
    goal: Vec<Option<bool>>,
}

impl Search {
    /// The last cell of the cheapest chain to the goal.
    fn chain(
        &mut self,
        cells: &mut Cells,
        start: [f64; 3],
        probe: &mut Probe,
        holds: impl Fn([f64; 3]) -> bool,
    ) -> Result<Option<u32>, Diagnostics> {
        self.found.clear();
        self.found.resize(cells.len(), (u64::MAX, u32::MAX));
        self.queue.clear();
        if let Some(first) = cells.of(start)
            && probe.look(first, cells)? != Cell::Blocked
        {
            self.found[first as usize] = (0, first);
            self.queue.push(Reverse((0, first)));
        }
        let mut around = Vec::new();
        while let Some(Reverse((cost, at))) = self.queue.pop() {
            if cost > self.found[at as usize].0 {
                continue;
            }
            self.goal.resize(cells.len(), None);
            if *self.goal[at as usize].get_or_insert_with(|| cells.finest(at).any(&holds)) {
                return Ok(Some(at));
            }
            around.clear();
            cells.neighbours(at, |next| around.push(next));
            for &next in &around {
                let step = match probe.look(next, cells)? {
                    Cell::Blocked => continue,
                    Cell::Free => 1,
                    _ => MIXED,
                };
                let cost = cost + step * u64::from(cells.width(next));
                if cost < self.found[next as usize].0 {
                    self.found[next as usize] = (cost, at);
                    self.queue.push(Reverse((cost, next)));
                }
            }
        }
        Ok(None)
    }

    /// The chain, from its last cell to the first.
    fn back(&self, last: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(last), |at| Some(self.found[*at as usize].1).filter(|before| before != at))
    }
}

/// Asks the detector.
struct Probe<'a> {
    prepared: &'a mut Prepared,
    body: u32,
    frames: Frames,
    /// Farthest point of the body from its origin, m.
    reach: f64,
    solids: Solids,
    pose: Vec<f64>,
    margin: Vec<f64>,
}

impl Probe<'_> {
    /// State of a cell, looked at where it is not known.
    fn look(&mut self, at: u32, cells: &mut Cells) -> Result<Cell, Diagnostics> {
        if cells.cell(at) == Cell::Unknown {
            let [dx, dy, da] = cells.size(at);
            let slack = 0.5 * dx.hypot(dy) + 0.5 * self.reach * da;
            let place = cells.point(at, [0.5; 3]);
            let [least, unknown] = self.apart(place, slack)?;
            let blocked = unknown < -slack || (least < -slack && self.solids.deeper(&place, slack));
            let cell = match least.min(unknown) {
                _ if blocked => Cell::Blocked,
                gap if gap < slack => Cell::Mixed,
                _ => Cell::Free,
            };
            cells.set(at, cell);
        }
        Ok(cells.cell(at))
    }

    /// The least gap between the body and what is static, ∞ beyond `margin`: of pairs that [`Solids`] knows, and of others.
    /// Of an OR group the largest gap counts.
    fn apart(&mut self, place: [f64; 3], margin: f64) -> Result<[f64; 2], Diagnostics> {
        self.pose.clear();
        self.pose.extend_from_slice(self.frames.poses());
        self.pose[3 * self.body as usize..][..3].copy_from_slice(&place);
        self.margin[self.body as usize] = margin;
        let simulation = &mut self.prepared.simulation;
        let system = &simulation.system;
        let query = DetectQuery { t: 0.0, pose: &self.pose, margin: &self.margin };
        let raw = simulation
            .detector
            .detect(&query)
            .map_err(|e| Diagnostics::from(Diagnostic::error(Code::PluginFault, e.message)))?;
        let mut groups: BTreeMap<u32, (usize, f64)> = BTreeMap::new();
        let mut least = [f64::INFINITY; 2];
        for (k, key) in raw.key.iter().enumerate() {
            let pair = [key.shape_a, key.shape_b].map(|shape| &system.shapes[shape as usize]);
            let [a, b] = pair.map(|shape| shape.body);
            let other = if a == self.body { b } else { a };
            if (a != self.body && b != self.body)
                || !matches!(system.motion_source(other), MotionSource::Fixed)
            {
                continue;
            }
            let of = usize::from(!pair.iter().all(|shape| Solids::know(shape.kind)));
            match raw.group.get(k) {
                Some(&group) if group != 0 => {
                    let (_, most) = groups.entry(group).or_insert((of, f64::NEG_INFINITY));
                    *most = most.max(raw.gap[k]);
                }
                _ => least[of] = least[of].min(raw.gap[k]),
            }
        }
        groups.values().for_each(|(of, gap)| least[*of] = least[*of].min(*gap));
        Ok(least)
    }
}
