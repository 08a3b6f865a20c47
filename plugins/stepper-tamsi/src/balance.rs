//! The root problem r(v, p_b) = 0 of a step, called back by the solver.

use std::cell::RefCell;

use vinci_sdk::core::momentum::{Momentum, NOT_FREE};
use vinci_sdk::core::regularized::Tals;
use vinci_sdk::prelude::*;

use crate::elements::Elements;
use crate::entry_layout::{Dense, EntryLayout};
use crate::hard::Hard;
use crate::pattern::Pattern;
use crate::rates::Rates;

/// Least size of a row, as a part of what the step's energy makes of it.
const LEAST: f64 = 1e-4;

/// r = (A v − b − Jᵀ p(J v) − J_bᵀ p_b, residuals of the rows p_b). Keeps its memory.
#[derive(Debug)]
pub(crate) struct Balance {
    pub(crate) elements: Elements,
    pub(crate) hard: Hard,
    /// A over the unknown velocities.
    a: CsrBuf,
    /// b there, less what prescribed velocities have, N s.
    b: Vec<f64>,
    /// Diagonal of A.
    pub(crate) diagonal: Vec<f64>,
    pub(crate) start: Vec<f64>,
    pub(crate) scale: Vec<f64>,
    search: Option<Tals>,
    /// ε v_s, m/s: an update below it is small.
    pub(crate) small: f64,
    /// True if the Jacobian is symmetric positive definite.
    pub(crate) symmetric: bool,
    rates: RefCell<Rates>,
    /// Pattern of the Jacobian, found when a solver first asks for it: small problems never need it.
    pattern: RefCell<Pattern>,
}

impl Balance {
    pub(crate) fn new(elements: Elements, search: Option<Tals>, small: f64) -> Self {
        Self {
            elements,
            hard: Hard::default(),
            a: CsrBuf::default(),
            b: Vec::new(),
            diagonal: Vec::new(),
            start: Vec::new(),
            scale: Vec::new(),
            search,
            small,
            symmetric: false,
            rates: RefCell::default(),
            pattern: RefCell::default(),
        }
    }

    /// Clears the balance: no unknowns.
    pub(crate) fn clear(&mut self) {
        self.a.clear(0);
        self.rates.get_mut().forget();
        self.elements.open(0.0);
        self.hard.open(0);
        self.pattern.get_mut().open([].into_iter());
        [&mut self.b, &mut self.diagonal, &mut self.start, &mut self.scale].into_iter().for_each(Vec::clear);
    }

    /// Number of unknown velocities.
    pub(crate) fn n(&self) -> usize {
        self.b.len()
    }

    /// Takes (A, b) over the unknown velocities of the step, and the start of the iteration.
    ///
    /// Errors: the first velocity that has no inertia, drag or stiffness, by its number.
    pub(crate) fn open(&mut self, momentum: &Momentum, step: &StepView<'_>) -> Result<(), usize> {
        self.rates.get_mut().forget();
        let blocks = step.block_start.windows(2).enumerate();
        let of_all = blocks.flat_map(|(b, dofs)| (dofs[0]..dofs[1]).map(move |_| b as u32));
        self.pattern
            .get_mut()
            .open(of_all.zip(&momentum.index).filter(|(_, at)| **at != NOT_FREE).map(|(b, _)| b));
        self.a.clear(momentum.free.len());
        [&mut self.b, &mut self.diagonal, &mut self.start].into_iter().for_each(Vec::clear);
        let a = momentum.a.view();
        for &dof in &momentum.free {
            let (dof, mut diagonal) = (dof as usize, 0.0);
            let mut b = momentum.b[dof];
            for (j, x) in a.entries(dof) {
                match momentum.index[j] {
                    NOT_FREE => b -= x * momentum.prescribed[j],
                    at => self.a.push(at as usize, x),
                }
                diagonal = if j == dof { x } else { diagonal };
            }
            self.a.end_row();
            if !(diagonal > 0.0) {
                return Err(dof);
            }
            self.b.push(b);
            self.diagonal.push(diagonal);
            self.start.push(step.v[dof]);
        }
        Ok(())
    }

    /// Sizes of r, after all elements and rows are there. E is the largest of b_i²/A_ii, A_ii v_i², (h π)²/m_n and A_ii v_s².
    /// The size of a velocity's row is what the row adds in the step, |b − A v⁻|_i, N s. It is at least √(A_ii E) times the
    /// larger of 1e-4 and 2⁻⁵² (1 + √(E/A_ii)/v_s)/tolerance, which is what rounding leaves of forces that change within v_s.
    /// It is at most ε v_s A_ii/tolerance: what is within the tolerance is within ε v_s of the root in the inertia alone. The
    /// momentum that a body carries on with is no measure: at small steps it is far more than what forces add. Rows have
    /// √(E/m), m/s.
    pub(crate) fn measure(&mut self, tolerance: f64, stiction_velocity: f64) {
        let energy = self.energy(stiction_velocity);
        self.scale.clear();
        for i in 0..self.n() {
            let a = self.diagonal[i];
            let added = self.b[i] - self.a.view().row_dot(i, &self.start);
            let rounding = f64::EPSILON * (1.0 + (energy / a).sqrt() / stiction_velocity);
            let own = added.abs().max(LEAST.max(rounding / tolerance) * (a * energy).sqrt());
            self.scale.push(own.min(self.small * a / tolerance).clamp(f64::MIN_POSITIVE, f64::MAX));
        }
        self.scale.extend(self.hard.mass.iter().map(|m| (energy / m).sqrt().max(stiction_velocity)));
        self.start.resize(self.n() + self.hard.len(), 0.0);
    }

