//! Problems as files: written when nobody solves them, read by `vinci solve` and `vinci bench solvers`.
//!
//! Three forms are read. `vinci/problem@1` is what Vinci writes: sparse matrices as triplets, bounds with null for "none",
//! provenance per row; problems of class `Cone` have their blocks besides, `Conic` and `Qpcc` are programs with P, c, G, g,
//! cones and pairs. A *collection* is an array of
//! `{name, n, nf, M: {i, j, v}, q, verdict?}`: w = M z + q, the first `nf` unknowns free with w = 0, the rest
//! 0 ≤ z ⟂ w ≥ 0; or of Coulomb problems `{name, dim, n, W: {i, j, v}, q, mu}`: u = W r + q, contact by contact with the
//! normal first, dim components each. A *collection of steps* is an object `{model, steps: […]}` of quasi-static steps with
//! their kinematics and proven optima, each read as a `Qpcc`.

mod collection;
mod program;
mod steps;

use std::path::Path;

use serde::{Deserialize, Serialize};
use vinci_core::problem::{ConeBlock, ConeBuf, MlcpBuf, NO_NORMAL, Part, RowTag, UNTAGGED};
use vinci_core::{Csr, CsrBuf};

use collection::CollectionEntry;
pub use program::{ConeEntry, PairEntry, ProgramFile};
use steps::{StepCollection, is_step_collection};
use vinci_engine::pipeline::{Stored, check_convex};
use vinci_scene::files::{LARGEST_PROBLEM, read_regular};

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

/// What every problem file begins with.
#[derive(Debug, Deserialize)]
struct Head {
    format: String,
    class: String,
}

