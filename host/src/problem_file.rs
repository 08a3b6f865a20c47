//! Problems as files: written when nobody solves them, read by `vinci solve` and `vinci bench solvers`.
//!
//! Two forms are read. `vinci/problem@1` is what Vinci writes: sparse matrix as triplets, bounds with null for "none",
//! provenance per row; problems of class `Cone` have their blocks besides. A *collection* is an array of
//! `{name, n, nf, M: {i, j, v}, q, verdict?}`: w = M z + q, the first `nf` unknowns free with w = 0, the rest
//! 0 ≤ z ⟂ w ≥ 0; or of Coulomb problems `{name, dim, n, W: {i, j, v}, q, mu}`: u = W r + q, contact by contact with the
//! normal first, dim components each.

use std::path::Path;

use serde::{Deserialize, Serialize};
use vinci_core::CsrBuf;
use vinci_core::problem::{ConeBlock, ConeBuf, MlcpBuf, NO_NORMAL, Part, RowTag, UNTAGGED};

use crate::pipeline::Stored;

/// `format` of problem files.
pub const PROBLEM_FORMAT: &str = "vinci/problem@1";

/// A sparse matrix as triplets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Triplets {
    /// Rows.
    pub i: Vec<usize>,
    /// Columns.
    pub j: Vec<usize>,
    /// Values.
    pub v: Vec<f64>,
}

/// Provenance of one row in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Part of its subject: velocity, normal, friction, slip, …
    pub part: String,
    /// Index of the contact, velocity or joint; null without a subject.
    pub subject: Option<u32>,
    /// Who that is, for people: "block / ground", "block.vx".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub what: String,
}

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

/// A problem as Vinci writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    pub rows: Vec<Row>,
    /// Blocks of a Cone problem.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockEntry>,
    /// Typical sizes of the unknowns.
    pub z_scale: Vec<f64>,
    /// Typical sizes of the rows.
    pub w_scale: Vec<f64>,
    /// Guess, or empty.
    pub guess: Vec<f64>,
    /// Wanted relative residual.
    pub tolerance: f64,
    /// A proof that there is no solution, where the run found one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Vec<f64>>,
}

#[derive(Debug, Deserialize)]
struct CollectionEntry {
    name: String,
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

/// A problem read from a file.
#[derive(Debug, Clone)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Family, where the collection names one.
    pub family: String,
    /// What is known of it: solved, infeasible, open, or empty.
    pub verdict: String,
    /// The problem.
    pub problem: Stored,
}

/// Why a file holds no problem.
#[derive(Debug, thiserror::Error)]
pub enum ProblemFileError {
    /// It cannot be read.
    #[error("cannot read {path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// It is no JSON of either form.
    #[error(
        "{path}:{line}:{column}: {message}; a problem file is an object with \"format\": \"vinci/problem@1\" or an array of {{name, n, nf, M, q}}"
    )]
    Syntax {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the reader says.
        message: String,
    },
    /// Lengths, indices or numbers contradict each other.
    #[error("{path}: problem `{name}`: {message}")]
    Inconsistent {
        /// The file.
        path: String,
        /// The problem.
        name: String,
        /// What is wrong.
        message: String,
    },
}

impl ProblemFile {
    /// A problem with names for its rows.
    pub fn new(
        name: &str,
        problem: &Stored,
        what: impl Fn(&RowTag) -> String,
        certificate: Option<Vec<f64>>,
    ) -> Self {
        let p = problem.rows();
        let view = p.view();
        let mut m = Triplets { i: Vec::new(), j: Vec::new(), v: Vec::new() };
        for i in 0..view.n() {
            for (j, v) in view.m.entries(i) {
                m.i.push(i);
                m.j.push(j);
                m.v.push(v);
            }
        }
        let bound = |x: &f64| x.is_finite().then_some(*x);
        let row = |tag: &RowTag| Row {
            part: tag.part.name().to_string(),
            subject: (tag.subject != UNTAGGED).then_some(tag.subject),
            what: what(tag),
        };
        Self {
            format: PROBLEM_FORMAT.into(),
            class: problem.class().name().into(),
            name: name.into(),
            n: view.n(),
            m,
            q: p.q.clone(),
            lower: p.lower.iter().map(bound).collect(),
            upper: p.upper.iter().map(bound).collect(),
            rows: p.tag.iter().map(row).collect(),
            blocks: blocks_of(problem),
            z_scale: p.z_scale.clone(),
            w_scale: p.w_scale.clone(),
            guess: p.guess.clone(),
            tolerance: p.tolerance,
            certificate,
        }
    }

