//! The order of the stages, cheapest first. Every stage reports to the same judge; the first that satisfies it ends the
//! solve.
//!
//! 1. Active-set rounds from the guess: with a good guess one linear system is all there is.
//! 2. Small problems: damped Newton on the minimum map, which usually needs a few systems more.
//! 3. Path following from inside the bounds: hyperstatic and large problems.
//! 4. Damped Newton on the chosen function with a long memory.
//! 5. Proximal points: large frictional piles in which everything jams.
//! 6. Paths from other distances with stronger centring, and a damped run from the best point seen.
//!
//! If all fail, a proof of infeasibility is looked for; without one the best point is returned as what it is.

use vinci_sdk::core::problem::{Mlcp, Status};

use crate::config::{Config, Function, Method};
use crate::interior::Path;
use crate::semismooth::Damped;
use crate::workspace::NewtonWorkspace;

/// Where a stage begins.
#[derive(Debug, Clone, Copy)]
enum Start {
    /// At the problem's guess, or zero.
    Guess,
    /// At zero.
    Zero,
    /// At the best point so far.
    Best,
}

/// Method of a stage, with its limits.
#[derive(Debug, Clone, Copy)]
enum Stage {
    ActiveSet { rounds: u32 },
    Minimum { iterations: u32 },
    Damped { iterations: u32 },
    Proximal { steps: u32 },
    Path(Path),
}

const fn path(start: f64, least_centring: f64, shift: f64, iterations: u32) -> Stage {
    Stage::Path(Path { iterations, start, least_centring, shift, polish: true })
}

const STAGES: [(Start, Stage, &str); 9] = [
    (Start::Guess, Stage::ActiveSet { rounds: 12 }, "by active sets"),
    (Start::Guess, Stage::Minimum { iterations: 15 }, "by the damped minimum map"),
    (Start::Zero, path(1.0, 0.0, 1e-12, 60), "by path following"),
    (Start::Guess, Stage::Damped { iterations: 80 }, "by the damped method"),
    (Start::Zero, Stage::Proximal { steps: 100 }, "by proximal points"),
    (Start::Best, path(0.1, 0.1, 1e-9, 100), "by path following from nearby"),
    (Start::Best, Stage::Damped { iterations: 200 }, "by the damped method, restarted"),
    (Start::Zero, path(10.0, 0.1, 1e-10, 100), "by path following from afar"),
    (Start::Zero, path(1e3, 0.3, 1e-8, 150), "by path following from far away"),
];

impl NewtonWorkspace {
    /// Solves; returns the status that the best point deserves, with a note on how it was found.
    pub(crate) fn solve(&mut self, problem: &Mlcp<'_>, config: &Config) -> (Status, &'static str) {
        self.p.load(problem, config.balancing);
        self.linear.start(problem, config.dense_limit);
        self.start(config.max_iterations);
        self.certificate.clear();
        for (start, stage, name) in STAGES {
            if !self.allowed(config, stage) {
                continue;
            }
            self.begin(problem, config, start);
            if self.run(problem, config, stage) {
                return (Status::Converged, name);
            }
        }
        self.give_up(problem, config)
    }

    fn run(&mut self, problem: &Mlcp<'_>, config: &Config, stage: Stage) -> bool {
        let memory = config.memory;
        match stage {
            Stage::ActiveSet { rounds } => self.polish(problem, rounds),
            Stage::Minimum { iterations } => {
                self.semismooth(problem, Damped { function: Function::Minimum, iterations, memory })
            }
            Stage::Damped { iterations } => {
                self.semismooth(problem, Damped { function: config.function, iterations, memory })
            }
            Stage::Proximal { steps } => self.proximal_points(problem, config, steps),
            Stage::Path(path) => self.follow_path(problem, path),
        }
    }

    fn give_up(&mut self, problem: &Mlcp<'_>, config: &Config) -> (Status, &'static str) {
        if config.certify && self.prove_infeasible(problem, config) {
            return (Status::Infeasible, "the bounds and equations alone contradict each other (Farkas)");
        }
        if self.iterations > self.budget {
            return (Status::MaxIterations, "no stage met the tolerance within the iteration limit");
        }
        (
            Status::NumericalFailure,
            "every stage stalled above the tolerance and no proof of infeasibility was found",
        )
    }

    /// Puts the iterate at the start of a stage, inside the bounds.
    fn begin(&mut self, problem: &Mlcp<'_>, config: &Config, start: Start) {
        let guess = problem.guess;
        let guessed = config.warm_start && !guess.is_empty() && guess.iter().all(|x| x.is_finite());
        for i in 0..self.p.n() {
            let z = match start {
                Start::Guess if guessed => self.p.inward(i, guess[i]),
                Start::Best if self.best_residual.is_finite() => self.p.inward(i, self.best[i]),
                _ => 0.0,
            };
            self.z[i] = z.max(self.p.lower[i]).min(self.p.upper[i]);
        }
    }

    /// Returns true if the options, and the size, let a stage run: the minimum map pays for small problems only.
    fn allowed(&self, config: &Config, stage: Stage) -> bool {
        match config.method {
            Method::Auto => !matches!(stage, Stage::Minimum { .. }) || self.p.n() <= config.dense_limit,
            Method::ActiveSet => matches!(stage, Stage::ActiveSet { .. }),
            Method::Damped => matches!(stage, Stage::Damped { .. }),
            Method::Path => matches!(stage, Stage::Path(_)),
        }
    }
}
