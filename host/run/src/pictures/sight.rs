//! Window and scale of forces that drawings of several states have in common.

use vinci_core::model::{Shape, System};

use super::frame_state::FrameState;
use super::shapes::{Pose, bounds, placed};

/// A window that is taller than so many times its width does not show all of what never moves.
const TALL: f64 = 3.0;

/// A box that nothing is in: left, bottom, right, top, m.
const NOTHING: [f64; 4] = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];

/// Boxes around what states show, and their largest force. Gathered state by state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sight {
    /// Box around the bounded shapes of all bodies.
    all: [f64; 4],
    /// Box around the bounded shapes of the bodies that move.
    moving: [f64; 4],
    /// The force that is drawn longest, N.
    pub(super) largest: f64,
}

impl Default for Sight {
    fn default() -> Self {
        Self { all: NOTHING, moving: NOTHING, largest: 0.0 }
    }
}

impl Sight {
    /// Takes in a state. `contacts`: true where forces of contacts are drawn.
    pub fn add(&mut self, system: &System, state: &FrameState, contacts: bool) {
        self.add_around(system, None, state, contacts);
    }

    /// As [`Sight::add`], with places relative to a body that is followed.
    pub(super) fn add_around(
        &mut self,
        system: &System,
        follow: Option<u32>,
        state: &FrameState,
        contacts: bool,
    ) {
        let frames = system.placed(&state.q);
        let [x, y] = follow.map_or([0.0; 2], |b| [frames.pose(b)[0], frames.pose(b)[1]]);
        let place = |shape: &Shape| placed(shape, Pose::of(frames.pose(shape.body)));
        for shape in &system.shapes {
            let Some([left, bottom, right, top]) = place(shape).as_ref().and_then(bounds) else { continue };
            let own = [left - x, bottom - y, right - x, top - y];
            self.all = around(self.all, own);
            if system.block_of(shape.body).is_some() {
                self.moving = around(self.moving, own);
            }
        }
        let pressing = state.contacts.iter().filter(|_| contacts).map(|(_, force)| *force);
        let forces = dry_friction(system, state).map(|(_, force)| force).chain(pressing);
        self.largest = forces.map(|f| f[0].hypot(f[1])).fold(self.largest, f64::max);
    }

    /// The window: the box around all bounded shapes, with a margin. Where it would be very tall, as of a body at a long pole, it ends at
    /// about the size of the moving bodies' own box from that.
    pub(super) fn window(&self) -> [f64; 4] {
        let size = |b: [f64; 4]| [b[2] - b[0], b[3] - b[1]];
        let (mut all, moving) = (self.all, self.moving);
        let [wide, high] = size(all);
        if !(wide > 0.0 && high > 0.0) {
            return [-1.0, -1.0, 1.0, 1.0];
        }
        let own = size(moving).into_iter().fold(0.0, f64::max);
        if high > TALL * wide && own > 0.0 && own.is_finite() {
            (all[1], all[3]) = (all[1].max(moving[1] - 0.5 * own), all[3].min(moving[3] + 0.5 * own));
        }
        let margin = 0.04 * size(all).into_iter().fold(0.0, f64::max);
        [all[0] - margin, all[1] - margin, all[2] + margin, all[3] + margin]
    }
}

/// A window made wider, to both sides, where it is taller than that.
pub(super) fn wider([left, bottom, right, top]: [f64; 4]) -> [f64; 4] {
    let more = (0.5 * ((top - bottom) / TALL - (right - left))).max(0.0);
    [left - more, bottom, right + more, top]
}

/// The box around two.
fn around(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Friction at every support point that has any: its index and the force on its body, N. What a solver leaves at points without
/// dry friction is rounding.
pub(super) fn dry_friction<'a>(
    system: &'a System,
    state: &'a FrameState,
) -> impl Iterator<Item = (usize, [f64; 2])> + 'a {
    let points = system.supports.iter().zip(&state.friction).enumerate();
    points.filter(|(_, (support, _))| support.friction > 0.0).map(|(i, (_, force))| (i, *force))
}
