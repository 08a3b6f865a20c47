//! A problem on its way over bridges to a solver, and its answer on the way back.
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
use vinci_core::problem::{Cone, Conic, Mlcp, Problem, Solution, Status};
use vinci_core::stage::Solver;

use super::audit::{audit, slack};
use super::way::{Bridge, Form, Kind, Way};

/// What came back, in terms of the original problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// What deserves belief.
    pub status: Status,
    /// What the solver claimed, in terms of the original: differs from `status` only where the audit denies it.
    pub claimed: Status,
    /// Unknowns.
    pub z: Vec<f64>,
    /// Duals where the class has them.
    pub dual: Vec<f64>,
    /// Proof, where the class has a form for it.
    pub certificate: Vec<f64>,
    /// Proved lower bound of the objective; NaN: none.
    pub bound: f64,
    /// Whether `status` is proved of the original: no solution, or no lowest value.
    pub proved: bool,
    /// Whether that proof is one by cases, checked on the bridged problem; there is no certificate then.
    pub by_cases: bool,
    /// Residual recomputed, of the problem that was audited last.
    pub residual: f64,
    /// What the tolerance may amount to in any one row of that problem.
    pub slack: f64,
    /// Iterations of all calls.
    pub iterations: u64,
    /// Calls of the solver.
    pub solves: u32,
    /// The solver's note.
    pub note: String,
    spare: Vec<f64>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum NoAnswer {
    /// No bridge leads there, or every one that does refuses the instance.
    NoWay(String),
    /// The solver refuses, or broke its contract.
    Stage(StageError),
}

/// The bridges of a run, with their memory: every way has its own.
#[derive(Debug, Clone)]
pub struct Bridges {
    directions: usize,
    known: Vec<Known>,
    answer: Answer,
    /// Where the way of the last answer stands.
    last: (usize, usize),
}

#[derive(Debug, Clone)]
struct Known {
    form: Form,
    takes: u32,
    routes: Vec<Route>,
}

#[derive(Debug, Clone)]
struct Route {
    way: Way,
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
        Self {
            directions: ConeAsMlcp::DEFAULT_DIRECTIONS,
            known: Vec::new(),
            answer: Answer::default(),
            last: (0, 0),
        }
    }
}

impl Bridges {
    /// With n_d directions where circles become polygons; even, at least 4.
    pub fn new(directions: usize) -> Result<Self, StageError> {
        ConeAsMlcp::new(directions)?;
        Ok(Self { directions, ..Self::default() })
    }

    /// n_d.
    pub fn directions(&self) -> usize {
        self.directions
    }

    /// Solves a problem with a solver that takes this set of classes, over the best way that does not refuse the instance.
    /// The answer stands in [`Bridges::answer`], the way it came in [`Bridges::way`]. Allocates nothing once warm, unless a
    /// bridge refuses.
    ///
    /// Errors: nothing leads there (every refusal is named); the solver refuses or is at fault.
    pub fn solve(
        &mut self,
        problem: &Problem<'_>,
        takes: u32,
        solver: &mut dyn Solver,
    ) -> Result<(), NoAnswer> {
        let class = problem.class().name();
        let no_bridge = || NoAnswer::NoWay(format!("it is of class {class}, and no bridge leads from there"));
        let at = self.find(Form::of(problem).ok_or_else(no_bridge)?, takes);
        let (mut refused, mut error) = (Vec::new(), None);
        let Self { known, answer, last, .. } = self;
        for (k, route) in known[at].routes.iter_mut().enumerate() {
            *last = (at, k);
            answer.begin();
            match cross(&mut route.hops, problem, solver, answer) {
                Ok(()) => return Ok(()),
                Err(Stop::Refused(bridge, why)) => {
                    refused.push(format!("{} refuses it: {why}", bridge.name()))
                }
                // A class or feature the solver does not know may be avoided on another way.
                Err(Stop::Stage(e)) if e.kind == ErrorKind::Unsupported => error = error.or(Some(e)),
                Err(Stop::Stage(e)) => return Err(NoAnswer::Stage(e)),
            }
        }
        match error {
            Some(error) => Err(NoAnswer::Stage(error)),
            None if refused.is_empty() => Err(no_bridge()),
            None => Err(NoAnswer::NoWay(refused.join("; "))),
        }
    }

    /// Why a problem does not reach a solver that takes this set of classes, if it does not; nobody solves anything.
    pub fn refusal(&mut self, problem: &Problem<'_>, takes: u32) -> Option<String> {
        match self.solve(problem, takes, &mut Arrival) {
            Err(NoAnswer::NoWay(message)) => Some(message),
            _ => None,
        }
    }

    /// The answer of the last [`Bridges::solve`].
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// The way the last answer came, after the first [`Bridges::solve`] that gave one.
    pub fn way(&self) -> &Way {
        &self.known[self.last.0].routes[self.last.1].way
    }

