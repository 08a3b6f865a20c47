//! The solver route where its solvers race: each problem goes to all of them at once, or to the one that a record names.

use std::sync::Arc;

use vinci_core::StageError;
use vinci_core::problem::Problem;

use super::failure::FailedSolve;
use super::race::{Alone, Entrant, Finish, Outcome, Race};
use super::race_log::{Raced, unlike};
use super::solver_route::{Solve, SolverRoute, note_bridged};
use super::stored::Stored;

/// Solver of a race in a process of its own.
pub trait RaceEntrant: Send + Sync {
    /// A route with one instance of this solver alone, on the thread that asks for it.
    ///
    /// # Errors
    /// As of making a solver.
    fn make(&self) -> Result<SolverRoute, StageError>;

    /// Ends its process, from any thread; whoever waits for its answer gets a fault.
    fn stop(&self);

    /// Failures of its process that no call could report, since this thread asked last.
    fn unreported(&self) -> Vec<StageError>;
}

/// A [`RaceEntrant`] as the race knows it.
struct Of(Arc<dyn RaceEntrant>);

impl Entrant for Of {
    fn make(&self) -> Result<Box<dyn Alone>, StageError> {
        Ok(Box::new(self.0.make()?))
    }

    fn stop(&self) {
        self.0.stop();
    }

    fn unreported(&self) -> Vec<StageError> {
        self.0.unreported()
    }
}

impl SolverRoute {
    /// Lets the solvers race: entrant k is solver k of the chain, made once more. Without effect where there is none.
    ///
    /// # Errors
    /// The system makes no thread.
    pub fn racing(mut self, entrants: Vec<Arc<dyn RaceEntrant>>) -> Result<Self, StageError> {
        let of = |entrant| Arc::new(Of(entrant)) as Arc<dyn Entrant>;
        let entrants: Vec<_> = entrants.into_iter().map(of).collect();
        self.race = (!entrants.is_empty()).then(|| Race::new(entrants)).transpose()?;
        Ok(self)
    }

    /// Returns true if the solvers race.
    pub fn races(&self) -> bool {
        self.race.is_some()
    }

    /// Has a problem solved by a race, or by the winner of the record that is followed. Problems with call-backs, which one thread alone can
    /// evaluate, are given to the solvers in their order.
    pub(super) fn solve_by_race(&mut self, problem: &Problem<'_>) -> Result<Solve, StageError> {
        let Some(stored) = Stored::of(problem) else { return self.ask_in_order(problem) };
        match self.race_log.next()? {
            Some(raced) => self.follow(raced, problem),
            None => self.hold_race(stored, problem),
        }
    }

    fn hold_race(&mut self, stored: Stored, problem: &Problem<'_>) -> Result<Solve, StageError> {
        let states = self.states();
        let Some(race) = &mut self.race else { return self.ask_in_order(problem) };
        match race.run(stored, problem.tolerance(), &states) {
            Finish::Won(k, outcome) => {
                self.carry(k, &outcome, &states[k])?;
                self.race_log.note(k + 1, &self.chain[k].id);
                let mut failed = Vec::new();
                self.take_over(k, *outcome, &mut failed)?;
                self.ended(k, &mut failed).ok_or_else(|| unlike("its winner has lost".to_owned()))
            }
            Finish::Lost(mut outcomes) => {
                outcomes.iter().enumerate().try_for_each(|(k, lost)| self.carry(k, lost, &states[k]))?;
                self.race_log.note(0, "");
                self.in_order(problem.len(), |route, k, failed| {
                    route.take_over(k, std::mem::take(&mut outcomes[k]), failed)
                })
            }
        }
    }

    /// Asks the winner of the record alone; all of them where none won.
    fn follow(&mut self, raced: Raced, problem: &Problem<'_>) -> Result<Solve, StageError> {
        let Raced { step, entrant, id } = raced;
        self.race_log.note(entrant, &id);
        let Some(k) = entrant.checked_sub(1) else {
            return match self.ask_in_order(problem)? {
                Solve::Unsolved(failed, None) => Ok(Solve::Unsolved(failed, None)),
                _ => Err(unlike(format!("nobody won in step {step}, and here somebody does"))),
            };
        };
        if self.chain.get(k).is_none_or(|named| named.id != id) {
            return Err(unlike(format!("entrant {entrant}, who won in step {step}, is not {id} here")));
        }
        let mut failed = Vec::new();
        self.ask(k, problem, &mut failed)?;
        self.ended(k, &mut failed)
            .ok_or_else(|| unlike(format!("{id} won in step {step}, and here it does not solve the problem")))
    }

    /// Saved states of all solvers.
    fn states(&self) -> Vec<Vec<u8>> {
        let mut states = vec![Vec::new(); self.chain.len()];
        self.save_states(&mut states);
        states
    }

    /// The host's own solver k goes on from where that of the race stands.
    fn carry(&mut self, k: usize, outcome: &Outcome, before: &[u8]) -> Result<(), StageError> {
        if outcome.end.is_some() || outcome.state == before {
            return Ok(());
        }
        self.chain[k].solver.load_state(&outcome.state)
    }

    /// Takes what solver k answered in a race as if it had been asked here.
    fn take_over(&mut self, k: usize, outcome: Outcome, to: &mut Vec<FailedSolve>) -> Result<(), StageError> {
        let Outcome { end, failed, answer, stats, bridged_routes, .. } = outcome;
        self.stats.add(&stats);
        to.extend(failed);
        if let Some(error) = end {
            return Err(error);
        }
        self.answer = answer;
        bridged_routes.into_iter().for_each(|(_, route)| note_bridged(&mut self.bridged_routes, k, &route));
        Ok(())
    }
}

impl Alone for SolverRoute {
    /// The only solver of the route solves a problem.
    fn solve_alone(&mut self, problem: &Problem<'_>, state: &[u8]) -> Result<Outcome, StageError> {
        let (mut own, mut failed) = (self.states(), Vec::new());
        if own[0] != state {
            self.chain[0].solver.load_state(state)?;
        }
        self.stats = Default::default();
        self.bridged_routes.clear();
        let end = self.ask(0, problem, &mut failed).err();
        own[0].clear();
        if end.is_none() {
            self.save_states(&mut own);
        }
        let (answer, bridged_routes) = (self.answer.clone(), std::mem::take(&mut self.bridged_routes));
        let state = own.swap_remove(0);
        Ok(Outcome { end, failed, answer, stats: self.stats, bridged_routes, state })
    }
}
