//! The order of the stages.

use vinci_core::problem::{Mlcp, Status};

use crate::config::{Config, Function};
use crate::interior::Path;
use crate::semismooth::Damped;
use crate::work::Work;

impl Work {
    /// Solves; returns the status that the best point deserves.
    pub(crate) fn solve(&mut self, problem: &Mlcp<'_>, config: &Config) -> (Status, &'static str) {
        self.p.load(problem, config.balancing);
        self.linear.start(&self.p, config.dense_limit);
        self.start(config.max_iterations);
        let stages: [(&'static str, fn(&mut Self, &Mlcp<'_>, &Config) -> bool); 5] = [
            ("active set from the start", |s, p, c| {
                s.begin(p, c);
                s.polish(p, 15)
            }),
            ("minimum map", |s, p, c| {
                s.begin(p, c);
                s.semismooth(p, Damped { function: Function::Minimum, iterations: 30, memory: c.memory }) || s.polish(p, 5)
            }),
            ("damped", |s, p, c| {
                s.begin(p, c);
                s.semismooth(p, Damped { function: c.function, iterations: 60, memory: c.memory }) || s.polish(p, 5)
            }),
            ("path", |s, p, c| {
                s.begin(p, c);
                s.follow_path(p, Path { iterations: 60, start: 1.0, least_centring: 0.0, shift: 1e-12 })
            }),
            ("path2", |s, p, _| {
                s.z.fill(0.0);
                s.follow_path(p, Path { iterations: 100, start: 10.0, least_centring: 0.1, shift: 1e-10 })
            }),
        ];
        let only = std::env::var("ONLY").ok();
        for (name, stage) in stages {
            if only.as_deref().is_some_and(|o| o != name) { continue; }
            if stage(self, problem, config) {
                return (Status::Converged, name);
            }
        }
        (Status::MaxIterations, "")
    }

    /// The guess, or zero, inside the bounds.
    fn begin(&mut self, problem: &Mlcp<'_>, config: &Config) {
        let guessed = config.warm_start && problem.guess.iter().all(|x| x.is_finite());
        for i in 0..self.p.n() {
            self.z[i] = if guessed && !problem.guess.is_empty() { self.p.inward(i, problem.guess[i]) } else { 0.0 };
        }
        let mut z = std::mem::take(&mut self.z);
        self.p.project(&mut z);
        self.z = z;
    }
}