    fn into_problem(self) -> Result<Stored, String> {
        if self.format != PROBLEM_FORMAT {
            return Err(format!("format is \"{}\", this version reads \"{PROBLEM_FORMAT}\"", self.format));
        }
        let is_cone = self.class == "Cone";
        if !is_cone && self.class != "Mlcp" {
            let message = format!("class is \"{}\", this version reads \"Mlcp\" and \"Cone\"", self.class);
            return Err(message);
        }
        if !is_cone && !self.blocks.is_empty() {
            return Err(format!("an Mlcp has no blocks, this one has {}", self.blocks.len()));
        }
        let unbounded =
            |list: Vec<Option<f64>>, none: f64| list.into_iter().map(|x| x.unwrap_or(none)).collect();
        let tag =
            |row: &Row| RowTag { subject: row.subject.unwrap_or(UNTAGGED), part: Part::from_name(&row.part) };
        let rows = MlcpBuf {
            m: matrix(self.n, &self.m)?,
            q: self.q,
            lower: unbounded(self.lower, f64::NEG_INFINITY),
            upper: unbounded(self.upper, f64::INFINITY),
            tag: self.rows.iter().map(tag).collect(),
            z_scale: self.z_scale,
            w_scale: self.w_scale,
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

fn blocks_of(problem: &Stored) -> Vec<BlockEntry> {
    let Stored::Cone(cone) = problem else { return Vec::new() };
    let entry = |b: ConeBlock| BlockEntry {
        normal: (!b.is_disc()).then_some(b.normal),
        tangent: b.tangent,
        dim: b.dim,
        size: b.size,
    };
    cone.view().blocks.iter().map(entry).collect()
}

impl CollectionEntry {
    fn into_named(self, tolerance: f64) -> Result<Named, String> {
        let problem = match (&self.m, &self.w, &self.q) {
            (Some(m), None, Some(q)) => self.mixed(m, q, tolerance)?,
            (None, Some(w), Some(q)) => self.coulomb(w, q, tolerance)?,
            _ => return Err("it has neither M and q nor W, q, mu and dim".into()),
        };
        Ok(Named { name: self.name, family: self.family, verdict: self.verdict, problem })
    }

    fn mixed(&self, m: &Triplets, q: &[f64], tolerance: f64) -> Result<Stored, String> {
        let bounds = |i: usize| if i < self.nf { f64::NEG_INFINITY } else { 0.0 };
        let lower = (0..self.n).map(bounds).collect();
        let upper = vec![f64::INFINITY; self.n];
        Ok(Stored::Mlcp(MlcpBuf::from_parts(matrix(self.n, m)?, q.to_vec(), lower, upper, tolerance)))
    }

    fn coulomb(&self, w: &Triplets, q: &[f64], tolerance: f64) -> Result<Stored, String> {
        let (Some(mu), Some(dim @ (2 | 3))) = (&self.mu, self.dim) else {
            return Err("a Coulomb problem has mu and a dim of 2 or 3".into());
        };
        if mu.len() * dim as usize != self.n {
            return Err(format!("{} contacts of {dim} components are not n = {}", mu.len(), self.n));
        }
        let (lower, upper) = (vec![f64::NEG_INFINITY; self.n], vec![f64::INFINITY; self.n]);
        let rows = MlcpBuf::from_parts(matrix(self.n, w)?, q.to_vec(), lower, upper, tolerance);
        let mut cone = ConeBuf { rows, ..ConeBuf::default() };
        for (k, &size) in (0..).zip(mu) {
            cone.push_block(ConeBlock { normal: k * dim, tangent: k * dim + 1, dim: dim - 1, size });
        }
        Ok(Stored::Cone(cone))
    }
}

fn matrix(n: usize, t: &Triplets) -> Result<CsrBuf, String> {
    if t.i.len() != t.j.len() || t.i.len() != t.v.len() {
        return Err(format!(
            "the matrix has {} rows, {} columns and {} values",
            t.i.len(),
            t.j.len(),
            t.v.len()
        ));
    }
    if let Some(k) = (0..t.i.len()).find(|&k| t.i[k] >= n || t.j[k] >= n) {
        return Err(format!("entry {k} of the matrix stands at ({}, {}), outside {n} × {n}", t.i[k], t.j[k]));
    }
    let triplets: Vec<_> = (0..t.i.len()).map(|k| (t.i[k], t.j[k], t.v[k])).collect();
    Ok(CsrBuf::from_triplets(n, n, &triplets))
}

/// Reads a problem or a collection of problems. `tolerance` is for collections, which carry none.
pub fn read(path: &Path, tolerance: f64) -> Result<Vec<Named>, ProblemFileError> {
    let shown = path.display().to_string();
    let text =
        std::fs::read_to_string(path).map_err(|error| ProblemFileError::Io { path: shown.clone(), error })?;
    let syntax = |e: serde_json::Error| ProblemFileError::Syntax {
        path: shown.clone(),
        line: e.line(),
        column: e.column(),
        message: e.to_string().split(" at line").next().unwrap_or_default().to_string(),
    };
    let inconsistent = |name: &str, message: String| ProblemFileError::Inconsistent {
        path: shown.clone(),
        name: name.to_string(),
        message,
    };
    let list = if text.trim_start().starts_with('[') {
        let entries: Vec<CollectionEntry> = serde_json::from_str(&text).map_err(syntax)?;
        let named = entries.into_iter().map(|e| {
            let name = e.name.clone();
            e.into_named(tolerance).map_err(|m| inconsistent(&name, m))
        });
        named.collect::<Result<Vec<_>, _>>()?
    } else {
        let file: ProblemFile = serde_json::from_str(&text).map_err(syntax)?;
        let name = file.name.clone();
        let problem = file.into_problem().map_err(|m| inconsistent(&name, m))?;
        vec![Named { name, family: String::new(), verdict: String::new(), problem }]
    };
    for named in &list {
        named.problem.check().map_err(|m| inconsistent(&named.name, m))?;
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_problem_reads_back_to_the_bit() {
        let m = CsrBuf::from_triplets(2, 2, &[(0, 0, 0.1), (0, 1, -1e-300), (1, 0, 1.0 / 3.0)]);
        let mut p = MlcpBuf::from_parts(
            m,
            vec![1e-17, -2.0],
            vec![f64::NEG_INFINITY, 0.0],
            vec![f64::INFINITY, 5.0],
            1e-9,
        );
        p.tag[1] = RowTag { subject: 7, part: Part::Normal };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        let file = ProblemFile::new("test", &Stored::Mlcp(p.clone()), |_| "who".into(), None);
        std::fs::write(&path, serde_json::to_string(&file).unwrap()).unwrap();
        let back = read(&path, 1e-8).unwrap()[0].problem.rows().clone();
        assert_eq!(back.q, p.q);
        assert_eq!((&back.lower, &back.upper, &back.tag), (&p.lower, &p.upper, &p.tag));
        assert_eq!(back.m.view().value, p.m.view().value);
        assert_eq!(back.tolerance, 1e-9);
    }

    #[test]
    fn blocks_read_back() {
        let m = CsrBuf::from_triplets(5, 5, &[(0, 0, 1.0), (1, 1, 2.0), (4, 4, 0.5)]);
        let inf = vec![f64::INFINITY; 5];
        let rows = MlcpBuf::from_parts(m, vec![-1.0; 5], vec![f64::NEG_INFINITY; 5], inf, 1e-9);
        let mut cone = ConeBuf { rows, ..ConeBuf::default() };
        cone.push_block(ConeBlock { normal: 0, tangent: 1, dim: 2, size: 0.3 });
        cone.push_block(ConeBlock { normal: NO_NORMAL, tangent: 3, dim: 2, size: 0.1 });
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        let file = ProblemFile::new("test", &Stored::Cone(cone.clone()), |_| String::new(), None);
        std::fs::write(&path, serde_json::to_string(&file).unwrap()).unwrap();
        let Stored::Cone(back) = read(&path, 1e-8).unwrap().remove(0).problem else { panic!("an Mlcp") };
        assert_eq!((&back.index, &back.size), (&cone.index, &cone.size));
        let text = std::fs::read_to_string(&path).unwrap().replace("\"Cone\"", "\"Mlcp\"");
        std::fs::write(&path, text).unwrap();
        let message = read(&path, 1e-8).unwrap_err().to_string();
        assert!(message.ends_with("problem `test`: an Mlcp has no blocks, this one has 2"), "{message}");
    }

    #[test]
    fn coulomb_collections_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        let text = |n: u32| {
            format!(
                r#"[{{"name": "c", "dim": 3, "n": {n}, "W": {{"i": [0], "j": [0], "v": [2]}}, "q": [1, 2, 3], "mu": [0.4]}}]"#
            )
        };
        std::fs::write(&path, text(3)).unwrap();
        let Stored::Cone(cone) = read(&path, 1e-8).unwrap().remove(0).problem else { panic!("an Mlcp") };
        assert_eq!((cone.index, cone.size), (vec![0, 1, 2], vec![0.4]));
        std::fs::write(&path, text(4)).unwrap();
        let message = read(&path, 1e-8).unwrap_err().to_string();
        assert!(message.ends_with("problem `c`: 1 contacts of 3 components are not n = 4"), "{message}");
    }

    #[test]
    fn contradictions_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        std::fs::write(
            &path,
            r#"[{"name": "a", "n": 2, "nf": 0, "M": {"i": [2], "j": [0], "v": [1]}, "q": [1, 2]}]"#,
        )
        .unwrap();
        let message = read(&path, 1e-8).unwrap_err().to_string();
        assert!(
            message.ends_with("problem `a`: entry 0 of the matrix stands at (2, 0), outside 2 × 2"),
            "{message}"
        );
        std::fs::write(&path, "{\n  \"format\": 3 }").unwrap();
        assert!(read(&path, 1e-8).unwrap_err().to_string().contains("p.json:2:13: invalid type"));
    }
}
