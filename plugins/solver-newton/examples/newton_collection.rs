//! Solves every problem of a collection file and prints what came out:
//! `cargo run --release --example newton_collection -- FILE [PART OF A NAME] [OPTIONS AS JSON]`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::{MlcpBuf, Problem};
use vinci_sdk::core::stage::Solver;
use vinci_sdk::serde_json::{self, Value};
use vinci_solver_newton::{Config, Newton};

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

fn read(case: &Value) -> MlcpBuf {
    let q = numbers(&case["q"]);
    let n = q.len();
    let free = case["nf"].as_u64().unwrap_or(0) as usize;
    let (i, j, v) = (numbers(&case["M"]["i"]), numbers(&case["M"]["j"]), numbers(&case["M"]["v"]));
    let triplets: Vec<_> = (0..v.len()).map(|k| (i[k] as usize, j[k] as usize, v[k])).collect();
    let lower = (0..n).map(|k| if k < free { f64::NEG_INFINITY } else { 0.0 }).collect();
    let m = CsrBuf::from_triplets(n, n, &triplets);
    let mut problem = MlcpBuf::from_parts(m, q, lower, vec![f64::INFINITY; n], 1e-10);
    problem.guess = numbers(&case["guess"]);
    problem
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let part = arguments.next().unwrap_or_default();
    let config: Config = vinci_sdk::parse_options(&arguments.next().unwrap_or_default())?;
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let mut solver = Newton::new(config)?;
    let mut times = Vec::new();
    let mut reached = [0; 3];
    for case in &cases {
        let name = case["name"].as_str().unwrap_or("?");
        if !name.contains(&part) {
            continue;
        }
        let problem = read(case);
        let p = problem.view();
        let start = Instant::now();
        let s = solver.solve(&Problem::Mlcp(p))?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        times.push(ms);
        let residual = p.residual(s.z).natural;
        for (count, limit) in reached.iter_mut().zip([1e-6, 1e-8, 1e-10]) {
            *count += usize::from(residual <= limit);
        }
        println!(
            "{name:36} n {:5} {:16} {residual:9.2e} {:5} iterations {:5} factorisations {ms:9.3} ms  {}",
            p.n(),
            s.status.name(),
            s.iterations,
            s.factorizations,
            s.note
        );
    }
    times.sort_by(f64::total_cmp);
    let (Some(worst), Some(median)) = (times.last(), times.get(times.len() / 2)) else {
        return Err("no problem of that name".into());
    };
    let (count, sum) = (times.len(), times.iter().sum::<f64>());
    println!(
        "{count} problems, {reached:?} at 1e-6, 1e-8, 1e-10; ms: {median:.3} median, {worst:.1} worst, {sum:.1} in all"
    );
    Ok(())
}
