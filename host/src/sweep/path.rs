//! The geometric model: a way for one planar body among everything that never moves, whatever forces would move it there.
//!
//! Places (x, y, angle) are put into cells. A cell is free where, at its middle, nothing static is deeper in the body than the body can move
//! within half a cell, ½ √(Δx² + Δy²) + ½ r Δφ with r the body's reach; a way is a chain of free cells that share faces. So every real way
//! of a body is found (its cells are free, as far as the detector's gaps are no deeper than the body is in the obstacle), and some are
//! found that are none: this rung prunes optimistically. Finer cells are nearer to the truth.

use std::collections::{BTreeMap, VecDeque};
use std::f64::consts::TAU;

use vinci_core::model::{Frames, Place as BodyPlace, Space, System};
use vinci_core::stage::DetectQuery;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Place, did_you_mean, list};
use crate::run::Prepared;
use crate::scene::Path;
use crate::scene::expression::Expression;

use super::compile::formula_of;
use super::plan::Model;
use super::types::PathPlan;

/// Cells at most.
const MOST_CELLS: u64 = 50_000_000;

/// Cells of the ground that were looked at, kept as long as nothing but the body's start changes.
#[derive(Debug, Default)]
pub struct Ground {
    key: String,
    cells: Vec<Cell>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Unknown,
    Free,
    Blocked,
}

/// A way that is asked for.
pub(super) struct Task<'a> {
    pub(super) way: &'a PathPlan,
    pub(super) place: &'a Place,
    /// The rung it is asked for on.
    pub(super) model: &'a Model,
    /// Numbers of the rung.
    pub(super) numbers: &'a [f64],
}

/// The grid of cells.
struct Cells {
    low: [f64; 3],
    size: [f64; 3],
    count: [usize; 3],
    /// Whether the two ends of the angle are neighbours.
    round: bool,
}

impl Task<'_> {
    fn error(&self, code: Code, message: String, help: String) -> Diagnostics {
        Diagnostic::error(code, message).at(self.place.clone()).help(help).into()
    }

    /// The body, its goal and its cells.
    fn parts(&self, system: &System) -> Result<(u32, Expression, Cells), Diagnostics> {
        let body = self.body(system)?;
        let own = ["x", "y", "angle"].map(|c| format!("{}.{c}", self.way.body));
        let known: Vec<&str> = own.iter().chain(&self.model.names).map(String::as_str).collect();
        let goal = formula_of(&self.way.goal, &known, &self.model.texts, &self.model.goal)?;
        Ok((body, goal, self.cells()?))
    }

    /// What is wrong with it, whatever the values.
    pub(super) fn check(&self, system: &System) -> Result<(), Diagnostics> {
        self.parts(system).map(|_| ())
    }

    fn body(&self, system: &System) -> Result<u32, Diagnostics> {
        let name = &self.way.body;
        if system.space != Space::Planar {
            let help = "ways are looked for in planar scenes only".to_owned();
            return Err(self.error(Code::Contradiction, "this scene is spatial".into(), help));
        }
        let moving = |b: &u32| matches!(system.place_of(*b), BodyPlace::Block(_));
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
        let region = [self.way.region.x, self.way.region.y, self.way.region.angle];
        let count = self.way.cells.map(|n| n as usize);
        let all = count.iter().map(|n| *n as u64).try_fold(1_u64, u64::checked_mul);
        if region.iter().any(|[a, b]| !(a < b)) || all.is_none_or(|n| n == 0 || n > MOST_CELLS) {
            let help =
                format!("regions are [a, b] with a < b, cells at least 1 each and {MOST_CELLS} in all");
            return Err(self.error(Code::OutOfRange, "the region has no cells, or too many".into(), help));
        }
        let size = [0, 1, 2].map(|k| (region[k][1] - region[k][0]) / count[k] as f64);
        let round = region[2][1] - region[2][0] >= TAU - 1e-9;
        Ok(Cells { low: region.map(|r| r[0]), size, count, round })
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
            *ground = Ground { key, cells: vec![Cell::Unknown; cells.count.iter().product()] };
        }
        let system = &prepared.simulation.system;
        let frames = system.placed(prepared.simulation.q());
        let start = [0, 1, 2].map(|k| frames.pose(body)[k]);
        let Some(first) = cells.of(start) else {
            return Ok(Some("the start is outside the region".into()));
        };
        let reach = system.shapes.iter().filter(|s| s.body == body).map(|s| s.reach()).fold(0.0, f64::max);
        let [dx, dy, da] = cells.size;
        let slack = 0.5 * dx.hypot(dy) + 0.5 * reach * da;
        let margin = vec![0.0; system.bodies.len()];
        let mut probe = Probe { prepared, body, frames, slack, pose: Vec::new(), margin };
        let mut visited = vec![false; ground.cells.len()];
        let (mut queue, mut seen) = (VecDeque::from([first]), 0_u64);
        visited[first] = true;
        while let Some(at) = queue.pop_front() {
            if !probe.free(at, &cells, ground)? {
                continue;
            }
            seen += 1;
            if cells.corners(at).any(|p| self.holds(&goal, p)) {
                return Ok(None);
            }
            cells.neighbours(at, |next| {
                if !std::mem::replace(&mut visited[next], true) {
                    queue.push_back(next);
                }
            });
        }
        Ok(Some(format!("no way to the goal: {seen} free cells can be reached")))
    }

    fn holds(&self, goal: &Expression, place: [f64; 3]) -> bool {
        let all: Vec<f64> = place.iter().chain(self.numbers).copied().collect();
        super::single::true_of(goal.at(0.0, &all))
    }

    /// Everything free cells depend on: the detector and the scene without the body's start.
    fn key(&self, prepared: &Prepared) -> String {
        let mut scene = prepared.loaded.scene_node.clone();
        let bodies = prepared.loaded.scene.bodies.iter();
        if let Some(k) = bodies.enumerate().find(|(_, b)| b.name == self.way.body).map(|(k, _)| k) {
            for key in ["position", "angle", "velocity", "angular_velocity"] {
                scene.remove(&Path::root().join("bodies").join(k).join(key));
            }
        }
        let scene = serde_json::to_string(&scene).unwrap_or_default();
        let detector = &prepared.detector;
        format!("{} {} {:?} {scene}", detector.manifest.id, detector.options, self.way)
    }
}

