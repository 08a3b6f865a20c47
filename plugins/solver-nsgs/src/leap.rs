//! Extrapolation of proximal points: where steps shrink by a constant factor along one line, their sum is known.
//!
//! With d_k = z_k − c_k, z_k the solution softened about c_k, and λ = d_k·d_{k−1}/|d_{k−1}|², the limit of a geometric
//! sequence is z_k + λ/(1 − λ) d_k (Aitken). It becomes the next centre while d shrinks; else the last plain point does.

/// Memory of the steps so far.
#[derive(Debug, Default)]
pub(crate) struct Leap {
    step: Vec<f64>,
    /// |d|² of that step, its ε; none at the start.
    last: Option<(f64, f64)>,
    /// The point a leap began from.
    safe: Vec<f64>,
    leapt: bool,
}

/// Largest λ that is believed.
const LONGEST: f64 = 0.98;
/// Least cosine between two steps that counts as one line.
const ALIGNED: f64 = 0.9;

impl Leap {
    /// Starts anew.
    pub(crate) fn forget(&mut self) {
        (self.last, self.leapt) = (None, false);
    }

    /// After a softened problem that was not solved: back to where the leap began, if there was one.
    pub(crate) fn take_back(&mut self, centre: &mut [f64]) {
        if self.leapt {
            centre.copy_from_slice(&self.safe);
        }
        self.forget();
    }

    /// The centre after `z`, the solution softened about `centre`.
    pub(crate) fn next_centre(&mut self, z: &[f64], centre: &mut [f64], epsilon: f64) {
        let size: f64 = z.iter().zip(&*centre).map(|(a, b)| (a - b) * (a - b)).sum();
        let growing = self.last.is_some_and(|(before, _)| size > before);
        if self.leapt && growing {
            centre.copy_from_slice(&self.safe);
            self.forget();
            return;
        }
        let lambda = self.last.filter(|l| l.1 == epsilon && !self.leapt).map_or(0.0, |(before, _)| {
            let dot: f64 = self.step.iter().zip(z).zip(&*centre).map(|((d, a), b)| d * (a - b)).sum();
            let aligned = dot >= ALIGNED * (before * size).sqrt();
            if aligned { (dot / before).min(LONGEST) } else { 0.0 }
        });
        self.step.clear();
        self.step.extend(z.iter().zip(&*centre).map(|(a, b)| a - b));
        self.last = Some((size, epsilon));
        self.leapt = lambda > 0.3;
        self.safe.clear();
        self.safe.extend_from_slice(z);
        centre.copy_from_slice(z);
        if self.leapt {
            let factor = lambda / (1.0 - lambda);
            centre.iter_mut().zip(&self.step).for_each(|(c, d)| *c += factor * d);
        }
    }
}
