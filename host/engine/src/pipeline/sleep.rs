//! Sleep: an island that goes on as it did is not solved.
//!
//! The guess of a problem is the answer of the step before: velocities, and impulses by the identity of contacts. Where it solves the
//! island as it is now, far more exactly than solvers are asked to, the island keeps velocities and impulses. The problem holds all
//! that an island depends on: masses, forces, drives and controllers, gaps and Jacobians, friction. Whatever touches the island, or
//! changes, leaves a residual, and wakes it. All of this is part of the state: nothing else has to be remembered or saved.

use vinci_core::problem::Problem;

use super::audit;
use super::island::{Island, IslandEnd};

/// The part of the tolerance to which the guess must solve an island that is to sleep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sleep(pub(super) f64);

impl Sleep {
    /// Lets an island sleep that its guess solves: the guess is its answer then. Every row is as exact as this part of the tolerance asks
    /// of the largest.
    pub(super) fn put_to_sleep(self, island: &mut Island) {
        let (problem, answer) = (island.problem.view(), &mut island.answer);
        let (natural, guess) = match problem {
            Problem::Mlcp(p) => (p.residual(p.guess).natural, p.guess),
            Problem::Cone(c) => (c.residual(c.rows.guess).natural, c.rows.guess),
            _ => return,
        };
        island.sleeps = natural <= self.0 * problem.tolerance();
        if island.sleeps {
            answer.z.clear();
            answer.z.extend_from_slice(guess);
            answer.end = IslandEnd::Solved { row: natural * audit::slack(&problem) / problem.tolerance() };
        }
    }
}
