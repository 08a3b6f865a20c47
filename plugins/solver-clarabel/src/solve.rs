//! The order of a solve: balance, interior point, judgement on the problem as given, polish or proof.

use vinci_sdk::core::problem::Conic;
use vinci_sdk::prelude::*;

use vinci_linear::conic::{Balanced, Certificate, Newton, rays};

use crate::config::Config;
use crate::convert::{Backend, Ended};
use crate::standard::Standard;

/// Newton steps of one polish at most.
const STEPS: u32 = 20;
/// Steps without a smaller residual after which the polish gives up.
const PATIENCE: u32 = 4;
/// Problems of up to this many unknowns and rows are polished always: there it costs little.
const CHEAP: usize = 500;
/// Part of the tolerance at which a polish ends.
const MARGIN: f64 = 1e-4;

/// Memory that is kept from problem to problem; no numbers in it bear on the next answer.
#[derive(Debug, Default)]
pub(crate) struct Work {
    balanced: Balanced,
    form: Standard,
    backend: Backend,
    newton: Newton,
    certificate: Certificate,
    x_hat: Vec<f64>,
    y_hat: Vec<f64>,
    /// Best point so far.
    x: Vec<f64>,
    y: Vec<f64>,
    residual: f64,
    /// Another point (x, y), and after a proof the direction or the Farkas vector.
    trial: (Vec<f64>, Vec<f64>),
    stationarity: Vec<f64>,
    /// Interior-point iterations and Newton steps of this solve.
    iterations: u32,
    steps: u32,
}

