//! The problem collections.

use std::path::PathBuf;
use std::time::Instant;

use vinci_core::CsrBuf;
use vinci_core::problem::{MlcpBuf, Problem, Status};
use vinci_core::stage::Solver;
use vinci_solver_newton::{Config, Newton};

struct Case {
    name: String,
    verdict: String,
    problem: MlcpBuf,
}

fn floats(v: &serde_json::Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn load(file: &str) -> Option<Vec<Case>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problem-collections").join(file);
    let text = std::fs::read_to_string(&path).ok()?;
    let list: serde_json::Value = serde_json::from_str(&text).unwrap();
    let cases = list.as_array().unwrap().iter().map(|c| {
        let n = c["n"].as_u64().unwrap() as usize;
        let nf = c["nf"].as_u64().unwrap() as usize;
        let (i, j, v) = (floats(&c["M"]["i"]), floats(&c["M"]["j"]), floats(&c["M"]["v"]));
        let triplets: Vec<_> = i.iter().zip(&j).zip(&v).map(|((i, j), v)| (*i as usize, *j as usize, *v)).collect();
        let lower = (0..n).map(|k| if k < nf { f64::NEG_INFINITY } else { 0.0 }).collect();
        Case {
            name: c["name"].as_str().unwrap().into(),
            verdict: c["verdict"].as_str().unwrap().into(),
            problem: MlcpBuf::from_parts(
                CsrBuf::from_triplets(n, n, &triplets),
                floats(&c["q"]),
                lower,
                vec![f64::INFINITY; n],
                1e-10,
            ),
        }
    });
    Some(cases.collect())
}

fn run(file: &str) {
    let Some(cases) = load(file) else {
        println!("{file} is absent");
        return;
    };
    let only = std::env::var("CASE").ok();
    let mut solver = Newton::new(Config::default());
    let mut solved = 0;
    for c in cases.iter().filter(|c| only.as_deref().is_none_or(|o| c.name.contains(o))) {
        let p = c.problem.view();
        let start = Instant::now();
        let s = solver.solve(&Problem::Mlcp(p)).unwrap();
        let time = start.elapsed().as_secs_f64();
        let r = p.residual(s.z).natural;
        solved += usize::from(s.status == Status::Converged);
        println!(
            "{:36} n {:5} {:10} {:16} res {:9.2e} it {:5} fac {:5} {:9.3} ms  {}",
            c.name, p.n(), &c.verdict[..4], s.status.name(), r, s.iterations, s.factorizations, time * 1e3, s.note
        );
    }
    println!("solved {solved} of {}", cases.len());
}

#[test]
fn own() {
    run("contact-lcp.json");
}

#[test]
fn siconos() {
    run("siconos/siconos_lcp_mlcp.json");
}