/// A complementarity problem as Vinci writes it.
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
    /// Proven least value of its objective, where the collection names one.
    pub optimum: Option<f64>,
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
        "{path}:{line}:{column}: {message}; a problem file is an object with \"format\": \"vinci/problem@1\", an array of {{name, n, nf, M, q}} or an object {{model, steps}}"
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
    fn new(
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

    fn into_problem(self) -> Result<Stored, String> {
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
            tag: read_tags(&self.rows),
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

fn matrix((n, columns): (usize, usize), t: &Triplets) -> Result<CsrBuf, String> {
    if t.i.len() != t.j.len() || t.i.len() != t.v.len() {
        return Err(format!(
            "the matrix has {} rows, {} columns and {} values",
            t.i.len(),
            t.j.len(),
            t.v.len()
        ));
    }
    if let Some(k) = (0..t.i.len()).find(|&k| t.i[k] >= n || t.j[k] >= columns) {
        return Err(format!(
            "entry {k} of the matrix stands at ({}, {}), outside {n} × {columns}",
            t.i[k], t.j[k]
        ));
    }
    let triplets: Vec<_> = (0..t.i.len()).map(|k| (t.i[k], t.j[k], t.v[k])).collect();
    Ok(CsrBuf::from_triplets(n, columns, &triplets))
}

fn triplets(m: &Csr<'_>) -> Triplets {
    let mut out = Triplets { i: Vec::new(), j: Vec::new(), v: Vec::new() };
    for i in 0..m.n_rows() {
        for (j, v) in m.entries(i) {
            out.i.push(i);
            out.j.push(j);
            out.v.push(v);
        }
    }
    out
}

/// Bounds as files have them: null for none.
fn written(bounds: &[f64]) -> Vec<Option<f64>> {
    bounds.iter().map(|x| x.is_finite().then_some(*x)).collect()
}

fn read_bounds(list: Vec<Option<f64>>, none: f64) -> Vec<f64> {
    list.into_iter().map(|x| x.unwrap_or(none)).collect()
}

fn written_tags(tags: &[RowTag], what: &dyn Fn(&RowTag) -> String) -> Vec<Row> {
    let row = |tag: &RowTag| Row {
        part: tag.part.name().to_string(),
        subject: (tag.subject != UNTAGGED).then_some(tag.subject),
        what: what(tag),
    };
    tags.iter().map(row).collect()
}

fn read_tags(rows: &[Row]) -> Vec<RowTag> {
    let tag =
        |row: &Row| RowTag { subject: row.subject.unwrap_or(UNTAGGED), part: Part::from_name(&row.part) };
    rows.iter().map(tag).collect()
}

/// A problem in its file form, with names for its rows.
pub fn write(
    name: &str,
    problem: &Stored,
    what: impl Fn(&RowTag) -> String,
    certificate: Option<Vec<f64>>,
) -> serde_json::Result<String> {
    let text = match problem {
        Stored::Mlcp(rows) => {
            let file = ProblemFile::new(name, problem, rows, &what, certificate);
            serde_json::to_string_pretty(&file)
        }
        Stored::Cone(cone) => {
            let file = ProblemFile::new(name, problem, &cone.rows, &what, certificate);
            serde_json::to_string_pretty(&file)
        }
        Stored::Conic(qp) => {
            serde_json::to_string_pretty(&ProgramFile::new(name, problem, qp, &what, certificate))
        }
        Stored::Qpcc(p) => {
            serde_json::to_string_pretty(&ProgramFile::new(name, problem, &p.qp, &what, certificate))
        }
    };
    text.map(|text| text + "\n")
}

/// Reads a problem or a collection of problems. `tolerance` is for collections, which carry none.
pub fn read(path: &Path, tolerance: f64) -> Result<Vec<Named>, ProblemFileError> {
    let shown = path.display().to_string();
    let io = |error| ProblemFileError::Io { path: shown.clone(), error };
    let bytes = read_regular(path, LARGEST_PROBLEM).map_err(|e| io(e.into()))?;
    let text = String::from_utf8(bytes)
        .map_err(|e| io(std::io::Error::new(std::io::ErrorKind::InvalidData, e.utf8_error())))?;
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
    } else if is_step_collection(&text) {
        let steps: StepCollection = serde_json::from_str(&text).map_err(syntax)?;
        let name = steps.model.clone();
        steps.into_named(tolerance).map_err(|m| inconsistent(&name, m))?
    } else {
        let head: Head = serde_json::from_str(&text).map_err(syntax)?;
        vec![read_one(&text, &head).map_err(syntax)?.map_err(|(name, m)| inconsistent(&name, m))?]
    };
    for named in &list {
        named.problem.check().map_err(|m| inconsistent(&named.name, m))?;
        check_convex(&named.problem.view(tolerance)).map_err(|m| inconsistent(&named.name, m))?;
    }
    Ok(list)
}

/// A problem in the form of [`write`].
fn read_one(text: &str, head: &Head) -> serde_json::Result<Result<Named, (String, String)>> {
    let (name, problem) = match head.class.as_str() {
        _ if head.format != PROBLEM_FORMAT => {
            let message = format!("format is \"{}\", this version reads \"{PROBLEM_FORMAT}\"", head.format);
            (String::new(), Err(message))
        }
        "Mlcp" | "Cone" => {
            let file: ProblemFile = serde_json::from_str(text)?;
            (file.name.clone(), file.into_problem())
        }
        "Conic" | "Qpcc" => {
            let file: ProgramFile = serde_json::from_str(text)?;
            (file.name.clone(), file.into_problem())
        }
        other => {
            let known = "\"Mlcp\", \"Cone\", \"Conic\" and \"Qpcc\"";
            (String::new(), Err(format!("class is \"{other}\", this version reads {known}")))
        }
    };
    Ok(match problem {
        Ok(problem) => {
            Ok(Named { name, family: String::new(), verdict: String::new(), problem, optimum: None })
        }
        Err(message) => Err((name, message)),
    })
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
        let text = write("test", &Stored::Mlcp(p.clone()), |_| "who".into(), None).unwrap();
        std::fs::write(&path, text).unwrap();
        let back = read(&path, 1e-8).unwrap()[0].problem.rows().unwrap().clone();
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
        let text = write("test", &Stored::Cone(cone.clone()), |_| String::new(), None).unwrap();
        std::fs::write(&path, text).unwrap();
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
