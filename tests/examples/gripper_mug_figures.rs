//! The mug in the shaken gripper of Castro et al. (2020), section VI-A: error of the mug's velocity against the step, and
//! what TAMSI and implicit Euler cost for it (their figs. 8 and 7). Writes `docs/src/figures/gripper-mug.csv`, `gripper-mug-time.csv` and `gripper-mug.svg`. Run with
//! `cargo run --release -p vinci-tests --example gripper_mug_figures`; with `-- --redraw` the picture alone is drawn, from the
//! tables that are there.
//!
//! The error is the root mean square, over the grid times of 3 ms within the first 0.6 s, of the velocity of the mug's centre against that
//! of a run of TAMSI with a step of 3 µs. Friction follows the quadratic curve, forces are those of the start of a step (TAMSI) or
//! of its end (implicit Euler). Work is the number of evaluations of f(t, x), those for differences included, and the processor's
//! time of this program, which belongs to a machine; the least of three is taken. By the clock on the wall, whatever else the
//! machine does shows as plateaus.

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::fmt::Write as _;
use vinci_tests::experiment::{set, shipped, timed};
use vinci_tests::house;
use vinci_tests::run::{Run, simulation};

/// Seconds that are simulated.
const DURATION: f64 = 0.6;
/// Grid of the comparison, s.
const GRID: f64 = 0.003;
/// Steps per grid step: h = 3 ms … 30 µs.
const DIVISIONS: [u32; 5] = [1, 3, 10, 30, 100];
/// Of the reference: 3 µs.
const REFERENCE: u32 = 1000;
const REPEAT: usize = 3;

const METHODS: [&str; 3] = ["TAMSI", "implicit Euler FN + TALS", "implicit Euler FN"];

/// A run.
struct Point {
    method: String,
    h: f64,
    /// Accepted steps, those of halved grid steps included.
    steps: u64,
    evaluations: u64,
    error: f64,
    seconds: f64,
}

/// Velocities of the mug's centre at the grid's times, m/s, and what they cost.
struct Seen {
    velocities: Vec<[f64; 3]>,
    steps: u64,
    evaluations: u64,
    seconds: f64,
}

fn experiment(method: &str) -> Value {
    let e = shipped("tamsi-gripper-mug");
    if method == METHODS[0] {
        return e;
    }
    let options = json!({ "law": "quadratic", "tals": method == METHODS[1] });
    set(&e, "/stepper", json!({ "plugin": "implicit-euler", "options": options }))
}

fn see(method: &str, division: u32) -> Seen {
    let h = GRID / f64::from(division);
    let mut run = simulation(&timed(&experiment(method), h, DURATION));
    let (mut velocities, grid) = (Vec::new(), (DURATION / GRID).round() as u64);
    let mug = Run::of(simulation(&experiment(method))).at_v("mug");
    let clock = cpu_seconds();
    for k in 1..=grid {
        while run.grid_count() < k * u64::from(division) {
            run.advance_to(run.next_grid_time()).expect("the gripper runs");
        }
        velocities.push([0, 1, 2].map(|i| run.v()[mug + i]));
    }
    let seconds = cpu_seconds() - clock;
    // TAMSI evaluates once a step.
    let evaluations = run.counts.evaluations.max(run.step_count());
    Seen { velocities, steps: run.step_count(), evaluations, seconds }
}

/// Time that the processor has spent on this program, s.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

fn difference(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>());
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

fn all() -> Vec<Point> {
    let reference = see(METHODS[0], REFERENCE).velocities;
    let mut points = Vec::new();
    for method in METHODS {
        for division in DIVISIONS {
            let mut seen = see(method, division);
            for _ in 1..REPEAT {
                seen.seconds = seen.seconds.min(see(method, division).seconds);
            }
            let Seen { velocities, steps, evaluations, seconds } = seen;
            let error = difference(&velocities, &reference);
            let h = GRID / f64::from(division);
            points.push(Point { method: method.into(), h, steps, evaluations, error, seconds });
            eprintln!("{method}, h = {h} s: {error:e} m/s, {evaluations} evaluations, {seconds} s");
        }
    }
    points
}

