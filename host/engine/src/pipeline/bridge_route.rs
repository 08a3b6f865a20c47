//! Bridge routes: a problem taken over bridges to a solver, and its answer mapped back.
//!
//! What a solver says is audited on the problem it was given; in front of every exact or iterative bridge the answer is
//! audited again, on the problem there. So the audit that counts is that of the original, or of the problem behind the
//! first approximate bridge where there is one: what lies nearer than that can only be judged by the law that the
//! referee knows.

use vinci_core::StageError;
use vinci_core::bridge::{
    ConeAsConic, ConeAsMlcp, ConicAsLinear, ConicAsMlcp, MlcpAsConic, MlcpAsQpcc, Progress, Refusal,
};
use vinci_core::error::ErrorKind;
use vinci_core::problem::{Cone, Problem, Solution, Status};
use vinci_core::stage::Solver;

use super::audit::Answer;
use super::map_back;
use super::route::{Bridge, Exactness, ProblemForm, Route, names};

/// Reason why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum NoAnswer {
    /// No bridge leads there, or every one that does refuses the instance.
    NoRoute(String),
    /// The solver refuses, or broke its contract.
    Stage(StageError),
}

/// The bridges of a run, with their memory: every route has its own.
#[derive(Debug, Clone)]
pub struct Bridges {
    directions: usize,
    /// True if bridges that put another problem in the place of the given one are left out.
    faithful: bool,
    known: Vec<Known>,
}

#[derive(Debug, Clone)]
struct Known {
    form: ProblemForm,
    takes: u32,
    routes: Vec<BridgeRoute>,
}

#[derive(Debug, Clone)]
struct BridgeRoute {
    route: Route,
    hops: Vec<Hop>,
}

#[derive(Debug, Clone)]
enum Hop {
    MlcpAsQpcc(Box<MlcpAsQpcc>),
    MlcpAsConic(Box<MlcpAsConic>),
    ConicAsMlcp(Box<ConicAsMlcp>),
    ConicAsLinear(Box<ConicAsLinear>),
    ConeAsMlcp(Box<ConeAsMlcp>),
    ConeAsConic(Box<ConeAsConic>),
}

enum Stop {
    Refused(Bridge, Refusal),
    Stage(StageError),
}

impl From<StageError> for Stop {
    fn from(error: StageError) -> Self {
        Self::Stage(error)
    }
}

impl Default for Bridges {
    fn default() -> Self {
        Self { directions: ConeAsMlcp::DEFAULT_DIRECTIONS, faithful: false, known: Vec::new() }
    }
}

impl Bridges {
    /// Bridges with n_d directions where circles become polygons; even, at least 4.
    pub fn new(directions: usize) -> Result<Self, StageError> {
        ConeAsMlcp::new(directions)?;
        Ok(Self { directions, ..Self::default() })
    }

    /// These bridges without the approximate ones: the problem itself is solved, or nothing.
    #[must_use]
    pub fn faithful(self) -> Self {
        Self { faithful: true, known: Vec::new(), ..self }
    }

    /// n_d.
    pub fn directions(&self) -> usize {
        self.directions
    }

    /// Solves a problem with a solver that takes this set of classes, over the best route that does not refuse the instance:
    /// writes the answer, and returns the route it came. Allocates nothing once warm, unless a bridge refuses.
    ///
    /// # Errors
    /// Nothing leads there (every refusal is named); the solver refuses or is at fault.
    pub fn solve(
        &mut self,
        problem: &Problem<'_>,
        takes: u32,
        solver: &mut dyn Solver,
        answer: &mut Answer,
    ) -> Result<&Route, NoAnswer> {
        let class = problem.class().name();
        let no_bridge = || {
            let taken = names(takes);
            NoAnswer::NoRoute(format!("no bridge leads from {class} to what it takes ({taken})"))
        };
        let at = self.find(ProblemForm::of(problem).ok_or_else(no_bridge)?, takes);
        let (mut refused, mut error) = (Vec::new(), None);
        for route in &mut self.known[at].routes {
            answer.begin();
            match solve_over(&mut route.hops, problem, solver, answer) {
                Ok(()) => return Ok(&route.route),
                Err(Stop::Refused(bridge, why)) => {
                    refused.push(format!("{} refuses it: {why}", bridge.name()))
                }
                // A class or feature the solver does not know may be avoided on another route.
                Err(Stop::Stage(e)) if e.kind == ErrorKind::Unsupported => error = error.or(Some(e)),
                Err(Stop::Stage(e)) => return Err(NoAnswer::Stage(e)),
            }
        }
        match error {
            Some(error) => Err(NoAnswer::Stage(error)),
            None if refused.is_empty() => Err(no_bridge()),
            None => Err(NoAnswer::NoRoute(refused.join("; "))),
        }
    }

    /// Reason why a problem does not reach a solver that takes this set of classes, if it does not; nobody solves anything, and the
    /// problems it becomes on the way are not kept: a fallback that is never asked takes no memory.
    pub fn refusal(&self, problem: &Problem<'_>, takes: u32) -> Option<String> {
        let mut fresh = Self { known: Vec::new(), ..*self };
        match fresh.solve(problem, takes, &mut Arrival, &mut Answer::default()) {
            Err(NoAnswer::NoRoute(message)) => Some(message),
            _ => None,
        }
    }

    fn find(&mut self, form: ProblemForm, takes: u32) -> usize {
        if let Some(at) = self.known.iter().position(|k| k.form == form && k.takes == takes) {
            return at;
        }
        let n_d = self.directions;
        let route = |route: Route| BridgeRoute {
            hops: route.bridges.iter().map(|b| Hop::new(*b, n_d)).collect(),
            route,
        };
        let keep = |route: &Route| !self.faithful || route.exactness() != Exactness::Approximate;
        let routes = Route::all(form, takes).into_iter().filter(keep).map(route).collect();
        self.known.push(Known { form, takes, routes });
        self.known.len() - 1
    }
}

