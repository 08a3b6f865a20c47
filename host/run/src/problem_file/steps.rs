//! Collections of quasi-static steps: unactuated velocities from equilibrium, actuated ones as near to their commands as
//! contacts allow.
//!
//! A step gives Jacobians and gaps of its contacts; the problem in x = (v_u, v_a, P_n, P_f, σ) is
//!
//! ```text
//!   min |v_a − v_cmd|²   over   J_nuᵀ P_n + J_fuᵀ P_f + τ = 0
//!   0 ≤ P_n ⟂ φ/h + J_nu v_u + J_na v_a ≥ 0
//!   0 ≤ P_f ⟂ J_fu v_u + J_fa v_a + E σ ≥ 0
//!   0 ≤ σ   ⟂ μ P_n − Eᵀ P_f ≥ 0
//!   P_n ≥ −h K φ̄            where the last step's φ̄ < 0
//! ```
//!
//! The file's unknowns are Δq = h v and Γ = h σ, its objective is |Δq_a − Δq_cmd|²: a proven optimum f is here f/h² − |v_cmd|².

use serde::Deserialize;
use vinci_core::problem::{ConicBuf, Part, QpccBuf, RowTag};

use super::named::Named;
use vinci_engine::pipeline::Stored;

const INF: f64 = f64::INFINITY;

#[derive(Debug, Deserialize)]
pub(super) struct StepCollection {
    pub(super) model: String,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    step: u64,
    h: f64,
    mu: Vec<f64>,
    #[serde(rename = "K")]
    stiffness: Vec<f64>,
    nd: Vec<usize>,
    phi: Vec<f64>,
    #[serde(rename = "Jnu")]
    jnu: Vec<Vec<f64>>,
    #[serde(rename = "Jna")]
    jna: Vec<Vec<f64>>,
    #[serde(rename = "Jfu")]
    jfu: Vec<Vec<f64>>,
    #[serde(rename = "Jfa")]
    jfa: Vec<Vec<f64>>,
    tau: Vec<f64>,
    dqa_cmd: Vec<f64>,
    phibar_prev: Vec<f64>,
    #[serde(default)]
    obj: Option<f64>,
    #[serde(default)]
    proven: bool,
}

