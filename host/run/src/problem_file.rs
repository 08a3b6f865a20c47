//! Problems as files: written when nobody solves them, read by `vinci solve` and `vinci bench solvers`.
//!
//! Four forms are read. `vinci/problem@1` is what Vinci writes: sparse matrices as triplets, bounds with null for "none",
//! provenance per row; problems of class `Cone` have their blocks besides, `Conic` and `Qpcc` are programs with P, c, G, g,
//! cones and pairs. An *archive* (`.jsonl`) has such an object on every line. A *collection* is an array of
//! `{name, n, nf, M: {i, j, v}, q, verdict?}`: w = M z + q, the first `nf` unknowns free with w = 0, the rest
//! 0 ≤ z ⟂ w ≥ 0; or of Coulomb problems `{name, dim, n, W: {i, j, v}, q, mu}`: u = W r + q, contact by contact with the
//! normal first, dim components each. A *collection of steps* is an object `{model, steps: […]}` of quasi-static steps with
//! their kinematics and proven optima, each read as a `Qpcc`.

mod collection;
mod complementarity;
mod entries;
mod named;
mod program;
mod steps;

use std::path::Path;

use serde::{Deserialize, Serialize};
use vinci_core::problem::RowTag;

use collection::CollectionEntry;
pub use complementarity::{BlockEntry, PROBLEM_FORMAT, ProblemFile};
pub use entries::{Row, Triplets};
pub use named::Named;
pub use program::{ConeEntry, PairEntry, ProgramFile};
use steps::{StepCollection, is_step_collection};
use vinci_engine::pipeline::{Stored, check_convex};
use vinci_scene::files::{LARGEST_PROBLEM, read_regular};

/// Head of every problem file.
#[derive(Debug, Deserialize)]
struct Head {
    format: String,
    class: String,
}

/// Reason why a file holds no problem.
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
        /// The reader's message.
        message: String,
    },
    /// It is an empty list.
    #[error("{path} holds no problem")]
    Empty {
        /// The file.
        path: String,
    },
    /// Lengths, indices or numbers contradict each other.
    #[error("{path}: problem `{name}`: {message}")]
    Inconsistent {
        /// The file.
        path: String,
        /// The problem.
        name: String,
        /// Fault, in words.
        message: String,
    },
}

/// A problem in the form of its class.
#[derive(Serialize)]
#[serde(untagged)]
enum AnyFile {
    Rows(Box<ProblemFile>),
    Program(Box<ProgramFile>),
}

impl AnyFile {
    fn of(
        name: &str,
        problem: &Stored,
        what: &dyn Fn(&RowTag) -> String,
        certificate: Option<Vec<f64>>,
    ) -> Self {
        let rows =
            |rows| Self::Rows(Box::new(ProblemFile::new(name, problem, rows, what, certificate.clone())));
        let program =
            |qp| Self::Program(Box::new(ProgramFile::new(name, problem, qp, what, certificate.clone())));
        match problem {
            Stored::Mlcp(p) => rows(p),
            Stored::Cone(cone) => rows(&cone.rows),
            Stored::Conic(qp) => program(qp),
            Stored::Qpcc(p) => program(&p.qp),
        }
    }
}

/// A problem in its file form, with names for its rows.
pub fn write(
    name: &str,
    problem: &Stored,
    what: impl Fn(&RowTag) -> String,
    certificate: Option<Vec<f64>>,
) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&AnyFile::of(name, problem, &what, certificate))? + "\n")
}

/// A problem as one line of an archive.
pub(crate) fn write_line(
    name: &str,
    problem: &Stored,
    what: impl Fn(&RowTag) -> String,
) -> serde_json::Result<String> {
    Ok(serde_json::to_string(&AnyFile::of(name, problem, &what, None))? + "\n")
}

/// Tolerance of problems that carry none.
pub const USUAL_TOLERANCE: f64 = entries::usual_tolerance();

