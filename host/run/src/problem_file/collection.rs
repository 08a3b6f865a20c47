//! Collections of complementarity problems: arrays of entries with M and q, or W, q, mu and dim.

use serde::Deserialize;
use vinci_core::problem::{ConeBlock, ConeBuf, MlcpBuf};

use super::entries::{Triplets, matrix};
use super::named::Named;
use vinci_engine::pipeline::Stored;

#[derive(Debug, Deserialize)]
pub(super) struct CollectionEntry {
    pub(super) name: String,
    #[serde(default)]
    family: String,
    n: usize,
    #[serde(default)]
    nf: usize,
    #[serde(rename = "M")]
    m: Option<Triplets>,
    #[serde(rename = "W")]
    w: Option<Triplets>,
    q: Option<Vec<f64>>,
    /// Components per contact of a Coulomb problem.
    dim: Option<u32>,
    mu: Option<Vec<f64>>,
    #[serde(default)]
    verdict: String,
}

impl CollectionEntry {
    pub(super) fn into_named(self, tolerance: f64) -> Result<Named, String> {
        let problem = match (&self.m, &self.w, &self.q) {
            (Some(m), None, Some(q)) => self.mixed(m, q, tolerance)?,
            (None, Some(w), Some(q)) => self.coulomb(w, q, tolerance)?,
            _ => return Err("it has neither M and q nor W, q, mu and dim".into()),
        };
        Ok(Named { name: self.name, family: self.family, verdict: self.verdict, problem, optimum: None })
    }

    fn mixed(&self, m: &Triplets, q: &[f64], tolerance: f64) -> Result<Stored, String> {
        // The number of unknowns asks for memory: what else has that length must be there.
        if q.len() != self.n {
            return Err(format!("{} values of q where n = {}", q.len(), self.n));
        }
        let bounds = |i: usize| if i < self.nf { f64::NEG_INFINITY } else { 0.0 };
        let lower = (0..self.n).map(bounds).collect();
        let upper = vec![f64::INFINITY; self.n];
        Ok(Stored::Mlcp(MlcpBuf::from_parts(
            matrix((self.n, self.n), m)?,
            q.to_vec(),
            lower,
            upper,
            tolerance,
        )))
    }

    fn coulomb(&self, w: &Triplets, q: &[f64], tolerance: f64) -> Result<Stored, String> {
        let (Some(mu), Some(dim @ (2 | 3))) = (&self.mu, self.dim) else {
            return Err("a Coulomb problem has mu and a dim of 2 or 3".into());
        };
        if mu.len().checked_mul(dim as usize) != Some(self.n) {
            return Err(format!("{} contacts of {dim} components are not n = {}", mu.len(), self.n));
        }
        let (lower, upper) = (vec![f64::NEG_INFINITY; self.n], vec![f64::INFINITY; self.n]);
        let rows = MlcpBuf::from_parts(matrix((self.n, self.n), w)?, q.to_vec(), lower, upper, tolerance);
        let mut cone = ConeBuf { rows, ..ConeBuf::default() };
        for (k, &size) in (0..).zip(mu) {
            cone.push_block(ConeBlock { normal: k * dim, tangent: k * dim + 1, dim: dim - 1, size });
        }
        Ok(Stored::Cone(cone))
    }
}
