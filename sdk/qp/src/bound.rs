//! The lower bound of the optimum that a point and multipliers prove, whatever they are worth.

use crate::basis::Slot;
use crate::solver::{ActiveSet, Status};

impl ActiveSet {
    /// Objective and bound of the point, as the status allows.
    pub(crate) fn report(&mut self, status: Status) -> Status {
        let w = self.data.cost_scale;
        self.out.objective = self.data.objective(&self.x, &mut self.w.z) / w;
        self.out.bound = match status {
            Status::Optimal | Status::Cutoff | Status::Numerical => self.proved_bound() / w,
            Status::Infeasible => f64::INFINITY,
            Status::Unbounded | Status::IterationLimit => f64::NEG_INFINITY,
        };
        if !matches!(status, Status::Infeasible | Status::Unbounded) {
            self.out.certificate.clear();
        }
        status
    }

    /// A bound of the optimum, in scaled units, from any x̂ and any y. With e = P x̂ + c − Gᵀy, P ⪰ 0 and d = x − x̂, every
    /// feasible x has
    ///
    /// f(x) = f(x̂) + (Gᵀy + e)ᵀd + ½ dᵀP d ≥ Σ (y_i > 0 ? y_i l_i : y_i u_i) − ½ x̂ᵀP x̂ + eᵀx̂ + min_d (eᵀd + ½ dᵀP d),
    ///
    /// and the minimum is −½ |J₂ᵀe|² with the directions of no working set, J₂J₂ᵀ = P⁺. So x̂ need not be the minimiser on its working
    /// set: where P couples stiff and soft unknowns it is not, by much more than its gradient shows. Along flat directions, where e is
    /// rounding, |d| ≤ 2 max |x̂| is assumed.
    pub(crate) fn proved_bound(&mut self) -> f64 {
        let value = self.price_of_bounds();
        self.stationarity();
        let x = &self.x;
        self.data.p.view().multiply(x, &mut self.w.z);
        let at_x = |(x, (z, e)): (&f64, (&f64, &f64))| x * (e - 0.5 * z);
        let at_x: f64 = x.iter().zip(self.w.z.iter().zip(&self.w.gradient)).map(at_x).sum();
        self.empty.products(&self.w.gradient, &mut self.w.b);
        let below: f64 = (self.empty.slot.iter().zip(&self.w.b))
            .map(|(slot, b)| if *slot == Slot::Curved { 0.5 * b * b } else { 2.0 * self.x_size * b.abs() })
            .sum();
        value + at_x - below
    }

    /// Σ (y_i > 0 ? y_i l_i : y_i u_i) over the working set; a multiplier for which there is no such bound becomes 0.
    fn price_of_bounds(&mut self) -> f64 {
        let mut value = 0.0;
        for q in 0..self.data.n {
            if let Slot::Row(i, _) = self.basis.slot[q] {
                let bounds = (self.data.lower[i as usize], self.data.upper[i as usize]);
                let bound = if self.y[q] > 0.0 { bounds.0 } else { bounds.1 };
                if bound.is_infinite() {
                    (self.y[q], self.out.y[i as usize]) = (0.0, 0.0);
                }
                value += if self.y[q] == 0.0 { 0.0 } else { self.y[q] * bound };
            }
        }
        value
    }
}
