//! Work against precision of the integrators of compliant contact on the box of Castro et al. (2020), section IV-A, Figure 5:
//! writes `docs/src/figures/work-precision.csv` and `.svg`. Run with `cargo run --release -p vinci-tests --example work_precision`;
//! with `-- --redraw` behind it the picture alone is drawn, from the table that is there.
//!
//! Work is the number of evaluations of f(t, x), those for differences included. Precision is the root mean square over
//! windows of 25 ms of the difference of the box's velocity, at the end of the window, to a reference that starts from the
//! tested solution at its beginning: m v' = 4 cos(2πt) − μ̃(v) W sgn v by a Runge-Kutta method of order 3 with steps of 0.1 µs.

use std::f64::consts::PI;
use std::fmt::Write as _;

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, ground, planar, set};
use vinci_tests::house;
use vinci_tests::run::simulation;

const MASS: f64 = 0.33;
const WEIGHT: f64 = MASS * 9.8;
const V_S: f64 = 1e-4;
const STIFFNESS: f64 = 1e5;
/// Δ_w, s.
const WINDOW: f64 = 0.025;
const WINDOWS: u32 = 80;
/// Steps of the reference per window.
const REFERENCE: u32 = 250_000;

/// Steps per window of the integrators with fixed steps: h = 25 ms … 10 µs.
const DIVISIONS: [u32; 11] = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1000, 2500];
/// Accuracies of those with error control, m/s.
const ACCURACIES: [f64; 7] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// Accuracy over h of those with fixed steps, m/s²: what Newton's method leaves (0.05 of it) adds up to at most 5e-7 m/s over a
/// window, whatever h. With one accuracy for all h it adds up to more than the error of short steps: quasi-Newton at a =
/// 1e-5 m/s and h = 10 µs ends with 7e-4 m/s.
const NEWTON: f64 = 4e-4;

/// A curve of the figure.
struct Method {
    name: &'static str,
    jacobian: &'static str,
    tals: bool,
    error_control: bool,
    /// Iterations that every try gets; none: it ends where it diverges.
    patience: Option<u32>,
}

const fn method(name: &'static str, jacobian: &'static str, tals: bool, error_control: bool) -> Method {
    Method { name, jacobian, tals, error_control, patience: None }
}

/// With a new derivative at every iterate, fixed steps, and tries that end after so many iterations, however they go.
const fn enduring(name: &'static str, tals: bool, iterations: u32) -> Method {
    Method { name, jacobian: "full", tals, error_control: false, patience: Some(iterations) }
}

const METHODS: [Method; 12] = [
    method("FN", "full", false, false),
    method("FN + TALS", "full", true, false),
    method("QN", "quasi", false, false),
    method("QN + TALS", "quasi", true, false),
    method("FN, EC", "full", false, true),
    method("FN + TALS, EC", "full", true, true),
    method("QN, EC", "quasi", false, true),
    method("QN + TALS, EC", "quasi", true, true),
    enduring("FN, 10", false, 10),
    enduring("FN + TALS, 10", true, 10),
    enduring("FN, 20", false, 20),
    enduring("FN, 100", false, 100),
];

/// One run.
struct Point {
    method: String,
    /// Step, s, or accuracy, m/s.
    setting: f64,
    evaluations: u64,
    steps: u64,
    error: f64,
}

/// The box, carried by its contact from the start.
fn scene() -> Value {
    let body = json!({"name": "box", "mass": MASS, "position": [0, 0.05 - WEIGHT / STIFFNESS],
        "shapes": [{"type": "disc", "radius": 0.05}],
        "dofs": {"x": {"force": {"expression": "4*cos(2*pi*t)"}}, "angle": "locked"}});
    let mut scene = planar(1.0, 0.0, json!([ground("planar"), body]));
    scene["gravity"] = json!([0, -9.8]);
    scene["combination"] = json!({"stiffness": "max", "dissipation": "max"});
    scene["materials"]["default"]["stiffness"] = json!(STIFFNESS);
    scene["materials"]["default"]["dissipation"] = json!(50.0);
    scene
}

