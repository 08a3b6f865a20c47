//! The solvers of a command that solves problems of files: the one that was named, or those that `auto` means for each.

use std::path::Path;

use vinci_abi::{ForeignSolver, Role};
use vinci_core::model::SystemView;
use vinci_core::problem::{Problem, Status};

use super::refused::not_found;
use super::solver_faults::misbehaved;
use super::timed::Timed;
use vinci_engine::pipeline::{Answer, Bridges, Exactness, NoAnswer, ProblemForm, Route};
use vinci_engine::ranking::{AUTO, Ranked, Sizes, behind, places, ranking};
use vinci_engine::registry::{Registry, classes};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Solvers made so far, and the bridges to them.
pub(super) struct SolverPool<'a> {
    registry: &'a Registry,
    name: &'a str,
    made: Vec<Made>,
    bridges: Bridges,
}

struct Made {
    id: String,
    takes: u32,
    solver: Timed<ForeignSolver>,
}

/// The solver that answered, its bridges, and the seconds of all solvers that were asked.
pub(super) struct Done {
    pub(super) id: String,
    pub(super) route: Route,
    pub(super) seconds: f64,
}

impl<'a> SolverPool<'a> {
    /// With the solver of a name and its options; `auto` makes solvers where they are needed, and takes no options.
    pub(super) fn new(registry: &'a Registry, name: &'a str, options: &str) -> Result<Self, Diagnostics> {
        let mut pool = Self { registry, name, made: Vec::new(), bridges: Bridges::default() };
        if name == AUTO {
            if options != "{}" {
                let message = "`auto` takes no options: it chooses among solvers";
                return Err(Diagnostic::error(Code::BadOption, message).help("name a solver").into());
            }
            pool.bridges = pool.bridges.faithful();
        } else {
            pool.make(name, options)?;
        }
        Ok(pool)
    }

    /// Directions of polygons in the place of circles.
    pub(super) fn directions(&self) -> usize {
        self.bridges.directions()
    }

    /// "solver, chosen by auto", or nothing where it was named.
    pub(super) fn chosen(&self, done: &Done) -> Option<String> {
        (self.name == AUTO).then(|| format!("chosen by auto: {}", done.id))
    }

    /// Asks solvers in order until one has an answer that is believed; the one with the least residual is left where none has.
    ///
    /// # Errors
    /// No solver could be asked; the first one's reason.
    pub(super) fn solve(&mut self, problem: &Problem<'_>, answer: &mut Answer) -> Result<Done, NoAnswer> {
        let (mut seconds, mut best, mut why) = (0.0, None::<(Answer, Done)>, None);
        for k in self.places(problem)? {
            let Self { made, bridges, .. } = self;
            let Made { id, takes, solver } = &mut made[k];
            solver.seconds = 0.0;
            let solved = bridges.solve(problem, *takes, solver, answer).cloned();
            seconds += solver.seconds;
            let done = match solved {
                Ok(route) => {
                    match route.exactness() {
                        Exactness::Approximate => answer.doubt_approximation(),
                        _ => answer.audit_in_units(problem),
                    }
                    Done { id: id.clone(), route, seconds }
                }
                Err(error) => {
                    why = why.or(Some(error));
                    continue;
                }
            };
            if answer.status == Status::Converged || answer.proved && answer.to_rounding().is_none() {
                return Ok(done);
            }
            // A proof that holds to rounding only is better than no answer; another solver may find a solution all the same.
            let is_better =
                |best: &Answer| !best.proved && (answer.proved || answer.residual < best.residual);
            if best.as_ref().is_none_or(|(best, _)| is_better(best)) {
                best = Some((std::mem::take(answer), done));
            }
        }
        match (best, why) {
            (Some((best, done)), _) => {
                *answer = best;
                Ok(Done { seconds, ..done })
            }
            (None, Some(why)) => Err(why),
            (None, None) => Err(NoAnswer::NoRoute("none of the solvers that `auto` means was found".into())),
        }
    }

    /// Places of the solvers for a problem, those that are not there left out.
    fn places(&mut self, problem: &Problem<'_>) -> Result<Vec<usize>, NoAnswer> {
        if self.name != AUTO {
            return Ok(vec![0]);
        }
        let form = ProblemForm::of(problem);
        let form = form.ok_or_else(|| NoAnswer::NoRoute("a class that this host does not know".into()))?;
        let all = ranking(form).iter().chain(behind(form));
        let found: Vec<(usize, Sizes)> = all.filter_map(|r| self.find(r)).collect();
        let sizes: Vec<Sizes> = found.iter().map(|(_, sizes)| *sizes).collect();
        Ok(places(&sizes, problem.len()).map(|k| found[k].0).collect())
    }

    /// The place of a solver of the table and its sizes, if it is there.
    fn find(&mut self, ranked: &Ranked) -> Option<(usize, Sizes)> {
        let known = self.made.iter().position(|m| m.id == ranked.id);
        let place = known.or_else(|| self.make(ranked.id, "{}").ok());
        if place.is_none() {
            tracing::debug!("{} is not there", ranked.id);
        }
        Some((place?, ranked.sizes))
    }

    /// A solver without a system around it; its place.
    fn make(&mut self, name: &str, options: &str) -> Result<usize, Diagnostics> {
        let plugin = self.registry.find(name, Role::Solver, Path::new(""));
        let plugin = plugin.map_err(|e| not_found(&e.to_string()))?;
        let takes = plugin.manifest(Role::Solver).map_or(0, classes);
        let solver = plugin.create_solver(options, &SystemView::NOTHING).map_err(|e| misbehaved(name, &e))?;
        self.made.push(Made { id: name.to_owned(), takes, solver: Timed::new(solver) });
        Ok(self.made.len() - 1)
    }
}
