//! Proximal points: softened problems whose solutions lead to one of the problem itself (Rockafellar 1976).
//!
//! With w gaining ε (z − c) on the bounded rows (in contact terms: a compliance ε whose rest position follows), paths
//! and damped Newton stall less the larger ε is. z solves the softened problem, c moves to z, and ε falls while that is
//! easy and rises when it fails. A fixed point c = z solves the problem itself, whatever ε; the polish looks for its
//! modes after every step.

use vinci_sdk::core::problem::Mlcp;

use crate::config::Config;
use crate::interior::Path;
use crate::semismooth::Damped;
use crate::workspace::NewtonWorkspace;

/// Path of a softened problem.
const PATH: Path = Path { iterations: 40, start: 1.0, least_centring: 0.0, shift: 0.0, polish: false };
/// Natural residual at which a softened problem counts as solved.
const SOLVED: f64 = 1e-11;
/// First, largest and smallest ε, in balanced units, and the factors after an easy and after a failed step.
const FIRST: f64 = 1e-2;
const LARGEST: f64 = 10.0;
const SMALLEST: f64 = 1e-8;
const EASIER: f64 = 0.5;
const HARDER: f64 = 3.0;
/// Iterations (with the polish) of an easy step.
const EASY: u32 = 18;

impl NewtonWorkspace {
    /// At most `steps` proximal points from the iterate; true when the tolerance is met.
    pub(crate) fn proximal_points(&mut self, problem: &Mlcp<'_>, config: &Config, steps: u32) -> bool {
        self.p.centre.clear();
        self.p.centre.extend_from_slice(&self.z);
        let (mut epsilon, mut first) = (FIRST, true);
        for _ in 0..steps {
            let used = self.iterations;
            self.p.epsilon = epsilon;
            let solved = self.proximal_point(config, first);
            self.p.epsilon = 0.0;
            if self.iterations > self.budget || epsilon > LARGEST {
                return false;
            }
            if !solved {
                epsilon *= HARDER;
                self.z.copy_from_slice(&self.p.centre);
                continue;
            }
            first = false;
            self.p.centre.copy_from_slice(&self.z);
            self.refresh();
            if self.judge(problem) || self.polish_aside(problem) {
                return true;
            }
            if self.iterations - used < EASY {
                epsilon = (EASIER * epsilon).max(SMALLEST);
            }
        }
        false
    }

    /// Solves the softened problem, by damped Newton from the centre, the first one by a path if need be.
    fn proximal_point(&mut self, config: &Config, first: bool) -> bool {
        let run = Damped { function: config.function, iterations: 25, memory: config.memory };
        self.damped_until(run, |workspace| workspace.p.natural(&workspace.z, &workspace.w) < SOLVED)
            || (first && self.proximal_path())
    }

    fn proximal_path(&mut self) -> bool {
        self.z.fill(0.0);
        self.follow_path(&Mlcp::default(), PATH)
    }
}