fn acceleration(t: f64, v: f64) -> f64 {
    (4.0 * (2.0 * PI * t).cos() - WEIGHT * (v / V_S).clamp(-1.0, 1.0)) / MASS
}

/// Kutta's method of order 3 over one window.
fn reference(start: f64, mut v: f64) -> f64 {
    let h = WINDOW / f64::from(REFERENCE);
    for k in 0..REFERENCE {
        let t = start + f64::from(k) * h;
        let a = acceleration(t, v);
        let b = acceleration(t + 0.5 * h, v + 0.5 * h * a);
        let c = acceleration(t + h, v + h * (2.0 * b - a));
        v += h / 6.0 * (a + 4.0 * b + c);
    }
    v
}

fn measure(method: &Method, setting: f64, per_window: u32) -> Point {
    let mut options = json!({"jacobian": method.jacobian, "tals": method.tals, "balance": null});
    if let Some(iterations) = method.patience {
        options["give_up"] = json!("iterations");
        options["iterations"] = json!(iterations);
    }
    if method.error_control {
        options["error_control"] = json!("step-doubling");
        options["accuracy"] = json!(setting);
    }
    let h = WINDOW / f64::from(per_window);
    if !method.error_control {
        options["accuracy"] = json!(NEWTON * h);
    }
    let e = experiment(scene(), h, WINDOW * f64::from(WINDOWS));
    let e = set(&set(&e, "/stepper/plugin", "implicit-euler"), "/stepper/options", options);
    let (mut run, mut sum) = (simulation(&e), 0.0);
    for window in 0..WINDOWS {
        let exact = reference(f64::from(window) * WINDOW, run.v()[0]);
        while run.grid_count() < u64::from((window + 1) * per_window) {
            run.advance_to(run.next_grid_time()).expect("the box runs");
        }
        sum += (run.v()[0] - exact).powi(2);
    }
    let error = (sum / f64::from(WINDOWS)).sqrt();
    Point {
        method: method.name.into(),
        setting,
        evaluations: run.counts.evaluations,
        steps: run.step_count(),
        error,
    }
}

fn all() -> Vec<Point> {
    let mut points = Vec::new();
    for method in &METHODS {
        let settings: Vec<(f64, u32)> = match method.error_control {
            true => ACCURACIES.map(|a| (a, 1)).into(),
            false => DIVISIONS.map(|n| (WINDOW / f64::from(n), n)).into(),
        };
        points.extend(settings.into_iter().map(|(setting, n)| measure(method, setting, n)));
    }
    points
}

fn table(points: &[Point]) -> String {
    let mut out = String::from("method,setting,evaluations,steps,error_m_s\n");
    for p in points {
        let _ = writeln!(out, "\"{}\",{},{},{},{:e}", p.method, p.setting, p.evaluations, p.steps, p.error);
    }
    out
}

/// The table of [`table`], read back.
fn points_of(table: &str) -> Option<Vec<Point>> {
    let point = |line: &str| {
        let (method, rest) = line.strip_prefix('"')?.split_once("\",")?;
        let numbers: Vec<f64> = rest.split(',').map(|x| x.parse().ok()).collect::<Option<_>>()?;
        let &[setting, evaluations, steps, error] = numbers.as_slice() else { return None };
        let (evaluations, steps) = (evaluations as u64, steps as u64);
        Some(Point { method: method.into(), setting, evaluations, steps, error })
    };
    table.lines().skip(1).map(point).collect()
}

const COLOURS: [&str; 4] = ["#c8553d", "#1b6ca8", "#d99a2b", "#3f8f4f"];
const W: f64 = 560.0;
const H: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 400.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 370.0;

