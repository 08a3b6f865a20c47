//! Quasi-static grasping steps (Pang & Tedrake 2018, eq. 23) as problems with pairs: from collection files, and a planar gripper.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used, clippy::print_stdout)]

use vinci_sdk::core::problem::{ConicBuf, Qpcc, QpccBuf, RowTag};
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::serde_json::{self, Value};

const INF: f64 = f64::INFINITY;

/// Entries, constant and bounds of a row.
type Row = (Vec<(usize, f64)>, f64, f64, f64);

/// One step. Unknowns x = (v_u, v_a, p_n, p_f, σ): velocities, impulses and slip speeds, so that all is of the size 0.01 … 1.
#[derive(Debug, Clone, Default)]
pub struct Step {
    pub h: f64,
    pub mu: Vec<f64>,
    /// Gaps φ and the Jacobians of contacts and friction directions for free and driven unknowns.
    pub phi: Vec<f64>,
    pub jnu: Vec<Vec<f64>>,
    pub jna: Vec<Vec<f64>>,
    pub jfu: Vec<Vec<f64>>,
    pub jfa: Vec<Vec<f64>>,
    /// Impulse of the loads on the free unknowns.
    pub load: Vec<f64>,
    /// Commanded v_a.
    pub command: Vec<f64>,
    /// Least normal impulses (delayed squeeze bound), or stiffness K of the bound p_n ≥ −h K φ̄ of this very step.
    pub least: Vec<f64>,
    pub stiffness: Option<f64>,
    /// Best known objective |v_a − command|², relative to that of v_a = command.
    pub objective: f64,
    pub number: u64,
}

impl Step {
    pub fn directions(&self) -> usize {
        self.jfu.len() / self.phi.len()
    }

    pub fn sizes(&self) -> (usize, usize, usize, usize) {
        (self.load.len(), self.command.len(), self.phi.len(), self.jfu.len())
    }

    /// |v_a − command|² of a solution.
    pub fn deviation(&self, x: &[f64]) -> f64 {
        let nu = self.load.len();
        self.command.iter().zip(&x[nu..]).map(|(c, v)| (v - c) * (v - c)).sum()
    }

    /// Rows: (φ⁺/h ⟂ p_n), (ρ ⟂ p_f), (σ ⟂ s) pair by pair, the balance, and bounds on p_n.
    pub fn problem(&self, tolerance: f64) -> QpccBuf {
        let (nu, na, nc, nf) = self.sizes();
        let nd = self.directions();
        let (pn, pf, slip) = (nu + na, nu + na + nc, nu + na + nc + nf);
        let n = slip + nc;
        let mut q = QpccBuf::default();
        let mut rows: Vec<Row> = Vec::new();
        let motion = |u: &[f64], a: &[f64]| -> Vec<(usize, f64)> {
            u.iter().chain(a).copied().enumerate().filter(|e| e.1 != 0.0).collect()
        };
        let mut pairs = Vec::new();
        for i in 0..nc {
            pairs.push((rows.len(), i));
            rows.push((motion(&self.jnu[i], &self.jna[i]), self.phi[i] / self.h, 0.0, INF));
            rows.push((vec![(pn + i, 1.0)], 0.0, 0.0, INF));
        }
        for k in 0..nf {
            let i = k / nd;
            pairs.push((rows.len(), i));
            let mut rho = motion(&self.jfu[k], &self.jfa[k]);
            rho.push((slip + i, 1.0));
            rows.push((rho, 0.0, 0.0, INF));
            rows.push((vec![(pf + k, 1.0)], 0.0, 0.0, INF));
        }
        for i in 0..nc {
            pairs.push((rows.len(), i));
            rows.push((vec![(slip + i, 1.0)], 0.0, 0.0, INF));
            let mut s = vec![(pn + i, self.mu[i])];
            s.extend((0..nd).map(|k| (pf + i * nd + k, -1.0)));
            rows.push((s, 0.0, 0.0, INF));
        }
        for u in 0..nu {
            let normal = (0..nc).map(|i| (pn + i, self.jnu[i][u]));
            let friction = (0..nf).map(|k| (pf + k, self.jfu[k][u]));
            rows.push((normal.chain(friction).filter(|e| e.1 != 0.0).collect(), self.load[u], 0.0, 0.0));
        }
        for i in 0..nc {
            match self.stiffness {
                None if self.least[i] > 0.0 => rows.push((vec![(pn + i, 1.0)], 0.0, self.least[i], INF)),
                None => {}
                Some(k) => {
                    // p_n + h K h Jnu v_u ≥ −h K (φ + h Jna command).
                    let ahead: f64 = self.jna[i].iter().zip(&self.command).map(|(j, c)| j * c).sum();
                    let mut row: Vec<_> =
                        self.jnu[i].iter().enumerate().map(|(u, j)| (u, self.h * k * self.h * j)).collect();
                    row.push((pn + i, 1.0));
                    row.retain(|e| e.1 != 0.0);
                    rows.push((row, 0.0, -self.h * k * (self.phi[i] + self.h * ahead), INF));
                }
            }
        }
        let objective: Vec<_> = (nu..nu + na).map(|a| (a, a, 2.0)).collect();
        let mut c = vec![0.0; n];
        self.command.iter().enumerate().for_each(|(a, v)| c[nu + a] = -2.0 * v);
        let triplets: Vec<_> =
            rows.iter().enumerate().flat_map(|(i, r)| r.0.iter().map(move |&(j, v)| (i, j, v))).collect();
        q.qp = ConicBuf::from_parts(
            CsrBuf::from_triplets(n, n, &objective),
            c,
            CsrBuf::from_triplets(rows.len(), n, &triplets),
            rows.iter().map(|r| r.1).collect(),
            (rows.iter().map(|r| r.2).collect(), rows.iter().map(|r| r.3).collect()),
        );
        q.qp.tolerance = tolerance;
        q.qp.x_tag = vec![RowTag::default(); n];
        pairs.iter().for_each(|&(row, contact)| q.push_pair(row, row + 1, contact as u32));
        q
    }
}