impl Work {
    /// Solves `p` to `tolerance`.
    pub(crate) fn solve<'s>(
        &'s mut self,
        p: &Conic<'_>,
        config: &Config,
        tolerance: f64,
    ) -> Result<Solution<'s>, StageError> {
        if p.n() == 0 {
            return Ok(self.solve_without_unknowns(p, tolerance));
        }
        let ended = self.run(p, config)?;
        let (mut status, mut note) = match ended {
            Ended::Infeasible => self.prove_infeasible(p),
            Ended::Unbounded => self.prove_unbounded(p),
            Ended::Solved | Ended::Limit | Ended::Stuck => self.judge(p, config, tolerance, ended),
        };
        if status == Status::NumericalFailure
            && let Some(proved) = self.seek_proof(p, config)?
        {
            (status, note) = (proved, "proved by a program of its own");
        }
        let certificate: &[f64] = match status {
            Status::Infeasible => &self.trial.1,
            Status::Unbounded => &self.trial.0,
            _ => &[],
        };
        Ok(Solution {
            status,
            z: &self.x,
            dual: &self.y,
            certificate,
            iterations: self.iterations + self.steps,
            factorizations: self.iterations + self.steps,
            residual: self.residual,
            note,
            ..Solution::default()
        })
    }

    /// The interior point method; leaves (x̂, ŷ).
    fn run(&mut self, p: &Conic<'_>, config: &Config) -> Result<Ended, StageError> {
        self.balanced.build(p);
        self.form.build(p, &self.balanced);
        let ended = self.backend.solve(&self.form, &self.balanced.c, config);
        let ended = ended.map_err(|message| StageError::new(ErrorKind::Other, message))?;
        let (x, z, iterations) = self.backend.result();
        self.x_hat.clear();
        self.x_hat.extend(x.iter().map(|x| if x.is_finite() { *x } else { 0.0 }));
        self.form.duals(z, p.m(), &mut self.y_hat);
        self.y_hat.iter_mut().filter(|y| !y.is_finite()).for_each(|y| *y = 0.0);
        (self.iterations, self.steps, self.residual) = (iterations, 0, f64::INFINITY);
        (self.x.clear(), self.y.clear());
        self.x.resize(p.n(), 0.0);
        self.y.resize(p.m(), 0.0);
        Ok(ended)
    }

    /// The iterate, or what Newton steps make of it, judged by core's residual. A point that the interior point method did
    /// not call solved is believed after a Newton step from it, never as it stands.
    fn judge(
        &mut self,
        p: &Conic<'_>,
        config: &Config,
        tolerance: f64,
        ended: Ended,
    ) -> (Status, &'static str) {
        self.take_if_better(p);
        let met = ended == Ended::Solved && self.residual <= tolerance;
        let cheap = p.n() + p.m() <= CHEAP && self.residual > MARGIN * tolerance;
        if config.polish && (!met || cheap) && self.run_polish(p, config, tolerance) {
            return (Status::Converged, "finished by Newton steps");
        }
        if met {
            return (Status::Converged, "");
        }
        match ended {
            Ended::Limit => (Status::MaxIterations, "the interior point method reached its iteration limit"),
            Ended::Solved => {
                (Status::NumericalFailure, "solved in balanced units, not to the tolerance in the given ones")
            }
            _ => (Status::NumericalFailure, "the interior point method made no progress"),
        }
    }

    /// Newton steps until the tolerance is met with a margin; whether it is met after at least one step.
    fn run_polish(&mut self, p: &Conic<'_>, config: &Config, tolerance: f64) -> bool {
        self.newton.begin(p, &self.balanced);
        let mut idle = 0;
        let mut met = false;
        while self.steps < STEPS && idle < PATIENCE {
            self.steps += 1;
            let (x, y) = (&mut self.x_hat, &mut self.y_hat);
            if !self.newton.step(p, &self.balanced, x, y, config.dense_limit) {
                break;
            }
            let before = self.residual;
            let better = self.take_if_better(p);
            idle = if better && self.residual < 0.5 * before { 0 } else { idle + 1 };
            met |= better && self.residual <= tolerance;
            if met && self.residual <= MARGIN * tolerance {
                break;
            }
        }
        met
    }

    /// Expands (x̂, ŷ) and keeps it if its residual is smaller.
    fn take_if_better(&mut self, p: &Conic<'_>) -> bool {
        let (x, y) = (&mut self.trial.0, &mut self.trial.1);
        self.balanced.expand(&self.x_hat, &self.y_hat, x, y);
        let residual = p.residual_with(x, y, &mut self.stationarity).natural;
        let better = residual < self.residual;
        if better {
            self.residual = residual;
            self.x.clone_from(x);
            self.y.clone_from(y);
        }
        better
    }

    fn prove_infeasible(&mut self, p: &Conic<'_>) -> (Status, &'static str) {
        let (x, y) = (&mut self.trial.0, &mut self.trial.1);
        self.balanced.expand(&self.x_hat, &self.y_hat, x, y);
        if self.certificate.infeasible(p, y) {
            (Status::Infeasible, "")
        } else {
            (Status::NumericalFailure, "seems infeasible, but the proof does not hold")
        }
    }

    fn prove_unbounded(&mut self, p: &Conic<'_>) -> (Status, &'static str) {
        let (x, y) = (&mut self.trial.0, &mut self.trial.1);
        self.balanced.expand(&self.x_hat, &self.y_hat, x, y);
        if self.certificate.unbounded(p, x) {
            (Status::Unbounded, "")
        } else {
            (Status::NumericalFailure, "seems unbounded, but the proof does not hold")
        }
    }

    /// The programs of `rays`, each solved by an instance of its own; a proof is left in `trial`.
    fn seek_proof(&mut self, p: &Conic<'_>, config: &Config) -> Result<Option<Status>, StageError> {
        let (d, e) = self.balanced.units();
        let (program, of) = rays::farkas(p, e);
        let mut inner = Self::default();
        let y = &mut self.trial.1;
        y.clear();
        y.resize(p.m(), 0.0);
        if program.view().n() > 0 {
            let ended = inner.run(&program.view(), config)?;
            inner.judge(&program.view(), config, program.tolerance, ended);
            of.iter().zip(&inner.x).for_each(|(&(i, sign), x)| y[i] += sign * x);
            if self.certificate.infeasible(p, y) {
                return Ok(Some(Status::Infeasible));
            }
        }
        let program = rays::direction(p, d);
        let ended = inner.run(&program.view(), config)?;
        inner.judge(&program.view(), config, program.tolerance, ended);
        self.trial.0.clone_from(&inner.x);
        Ok(self.certificate.unbounded(p, &mut self.trial.0).then_some(Status::Unbounded))
    }

    /// s = g is what it is: y = 0, or the first row or cone that is violated is a proof by itself.
    fn solve_without_unknowns(&mut self, p: &Conic<'_>, tolerance: f64) -> Solution<'_> {
        self.x.clear();
        self.y.clear();
        self.y.resize(p.m(), 0.0);
        self.residual = p.residual_with(&self.x, &self.y, &mut self.stationarity).natural;
        let met = self.residual <= tolerance;
        let status = if met { Status::Converged } else { Status::Infeasible };
        if !met {
            point_outside(p, &mut self.y);
        }
        let certificate: &[f64] = if met { &[] } else { &self.y };
        Solution {
            status,
            z: &self.x,
            dual: &self.y,
            certificate,
            residual: self.residual,
            ..Solution::default()
        }
    }
}

/// The normal of the first wall that s = g lies behind.
fn point_outside(p: &Conic<'_>, y: &mut [f64]) {
    for cone in p.cones() {
        let rest = p.g[cone.start + 1..cone.end].iter().map(|g| g * g).sum::<f64>().sqrt();
        if rest > p.g[cone.start] {
            y[cone.start] = 1.0;
            (cone.start + 1..cone.end).filter(|_| rest > 0.0).for_each(|i| y[i] = -p.g[i] / rest);
            return;
        }
    }
    if let Some(i) = (0..p.m()).find(|&i| p.g[i] < p.lower[i] || p.g[i] > p.upper[i]) {
        y[i] = if p.g[i] < p.lower[i] { 1.0 } else { -1.0 };
    }
}