/// Stands at the end of a route that is only tried.
struct Arrival;

impl Solver for Arrival {
    fn solve<'s>(&'s mut self, _: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        Err(StageError::new(ErrorKind::Other, "the problem has arrived"))
    }
}

/// Solves a problem over these bridges; the answer is in its terms.
fn solve_over(
    hops: &mut [Hop],
    problem: &Problem<'_>,
    solver: &mut dyn Solver,
    answer: &mut Answer,
) -> Result<(), Stop> {
    match hops.split_first_mut() {
        None => answer.take(problem, &solver.solve(problem)?),
        Some((hop, rest)) => {
            let exactness = hop.solve_bridged(rest, problem, solver, answer)?;
            if exactness != Exactness::Approximate {
                answer.audit_again(problem);
            }
            if !answer.proved {
                // A ray behind the bridge says nothing in front of it.
                answer.certificate.clear();
            }
        }
    }
    Ok(())
}

impl Hop {
    fn new(bridge: Bridge, n_d: usize) -> Self {
        match bridge {
            Bridge::MlcpAsQpcc => Self::MlcpAsQpcc(Box::default()),
            Bridge::MlcpAsConic => Self::MlcpAsConic(Box::default()),
            Bridge::ConicAsMlcp => Self::ConicAsMlcp(Box::default()),
            // Bridges::new has looked at the number.
            Bridge::ConicAsLinear => {
                Self::ConicAsLinear(Box::new(ConicAsLinear::new(n_d).unwrap_or_default()))
            }
            Bridge::ConeAsMlcp => Self::ConeAsMlcp(Box::new(ConeAsMlcp::new(n_d).unwrap_or_default())),
            Bridge::ConeAsConic => Self::ConeAsConic(Box::default()),
        }
    }

    /// Writes the problem over this bridge, solves it over the rest, and maps the answer back. Returns how exact that was.
    fn solve_bridged(
        &mut self,
        rest: &mut [Self],
        problem: &Problem<'_>,
        solver: &mut dyn Solver,
        answer: &mut Answer,
    ) -> Result<Exactness, Stop> {
        match (self, problem) {
            (Self::MlcpAsQpcc(bridge), Problem::Mlcp(p)) => {
                bridge.write(p);
                solve_over(rest, &Problem::Qpcc(bridge.view()), solver, answer)?;
                map_back::from_pairs(bridge, answer);
                Ok(Exactness::Exact)
            }
            (Self::MlcpAsConic(bridge), Problem::Mlcp(p)) => {
                bridge.write(p).map_err(|why| Stop::Refused(Bridge::MlcpAsConic, why))?;
                solve_over(rest, &Problem::Conic(bridge.view()), solver, answer)?;
                map_back::from_program(bridge, p, answer);
                Ok(Exactness::Exact)
            }
            (Self::ConicAsMlcp(bridge), Problem::Conic(p)) => {
                bridge.write(p).map_err(|why| Stop::Refused(Bridge::ConicAsMlcp, why))?;
                solve_over(rest, &Problem::Mlcp(bridge.view()), solver, answer)?;
                map_back::from_conditions(bridge, p, answer);
                Ok(Exactness::Exact)
            }
            (Self::ConicAsLinear(bridge), Problem::Conic(p)) => {
                bridge.write(p).map_err(|why| Stop::Refused(Bridge::ConicAsLinear, why))?;
                solve_over(rest, &Problem::Conic(bridge.view()), solver, answer)?;
                map_back::from_pyramids(bridge, problem, answer);
                // Cones of two rows lose nothing.
                Ok(if p.cones().all(|c| c.len() == 2) { Exactness::Exact } else { Exactness::Approximate })
            }
            (Self::ConeAsMlcp(bridge), Problem::Cone(p)) => {
                bridge.write(p);
                solve_over(rest, &Problem::Mlcp(bridge.view()), solver, answer)?;
                map_back::from_polygons(bridge, p, answer);
                Ok(Exactness::Approximate)
            }
            (Self::ConeAsConic(bridge), Problem::Cone(p)) => {
                fixed_point(bridge, rest, p, solver, answer)?;
                Ok(Exactness::Iterative)
            }
            _ => Err(Stop::Stage(StageError::unsupported("a bridge was given a problem of another class"))),
        }
    }
}

/// Programs with the slip frozen, until it comes back.
fn fixed_point(
    bridge: &mut ConeAsConic,
    rest: &mut [Hop],
    p: &Cone<'_>,
    solver: &mut dyn Solver,
    answer: &mut Answer,
) -> Result<(), Stop> {
    bridge.start(p).map_err(|why| Stop::Refused(Bridge::ConeAsConic, why))?;
    loop {
        solve_over(rest, &Problem::Conic(bridge.view()), solver, answer)?;
        if answer.status != Status::Converged {
            if answer.proved {
                // One program without a solution says nothing of the next.
                answer.mean(Status::NumericalFailure);
            }
            break;
        }
        match bridge.next(p, &answer.z, &answer.dual) {
            Progress::Again => {}
            Progress::Done => break,
            Progress::GaveUp => {
                answer.mean(Status::MaxIterations);
                break;
            }
        }
    }
    answer.drop_proof();
    answer.by_cases = false;
    answer.z.clear();
    answer.z.extend_from_slice(bridge.z());
    answer.z.resize(p.n(), 0.0);
    answer.drop_duals();
    Ok(())
}

#[cfg(test)]
#[path = "bridge_route_tests.rs"]
mod tests;