    fn find(&mut self, form: Form, takes: u32) -> usize {
        if let Some(at) = self.known.iter().position(|k| k.form == form && k.takes == takes) {
            return at;
        }
        let n_d = self.directions;
        let route = |way: Way| Route { hops: way.bridges.iter().map(|b| Hop::new(*b, n_d)).collect(), way };
        let routes = Way::all(form, takes).into_iter().map(route).collect();
        self.known.push(Known { form, takes, routes });
        self.known.len() - 1
    }
}

/// Stands at the end of a way that is only tried.
struct Arrival;

impl Solver for Arrival {
    fn solve<'s>(&'s mut self, _: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        Err(StageError::new(ErrorKind::Other, "the problem has arrived"))
    }
}

/// Solves a problem over these bridges; the answer is in its terms.
fn cross(
    hops: &mut [Hop],
    problem: &Problem<'_>,
    solver: &mut dyn Solver,
    answer: &mut Answer,
) -> Result<(), Stop> {
    match hops.split_first_mut() {
        None => answer.take(problem, &solver.solve(problem)?),
        Some((hop, rest)) => {
            let kind = hop.cross(rest, problem, solver, answer)?;
            if kind != Kind::Approximate {
                answer.audit_again(problem);
            }
        }
    }
    Ok(())
}

impl Answer {
    fn begin(&mut self) {
        (self.iterations, self.solves, self.by_cases) = (0, 0, false);
    }

    /// A solver's answer, audited on the problem it was given.
    fn take(&mut self, problem: &Problem<'_>, solution: &Solution<'_>) {
        let (status, residual) = audit(problem, solution);
        (self.status, self.claimed, self.residual) = (status, solution.status, residual);
        self.proved = matches!(status, Status::Infeasible | Status::Unbounded);
        self.slack = slack(problem);
        self.bound = solution.bound;
        self.iterations += u64::from(solution.iterations);
        self.solves += 1;
        copy(&mut self.z, solution.z);
        copy(&mut self.dual, solution.dual);
        copy(&mut self.certificate, solution.certificate);
        self.note.clear();
        self.note.push_str(solution.note);
    }

    /// The audit of what was mapped back, on the problem in front of the bridge.
    fn audit_again(&mut self, problem: &Problem<'_>) {
        self.slack = slack(problem);
        if self.proved && self.by_cases {
            return;
        }
        let (status, residual) = audit(problem, &self.solution());
        self.proved = matches!(status, Status::Infeasible | Status::Unbounded);
        (self.status, self.residual) = (status, residual);
    }

    /// As a solution.
    pub fn solution(&self) -> Solution<'_> {
        Solution {
            status: self.status,
            z: &self.z,
            dual: &self.dual,
            certificate: &self.certificate,
            bound: self.bound,
            iterations: u32::try_from(self.iterations).unwrap_or(u32::MAX),
            note: &self.note,
            ..Solution::default()
        }
    }

    /// The bridge says what the solver's word means in front of it.
    fn mean(&mut self, status: Status) {
        if self.claimed == self.status {
            self.claimed = status;
        }
        self.status = status;
    }

    /// Nothing is proved in front of the bridge.
    fn drop_proof(&mut self) {
        self.certificate.clear();
        self.proved = false;
    }

    /// The class in front has no duals and no bound.
    fn drop_duals(&mut self) {
        self.dual.clear();
        self.bound = f64::NAN;
    }
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

    /// There, over the rest, and back. Returns the kind of the crossing.
    fn cross(
        &mut self,
        rest: &mut [Self],
        problem: &Problem<'_>,
        solver: &mut dyn Solver,
        answer: &mut Answer,
    ) -> Result<Kind, Stop> {
        match (self, problem) {
            (Self::MlcpAsQpcc(bridge), Problem::Mlcp(p)) => {
                bridge.write(p);
                cross(rest, &Problem::Qpcc(bridge.view()), solver, answer)?;
                back_from_pairs(bridge, answer);
                Ok(Kind::Exact)
            }
            (Self::MlcpAsConic(bridge), Problem::Mlcp(p)) => {
                bridge.write(p).map_err(|why| Stop::Refused(Bridge::MlcpAsConic, why))?;
                cross(rest, &Problem::Conic(bridge.view()), solver, answer)?;
                back_from_program(bridge, p, answer);
                Ok(Kind::Exact)
            }
            (Self::ConicAsMlcp(bridge), Problem::Conic(p)) => {
                bridge.write(p).map_err(|why| Stop::Refused(Bridge::ConicAsMlcp, why))?;
                cross(rest, &Problem::Mlcp(bridge.view()), solver, answer)?;
                back_from_conditions(bridge, p, answer);
                Ok(Kind::Exact)
            }
            (Self::ConicAsLinear(bridge), Problem::Conic(p)) => {
                bridge.write(p).map_err(|why| Stop::Refused(Bridge::ConicAsLinear, why))?;
                cross(rest, &Problem::Conic(bridge.view()), solver, answer)?;
                back_from_pyramids(bridge, problem, answer);
                // Cones of two rows lose nothing.
                Ok(if p.cones().all(|c| c.len() == 2) { Kind::Exact } else { Kind::Approximate })
            }
            (Self::ConeAsMlcp(bridge), Problem::Cone(p)) => {
                bridge.write(p);
                cross(rest, &Problem::Mlcp(bridge.view()), solver, answer)?;
                back_from_polygons(bridge, p, answer);
                Ok(Kind::Approximate)
            }
            (Self::ConeAsConic(bridge), Problem::Cone(p)) => {
                fixed_point(bridge, rest, p, solver, answer)?;
                Ok(Kind::Iterative)
            }
            _ => Err(Stop::Stage(StageError::unsupported("a bridge was given a problem of another class"))),
        }
    }
}