/// Axes in powers of ten: errors to the right, work upwards.
struct Axes {
    x: (f64, f64),
    y: (f64, f64),
}

impl Axes {
    fn of(points: &[Point]) -> Self {
        let range = |of: &dyn Fn(&Point) -> f64| {
            let logs = points.iter().map(|p| of(p).log10());
            let (low, high) = logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            (low.floor(), high.ceil())
        };
        Self { x: range(&|p| p.error), y: range(&|p| p.evaluations as f64) }
    }

    fn x(&self, error: f64) -> f64 {
        LEFT + (error.log10() - self.x.0) / (self.x.1 - self.x.0) * (RIGHT - LEFT)
    }

    fn y(&self, work: f64) -> f64 {
        BOTTOM - (work.log10() - self.y.0) / (self.y.1 - self.y.0) * (BOTTOM - TOP)
    }

    fn draw(&self, svg: &mut String) {
        for d in self.x.0 as i32..=self.x.1 as i32 {
            let at = self.x(10.0_f64.powi(d));
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {TOP}V{BOTTOM}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">1e{d}</text>",
                BOTTOM + 15.0
            );
        }
        for d in self.y.0 as i32..=self.y.1 as i32 {
            let at = self.y(10.0_f64.powi(d));
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{RIGHT}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">1e{d}</text>",
                LEFT - 6.0,
                at + 4.0
            );
        }
        let (at, middle, below) = (self.x(V_S), 0.5 * (LEFT + RIGHT), BOTTOM + 33.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {TOP}V{BOTTOM}\" stroke=\"#888\" stroke-dasharray=\"2 3\"/><text x=\"{:.1}\" y=\"{}\">v_s</text>",
            at + 3.0,
            TOP + 12.0
        );
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">error of the velocity over 25 ms, m/s (root mean square)</text>"
        );
        let (x, y) = (16.0, 0.5 * (TOP + BOTTOM));
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" transform=\"rotate(-90 {x} {y})\" text-anchor=\"middle\">evaluations of f over 2 s</text>"
        );
    }
}

fn picture(points: &[Point]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {W} {H}\" font-size=\"11\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let axes = Axes::of(points);
    axes.draw(&mut svg);
    for (k, method) in METHODS.iter().enumerate() {
        let dash = match method.patience {
            Some(_) => " stroke-dasharray=\"1.5 3\"",
            None if method.error_control => " stroke-dasharray=\"5 3\"",
            None => "",
        };
        let stroke = format!("stroke=\"{}\" stroke-width=\"1.6\" fill=\"none\"{dash}", COLOURS[k % 4]);
        let mut line = String::new();
        for p in points.iter().filter(|p| p.method == method.name) {
            let (x, y) = (axes.x(p.error), axes.y(p.evaluations as f64));
            let _ = write!(line, "{x:.1},{y:.1} ");
            let _ =
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.2\" fill=\"{}\"/>", COLOURS[k % 4]);
        }
        let (x, y) = (RIGHT + 16.0, TOP + 12.0 + 16.0 * k as f64);
        let _ = writeln!(svg, "<polyline points=\"{}\" {stroke}/>", line.trim_end());
        let _ = writeln!(
            svg,
            "<path d=\"M{x} {}h26\" {stroke}/><text x=\"{}\" y=\"{y}\">{}</text>",
            y - 4.0,
            x + 32.0,
            method.name
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn main() -> std::io::Result<()> {
    let figures = house::root().join("docs/src/figures");
    let csv = figures.join("work-precision.csv");
    let points = if std::env::args().nth(1).as_deref() == Some("--redraw") {
        let none = || std::io::Error::other("the table is none of this program");
        points_of(&std::fs::read_to_string(&csv)?).ok_or_else(none)?
    } else {
        let points = all();
        std::fs::write(&csv, table(&points))?;
        points
    };
    std::fs::write(figures.join("work-precision.svg"), picture(&points))
}
