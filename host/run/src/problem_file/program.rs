//! Programs as files: `Conic` and `Qpcc`.

use serde::{Deserialize, Serialize};
use vinci_core::problem::{ConicBuf, NO_GROUP, QpccBuf, RowTag};

use super::complementarity::PROBLEM_FORMAT;
use super::entries::{
    Row, Triplets, matrix, or_all, read_bounds, read_tags, sizes, triplets, usual_tolerance, written,
    written_tags,
};
use vinci_engine::pipeline::Stored;

/// A second-order cone: consecutive rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConeEntry {
    /// First row, the one that bounds the others.
    pub first: u32,
    /// Number of rows.
    pub dim: u32,
}

/// A complementarity pair 0 ≤ s_first ⟂ s_second ≥ 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairEntry {
    /// Row of the first side.
    pub first: u32,
    /// Row of the second side.
    pub second: u32,
    /// Contact the pair belongs to; null: none.
    #[serde(default)]
    pub group: Option<u32>,
    /// Guess: 1 where the first side is zero, 2 the second; null: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
}

/// A program as Vinci writes it: min ½ xᵀP x + cᵀx, s = G x + g, lower ≤ s ≤ upper, cones, pairs. A file written by hand may leave out
/// provenance, sizes (1), guesses and tolerance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramFile {
    /// Format and version.
    pub format: String,
    /// `Conic` or `Qpcc`.
    pub class: String,
    /// Name: scene and step.
    pub name: String,
    /// Number of unknowns.
    pub n: usize,
    /// Number of rows.
    pub m: usize,
    /// P, n × n, both triangles.
    #[serde(rename = "P")]
    pub p: Triplets,
    /// c.
    pub c: Vec<f64>,
    /// G, m × n.
    #[serde(rename = "G")]
    pub rows_matrix: Triplets,
    /// g.
    pub g: Vec<f64>,
    /// Lower bounds of s, null: none.
    pub lower: Vec<Option<f64>>,
    /// Upper bounds of s, null: none.
    pub upper: Vec<Option<f64>>,
    /// Cones of a Conic problem.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cones: Vec<ConeEntry>,
    /// Pairs of a Qpcc.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairEntry>,
    /// Provenance of every unknown.
    #[serde(default)]
    pub unknowns: Vec<Row>,
    /// Provenance of every row.
    #[serde(default)]
    pub rows: Vec<Row>,
    /// Typical sizes of the unknowns.
    #[serde(default)]
    pub x_scale: Vec<f64>,
    /// Typical sizes of the rows.
    #[serde(default)]
    pub s_scale: Vec<f64>,
    /// Guess of x, or empty.
    #[serde(default)]
    pub guess: Vec<f64>,
    /// Guess of y, or empty.
    #[serde(default)]
    pub dual_guess: Vec<f64>,
    /// Wanted relative residual.
    #[serde(default = "usual_tolerance")]
    pub tolerance: f64,
    /// A proof that there is no solution or no lowest value, where the run found one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Vec<f64>>,
}

impl ProgramFile {
    pub(super) fn new(
        name: &str,
        problem: &Stored,
        qp: &ConicBuf,
        what: &dyn Fn(&RowTag) -> String,
        certificate: Option<Vec<f64>>,
    ) -> Self {
        Self {
            format: PROBLEM_FORMAT.into(),
            class: problem.class().name().into(),
            name: name.into(),
            n: qp.c.len(),
            m: qp.g.len(),
            p: triplets(&qp.p.view()),
            c: qp.c.clone(),
            rows_matrix: triplets(&qp.rows.view()),
            g: qp.g.clone(),
            lower: written(&qp.lower),
            upper: written(&qp.upper),
            cones: qp.cones.chunks_exact(2).map(|k| ConeEntry { first: k[0], dim: k[1] }).collect(),
            pairs: pairs_of(problem),
            unknowns: written_tags(&qp.x_tag, what),
            rows: written_tags(&qp.s_tag, what),
            x_scale: qp.x_scale.clone(),
            s_scale: qp.s_scale.clone(),
            guess: qp.guess.clone(),
            dual_guess: qp.dual_guess.clone(),
            tolerance: qp.tolerance,
            certificate,
        }
    }

