//! Failures of a step.

use thiserror::Error;
use vinci_core::StageError;
use vinci_core::contact::ContactError;
use vinci_core::error::one_line;
use vinci_core::model::System;
use vinci_core::problem::{Problem, Status};

use super::audit::{Answer, Denied};
use super::route::{Exactness, Route};
use super::stored::Stored;
use crate::control::ControlError;
use crate::drives::DriveError;
use crate::labels;

/// Result of one solver of the chain on a problem that no solver solved.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedSolve {
    /// Id of the solver.
    pub solver: String,
    /// Status that it claimed.
    pub claimed: Status,
    /// Status that the audit found.
    pub status: Status,
    /// Relative natural-map residual of its answer, recomputed.
    pub residual: f64,
    /// Iterations.
    pub iterations: u64,
    /// Its note.
    pub note: String,
    /// True if it was given an approximation of the problem over a bridge; status and residual speak of that.
    pub bridged: bool,
    /// Names of the bridges; empty without.
    pub bridges: String,
    /// True if `status` is proved by cases.
    pub by_cases: bool,
    /// Where `status` is proved to rounding only: a solution would have an unknown above this.
    pub reach: Option<f64>,
    /// The check that denied its claim.
    pub denied: Option<Denied>,
    /// Objective of its best point and the proved lower bound, where it has both.
    pub gap: Option<[f64; 2]>,
    /// Reason why it did not try, if it did not; everything else says nothing then.
    pub refusal: Option<String>,
}

impl FailedSolve {
    pub(super) fn new(solver: &str, problem: &Problem<'_>, answer: &Answer, route: &Route) -> Self {
        Self {
            solver: solver.to_string(),
            claimed: answer.claimed,
            status: answer.status,
            residual: answer.residual,
            iterations: answer.iterations,
            note: one_line(&answer.note),
            bridged: route.exactness() == Exactness::Approximate,
            bridges: route.names(),
            by_cases: answer.by_cases,
            reach: answer.to_rounding(),
            denied: answer.denied,
            gap: answer.gap(problem),
            refusal: None,
        }
    }

    pub(super) fn refused(solver: &str, why: &str) -> Self {
        Self {
            solver: solver.to_string(),
            claimed: Status::NumericalFailure,
            status: Status::NumericalFailure,
            residual: f64::INFINITY,
            iterations: 0,
            note: String::new(),
            bridged: false,
            bridges: String::new(),
            by_cases: false,
            reach: None,
            denied: None,
            gap: None,
            refusal: Some(why.to_string()),
        }
    }
}

/// Stage that refused a call or misbehaved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The detector, or one of several.
    Detector,
    /// The stepper.
    Stepper,
    /// A solver of the chain.
    Solver,
    /// A controller.
    Controller,
    /// One of them: all were given their states back.
    Any,
}

/// A stage's refusal or fault as a failure of the step.
pub(super) fn stage(stage: Who) -> impl Fn(StageError) -> StepFailure {
    move |error| StepFailure::Stage { stage, error }
}

/// Reason why a step could not be made. The state is the one before the step.
#[derive(Debug, Error)]
pub enum StepFailure {
    /// No solver of the chain solved the step's problem.
    #[error("no solver solved the step")]
    Unsolved {
        /// The problem, for `repro/`.
        problem: Box<Stored>,
        /// One entry per solver tried.
        attempts: Vec<FailedSolve>,
        /// A proof that no solution, or no lowest value, exists, checked by the host.
        certificate: Option<Vec<f64>>,
        /// Contacts (index, body names, share of the largest squeeze) that the certificate presses.
        squeezed: Box<[Squeezed]>,
        /// Bodies that a certificate of unboundedness moves without end, with the direction in words.
        falling: Box<[Falling]>,
        /// Owners of the rows that a proof by cases rests on, strongest first.
        involved: Box<[Involved]>,
        /// The stepper's own remark on it, or empty.
        advice: Box<str>,
    },
    /// The stepper gave up.
    #[error("the stepper gave the step up: {0}")]
    GaveUp(String),
    /// A stage refused the call or misbehaved.
    #[error("{error}")]
    Stage {
        /// Which one; [`StageError::plugin`] says it more closely where it is known.
        stage: Who,
        /// The stage's own error.
        error: StageError,
    },
    /// The detector's answer cannot be used.
    #[error(transparent)]
    Contacts(#[from] ContactError),
    /// A drive is no number.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// A controller gives no number.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// An event asks for what cannot be.
    #[error("{0}")]
    Event(String),
    /// The new state is not finite.
    #[error("the state after the step is not finite ({what} {index} is {value})")]
    NotFinite {
        /// q or v.
        what: &'static str,
        /// Index.
        index: usize,
        /// The value.
        value: f64,
    },
    /// Forces or speeds are so large that the way of a body within the step is no finite number.
    #[error(
        "the way that bodies may move within the step is not finite; the largest force or torque, {along}, is {force:e} N or N m"
    )]
    TooLarge {
        /// The velocity that it acts along, as `BODY.vx`.
        along: Box<str>,
        /// The force or torque.
        force: f64,
    },
    /// The stepper asked for another round too often.
    #[error("the stepper asked for more than {0} rounds in one step")]
    TooManyRounds(u32),
    /// The stepper asked for another evaluation too often.
    #[error("the stepper asked for more than {0} evaluations in one step")]
    TooManyEvaluations(u32),
    /// The stepper took too little of each step.
    #[error("the stepper took more than {0} steps without reaching the next grid time")]
    TooManySubsteps(u32),
    /// The stepper took next to nothing of each step.
    #[error("the stepper took more than {0} steps in a row, each less than a millionth of the grid's step")]
    TooManyShortSteps(u32),
}