    fn energy(&self, v_s: f64) -> f64 {
        let mut energy = 0.0_f64;
        for i in 0..self.n() {
            let (a, b, v) = (self.diagonal[i], self.b[i], self.start[i]);
            energy = energy.max(b * b / a).max(a * v * v).max(a * v_s * v_s);
        }
        for e in self.elements.list.iter().filter(|e| e.is_contact()) {
            let p = self.elements.normal_impulse(e, &self.start);
            if p != 0.0 {
                energy = energy.max(p * p / self.elements.mass(e, 0, &self.diagonal));
            }
        }
        energy
    }

    fn residual(&self, x: &[f64], r: &mut [f64]) {
        let (v, p) = x.split_at(self.n());
        let (r_v, r_p) = r.split_at_mut(self.n());
        let a = self.a.view();
        for i in 0..v.len() {
            r_v[i] = a.row_dot(i, v) - self.b[i];
        }
        let mut rates = self.rates.borrow_mut();
        for (e, local) in self.elements.list.iter().zip(&rates.at(&self.elements, v).local) {
            self.elements.subtract(e, local.impulse, r_v);
        }
        self.hard.residual(v, p, r_v, r_p);
    }

    fn jacobian(&self, x: &[f64], layout: &impl EntryLayout, out: &mut [f64]) {
        let (v, p) = x.split_at(self.n());
        let a = self.a.view();
        out.fill(0.0);
        for i in 0..v.len() {
            a.entries(i).for_each(|(j, value)| out[layout.at(i, j)] = value);
        }
        let mut rates = self.rates.borrow_mut();
        for (e, local) in self.elements.list.iter().zip(&rates.at(&self.elements, v).local) {
            self.elements.add(e, &local.stiffness, layout, out);
        }
        self.hard.jacobian(v, p, layout, out);
    }

    /// Number of entries of the Jacobian's pattern, which is found if it is not known yet.
    fn entries(&self) -> usize {
        let mut pattern = self.pattern.borrow_mut();
        pattern.find(self.a.view(), &self.elements, &self.hard);
        pattern.entries()
    }

    /// α = min α_i over what rubs before or after the update.
    fn limit(&self, v: &[f64], dv: &[f64]) -> f64 {
        let Some(search) = &self.search else { return 1.0 };
        let mut rates = self.rates.borrow_mut();
        let rates = rates.at(&self.elements, v).change(&self.elements, dv);
        let mut alpha = 1.0_f64;
        for (i, e) in self.elements.list.iter().enumerate() {
            let (nu, change) = (rates.nu[i], rates.change[i]);
            let after = [0, 1, 2].map(|a| nu[a] + change[a]);
            if rates.local[i].bound > 0.0 || self.elements.rubs(e, after) {
                let own = search.limit([nu[1], nu[2]], [change[1], change[2]]);
                alpha = if own.is_nan() { own } else { alpha.min(own) };
            }
        }
        alpha
    }

    /// max(|Δν_n|, |Δν_t|)/(ε v_s) over the elements.
    fn update_size(&self, dv: &[f64]) -> f64 {
        let mut rates = self.rates.borrow_mut();
        let largest = |[n, t1, t2]: &[f64; 3]| n.abs().max((t1 * t1 + t2 * t2).sqrt());
        rates.change(&self.elements, dv).change.iter().map(largest).fold(0.0, f64::max) / self.small
    }
}

impl Oracle for Balance {
    fn call(&self, what: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        let (n, size) = (self.n(), self.start.len());
        let (takes, gives) = match what {
            Root::RESIDUAL => (size, size),
            Root::JACOBIAN => (size, size * size),
            Root::LIMIT | Root::UPDATE_SIZE => (2 * size, 1),
            Root::TRAITS => (size, 2),
            Root::ENTRIES => (size, 1),
            Root::PATTERN => (size, size + 1 + self.entries()),
            Root::VALUES => (size, self.entries()),
            other => return Err(StageError::unsupported(format!("there is no function {other}"))),
        };
        if (input.len(), output.len()) != (takes, gives) {
            let (found_in, found_out) = (input.len(), output.len());
            return Err(StageError::bad_input(format!(
                "the call takes {takes} numbers and gives {gives}, found {found_in} and {found_out}"
            )));
        }
        match what {
            Root::RESIDUAL => self.residual(input, output),
            Root::JACOBIAN => self.jacobian(input, &Dense(size), output),
            Root::ENTRIES => output[0] = self.entries() as f64,
            Root::PATTERN => self.pattern.borrow().write(output),
            Root::VALUES => self.jacobian(input, &*self.pattern.borrow(), output),
            Root::LIMIT => output[0] = self.limit(&input[..n], &input[size..size + n]),
            Root::UPDATE_SIZE => output[0] = self.update_size(&input[size..size + n]),
            _ => output.copy_from_slice(&[1.0, f64::from(u8::from(self.symmetric))]),
        }
        Ok(())
    }
}