    pub(super) fn into_problem(self) -> Result<Stored, String> {
        let is_qpcc = self.class == "Qpcc";
        if !is_qpcc && !self.pairs.is_empty() {
            return Err(format!("a Conic has no pairs, this one has {}", self.pairs.len()));
        }
        if self.c.len() != self.n || self.g.len() != self.m {
            let (c, g) = (self.c.len(), self.g.len());
            return Err(format!("{c} costs and {g} rows where n = {} and m = {}", self.n, self.m));
        }
        let qp = ConicBuf {
            p: matrix((self.n, self.n), &self.p)?,
            c: self.c,
            rows: matrix((self.m, self.n), &self.rows_matrix)?,
            g: self.g,
            lower: read_bounds(self.lower, f64::NEG_INFINITY),
            upper: read_bounds(self.upper, f64::INFINITY),
            cones: self.cones.iter().flat_map(|c| [c.first, c.dim]).collect(),
            x_tag: or_all(read_tags(&self.unknowns), self.n, RowTag::default()),
            s_tag: or_all(read_tags(&self.rows), self.m, RowTag::default()),
            x_scale: sizes(self.x_scale, self.n)?,
            s_scale: sizes(self.s_scale, self.m)?,
            guess: self.guess,
            dual_guess: self.dual_guess,
            tolerance: self.tolerance,
        };
        if !is_qpcc {
            return Ok(Stored::Conic(qp));
        }
        let mut out = QpccBuf { qp, ..QpccBuf::default() };
        for pair in &self.pairs {
            out.push_pair(pair.first as usize, pair.second as usize, pair.group.unwrap_or(NO_GROUP));
        }
        if self.pairs.iter().any(|p| p.mode.is_some()) {
            out.modes = self.pairs.iter().map(|p| p.mode.unwrap_or(0)).collect();
        }
        Ok(Stored::Qpcc(out))
    }
}