impl StepFailure {
    /// Returns true for a numerical failure, in which no stage broke the contract.
    pub(super) fn is_numerical(&self) -> bool {
        matches!(
            self,
            Self::Unsolved { .. }
                | Self::GaveUp(_)
                | Self::TooManyRounds(_)
                | Self::TooManyEvaluations(_)
                | Self::TooManySubsteps(_)
                | Self::TooManyShortSteps(_)
        )
    }

    /// Forces, nv, under which the way of a body has no end.
    pub(super) fn too_large(system: &System, force: &[f64]) -> Self {
        let largest = (0..force.len()).max_by(|&i, &k| force[i].abs().total_cmp(&force[k].abs()));
        let named = largest.and_then(|i| Some((labels::velocity(system, i)?.to_string(), force[i])));
        let (along, force) = named.unwrap_or_default();
        Self::TooLarge { along: along.into(), force }
    }

    /// Adds the stepper's advice on a step that no solver solved.
    pub(super) fn advised(mut self, text: &str) -> Self {
        if let Self::Unsolved { advice, .. } = &mut self {
            *advice = text.into();
        }
        self
    }
}

/// A contact that takes part in a squeeze no motion can relieve.
#[derive(Debug, Clone, PartialEq)]
pub struct Squeezed {
    /// Name of body A.
    pub body_a: String,
    /// Name of body B.
    pub body_b: String,
    /// Part of the largest normal entry of the certificate, 0 … 1.
    pub share: f64,
    /// Middle between its points, world, m.
    pub point: [f64; 3],
    /// Unit normal from A to B, world: the squeeze presses B along it.
    pub normal: [f64; 3],
}

/// A body or a pair of bodies whose rows a proof by cases rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Involved {
    /// `block`, or `block / ground`.
    pub who: String,
    /// Kinds of its rows: velocity, friction, …
    pub parts: Vec<&'static str>,
}

impl std::fmt::Display for Involved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.who, self.parts.join(", "))
    }
}

/// A body that nothing holds in a direction in which the objective falls.
#[derive(Debug, Clone, PartialEq)]
pub struct Falling {
    /// Its name.
    pub body: String,
    /// `vy`, or (vx: -0.1, omega: 1).
    pub direction: String,
    /// Velocity of its centre, m/s, and angular velocity, rad/s, world, up to a common factor; 0 for joints of trees.
    pub motion: [[f64; 3]; 2],
}

impl std::fmt::Display for Falling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} along {}", self.body, self.direction)
    }
}

impl std::fmt::Display for Squeezed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} / {} (share {:.2})", self.body_a, self.body_b, self.share)
    }
}

impl std::fmt::Display for FailedSolve {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(why) = &self.refusal {
            return write!(f, "{} did not try: {why}", self.solver);
        }
        write!(f, "{} ended with {}", self.solver, self.status.name())?;
        if self.by_cases {
            write!(f, ", proved by cases,")?;
        }
        if let Some(reach) = self.reach {
            write!(f, " to rounding (no solution with unknowns below {reach:.0e})")?;
        }
        if self.bridged {
            write!(f, " on polygons in the place of friction circles")?;
        } else if !self.bridges.is_empty() {
            write!(f, " over {}", self.bridges)?;
        }
        if self.claimed != self.status {
            let why = self.denied.map_or("which the host's check denies".into(), Denied::text);
            write!(f, " (it claimed {}, {why})", self.claimed.name())?;
        }
        if self.residual.is_finite() {
            write!(f, ", residual {:.1e}", self.residual)?;
        }
        if let Some([objective, bound]) = self.gap {
            let gap = objective - bound;
            write!(f, ", objective {objective:.9e}, bound {bound:.9e}, gap {gap:.1e}")?;
        }
        write!(f, " after {} iterations", self.iterations)?;
        if self.note.is_empty() { Ok(()) } else { write!(f, " ({})", self.note) }
    }
}