fn vector(v: &Value) -> Vec<f64> {
    v.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

fn matrix(v: &Value) -> Vec<Vec<f64>> {
    v.as_array().into_iter().flatten().map(vector).collect()
}

fn read(s: &Value) -> Step {
    let h = s["h"].as_f64().unwrap();
    let stiffness = vector(&s["K"]);
    let squeeze = vector(&s["phibar_prev"]);
    let command: Vec<f64> = vector(&s["dqa_cmd"]).iter().map(|d| d / h).collect();
    let (mu, load) = (vector(&s["mu"]), vector(&s["tau"]));
    Step {
        h,
        mu,
        phi: vector(&s["phi"]),
        jnu: matrix(&s["Jnu"]),
        jna: matrix(&s["Jna"]),
        jfu: matrix(&s["Jfu"]),
        jfa: matrix(&s["Jfa"]),
        load,
        command,
        least: squeeze.iter().zip(&stiffness).map(|(phi, k)| (-h * k * phi).max(0.0)).collect(),
        stiffness: None,
        objective: s["obj"].as_f64().unwrap() / (h * h),
        number: s["step"].as_u64().unwrap(),
    }
}

/// The steps of a collection file.
pub fn read_steps(text: &str) -> Vec<Step> {
    steps_of(&serde_json::from_str(text).unwrap())
}

fn steps_of(file: &Value) -> Vec<Step> {
    file["steps"].as_array().unwrap().iter().map(read).collect()
}

/// The steps of a collection of the house. Panics where it is not there.
pub fn collection(name: &str) -> Vec<Step> {
    steps_of(&vinci_test_problems::json(&format!("{name}.json")))
}

/// The planar gripper of the paper's section V-A: a cylinder (r = 0.05 m, 1 kg) between two fingers and the ground, 60 steps of
/// 10 ms, μ = 0.5, K = 10⁴ N/m. q = (x_c, y_c, x_l, x_r, y_g).
pub struct Gripper {
    pub q: [f64; 5],
    pub number: u64,
}

impl Gripper {
    pub const STEPS: u64 = 60;

    pub fn new() -> Self {
        Self { q: [0.0, 0.05, -0.07, 0.07, 0.0], number: 1 }
    }

    pub fn step(&self) -> Step {
        let (q, h) = (&self.q, 0.01);
        let command = if self.number <= 39 { vec![0.1, -0.1, 0.1] } else { vec![-0.1, 0.1, 0.0] };
        let two_ways = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> {
            rows.iter().flat_map(|r| [r.clone(), r.iter().map(|v| -v).collect()]).collect()
        };
        Step {
            h,
            mu: vec![0.5; 3],
            phi: vec![q[0] - q[2] - 0.05, q[3] - q[0] - 0.05, q[1] - 0.05],
            jnu: vec![vec![1.0, 0.0], vec![-1.0, 0.0], vec![0.0, 1.0]],
            jna: vec![vec![-1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0; 3]],
            jfu: two_ways(&[vec![0.0, 1.0], vec![0.0, 1.0], vec![1.0, 0.0]]),
            jfa: two_ways(&[vec![0.0, 0.0, -1.0], vec![0.0, 0.0, -1.0], vec![0.0; 3]]),
            load: vec![0.0, -9.81 * h],
            command,
            least: vec![0.0; 3],
            stiffness: Some(1e4),
            objective: f64::NAN,
            number: self.number,
        }
    }

    /// Takes over the step's motion.
    pub fn advance(&mut self, x: &[f64]) {
        self.q.iter_mut().zip(x).for_each(|(q, v)| *q += 0.01 * v);
        self.number += 1;
    }
}

/// `count` copies of a step of one object, between the same fingers: driven freedoms are common, objects and contacts each their own. Object
/// k has `1 + 0.03 k` times the load and gaps that are larger by `offset` k.
pub fn coupled(step: &Step, count: usize, offset: f64) -> Step {
    let (nu, _, _, _) = step.sizes();
    let wide = |rows: &[Vec<f64>], k: usize| -> Vec<Vec<f64>> {
        let place = |row: &Vec<f64>| {
            let mut wide = vec![0.0; nu * count];
            wide[nu * k..nu * (k + 1)].copy_from_slice(row);
            wide
        };
        rows.iter().map(place).collect()
    };
    let mut all = Step { h: step.h, command: step.command.clone(), ..Step::default() };
    for k in 0..count {
        all.mu.extend(&step.mu);
        all.phi.extend(step.phi.iter().map(|v| v + offset * k as f64));
        all.jnu.extend(wide(&step.jnu, k));
        all.jna.extend(step.jna.iter().cloned());
        all.jfu.extend(wide(&step.jfu, k));
        all.jfa.extend(step.jfa.iter().cloned());
        all.load.extend(step.load.iter().map(|v| v * (1.0 + 0.03 * k as f64)));
        all.least.extend(&step.least);
    }
    all.stiffness = step.stiffness;
    all
}

/// The guess of the next step from this one's solution.
pub fn modes_of(q: &Qpcc<'_>, x: &[f64]) -> Vec<u32> {
    let mut modes = Vec::new();
    q.modes_of(x, &mut modes);
    modes
}