impl Cells {
    /// The cell of a place.
    fn of(&self, mut place: [f64; 3]) -> Option<usize> {
        if self.round {
            place[2] = self.low[2] + (place[2] - self.low[2]).rem_euclid(TAU);
        }
        let mut at = 0;
        for k in 0..3 {
            let i = (place[k] - self.low[k]) / self.size[k];
            // The upper end belongs to the last cell.
            let i = if i == self.count[k] as f64 { i - 1.0 } else { i };
            if !(i >= 0.0 && i < self.count[k] as f64) {
                return None;
            }
            at = at * self.count[k] + i as usize;
        }
        Some(at)
    }

    fn indices(&self, at: usize) -> [usize; 3] {
        let [_, ny, na] = self.count;
        [at / (ny * na), at / na % ny, at % na]
    }

    fn point(&self, at: usize, part: [f64; 3]) -> [f64; 3] {
        let i = self.indices(at);
        [0, 1, 2].map(|k| self.low[k] + (i[k] as f64 + part[k]) * self.size[k])
    }

    /// The middle of a cell and its eight corners.
    fn corners(&self, at: usize) -> impl Iterator<Item = [f64; 3]> + '_ {
        let corner = |k: u32| [0, 1, 2].map(|axis| f64::from(k >> axis & 1));
        std::iter::once([0.5; 3]).chain((0..8).map(corner)).map(move |part| self.point(at, part))
    }

    /// Calls `visit` for every cell that shares a face.
    fn neighbours(&self, at: usize, mut visit: impl FnMut(usize)) {
        let own = self.indices(at);
        for axis in 0..3 {
            for up in [false, true] {
                let mut i = own;
                let n = self.count[axis];
                i[axis] = match (up, i[axis]) {
                    (true, k) if k + 1 < n => k + 1,
                    (false, k) if k > 0 => k - 1,
                    (true, _) if axis == 2 && self.round => 0,
                    (false, _) if axis == 2 && self.round => n - 1,
                    _ => continue,
                };
                visit((i[0] * self.count[1] + i[1]) * self.count[2] + i[2]);
            }
        }
    }
}

/// Asks the detector.
struct Probe<'a> {
    prepared: &'a mut Prepared,
    body: u32,
    frames: Frames,
    slack: f64,
    pose: Vec<f64>,
    margin: Vec<f64>,
}

impl Probe<'_> {
    fn free(&mut self, at: usize, cells: &Cells, ground: &mut Ground) -> Result<bool, Diagnostics> {
        if ground.cells[at] == Cell::Unknown {
            let free = self.look(cells.point(at, [0.5; 3]))?;
            ground.cells[at] = if free { Cell::Free } else { Cell::Blocked };
        }
        Ok(ground.cells[at] == Cell::Free)
    }

    /// Whether no static body is deeper in the body than the slack. Of an OR group one gap above that is enough.
    fn look(&mut self, place: [f64; 3]) -> Result<bool, Diagnostics> {
        self.pose.clear();
        self.pose.extend_from_slice(self.frames.poses());
        self.pose[3 * self.body as usize..][..3].copy_from_slice(&place);
        let simulation = &mut self.prepared.simulation;
        let system = &simulation.system;
        let query = DetectQuery { t: 0.0, pose: &self.pose, margin: &self.margin };
        let raw = simulation
            .detector
            .detect(&query)
            .map_err(|e| Diagnostics::from(Diagnostic::error(Code::PluginFault, e.message)))?;
        let mut groups: BTreeMap<u32, bool> = BTreeMap::new();
        for (k, key) in raw.key.iter().enumerate() {
            let of = |shape: u32| system.shapes[shape as usize].body;
            let (a, b) = (of(key.shape_a), of(key.shape_b));
            let other = if a == self.body { b } else { a };
            if (a != self.body && b != self.body) || !matches!(system.place_of(other), BodyPlace::Fixed) {
                continue;
            }
            let apart = raw.gap[k] >= -self.slack;
            match raw.group.get(k) {
                Some(&group) if group != 0 => *groups.entry(group).or_insert(false) |= apart,
                _ if !apart => return Ok(false),
                _ => {}
            }
        }
        Ok(groups.values().all(|apart| *apart))
    }
}
