//! Runs the problem collections and prints what came out.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use std::time::Instant;
use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::{MlcpBuf, Problem};
use vinci_sdk::core::stage::Solver;
use vinci_sdk::serde_json::Value;
use vinci_solver_lemke::{Config, Lemke};

fn load(v: &Value) -> MlcpBuf {
    let list =
        |v: &Value| -> Vec<f64> { v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    let q = list(&v["q"]);
    let n = q.len();
    let nf = v["nf"].as_u64().unwrap() as usize;
    let (i, j, m) = (list(&v["M"]["i"]), list(&v["M"]["j"]), list(&v["M"]["v"]));
    let t: Vec<_> = (0..i.len()).map(|k| (i[k] as usize, j[k] as usize, m[k])).collect();
    let lower = (0..n).map(|k| if k < nf { f64::NEG_INFINITY } else { 0.0 }).collect();
    MlcpBuf::from_parts(CsrBuf::from_triplets(n, n, &t), q, lower, vec![f64::INFINITY; n], 1e-10)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let filter = args.get(2).cloned().unwrap_or_default();
    let dense_limit = args.get(3).map_or(64, |s| s.parse().unwrap());
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let data: Vec<Value> = vinci_sdk::serde_json::from_str(&text).unwrap();
    let mut count = [0; 4];
    for v in &data {
        let name = v["name"].as_str().unwrap();
        if !name.contains(&filter) {
            continue;
        }
        let p = load(v);
        let mut solver = Lemke::new(Config { dense_limit, ..Config::default() }).unwrap();
        let start = Instant::now();
        let s = solver.solve(&Problem::Mlcp(p.view())).unwrap();
        let time = start.elapsed();
        let r = p.view().residual(s.z).natural;
        let verdict = v["verdict"].as_str().unwrap();
        let good = match s.status.name() {
            "Converged" => r < 1e-10,
            "Infeasible" => verdict.starts_with("infeasible"),
            _ => false,
        };
        count[if good { 0 } else { 1 }] += 1;
        println!(
            "{} {name} n={} {} -> {:?} r={r:.1e} it={} fac={} {time:?} {}",
            if good { "ok " } else { "BAD" },
            p.q.len(),
            &verdict[..6.min(verdict.len())],
            s.status,
            s.iterations,
            s.factorizations,
            s.note
        );
    }
    println!("{count:?}");
}