/// Returns true if a text is of this form rather than a single problem.
pub(super) fn is_step_collection(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Head {
        #[serde(default)]
        steps: Option<serde::de::IgnoredAny>,
        #[serde(default)]
        format: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_str::<Head>(text).is_ok_and(|h| h.steps.is_some() && h.format.is_none())
}

impl StepCollection {
    pub(super) fn into_named(self, tolerance: f64) -> Result<Vec<Named>, String> {
        let named = |s: &Step| {
            s.check().map_err(|m| format!("step {}: {m}", s.step))?;
            Ok(Named {
                name: format!("{}-{}", self.model, s.step),
                family: self.model.clone(),
                verdict: if s.proven { "solved".into() } else { String::new() },
                problem: Stored::Qpcc(s.problem(tolerance)),
                optimum: s.obj.filter(|_| s.proven).map(|f| f / (s.h * s.h) - s.command_squared()),
            })
        };
        self.steps.iter().map(named).collect()
    }
}

impl Step {
    fn check(&self) -> Result<(), String> {
        let directions = self.nd.iter().try_fold(0_usize, |sum, n| sum.checked_add(*n));
        let (contacts, directions) = (self.mu.len(), directions.unwrap_or(usize::MAX));
        let (nu, na) = (self.tau.len(), self.dqa_cmd.len());
        let lists = [
            ("K", self.stiffness.len(), contacts),
            ("nd", self.nd.len(), contacts),
            ("phi", self.phi.len(), contacts),
            ("phibar_prev", self.phibar_prev.len(), contacts),
            ("rows of Jnu", self.jnu.len(), contacts),
            ("rows of Jna", self.jna.len(), contacts),
            ("rows of Jfu", self.jfu.len(), directions),
            ("rows of Jfa", self.jfa.len(), directions),
        ];
        if let Some((what, found, wanted)) = lists.iter().find(|(_, found, wanted)| found != wanted) {
            return Err(format!("{found} {what} where {wanted} are expected"));
        }
        let rows =
            [("Jnu", &self.jnu, nu), ("Jna", &self.jna, na), ("Jfu", &self.jfu, nu), ("Jfa", &self.jfa, na)];
        for (what, matrix, wanted) in rows {
            if let Some(i) = matrix.iter().position(|row| row.len() != wanted) {
                return Err(format!(
                    "row {i} of {what} has {} entries where {wanted} are expected",
                    matrix[i].len()
                ));
            }
        }
        if self.h > 0.0 { Ok(()) } else { Err(format!("h is {}", self.h)) }
    }

    fn command_squared(&self) -> f64 {
        self.dqa_cmd.iter().map(|d| (d / self.h).powi(2)).sum()
    }

    fn problem(&self, tolerance: f64) -> QpccBuf {
        let (nu, na, contacts) = (self.tau.len(), self.dqa_cmd.len(), self.mu.len());
        let directions = self.jfu.len();
        let at =
            Places { normal: nu + na, friction: nu + na + contacts, slip: nu + na + contacts + directions };
        let mut out = QpccBuf::default();
        out.clear(at.slip + contacts, tolerance);
        self.unknowns(&mut out.qp);
        self.balance(&mut out.qp, &at);
        let mut first = 0;
        for k in 0..contacts {
            self.contact(&mut out, &at, k, first);
            first += self.nd[k];
        }
        out
    }

    /// Typical speed and impulse.
    fn sizes(&self) -> (f64, f64) {
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let or_one = |x: f64| if x > 0.0 { x } else { 1.0 };
        (or_one(largest(&self.dqa_cmd) / self.h), or_one(largest(&self.tau)))
    }

    /// P and c: |v_a|² − 2 v_cmd·v_a.
    fn unknowns(&self, qp: &mut ConicBuf) {
        let (nu, (speed, impulse)) = (self.tau.len(), self.sizes());
        let tag = |k: usize, part: Part| RowTag { subject: k as u32, part };
        (0..nu).for_each(|k| qp.end_unknown(0.0, tag(k, Part::Velocity), speed));
        for (k, d) in self.dqa_cmd.iter().enumerate() {
            qp.p.push(nu + k, 2.0);
            qp.end_unknown(-2.0 * d / self.h, tag(nu + k, Part::Velocity), speed);
        }
        (0..self.mu.len()).for_each(|k| qp.end_unknown(0.0, tag(k, Part::Normal), impulse));
        for (k, &n_d) in self.nd.iter().enumerate() {
            (0..n_d).for_each(|_| qp.end_unknown(0.0, tag(k, Part::Friction), impulse));
        }
        (0..self.mu.len()).for_each(|k| qp.end_unknown(0.0, tag(k, Part::Slip), speed));
    }

    fn balance(&self, qp: &mut ConicBuf, at: &Places) {
        for (i, tau) in self.tau.iter().enumerate() {
            push_column(qp, &self.jnu, i, at.normal);
            push_column(qp, &self.jfu, i, at.friction);
            qp.end_row(*tau, (0.0, 0.0), RowTag { subject: i as u32, part: Part::Velocity }, self.sizes().1);
        }
    }

    /// The pairs of contact k, whose friction begins at `first`, and its least force.
    fn contact(&self, out: &mut QpccBuf, at: &Places, k: usize, first: usize) {
        let ((speed, impulse), group) = (self.sizes(), k as u32);
        let tag = |part: Part| RowTag { subject: group, part };
        let lawful = (0.0, INF);
        let alone = |out: &mut QpccBuf, unknown: usize, part: Part, scale: f64| {
            out.qp.rows.push(unknown, 1.0);
            out.qp.end_row(0.0, lawful, tag(part), scale);
            out.qp.g.len() - 1
        };
        let p_n = alone(out, at.normal + k, Part::Normal, impulse);
        push_rate(&mut out.qp, &self.jnu[k], &self.jna[k]);
        out.qp.end_row(self.phi[k] / self.h, lawful, tag(Part::Normal), speed);
        out.push_pair(p_n, p_n + 1, group);
        for d in first..first + self.nd[k] {
            let p_f = alone(out, at.friction + d, Part::Friction, impulse);
            push_rate(&mut out.qp, &self.jfu[d], &self.jfa[d]);
            out.qp.rows.push(at.slip + k, 1.0);
            out.qp.end_row(0.0, lawful, tag(Part::Friction), speed);
            out.push_pair(p_f, p_f + 1, group);
        }
        let sigma = alone(out, at.slip + k, Part::Slip, speed);
        out.qp.rows.push(at.normal + k, self.mu[k]);
        (first..first + self.nd[k]).for_each(|d| out.qp.rows.push(at.friction + d, -1.0));
        out.qp.end_row(0.0, lawful, tag(Part::Slip), impulse);
        out.push_pair(sigma, sigma + 1, group);
        if self.phibar_prev[k] < 0.0 {
            out.qp.rows.push(at.normal + k, 1.0);
            let least = -self.h * self.stiffness[k] * self.phibar_prev[k];
            out.qp.end_row(0.0, (least, INF), tag(Part::Squeeze), impulse);
        }
    }
}

struct Places {
    normal: usize,
    friction: usize,
    slip: usize,
}

fn push_column(qp: &mut ConicBuf, rows: &[Vec<f64>], column: usize, first: usize) {
    for (k, row) in rows.iter().enumerate().filter(|(_, row)| row[column] != 0.0) {
        qp.rows.push(first + k, row[column]);
    }
}

fn push_rate(qp: &mut ConicBuf, of_u: &[f64], of_a: &[f64]) {
    for (k, v) in of_u.iter().chain(of_a).enumerate().filter(|(_, v)| **v != 0.0) {
        qp.rows.push(k, *v);
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    /// A body resting on a support that a motor lowers: h = 0.1, one contact of two directions, weight impulse −1.
    const TEXT: &str = r#"{"model": "lift", "steps": [{"step": 3, "h": 0.1, "mu": [0.5], "K": [100.0], "nd": [2],
        "phi": [0.0], "Jnu": [[0, 1]], "Jna": [[-1]], "Jfu": [[1, 0], [-1, 0]], "Jfa": [[0], [0]],
        "tau": [0.0, -1.0], "dqa_cmd": [0.02], "phibar_prev": [-0.1], "obj": 0.0, "proven": true}]}"#;

    fn text(from: &str, to: &str) -> Result<Vec<Named>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        std::fs::write(&path, TEXT.replace(from, to)).unwrap();
        read(&path, 1e-8).map_err(|e| e.to_string())
    }

    #[test]
    fn a_step_is_a_program_with_pairs() {
        let named = text("", "").unwrap().remove(0);
        assert_eq!((named.name.as_str(), named.verdict.as_str()), ("lift-3", "solved"));
        let Stored::Qpcc(p) = named.problem else { panic!("another class") };
        let p = p.view();
        assert_eq!((p.qp.n(), p.qp.m(), p.n_pairs()), (7, 11, 4));
        assert_eq!(p.group, [0, 0, 0, 0]);
        // v_u = (0, 0.2), v_a = 0.2, P_n = 1, the rest zero.
        let x = [0.0, 0.2, 0.2, 1.0, 0.0, 0.0, 0.0];
        assert!(p.infeasibility(&x) < 1e-15);
        assert!(p.residual(&x, &[0.0; 11]).natural < 1e-15);
        let optimum = named.optimum.unwrap();
        assert!((p.qp.objective(&x) - optimum).abs() < 1e-15 && (optimum + 0.04).abs() < 1e-15);
        // The least force is h K |φ̄| = 1.
        assert!(p.infeasibility(&[0.0, 0.2, 0.2, 0.9, 0.0, 0.0, 0.0]) > 0.05);
    }

    #[test]
    fn contradictions_are_named() {
        let said = text("\"mu\": [0.5]", "\"mu\": [0.5, 0.5]").unwrap_err();
        assert!(said.ends_with("problem `lift`: step 3: 1 K where 2 are expected"), "{said}");
        let said = text("[[0, 1]]", "[[0, 1, 2]]").unwrap_err();
        assert!(said.ends_with("row 0 of Jnu has 3 entries where 2 are expected"), "{said}");
    }
}
