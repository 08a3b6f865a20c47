//! The smoothed step: the root of the slope of the barrier, found by Newton's method from a strictly feasible start.
//!
//! Unknowns (v, p_b): r = (∇B(v) − E_bᵀ p_b, E_b v + g_b). Where κ is large, problems of growing weights come one after
//! another, each from the root of the one before.

use std::cell::RefCell;

use vinci_sdk::prelude::*;

use crate::barrier::{Barrier, BarrierScratch, Terms};
use crate::phase_one;
use crate::rows::Program;

/// κ is at most this many terms over the energy in sight in the first problem.
const FIRST: f64 = 10.0;

/// Growth of κ from problem to problem.
const GROWTH: f64 = 100.0;

/// The barrier of the step's program, called back by the solver.
#[derive(Debug)]
pub(crate) struct Smooth {
    /// κ asked for, and that of the present problem, 1/J.
    target: f64,
    kappa: f64,
    conic: ConicBuf,
    terms: Terms,
    start: Vec<f64>,
    scale: Vec<f64>,
    /// Root of the last weight, where another follows.
    last: Vec<f64>,
    goes_on: bool,
    work: RefCell<(BarrierScratch, Vec<f64>, Vec<f64>)>,
}

impl Smooth {
    /// The smooth problem of weight κ.
    pub(crate) fn new(target: f64) -> Self {
        Self {
            target,
            kappa: target,
            conic: ConicBuf::default(),
            terms: Terms::default(),
            start: Vec::new(),
            scale: Vec::new(),
            last: Vec::new(),
            goes_on: false,
            work: RefCell::default(),
        }
    }

    /// Weight of the last problem, 1/J.
    pub(crate) fn kappa(&self) -> f64 {
        self.kappa
    }

    /// Terms of the last problem.
    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Number of unknowns.
    pub(crate) fn len(&self) -> usize {
        self.start.len()
    }

