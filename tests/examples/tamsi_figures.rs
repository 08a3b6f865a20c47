//! Newton residuals of TAMSI with and without its line search (fig. 4 of Castro et al. 2020), and its error against the step:
//! writes `docs/src/figures/tamsi-newton.csv`, `tamsi-convergence.csv` and their pictures. Run with
//! `cargo run --release -p vinci-tests --example tamsi_figures`.

#[path = "../tests/physics/tamsi/box_step.rs"]
#[allow(dead_code)] // states are looked at by the tests
mod box_step;
#[allow(dead_code)] // transitions are looked at by the tests
#[path = "../tests/physics/tamsi/reference.rs"]
mod reference;

use std::fmt::Write as _;

use box_step::{BoxStep, tamsi};
use reference::Reference;
use serde_json::{Value, json};
use vinci_solver_newton_tals::Config;
use vinci_tests::experiment::{set, shipped, timed};
use vinci_tests::house;
use vinci_tests::run::simulation;

const STEPS: [f64; 10] = [0.025, 0.0125, 0.01, 0.005, 0.0025, 0.001, 5e-4, 1e-4, 5e-5, 1e-5];
/// Newton steps that are shown of an iteration that does not end.
const SHOWN: usize = 20;

/// A curve: its name and its points.
type Curve = (&'static str, Vec<(f64, f64)>);

/// Residuals of the step that begins at 0.16 s, h = 10 ms, forces at its end.
fn newton(options: &Value) -> Vec<(f64, f64)> {
    let mut run = simulation(&set(&shipped("tamsi-box"), "/stepper/options", json!({ "forces": "end" })));
    for _ in 0..16 {
        run.advance(0.01).expect("the box moves");
    }
    let force = 4.0 * (2.0 * std::f64::consts::PI * 0.17).cos();
    let step = BoxStep { h: 0.01, v: run.v()[0], force };
    let mut stepper = tamsi(&options.to_string());
    let outcome = step.make(&mut *stepper, Config::default()).expect("a lawful step");
    let residuals = outcome.history.iter().map(|i| i.residual).take(SHOWN);
    residuals.enumerate().map(|(k, r)| (k as f64, r)).collect()
}

/// Root mean square error of v over the grid times of 2 s.
fn convergence(forces: &str, reference: &Reference) -> Vec<(f64, f64)> {
    let e = set(&shipped("tamsi-box"), "/stepper/options", json!({ "forces": forces }));
    let error = |h: f64| {
        let (mut run, steps) = (simulation(&timed(&e, h, 2.0)), (2.0 / h).round() as u64);
        let mut sum = 0.0;
        while run.grid_count() < steps {
            run.advance_to(run.next_grid_time()).expect("the box moves");
            sum += (run.v()[0] - reference.at(run.time())).powi(2);
        }
        (sum / steps as f64).sqrt()
    };
    STEPS.map(|h| (h, error(h))).into()
}

fn table(head: &str, curves: &[Curve]) -> String {
    let mut out = format!("{head}\n");
    for (name, points) in curves {
        for (x, y) in points {
            let _ = writeln!(out, "{name},{x},{y:e}");
        }
    }
    out
}

const COLOURS: [&str; 3] = ["#1b6ca8", "#c8553d", "#3f8f4f"];
const W: f64 = 460.0;
const H: f64 = 356.0;

/// What a picture says beside its curves.
struct Words {
    title: &'static str,
    x: &'static str,
    y: &'static str,
    /// True if x is shown by its logarithm.
    log: bool,
}

/// y by its logarithm over x.
fn picture(words: &Words, curves: &[Curve]) -> String {
    let place = |x: f64| if words.log { x.log10() } else { x };
    let points = || curves.iter().flat_map(|(_, p)| p).filter(|p| p.1 > 0.0);
    let range = |of: &dyn Fn(&(f64, f64)) -> f64| {
        points().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
    };
    let ((x0, x1), (y0, y1)) = (range(&|p| place(p.0)), range(&|p| p.1.log10()));
    let (y0, y1) = (y0.floor(), y1.ceil());
    let x = |v: f64| 70.0 + (place(v) - x0) / (x1 - x0) * (W - 100.0);
    let y = |v: f64| H - 101.0 - (v.log10() - y0) / (y1 - y0) * (H - 141.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {W} {H}\" font-size=\"11\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"70\" y=\"20\" font-weight=\"bold\">{}</text>\n",
        words.title
    );
    let every = ((y1 - y0) / 8.0).ceil() as usize;
    for d in (y0 as i32..=y1 as i32).step_by(every) {
        let at = y(10.0_f64.powi(d));
        let _ = writeln!(
            svg,
            "<path d=\"M70 {at:.1}H{}\" stroke=\"#ddd\"/><text x=\"64\" y=\"{:.1}\" text-anchor=\"end\">1e{d}</text>",
            W - 30.0,
            at + 4.0
        );
    }
    let ticks: Vec<f64> = if words.log { vec![1e-5, 1e-4, 1e-3, 1e-2] } else { vec![0.0, 5.0, 10.0, 15.0] };
    for tick in ticks {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>",
            x(tick),
            H - 84.0
        );
    }
    let middle = 0.5 * (H - 61.0);
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n<text x=\"16\" y=\"{middle}\" transform=\"rotate(-90 16 {middle})\" text-anchor=\"middle\">{}</text>",
        0.5 * W,
        H - 66.0,
        words.x,
        words.y
    );
    for (k, ((name, points), colour)) in curves.iter().zip(COLOURS).enumerate() {
        let at = |p: &(f64, f64)| format!("{:.1},{:.1}", x(p.0), y(p.1));
        // A residual of exactly 0 has no logarithm.
        let line: Vec<String> = points.iter().filter(|p| p.1 > 0.0).map(at).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>",
            line.join(" ")
        );
        for point in &line {
            let (px, py) = point.split_once(',').unwrap_or_default();
            let _ = writeln!(svg, "<circle cx=\"{px}\" cy=\"{py}\" r=\"2.5\" fill=\"{colour}\"/>");
        }
        let row = H - 46.0 + 16.0 * k as f64;
        let _ = writeln!(
            svg,
            "<path d=\"M70 {}h22\" stroke=\"{colour}\" stroke-width=\"1.6\"/><text x=\"98\" y=\"{row}\">{name}</text>",
            row - 4.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn main() -> std::io::Result<()> {
    let figures = house::root().join("docs/src/figures");
    let curves: [Curve; 3] = [
        ("with the line search", newton(&json!({}))),
        ("without", newton(&json!({ "tals": false }))),
        ("quadratic law with the line search", newton(&json!({ "law": "quadratic" }))),
    ];
    std::fs::write(
        figures.join("tamsi-newton.csv"),
        table("iteration,newton_step,relative_residual", &curves),
    )?;
    let words = Words {
        title: "Newton residual, step from 0.16 s (h = 10 ms) into stiction",
        x: "Newton step",
        y: "residual, relative",
        log: false,
    };
    std::fs::write(figures.join("tamsi-newton.svg"), picture(&words, &curves))?;
    let reference = Reference::new(2.0);
    let curves: [Curve; 2] = [
        ("forces at the start of the step", convergence("start", &reference)),
        ("forces at its end", convergence("end", &reference)),
    ];
    std::fs::write(
        figures.join("tamsi-convergence.csv"),
        table("scheme,h_s,rms_velocity_error_m_s", &curves),
    )?;
    let words = Words {
        title: "TAMSI on the box: error of the velocity over 2 s",
        x: "step size h, s",
        y: "root mean square error, m/s",
        log: true,
    };
    std::fs::write(figures.join("tamsi-convergence.svg"), picture(&words, &curves))
}
