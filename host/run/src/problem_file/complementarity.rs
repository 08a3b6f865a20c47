//! Complementarity problems as Vinci writes them, classes `Mlcp` and `Cone`.

use super::entries::{
    Row, Triplets, matrix, or_all, read_bounds, read_tags, sizes, triplets, usual_tolerance, written,
    written_tags,
};
use serde::{Deserialize, Serialize};
use vinci_core::problem::{ConeBlock, ConeBuf, MlcpBuf, NO_NORMAL, RowTag};
use vinci_engine::pipeline::Stored;

/// `format` of problem files.
pub const PROBLEM_FORMAT: &str = "vinci/problem@1";

/// A block of a Cone problem: which rows Coulomb's law binds together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockEntry {
    /// Row of the normal impulse; null: a disc of fixed radius.
    pub normal: Option<u32>,
    /// First tangential row.
    pub tangent: u32,
    /// Tangential rows, 1 or 2.
    pub dim: u32,
    /// μ, or the radius in N s.
    pub size: f64,
}

/// A complementarity problem as Vinci writes it. A file written by hand may leave out provenance, sizes (1), guess and tolerance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemFile {
    /// Format and version.
    pub format: String,
    /// Problem class; `Mlcp` or `Cone`.
    pub class: String,
    /// Name: scene and step.
    pub name: String,
    /// Number of unknowns.
    pub n: usize,
    /// M, n × n.
    pub m: Triplets,
    /// q.
    pub q: Vec<f64>,
    /// Lower bounds, null: none.
    pub lower: Vec<Option<f64>>,
    /// Upper bounds, null: none.
    pub upper: Vec<Option<f64>>,
    /// Provenance of every row.
    #[serde(default)]
    pub rows: Vec<Row>,
    /// Blocks of a Cone problem.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockEntry>,
    /// Typical sizes of the unknowns.
    #[serde(default)]
    pub z_scale: Vec<f64>,
    /// Typical sizes of the rows.
    #[serde(default)]
    pub w_scale: Vec<f64>,
    /// Guess, or empty.
    #[serde(default)]
    pub guess: Vec<f64>,
    /// Wanted relative residual.
    #[serde(default = "usual_tolerance")]
    pub tolerance: f64,
    /// A proof that there is no solution, where the run found one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Vec<f64>>,
}

impl ProblemFile {
    pub(super) fn new(
        name: &str,
        problem: &Stored,
        p: &MlcpBuf,
        what: &dyn Fn(&RowTag) -> String,
        certificate: Option<Vec<f64>>,
    ) -> Self {
        Self {
            format: PROBLEM_FORMAT.into(),
            class: problem.class().name().into(),
            name: name.into(),
            n: p.q.len(),
            m: triplets(&p.m.view()),
            q: p.q.clone(),
            lower: written(&p.lower),
            upper: written(&p.upper),
            rows: written_tags(&p.tag, what),
            blocks: blocks_of(problem),
            z_scale: p.z_scale.clone(),
            w_scale: p.w_scale.clone(),
            guess: p.guess.clone(),
            tolerance: p.tolerance,
            certificate,
        }
    }

    pub(super) fn into_problem(self) -> Result<Stored, String> {
        let is_cone = self.class == "Cone";
        if !is_cone && !self.blocks.is_empty() {
            return Err(format!("an Mlcp has no blocks, this one has {}", self.blocks.len()));
        }
        // The number of unknowns asks for memory: what else has that length must be there.
        if self.q.len() != self.n {
            return Err(format!("{} values of q where n = {}", self.q.len(), self.n));
        }
        let rows = MlcpBuf {
            m: matrix((self.n, self.n), &self.m)?,
            q: self.q,
            lower: read_bounds(self.lower, f64::NEG_INFINITY),
            upper: read_bounds(self.upper, f64::INFINITY),
            tag: or_all(read_tags(&self.rows), self.n, RowTag::default()),
            z_scale: sizes(self.z_scale, self.n)?,
            w_scale: sizes(self.w_scale, self.n)?,
            guess: self.guess,
            tolerance: self.tolerance,
        };
        if !is_cone {
            return Ok(Stored::Mlcp(rows));
        }
        let mut cone = ConeBuf { rows, ..ConeBuf::default() };
        for BlockEntry { normal, tangent, dim, size } in self.blocks {
            cone.push_block(ConeBlock { normal: normal.unwrap_or(NO_NORMAL), tangent, dim, size });
        }
        Ok(Stored::Cone(cone))
    }
}

pub(super) fn blocks_of(problem: &Stored) -> Vec<BlockEntry> {
    let Stored::Cone(cone) = problem else { return Vec::new() };
    let entry = |b: ConeBlock| BlockEntry {
        normal: (!b.is_disc()).then_some(b.normal),
        tangent: b.tangent,
        dim: b.dim,
        size: b.size,
    };
    cone.view().blocks.iter().map(entry).collect()
}