fn table(points: &[Point]) -> String {
    let mut out = String::from("method,h_s,steps,evaluations,rms_error_m_s,cpu_s\n");
    for p in points {
        let _ = writeln!(
            out,
            "\"{}\",{},{},{},{:.4e},{:.4e}",
            p.method, p.h, p.steps, p.evaluations, p.error, p.seconds
        );
    }
    out
}

/// The table of [`table`], read back.
fn points_of(table: &str) -> Option<Vec<Point>> {
    let point = |line: &str| {
        let (method, rest) = line.strip_prefix('"')?.split_once("\",")?;
        let numbers: Vec<f64> = rest.split(',').map(|x| x.parse().ok()).collect::<Option<_>>()?;
        let &[h, steps, evaluations, error, seconds] = numbers.as_slice() else { return None };
        let (steps, evaluations) = (steps as u64, evaluations as u64);
        Some(Point { method: method.into(), h, steps, evaluations, error, seconds })
    };
    table.lines().skip(1).map(point).collect()
}

/// Simulated time against the processor's time it took, of whole runs with steps of 3 ms: their fig. 7.
fn trace(method: &str) -> Vec<(f64, f64)> {
    let mut run = simulation(&experiment(method));
    let (clock, mut points) = (cpu_seconds(), Vec::new());
    while let Some(end) = run.next_end(5.001) {
        run.advance_to(end).expect("the gripper runs");
        if run.grid_count().is_multiple_of(10) {
            points.push((cpu_seconds() - clock, run.time()));
        }
    }
    points
}

fn traces() -> Vec<(String, f64, f64)> {
    let of = |method: &str| {
        trace(method).into_iter().map(|(spent, t)| (method.to_owned(), spent, t)).collect::<Vec<_>>()
    };
    METHODS.iter().flat_map(|method| of(method)).collect()
}

fn trace_table(rows: &[(String, f64, f64)]) -> String {
    let mut out = String::from("method,cpu_s,simulated_s\n");
    for (method, spent, t) in rows {
        let _ = writeln!(out, "\"{method}\",{spent:.6},{t:.3}");
    }
    out
}

fn traces_of(table: &str) -> Option<Vec<(String, f64, f64)>> {
    let row = |line: &str| {
        let (method, rest) = line.strip_prefix('"')?.split_once("\",")?;
        let (spent, t) = rest.split_once(',')?;
        Some((method.to_owned(), spent.parse().ok()?, t.parse().ok()?))
    };
    table.lines().skip(1).map(row).collect()
}

const COLOURS: [&str; 3] = ["#1b6ca8", "#3f8f4f", "#c8553d"];
const W: f64 = 780.0;
const H: f64 = 310.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 240.0;

