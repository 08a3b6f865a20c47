//! One simulation: the pipeline detect → formulate → solve → update, with the host in charge.
//!
//! [`step`] is one step; [`substepping`] stands around it, and [`solver_route`] behind its *solve*. Stages are plain traits
//! here; whether a foreign library or a test double stands behind them makes no difference.

mod accepted_steps;
mod audit;
mod audited;
mod bridge_route;
mod carried_numbers;
mod clear_way;
mod codes;
mod contact_prediction;
mod contacts_now;
mod context;
mod contexts;
mod divided;
mod drive_check;
mod dry_run;
mod event_location;
mod failure;
mod failure_report;
mod gaps;
mod handed_on;
mod headway;
mod impact;
mod inverse;
mod island;
mod islands;
mod judge;
mod linearized;
mod map_back;
mod modes;
mod no_derivative;
mod outcome;
mod passing;
mod pending_steps;
mod predicted_motion;
mod problem_log;
mod proof_weights;
mod race;
mod race_log;
mod race_route;
mod refinement;
mod route;
mod route_sentences;
mod sampling;
mod settings;
mod simulation;
mod sleep;
mod snapshot;
mod solver_route;
mod solver_stats;
mod state;
mod step;
mod step_control;
mod step_record;
mod stored;
mod substepping;
mod tangent;
mod tape;
mod thread_pool;
mod timing;
mod trial;
mod unread;
mod work;
mod zeno_guard;

#[cfg(test)]
mod blocks;
#[cfg(test)]
mod doubles_tests;

pub use audit::{Answer, Denied};
pub use bridge_route::{Bridges, NoAnswer};
pub use drive_check::deviation;
pub use failure::{FailedSolve, Falling, Involved, Squeezed, StepFailure, Who};
pub use linearized::{Along, StepJacobian, has_corner, is_bent};
pub use modes::Modes;
pub use no_derivative::NoDerivative;
pub use outcome::{Accepted, ContactEvent, ContactEventKind, Impact};
pub use passing::{PassedThrough, Passing};
pub use problem_log::{Keep, KeptProblem, ProblemLog};
pub use race_log::{RaceLog, Raced};
pub use race_route::RaceEntrant;
pub use route::{Bridge, Exactness, ProblemForm, Route, SECOND_ORDER_CONES};
pub use settings::{DEFAULT_TOLERANCE, Settings};
pub use simulation::Simulation;
pub use snapshot::Carried;
pub use solver_route::{MakeRoute, NamedSolver, SolverRoute};
pub use solver_stats::SolverStats;
pub use state::{Snapshot, State};
pub use step_control::{
    EVENT_TOLERANCE, EventLocation, MAX_IMPACTS, MIN_STEP, StepControl, StepCounts, StepSize,
};
pub use stored::{Stored, check_convex};
pub use tangent::{BESIDE, Start, difference};
pub use tape::{End, Tape};
pub use timing::{Stage, Timing};
pub use unread::Apart;
pub use work::StepWork;
pub use zeno_guard::{GuardParts, ZenoGuard};
