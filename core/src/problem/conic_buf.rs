//! A [`Conic`] problem that owns its arrays.

use super::{Conic, RowTag};
use crate::sparse::CsrBuf;

/// A [`Conic`] that owns its arrays and keeps their memory between steps.
#[derive(Debug, Clone, Default)]
pub struct ConicBuf {
    /// P.
    pub p: CsrBuf,
    /// c.
    pub c: Vec<f64>,
    /// G.
    pub rows: CsrBuf,
    /// g.
    pub g: Vec<f64>,
    /// Lower bounds.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
    /// Cones.
    pub cones: Vec<u32>,
    /// Provenance of unknowns.
    pub x_tag: Vec<RowTag>,
    /// Provenance of rows.
    pub s_tag: Vec<RowTag>,
    /// Typical size of unknowns.
    pub x_scale: Vec<f64>,
    /// Typical size of rows.
    pub s_scale: Vec<f64>,
    /// Guess of x, possibly empty.
    pub guess: Vec<f64>,
    /// Guess of y, possibly empty.
    pub dual_guess: Vec<f64>,
    /// Wanted relative residual.
    pub tolerance: f64,
}

impl ConicBuf {
    /// Empties everything for a problem of `n` unknowns; memory is kept.
    pub fn clear(&mut self, n: usize, tolerance: f64) {
        self.p.clear(n);
        self.rows.clear(n);
        for list in [&mut self.c, &mut self.g, &mut self.lower, &mut self.upper] {
            list.clear();
        }
        for list in [&mut self.x_scale, &mut self.s_scale, &mut self.guess, &mut self.dual_guess] {
            list.clear();
        }
        self.cones.clear();
        self.x_tag.clear();
        self.s_tag.clear();
        self.tolerance = tolerance;
    }

    /// Closes the row of P under construction: one more unknown with its linear cost, provenance and typical size.
    pub fn end_unknown(&mut self, c: f64, tag: RowTag, scale: f64) {
        self.p.end_row();
        self.c.push(c);
        self.x_tag.push(tag);
        self.x_scale.push(scale);
    }

    /// Closes the row of G under construction with its constant, bounds, provenance and typical size.
    pub fn end_row(&mut self, g: f64, bounds: (f64, f64), tag: RowTag, scale: f64) {
        self.rows.end_row();
        self.g.push(g);
        self.lower.push(bounds.0);
        self.upper.push(bounds.1);
        self.s_tag.push(tag);
        self.s_scale.push(scale);
    }

    /// Makes the last `dim` rows a second-order cone.
    pub fn close_cone(&mut self, dim: usize) {
        self.cones.extend([(self.g.len() - dim) as u32, dim as u32]);
    }

    /// A problem from matrices, untagged and unscaled, without cones.
    pub fn from_parts(
        p: CsrBuf,
        c: Vec<f64>,
        rows: CsrBuf,
        g: Vec<f64>,
        bounds: (Vec<f64>, Vec<f64>),
    ) -> Self {
        let (n, m) = (c.len(), g.len());
        Self {
            p,
            c,
            rows,
            g,
            lower: bounds.0,
            upper: bounds.1,
            x_tag: vec![RowTag::default(); n],
            s_tag: vec![RowTag::default(); m],
            x_scale: vec![1.0; n],
            s_scale: vec![1.0; m],
            tolerance: 1e-8,
            ..Self::default()
        }
    }

    /// A copy of a borrowed problem.
    pub fn copy_of(problem: &Conic<'_>) -> Self {
        Self {
            p: CsrBuf::copy_of(&problem.p),
            c: problem.c.to_vec(),
            rows: CsrBuf::copy_of(&problem.rows),
            g: problem.g.to_vec(),
            lower: problem.lower.to_vec(),
            upper: problem.upper.to_vec(),
            cones: problem.cones.to_vec(),
            x_tag: problem.x_tag.to_vec(),
            s_tag: problem.s_tag.to_vec(),
            x_scale: problem.x_scale.to_vec(),
            s_scale: problem.s_scale.to_vec(),
            guess: problem.guess.to_vec(),
            dual_guess: problem.dual_guess.to_vec(),
            tolerance: problem.tolerance,
        }
    }

    /// The problem as a borrowed view.
    pub fn view(&self) -> Conic<'_> {
        Conic {
            p: self.p.view(),
            c: &self.c,
            rows: self.rows.view(),
            g: &self.g,
            lower: &self.lower,
            upper: &self.upper,
            cones: &self.cones,
            x_tag: &self.x_tag,
            s_tag: &self.s_tag,
            x_scale: &self.x_scale,
            s_scale: &self.s_scale,
            guess: &self.guess,
            dual_guess: &self.dual_guess,
            tolerance: self.tolerance,
        }
    }
}