/// An axis: by its logarithm in whole powers of ten, or from 0 in ones.
#[derive(Clone, Copy)]
struct Axis {
    log: bool,
    low: i32,
    high: i32,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, log: bool) -> Self {
        let placed = values.map(|v| if log { v.log10() } else { v });
        let (low, high) = placed.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        Self { log, low: if log { low.floor() as i32 } else { 0 }, high: high.ceil() as i32 }
    }

    /// Place of a value between 0 and 1.
    fn at(self, v: f64) -> f64 {
        let placed = if self.log { v.log10() } else { v };
        (placed - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    fn ticks(self) -> impl Iterator<Item = (f64, String)> {
        let of = move |d: i32| {
            if self.log { (10.0_f64.powi(d), format!("1e{d}")) } else { (f64::from(d), d.to_string()) }
        };
        (self.low..=self.high).map(of)
    }
}

/// A panel between two places on the page: names of axes, and a curve per method.
struct Panel {
    x_name: &'static str,
    y_name: &'static str,
    place: (f64, f64),
    log: (bool, bool),
    marks: bool,
    curves: Vec<Vec<(f64, f64)>>,
}

impl Panel {
    fn draw(&self, svg: &mut String) {
        let points = || self.curves.iter().flatten();
        let across = Axis::of(points().map(|p| p.0), self.log.0);
        let up = Axis::of(points().map(|p| p.1), self.log.1);
        let (left, right) = self.place;
        let x = |v: f64| left + across.at(v) * (right - left);
        let y = |v: f64| BOTTOM - up.at(v) * (BOTTOM - TOP);
        for (value, label) in across.ticks() {
            let _ = writeln!(
                svg,
                "<path d=\"M{0:.1} {TOP}V{BOTTOM}\" stroke=\"#ddd\"/><text x=\"{0:.1}\" y=\"{1}\" text-anchor=\"middle\">{label}</text>",
                x(value),
                BOTTOM + 15.0
            );
        }
        for (value, label) in up.ticks() {
            let _ = writeln!(
                svg,
                "<path d=\"M{left} {0:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{label}</text>",
                y(value),
                left - 5.0,
                y(value) + 4.0
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"20\" font-weight=\"bold\">{}</text>\n<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            self.y_name,
            0.5 * (left + right),
            BOTTOM + 32.0,
            self.x_name
        );
        for (curve, colour) in self.curves.iter().zip(COLOURS) {
            let line: Vec<String> = curve.iter().map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1))).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>",
                line.join(" ")
            );
            for p in curve.iter().filter(|_| self.marks) {
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.3\" fill=\"{colour}\"/>",
                    x(p.0),
                    y(p.1)
                );
            }
        }
    }
}

fn picture(points: &[Point], traces: &[(String, f64, f64)]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {W} {H}\" font-size=\"11\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let curves = |x: &dyn Fn(&Point) -> f64| {
        let of =
            |method: &&str| points.iter().filter(|p| p.method == **method).map(|p| (x(p), p.error)).collect();
        METHODS.iter().map(of).collect()
    };
    let of = |method: &&str| traces.iter().filter(|t| t.0 == **method).map(|t| (t.1, t.2)).collect();
    let (log, marks) = ((true, true), true);
    let error = "error of the mug's velocity, m/s";
    let panels = [
        Panel {
            x_name: "step h, s",
            y_name: error,
            place: (50.0, 260.0),
            log,
            marks,
            curves: curves(&|p| p.h),
        },
        Panel {
            x_name: "evaluations of f in 0.6 s",
            y_name: error,
            place: (305.0, 515.0),
            log,
            marks,
            curves: curves(&|p| p.evaluations as f64),
        },
        Panel {
            x_name: "time of the processor, s",
            y_name: "simulated time, s (h = 3 ms)",
            place: (560.0, 765.0),
            log: (true, false),
            marks: false,
            curves: METHODS.iter().map(of).collect(),
        },
    ];
    panels.iter().for_each(|panel| panel.draw(&mut svg));
    for (k, (method, colour)) in METHODS.iter().zip(COLOURS).enumerate() {
        let (x, y) = (50.0 + 220.0 * k as f64, H - 14.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{x} {}h22\" stroke=\"{colour}\" stroke-width=\"1.6\"/><text x=\"{}\" y=\"{y}\">{method}</text>",
            y - 4.0,
            x + 28.0
        );
    }
    svg + "</svg>\n"
}

fn main() -> std::io::Result<()> {
    let figures = house::root().join("docs/src/figures");
    let (csv, time) = (figures.join("gripper-mug.csv"), figures.join("gripper-mug-time.csv"));
    let (points, traces) = if std::env::args().nth(1).as_deref() == Some("--redraw") {
        let none = || std::io::Error::other("the table is none of this program");
        let points = points_of(&std::fs::read_to_string(&csv)?).ok_or_else(none)?;
        (points, traces_of(&std::fs::read_to_string(&time)?).ok_or_else(none)?)
    } else {
        let (points, traces) = (all(), traces());
        std::fs::write(&csv, table(&points))?;
        std::fs::write(&time, trace_table(&traces))?;
        (points, traces)
    };
    std::fs::write(figures.join("gripper-mug.svg"), picture(&points, &traces))
}