fn pairs_of(problem: &Stored) -> Vec<PairEntry> {
    let Stored::Qpcc(p) = problem else { return Vec::new() };
    let entry = |k: usize| PairEntry {
        first: p.pairs[2 * k],
        second: p.pairs[2 * k + 1],
        group: (p.group[k] != NO_GROUP).then_some(p.group[k]),
        mode: p.modes.get(k).copied().filter(|m| *m != 0),
    };
    (0..p.group.len()).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{read, write};
    use super::*;
    use vinci_core::CsrBuf;
    use vinci_core::problem::{Part, RowTag};

    const INF: f64 = f64::INFINITY;

    fn conic() -> ConicBuf {
        let p =
            CsrBuf::from_triplets(2, 2, &[(0, 0, 0.1), (0, 1, 1e-300), (1, 0, 1e-300), (1, 1, 1.0 / 3.0)]);
        let rows = CsrBuf::from_triplets(3, 2, &[(0, 0, 1.0 / 3.0), (2, 1, -2.0)]);
        let bounds = (vec![0.0, -INF, 0.0], vec![INF, 5.0, INF]);
        let mut out = ConicBuf::from_parts(p, vec![1e-17, -2.0], rows, vec![0.0, 1.5, -0.25], bounds);
        out.x_tag[1] = RowTag { subject: 1, part: Part::Velocity };
        out.s_tag[2] = RowTag { subject: 7, part: Part::Ray };
        out.dual_guess = vec![1.0, 2.0, 3.0];
        out
    }

    fn round(problem: &Stored) -> Stored {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        std::fs::write(&path, write("test", problem, |_| "who".into(), None).unwrap()).unwrap();
        read(&path, 1e-8).unwrap().remove(0).problem
    }

    /// A file written by hand: bookkeeping left out, and a name that is misspelt refused.
    #[test]
    fn a_short_file_is_enough_and_unknown_names_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("short.json");
        let text = r#"{"format": "vinci/problem@1", "class": "Qpcc", "name": "corner", "n": 2, "m": 2,
            "P": {"i": [0, 1], "j": [0, 1], "v": [1, 1]}, "c": [-2, -1],
            "G": {"i": [0, 1], "j": [0, 1], "v": [1, 1]}, "g": [0, 0],
            "lower": [0, 0], "upper": [null, null], "pairs": [{"first": 0, "second": 1}]}"#;
        std::fs::write(&path, text).unwrap();
        let Stored::Qpcc(read_back) = read(&path, 1e-8).unwrap().remove(0).problem else { panic!("a Qpcc") };
        assert_eq!(
            (read_back.qp.x_scale.len(), read_back.qp.s_tag.len(), read_back.qp.tolerance),
            (2, 2, 1e-8)
        );
        assert_eq!(read_back.group, [NO_GROUP]);
        std::fs::write(&path, text.replace("\"name\"", "\"tolerence\": 1e-6, \"name\"")).unwrap();
        let message = read(&path, 1e-8).unwrap_err().to_string();
        assert!(message.contains("unknown field `tolerence`"), "{message}");
        std::fs::write(&path, text.replace("\"name\"", "\"x_scale\": [1, 0], \"name\"")).unwrap();
        let message = read(&path, 1e-8).unwrap_err().to_string();
        assert!(message.ends_with("problem `corner`: typical size 1 is 0; it must be positive"), "{message}");
    }

    #[test]
    fn a_program_reads_back_to_the_bit() {
        let mut p = conic();
        (p.lower, p.upper) = (vec![0.0, -INF, -INF], vec![INF; 3]);
        p.cones = vec![1, 2];
        let Stored::Conic(back) = round(&Stored::Conic(p.clone())) else { panic!("another class") };
        assert_eq!(format!("{:?}", back.view()), format!("{:?}", p.view()));
    }

    #[test]
    fn pairs_groups_and_modes_read_back() {
        let mut p = QpccBuf { qp: conic(), ..QpccBuf::default() };
        p.push_pair(0, 2, 4);
        let Stored::Qpcc(back) = round(&Stored::Qpcc(p.clone())) else { panic!("another class") };
        assert_eq!(format!("{:?}", back.view()), format!("{:?}", p.view()));
        p.modes = vec![2];
        p.group = vec![NO_GROUP];
        let Stored::Qpcc(back) = round(&Stored::Qpcc(p.clone())) else { panic!("another class") };
        assert_eq!(format!("{:?}", back.view()), format!("{:?}", p.view()));
    }

    #[test]
    fn objectives_that_are_not_convex_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        let message = |entries: &[(usize, usize, f64)], qpcc: bool| {
            let mut qp = conic();
            qp.p = CsrBuf::from_triplets(2, 2, entries);
            let mut pairs = QpccBuf { qp: qp.clone(), ..QpccBuf::default() };
            pairs.push_pair(0, 2, NO_GROUP);
            let problem = if qpcc { Stored::Qpcc(pairs) } else { Stored::Conic(qp) };
            std::fs::write(&path, write("test", &problem, |_| String::new(), None).unwrap()).unwrap();
            read(&path, 1e-8).map(|_| String::new()).unwrap_or_else(|e| e.to_string())
        };
        for qpcc in [false, true] {
            let said = message(&[(0, 0, 1.0), (0, 1, 0.5), (1, 1, 1.0)], qpcc);
            let expected = "problem `test`: P is not symmetric: entry (0, 1) is 0.5, entry (1, 0) is 0";
            assert!(said.ends_with(expected), "{said}");
            let said = message(&[(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 1.0)], qpcc);
            assert!(said.contains("problem `test`: P is not positive semidefinite"), "{said}");
            assert_eq!(message(&[(0, 0, 1.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 1.0)], qpcc), "");
        }
    }

    #[test]
    fn contradictions_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        let text = write("test", &Stored::Conic(conic()), |_| String::new(), None).unwrap();
        let message = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            std::fs::write(&path, text.replace(from, to)).unwrap();
            read(&path, 1e-8).unwrap_err().to_string()
        };
        let said = message("\"m\": 3", "\"m\": 2");
        assert!(said.ends_with("problem `test`: 2 costs and 3 rows where n = 2 and m = 2"), "{said}");
        let said = message("\"Conic\"", "\"Bogus\"");
        let known = "class is \"Bogus\", this version reads \"Mlcp\", \"Cone\", \"Conic\" and \"Qpcc\"";
        assert!(said.ends_with(known), "{said}");
        let said = message(
            "\"class\": \"Conic\",",
            "\"class\": \"Conic\", \"pairs\": [{\"first\": 0, \"second\": 1, \"group\": null}],",
        );
        assert!(said.ends_with("a Conic has no pairs, this one has 1"), "{said}");
    }
}
