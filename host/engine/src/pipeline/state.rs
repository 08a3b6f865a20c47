//! The state of a simulation: a step reads it and makes the next one, a snapshot holds it.

use vinci_core::contact::ContactMemory;
use vinci_core::lists::copy;
use vinci_core::referee::Memory;

use super::passing::Passing;
use super::step_control::StepSize;
use super::zeno_guard::ZenoGuard;

/// Part of a grid step within which a time is a grid time: rounding of sums, and no step of such a length makes sense.
pub(super) const ON_GRID: f64 = 1e-9;

/// Where a simulation stands. A step reads one and makes the next; a step that fails leaves it as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Number of accepted steps.
    pub step: u64,
    /// Number of grid times k h reached.
    pub grid: u64,
    /// Time, s.
    pub t: f64,
    /// Size of the last step, s.
    pub h_last: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Memory of contacts.
    pub memory: ContactMemory,
    /// Last impulses of the support points, 2 per point.
    pub support_impulse: Vec<f64>,
    /// Impacts of the grid step so far, contacts without restitution.
    pub guard: ZenoGuard,
    /// Step size that step control proposes.
    pub step_size: StepSize,
    /// Where the last step began.
    pub passing: Passing,
}

impl State {
    /// At the start, with these positions and velocities and so many support points.
    pub(super) fn new(q: Vec<f64>, v: Vec<f64>, n_supports: usize) -> Self {
        Self { q, v, support_impulse: vec![0.0; 2 * n_supports], ..Self::default() }
    }

    /// Takes over another state, in memory that is there.
    pub(super) fn assign(&mut self, from: &Self) {
        (self.step, self.grid, self.t, self.h_last) = (from.step, from.grid, from.t, from.h_last);
        self.step_size = from.step_size;
        copy(&mut self.q, &from.q);
        copy(&mut self.v, &from.v);
        self.memory.clone_from(&from.memory);
        copy(&mut self.support_impulse, &from.support_impulse);
        self.guard.assign(&from.guard);
        self.passing.clone_from(&from.passing);
    }

    /// The next grid time, (k + 1) h as a product: no sum of steps drifts into it.
    pub(super) fn next_grid_time(&self, h: f64) -> f64 {
        (self.grid + 1) as f64 * h
    }

    /// Time after a step. Grid times are products k h, never sums, and a step that ends within a billionth of the grid
    /// step of one ends there.
    pub(super) fn pass_time(&mut self, h_used: f64, h_grid: f64) {
        let (t, next) = (self.t + h_used, self.next_grid_time(h_grid));
        if (t - next).abs() <= ON_GRID * h_grid {
            (self.t, self.grid) = (next, self.grid + 1);
            self.guard.begin_grid_step();
        } else {
            self.t = t;
            self.grid = self.grid.max((t / h_grid).floor() as u64);
        }
        self.h_last = h_used;
    }
}

/// Everything needed to return to a state: the state, and the memories of plugins, controllers and referee.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// The state.
    pub state: State,
    /// State of the controllers.
    pub controllers: Vec<f64>,
    /// State of the referee.
    pub referee: Memory,
    /// State of the detector, the stepper and each solver of the chain.
    pub plugins: Vec<Vec<u8>>,
    /// State of each controller that is a stage.
    pub stages: Vec<Vec<u8>>,
}
