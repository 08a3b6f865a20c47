//! Relaxations of quasi-static grasps (the complementarity pairs left out), and the same programs with every pair fixed as
//! in the known optimum: singular objectives, a hundred degenerate rows, geometry that is nearly dependent.
#![allow(clippy::print_stdout, reason = "the table is what this test is read for")]

use crate::support::*;
use vinci_sdk::core::problem::ConicBuf;
use vinci_sdk::prelude::*;
use vinci_sdk::serde_json::Value;
use vinci_solver_active_set::Config;

fn vector(v: &Value) -> Vec<f64> {
    v.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn matrix(v: &Value) -> Vec<Vec<f64>> {
    v.as_array().expect("a list").iter().map(vector).collect()
}

/// Rows of one step under construction; unknowns [Δq_u, Δq_a, P_n, P_f, Γ].
struct Rows {
    n: usize,
    rows: Vec<(usize, usize, f64)>,
    offset: Vec<f64>,
    bounds: Vec<(f64, f64)>,
}

impl Rows {
    fn push(&mut self, entries: &[(usize, f64)], offset: f64, bounds: (f64, f64)) -> usize {
        let i = self.offset.len();
        self.rows.extend(entries.iter().map(|&(j, v)| (i, j, v)));
        self.offset.push(offset);
        self.bounds.push(bounds);
        i
    }
    fn push_pair(&mut self, entries: &[(usize, f64)], offset: f64, unknown: usize) -> (usize, usize) {
        (self.push(entries, offset, (0.0, INF)), self.push(&[(unknown, 1.0)], 0.0, (0.0, INF)))
    }
}

/// min |Δq_a − Δq̄_a|² (less its constant) under equilibrium and the inequalities of all pairs; and the pairs.
fn relaxation(step: &Value) -> (ConicBuf, Vec<(usize, usize)>) {
    let (jnu, jna, jfu, jfa) =
        (matrix(&step["Jnu"]), matrix(&step["Jna"]), matrix(&step["Jfu"]), matrix(&step["Jfa"]));
    let (phi, tau, command) = (vector(&step["phi"]), vector(&step["tau"]), vector(&step["dqa_cmd"]));
    let (nc, nu, na, nd) = (phi.len(), tau.len(), command.len(), jfu.len() / phi.len());
    let (pn, pf) = (nu + na, nu + na + nc);
    let gamma = pf + nc * nd;
    let n = gamma + nc;
    let mut r = Rows { n, rows: vec![], offset: vec![], bounds: vec![] };
    for k in 0..nu {
        let normal = (0..nc).map(|i| (pn + i, jnu[i][k]));
        let entries: Vec<_> = normal.chain((0..nc * nd).map(|i| (pf + i, jfu[i][k]))).collect();
        r.push(&entries, tau[k], (0.0, 0.0));
    }
    let motion =
        |u: &[f64], a: &[f64]| -> Vec<(usize, f64)> { u.iter().chain(a).copied().enumerate().collect() };
    let (h, k, mu) = (step["h"].as_f64().expect("h"), vector(&step["K"]), vector(&step["mu"]));
    let before = vector(&step["phibar_prev"]);
    let mut pairs = Vec::new();
    for i in 0..nc {
        pairs.push(r.push_pair(&motion(&jnu[i], &jna[i]), phi[i], pn + i));
        r.push(&[(pn + i, 1.0)], 0.0, ((-h * k[i] * before[i]).max(0.0), INF));
        let mut cone = vec![(pn + i, mu[i])];
        for f in i * nd..(i + 1) * nd {
            let mut entries = motion(&jfu[f], &jfa[f]);
            entries.push((gamma + i, 1.0));
            pairs.push(r.push_pair(&entries, 0.0, pf + f));
            cone.push((pf + f, -1.0));
        }
        pairs.push(r.push_pair(&cone, 0.0, gamma + i));
    }
    let m = r.offset.len();
    let p: Vec<_> = (nu..nu + na).map(|j| (j, j, 2.0)).collect();
    let mut c = vec![0.0; n];
    (0..na).for_each(|j| c[nu + j] = -2.0 * command[j]);
    let bounds = r.bounds.iter().copied().unzip();
    let rows = CsrBuf::from_triplets(m, r.n, &r.rows);
    let mut out = ConicBuf::from_parts(CsrBuf::from_triplets(n, n, &p), c, rows, r.offset, bounds);
    out.tolerance = 1e-10;
    (out, pairs)
}

/// Solves the relaxation of every step and the program with the pairs of the optimum.
fn report(file: &str) {
    let all = vinci_test_problems::json(file);
    let (mut solver, mut tight, mut matched, mut steps) = (solver(Config::default()), 0, 0, 0);
    for step in all["steps"].as_array().expect("steps") {
        let (mut program, pairs) = relaxation(step);
        let command = vector(&step["dqa_cmd"]);
        let constant: f64 = command.iter().map(|q| q * q).sum();
        let (known, optimum) = (vector(&step["x"]), step["obj"].as_f64().expect("an objective"));
        let root = solve_with(&mut solver, &program.view());
        assert_eq!(root.status, Status::Converged, "{file}: {}", root.note);
        let bound = program.view().objective(&root.x) + constant;
        assert!(bound <= optimum + 1e-12, "{file}: a relaxation of {bound:e} above the optimum {optimum:e}");
        tight += usize::from(bound >= optimum - 1e-12);
        for &(i, j) in &pairs {
            let (si, sj) = (program.view().s(i, &known), program.view().s(j, &known));
            program.upper[if si <= sj { i } else { j }] = 0.0;
        }
        program.dual_guess = root.y;
        let leaf = solve_with(&mut solver, &program.view());
        let value = program.view().objective(&leaf.x) + constant;
        println!("{file}: root {bound:e}, leaf {:?} {value:e}, known {optimum:e}", leaf.status);
        matched += usize::from(leaf.status == Status::Converged && (value - optimum).abs() <= 1e-12);
        steps += 1;
    }
    println!("{file}: {tight} tight relaxations, {matched} optima found again, of {steps}");
    assert_eq!(matched, steps, "{file}");
}

#[test]
fn six_contacts() {
    report("miqp-cylinder36.json");
}

#[test]
fn twelve_contacts() {
    report("miqp-box72.json");
}
