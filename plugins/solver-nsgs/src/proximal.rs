//! Proximal points: problems with w + ε (z − c) in the place of w, whose solutions lead to one of the problem itself.
//!
//! With ε > 0 the free rows can be eliminated even where A is singular (a quasi-static part: A = 0), and sweeps and
//! Newton steps stall less. z solves the softened problem, c moves to z, and so on; at a fixed point c = z the term is
//! zero and z solves the problem itself, whatever ε: nothing is regularised in silence.

use vinci_sdk::core::problem::Cone;

use crate::config::Config;
use crate::workspace::NsgsWorkspace;

/// |Φ|∞ at which a softened problem counts as solved.
const SOLVED: f64 = 1e-12;
/// First, largest and smallest ε, in balanced units, and the factors after an easy and after a failed step.
const FIRST: f64 = 1e-1;
const LARGEST: f64 = 1e2;
const SMALLEST: f64 = 1e-9;
const EASIER: f64 = 0.3;
const HARDER: f64 = 4.0;
/// How fast an ε that failed is forgotten, per easy step.
const FORGET: f64 = 0.7;
/// Linear systems of an easy step.
const EASY: u32 = 12;
/// The polish is tried after every so many points, and where the best residual has fallen to this part since.
const SELDOM: u32 = 5;
const NEARER: f64 = 0.5;
/// Sweeps on a softened problem that Newton did not solve at once.
const SWEEPS: u32 = 60;

impl NsgsWorkspace {
    /// At most `steps` proximal points from the iterate; true when the tolerance is met.
    pub(crate) fn proximal_points(&mut self, problem: &Cone<'_>, config: &Config, steps: u32) -> bool {
        let (mut epsilon, mut least) = (FIRST, SMALLEST);
        self.p.centre.copy_from_slice(&self.z);
        self.leap.forget();
        let mut polished = f64::INFINITY;
        for k in 0..steps {
            if self.systems >= self.max_systems || epsilon > LARGEST {
                break;
            }
            let before = self.systems;
            self.p.epsilon = epsilon;
            let solved = self.softened(config);
            self.p.epsilon = 0.0;
            if !solved {
                least = epsilon;
                epsilon *= HARDER;
                self.leap.take_back(&mut self.p.centre);
                self.z.copy_from_slice(&self.p.centre);
                continue;
            }
            let easy = self.systems - before < EASY;
            if self.judge(problem) {
                return true;
            }
            // Far from a solution the polish is in vain, and costs as much as the point.
            let nearer = self.best_residual < NEARER * polished;
            if nearer || k % SELDOM == SELDOM - 1 {
                if self.polish_aside(problem, 6) {
                    return true;
                }
                polished = self.best_residual;
            }
            self.leap.next_centre(&self.z, &mut self.p.centre, epsilon);
            self.z.copy_from_slice(&self.p.centre);
            if easy {
                least *= FORGET;
                epsilon = (EASIER * epsilon).max(HARDER * least).max(SMALLEST).min(epsilon);
            }
        }
        self.p.epsilon = 0.0;
        self.best_residual <= problem.rows.tolerance
    }

    /// Solves the softened problem from its centre.
    fn softened(&mut self, config: &Config) -> bool {
        if self.newton(20, |_, size| size <= SOLVED) {
            return true;
        }
        self.z.copy_from_slice(&self.p.centre);
        if !self.sweeps.reduce(&self.p) {
            return false;
        }
        self.sweeps.restrict(&self.z);
        for k in 0..SWEEPS {
            self.sweeps.sweep(config.omega, k % 2 == 1);
        }
        self.swept += SWEEPS;
        self.sweeps.expand(&mut self.z);
        self.newton(25, |_, size| size <= SOLVED)
    }
}