fn back_from_pairs(bridge: &MlcpAsQpcc, answer: &mut Answer) {
    if answer.proved {
        answer.by_cases = !bridge.expand_certificate(&answer.certificate, &mut answer.spare);
        std::mem::swap(&mut answer.certificate, &mut answer.spare);
    }
    bridge.expand(&answer.z, &mut answer.spare);
    std::mem::swap(&mut answer.z, &mut answer.spare);
    answer.drop_duals();
}

fn back_from_program(bridge: &MlcpAsConic, p: &Mlcp<'_>, answer: &mut Answer) {
    if answer.proved {
        match answer.status {
            Status::Unbounded => bridge.expand_unbounded(&answer.certificate, &mut answer.spare),
            _ => bridge.expand_infeasible(&answer.certificate, &mut answer.spare),
        }
        std::mem::swap(&mut answer.certificate, &mut answer.spare);
        answer.mean(Status::Infeasible);
    }
    answer.spare.clear();
    answer.spare.resize(p.n(), 0.0);
    // An answer that is none may come without duals.
    if answer.dual.len() == bridge.view().m() {
        bridge.expand(&answer.z, &answer.dual, &mut answer.spare);
    }
    std::mem::swap(&mut answer.z, &mut answer.spare);
    answer.drop_duals();
}

fn back_from_conditions(bridge: &ConicAsMlcp, p: &Conic<'_>, answer: &mut Answer) {
    if answer.proved && !answer.by_cases {
        let meaning = bridge.expand_certificate(p, &answer.certificate, &mut answer.spare);
        std::mem::swap(&mut answer.certificate, &mut answer.spare);
        answer.mean(meaning.unwrap_or(Status::NumericalFailure));
        answer.proved = meaning.is_some();
    } else if answer.proved {
        // Cases say that the conditions have no solution, not whether rows or objective are to blame.
        answer.mean(Status::NumericalFailure);
        answer.drop_proof();
        answer.by_cases = false;
    }
    let z = std::mem::take(&mut answer.z);
    bridge.expand(&z, &mut answer.spare, &mut answer.dual);
    answer.z = z;
    std::mem::swap(&mut answer.z, &mut answer.spare);
    answer.bound = f64::NAN;
}

fn back_from_pyramids(bridge: &ConicAsLinear, problem: &Problem<'_>, answer: &mut Answer) {
    if answer.proved && answer.status == Status::Infeasible {
        bridge.expand(&answer.certificate, &mut answer.spare);
        std::mem::swap(&mut answer.certificate, &mut answer.spare);
        // A relaxation without a feasible point: the proof is looked at in front of the bridge.
        answer.audit_again(problem);
    } else if answer.proved {
        answer.drop_proof();
    }
    if answer.dual.len() == bridge.view().m() {
        bridge.expand(&answer.dual, &mut answer.spare);
        std::mem::swap(&mut answer.dual, &mut answer.spare);
    }
}

fn back_from_polygons(bridge: &ConeAsMlcp, p: &Cone<'_>, answer: &mut Answer) {
    // What has no solution on polygons may have one on circles.
    answer.drop_proof();
    answer.by_cases = false;
    answer.spare.clear();
    answer.spare.resize(p.n(), 0.0);
    bridge.expand(&answer.z, &mut answer.spare);
    std::mem::swap(&mut answer.z, &mut answer.spare);
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
        cross(rest, &Problem::Conic(bridge.view()), solver, answer)?;
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

fn copy(to: &mut Vec<f64>, from: &[f64]) {
    to.clear();
    to.extend_from_slice(from);
}

#[cfg(test)]
#[path = "crossing_tests.rs"]
mod tests;