/// Reads a problem or a collection of problems. `tolerance` is for collections, which carry none.
pub fn read(path: &Path, tolerance: f64) -> Result<Vec<Named>, ProblemFileError> {
    let shown = path.display().to_string();
    let io = |error| ProblemFileError::Io { path: shown.clone(), error };
    let bytes = read_regular(path, LARGEST_PROBLEM).map_err(|e| io(e.into()))?;
    let text = String::from_utf8(bytes)
        .map_err(|e| io(std::io::Error::new(std::io::ErrorKind::InvalidData, e.utf8_error())))?;
    let syntax_below = |e: serde_json::Error, above: usize| ProblemFileError::Syntax {
        path: shown.clone(),
        line: above + e.line(),
        column: e.column(),
        message: e.to_string().split(" at line").next().unwrap_or_default().to_string(),
    };
    let syntax = |e| syntax_below(e, 0);
    let inconsistent = |name: &str, message: String| ProblemFileError::Inconsistent {
        path: shown.clone(),
        name: name.to_string(),
        message,
    };
    let list = if path.extension().is_some_and(|end| end == "jsonl") {
        read_lines(&text, &syntax_below, &inconsistent)?
    } else if text.trim_start().starts_with('[') {
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
        vec![read_one(&text).map_err(|error| match error {
            Unreadable::Syntax(error) => syntax(error),
            Unreadable::Inconsistent { name, message } => inconsistent(&name, message),
        })?]
    };
    if list.is_empty() {
        return Err(ProblemFileError::Empty { path: shown });
    }
    for named in &list {
        named.problem.check().map_err(|m| inconsistent(&named.name, m))?;
        let own = named.problem.tolerance();
        if !(own > 0.0 && own.is_finite()) {
            return Err(inconsistent(
                &named.name,
                format!("its tolerance is {own}, and not a number above 0"),
            ));
        }
        check_convex(&named.problem.view(tolerance)).map_err(|m| inconsistent(&named.name, m))?;
    }
    Ok(list)
}

/// Reads an archive: a problem on every line.
fn read_lines(
    text: &str,
    syntax: &dyn Fn(serde_json::Error, usize) -> ProblemFileError,
    inconsistent: &dyn Fn(&str, String) -> ProblemFileError,
) -> Result<Vec<Named>, ProblemFileError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let one = |(k, line): (usize, &str)| {
        read_one(line).map_err(|error| match error {
            Unreadable::Syntax(error) => syntax(error, k),
            Unreadable::Inconsistent { name, message } => {
                inconsistent(&name, format!("line {}: {message}", k + 1))
            }
        })
    };
    lines.map(one).collect()
}

/// Reason why a text is no problem, before the file is named.
#[derive(Debug)]
enum Unreadable {
    Syntax(serde_json::Error),
    Inconsistent { name: String, message: String },
}

impl From<serde_json::Error> for Unreadable {
    fn from(error: serde_json::Error) -> Self {
        Self::Syntax(error)
    }
}

/// A problem in the form of [`write`].
fn read_one(text: &str) -> Result<Named, Unreadable> {
    let head: Head = serde_json::from_str(text)?;
    let nameless = |message: String| Unreadable::Inconsistent { name: String::new(), message };
    let (name, problem) = match head.class.as_str() {
        _ if head.format != PROBLEM_FORMAT => {
            let message = format!("format is \"{}\", this version reads \"{PROBLEM_FORMAT}\"", head.format);
            return Err(nameless(message));
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
            return Err(nameless(format!("class is \"{other}\", this version reads {known}")));
        }
    };
    match problem {
        Ok(problem) => {
            Ok(Named { name, family: String::new(), verdict: String::new(), problem, optimum: None })
        }
        Err(message) => Err(Unreadable::Inconsistent { name, message }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::CsrBuf;
    use vinci_core::problem::{ConeBlock, ConeBuf, MlcpBuf, NO_NORMAL, Part};

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