    fn barrier(&self) -> Barrier<'_> {
        Barrier { p: self.conic.view(), terms: &self.terms, kappa: self.kappa }
    }

    /// The root problem.
    ///
    /// Errors: no velocity moves all contacts apart.
    pub(crate) fn formulate(
        &mut self,
        program: &Program,
        step: &StepView<'_>,
    ) -> Result<Problem<'_>, StageError> {
        self.conic.clone_from(&program.conic);
        let p = self.conic.view();
        self.terms.read(&p);
        let n = p.n();
        let speed = p.x_scale.first().copied().unwrap_or(1.0);
        let goes_on = self.goes_on && step.pass > 0 && self.last.len() == n;
        self.start.clear();
        if goes_on {
            self.start.extend_from_slice(&self.last);
            self.kappa = self.target.min(GROWTH * self.kappa);
        } else {
            self.start.extend_from_slice(p.guess);
            self.kappa = self.first_weight(speed);
        }
        self.goes_on = false;
        let barrier = Barrier { p: self.conic.view(), terms: &self.terms, kappa: self.kappa };
        if !phase_one::find(&barrier, &mut self.start, speed) {
            return Err(StageError::bad_model(
                "no velocity moves all contacts apart, and the barrier needs one: bodies are squeezed between motions that \
                 are prescribed. Let one of them be an impedance, or leave `smoothing` out",
            ));
        }
        self.start.resize(n + self.terms.equations.len(), 0.0);
        let impulse = self.conic.c.iter().fold(f64::MIN_POSITIVE, |m, c| m.max(c.abs()));
        self.scale.clear();
        self.scale.resize(n, impulse);
        self.scale.resize(self.start.len(), speed);
        Ok(Problem::Root(Root {
            start: &self.start,
            oracle: &*self,
            scale: &self.scale,
            tolerance: step.tolerance,
        }))
    }

    /// κ of the first problem: soft against the energies of the step.
    fn first_weight(&self, speed: f64) -> f64 {
        let p = self.conic.view();
        let load = p.c.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        let diagonal = (0..p.n()).map(|i| p.p.entries(i).find(|e| e.0 == i).map_or(0.0, |e| e.1));
        let energy = (load * speed).max(diagonal.fold(0.0_f64, f64::max) * speed * speed);
        let terms = self.terms.list.len().max(1) as f64;
        if energy > 0.0 { self.target.min(FIRST * terms / energy) } else { self.target }
    }

    /// Returns true if a larger weight follows; v is where it starts.
    pub(crate) fn goes_on(&mut self, v: &[f64]) -> bool {
        self.goes_on = self.kappa < self.target;
        self.last.clear();
        self.last.extend_from_slice(v);
        self.goes_on
    }

    /// Multipliers of all rows at a root; false where a slack is not positive.
    pub(crate) fn multipliers(&self, z: &[f64], y: &mut Vec<f64>) -> bool {
        let (barrier, mut s) = (self.barrier(), Vec::new());
        let n = barrier.p.n();
        barrier.rates(&z[..n], &mut s);
        if !barrier.is_inside(&s) {
            return false;
        }
        barrier.multipliers(&s, y);
        self.terms.equations.iter().zip(&z[n..]).for_each(|(&row, p)| y[row] = *p);
        true
    }

    /// r(v, p_b); where a slack is not positive it is no number.
    fn residual(&self, z: &[f64], output: &mut [f64]) {
        let (barrier, n) = (self.barrier(), self.conic.c.len());
        let mut work = self.work.borrow_mut();
        let (BarrierScratch { s, .. }, y, r) = &mut *work;
        barrier.rates(&z[..n], s);
        if !barrier.is_inside(s) {
            output.fill(f64::INFINITY);
            return;
        }
        barrier.multipliers(s, y);
        self.terms.equations.iter().zip(&z[n..]).for_each(|(&row, p)| y[row] = *p);
        barrier.slope(&z[..n], y, r);
        output[..n].copy_from_slice(r);
        for (out, &row) in output[n..].iter_mut().zip(&self.terms.equations) {
            *out = s[row] - barrier.p.lower[row];
        }
    }

    fn jacobian(&self, z: &[f64], output: &mut [f64]) {
        let (barrier, n, size) = (self.barrier(), self.conic.c.len(), self.start.len());
        let mut work = self.work.borrow_mut();
        let s = &mut work.0.s;
        barrier.rates(&z[..n], s);
        output.fill(0.0);
        let h = barrier.hessian(s);
        for i in 0..n {
            (0..n).for_each(|j| output[i * size + j] = h[(i, j)]);
        }
        for (k, &row) in self.terms.equations.iter().enumerate() {
            for (j, value) in barrier.p.rows.entries(row) {
                output[j * size + n + k] -= value;
                output[(n + k) * size + j] += value;
            }
        }
    }

    fn limit(&self, input: &[f64]) -> f64 {
        let (barrier, n, size) = (self.barrier(), self.conic.c.len(), self.start.len());
        let (z, dz) = input.split_at(size);
        let mut work = self.work.borrow_mut();
        let (inner, y, r) = &mut *work;
        barrier.rates(&z[..n], &mut inner.s);
        barrier.multipliers(&inner.s, y);
        barrier.slope(&z[..n], y, r);
        barrier.limit(&z[..n], &dz[..n], r, inner)
    }
}

impl Oracle for Smooth {
    fn call(&self, what: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        let n = self.start.len();
        let (takes, gives) = match what {
            Root::RESIDUAL => (n, n),
            Root::JACOBIAN => (n, n * n),
            Root::LIMIT => (2 * n, 1),
            other => return Err(StageError::unsupported(format!("there is no function {other}"))),
        };
        if (input.len(), output.len()) != (takes, gives) {
            return Err(StageError::bad_input(format!(
                "the call takes {takes} numbers and gives {gives}, found {} and {}",
                input.len(),
                output.len()
            )));
        }
        match what {
            Root::RESIDUAL => self.residual(input, output),
            Root::JACOBIAN => self.jacobian(input, output),
            _ => output[0] = self.limit(input),
        }
        Ok(())
    }
}
