//! Draws the gripper of Pang and Tedrake (2018), Figures 5 and 6: runs `gripper-2d-miqp` and `gripper-2d-lcp` and writes
//! their data (CSV) and pictures (SVG) side by side into `docs/src/figures`.
//!
//! `cargo run -p vinci-tests --example gripper_figures`

use std::fmt::Write as _;
use std::path::Path;

use vinci_tests::experiment::shipped;
use vinci_tests::house;
use vinci_tests::run::{Run, run};

/// Colours of the curves of a panel.
const COLOURS: [&str; 3] = ["#1f5fa8", "#c8502a", "#3a8a4d"];
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 130.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 34.0;

/// One curve: its name, whether it is dashed, and a value per step (NaN: none).
struct Curve {
    name: &'static str,
    dashed: bool,
    values: Vec<f64>,
}

/// One panel: what it shows, the unit, and its curves over the steps.
struct Panel {
    title: &'static str,
    unit: &'static str,
    curves: Vec<Curve>,
}

fn curve(name: &'static str, values: Vec<f64>) -> Curve {
    Curve { name, dashed: false, values }
}

fn dashed(name: &'static str, values: Vec<f64>) -> Curve {
    Curve { name, dashed: true, values }
}

/// What the figures show of a run, per step l = 1 …: coordinates at its start, so that l = 1 is the initial state.
struct Seen {
    /// Start of the step, s.
    time: Vec<f64>,
    x_l: Vec<f64>,
    x_r: Vec<f64>,
    y_g: Vec<f64>,
    y_c: Vec<f64>,
    commanded: [Vec<f64>; 3],
    forces: [Vec<f64>; 3],
    bound: Vec<f64>,
}

/// Coordinates as in the paper: inner faces of the fingers, height of the fingertips and of the cylinder's centre.
fn see(run: &Run) -> Seen {
    let (left, right, cylinder) = (run.at_q("left"), run.at_q("right"), run.at_q("cylinder"));
    let of = |f: &dyn Fn(&[f64]) -> f64| run.moments.iter().map(|m| f(&m.q)).collect::<Vec<_>>();
    let force = |body: &str| {
        let per_step = run.moments[1..].iter().map(|m| {
            m.touches.iter().filter(|t| t.a == body || t.b == body).map(|t| t.p_n / m.h).sum::<f64>() + 0.0
        });
        per_step.chain([f64::NAN]).collect::<Vec<_>>()
    };
    let drives = &run.simulation.drives;
    let (system, n) = (&run.simulation.system, run.moments.len());
    let (mut commanded, mut bound) = ([Vec::new(), Vec::new(), Vec::new()], Vec::new());
    for k in 0..n - 1 {
        let (m, h) = (&run.moments[k], run.moments[k + 1].h);
        let mut command = vec![0.0; system.nv()];
        drives.commands(system, m.t, h, &m.q, &mut command).expect("the scene's formulas are finite");
        let at = [(left, -0.01), (right, 0.01)].map(|(i, half)| m.q[i] - half + h * command[i]);
        commanded[0].push(at[0]);
        commanded[1].push(at[1]);
        commanded[2].push(m.q[left + 1] - 0.1 + h * command[left + 1]);
        let x_c = run.moments[k + 1].q[cylinder];
        bound.push((1e4 * -(x_c - at[0] - 0.05).min(at[1] - x_c - 0.05)).max(0.0));
    }
    commanded.iter_mut().chain([&mut bound]).for_each(|list| list.push(f64::NAN));
    Seen {
        time: run.moments.iter().map(|m| m.t).collect(),
        x_l: of(&|q| q[left] + 0.01),
        x_r: of(&|q| q[right] - 0.01),
        y_g: of(&|q| q[left + 1] - 0.1),
        y_c: of(&|q| q[cylinder + 1]),
        commanded,
        forces: ["left", "right", "ground"].map(force),
        bound,
    }
}

fn csv(columns: &[(&str, &[f64])]) -> String {
    let mut text = String::from("step");
    // Names end in the unit.
    columns.iter().for_each(|(name, _)| text.push_str(&format!(",{name}")));
    text.push('\n');
    for k in 0..columns[0].1.len() {
        let _ = write!(text, "{}", k + 1);
        for (_, values) in columns {
            let cell = if values[k].is_nan() {
                String::new()
            } else {
                format!("{:.9}", (values[k] * 1e9).round() / 1e9 + 0.0)
            };
            let _ = write!(text, ",{cell}");
        }
        text.push('\n');
    }
    text
}

/// Round ticks over a range, about four.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 4.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|f| f * power).into_iter().find(|s| *s >= rough).unwrap_or(power);
    let first = (low / step).ceil() as i64;
    (first..).map(|i| i as f64 * step).take_while(|x| *x <= high + 1e-9 * step).collect()
}

/// Digits behind the point at which neighbouring ticks differ and each is what it says.
fn digits(ticks: &[f64]) -> usize {
    let step = ticks.windows(2).map(|t| t[1] - t[0]).fold(f64::INFINITY, f64::min);
    if step.is_finite() && step > 0.0 {
        (-(step * (1.0 + 1e-9)).log10().floor()).max(0.0) as usize
    } else {
        3
    }
}

fn svg(title: &str, panels: &[Panel]) -> String {
    let height = HEIGHT * panels.len() as f64 + 30.0;
    let mut s = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{title}</text>\n"
    );
    for (k, panel) in panels.iter().enumerate() {
        draw(&mut s, panel, (b'a' + k as u8) as char, 24.0 + HEIGHT * k as f64);
    }
    s + "</svg>\n"
}

fn draw(s: &mut String, panel: &Panel, letter: char, y0: f64) {
    let values = || panel.curves.iter().flat_map(|c| &c.values).copied().filter(|x| !x.is_nan());
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let room = 0.08 * (high - low).max(1e-3);
    let (low, high) = (low - room, high + room);
    let n = panel.curves[0].values.len() as f64;
    let x = |l: f64| LEFT + (l - 1.0) / (n - 1.0) * (WIDTH - LEFT - RIGHT);
    let y = |v: f64| y0 + TOP + (high - v) / (high - low) * (HEIGHT - TOP - BOTTOM);
    let (bottom, right) = (y0 + HEIGHT - BOTTOM, WIDTH - RIGHT);
    let _ = writeln!(s, "<text x=\"{LEFT}\" y=\"{}\">({letter}) {}</text>", y0 + TOP - 8.0, panel.title);
    let ticks = ticks(low, high);
    let digits = digits(&ticks);
    for tick in ticks {
        let (at, label) = (y(tick), format!("{:.digits$}", tick + 0.0));
        let _ = writeln!(s, "<path d=\"M{LEFT} {at:.2}H{right}\" stroke=\"#dddddd\"/>");
        let _ = writeln!(
            s,
            "<text x=\"{}\" y=\"{:.2}\" text-anchor=\"end\">{label}</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
    for l in (1..=n as usize).step_by(10) {
        let at = x(l as f64);
        let _ = writeln!(s, "<path d=\"M{at:.2} {bottom}v4\" stroke=\"black\"/>");
        let _ = writeln!(s, "<text x=\"{at:.2}\" y=\"{}\" text-anchor=\"middle\">{l}</text>", bottom + 17.0);
    }
    let _ =
        writeln!(s, "<path d=\"M{LEFT} {:.2}V{bottom}H{right}\" stroke=\"black\" fill=\"none\"/>", y0 + TOP);
    let _ = writeln!(s, "<text x=\"{}\" y=\"{}\">step l</text>", right + 8.0, bottom + 4.0);
    let _ = writeln!(s, "<text x=\"14\" y=\"{:.2}\">{}</text>", y0 + TOP + 4.0, panel.unit);
    for (k, c) in panel.curves.iter().enumerate() {
        let mut path = String::new();
        for (l, v) in c.values.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
            let _ = write!(
                path,
                "{}{:.2} {:.2}",
                if path.is_empty() { 'M' } else { 'L' },
                x(l as f64 + 1.0),
                y(*v)
            );
        }
        let (colour, dash) = (COLOURS[k], if c.dashed { " stroke-dasharray=\"5 4\"" } else { "" });
        let _ =
            writeln!(s, "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"1.6\" fill=\"none\"{dash}/>");
        let at = y0 + TOP + 14.0 + 17.0 * k as f64;
        let _ = writeln!(
            s,
            "<path d=\"M{} {at}h18\" stroke=\"{colour}\" stroke-width=\"1.6\"{dash}/>",
            right + 8.0
        );
        let _ = writeln!(s, "<text x=\"{}\" y=\"{}\">{}</text>", right + 30.0, at + 4.0, c.name);
    }
}

fn miqp(directory: &Path) -> std::io::Result<()> {
    let seen = see(&run(&shipped("gripper-2d-miqp")));
    let Seen { time, x_l, x_r, y_g, y_c, commanded: [c_l, c_r, c_g], forces: [left, right, table], bound } =
        seen;
    let data = csv(&[
        ("time_s", &time),
        ("x_l_m", &x_l),
        ("x_l_commanded_next_m", &c_l),
        ("x_r_m", &x_r),
        ("x_r_commanded_next_m", &c_r),
        ("y_g_m", &y_g),
        ("y_g_commanded_next_m", &c_g),
        ("y_c_m", &y_c),
        ("force_left_N", &left),
        ("force_right_N", &right),
        ("force_table_N", &table),
        ("least_force_N", &bound),
    ]);
    std::fs::write(directory.join("gripper-2d-miqp.csv"), data)?;
    let picture = svg(
        "The gripper as MIQP: commands (29)",
        &[
            panel(
                "left finger x_l, and where its command leads",
                "m",
                [curve("x_l", x_l), dashed("commanded", c_l)],
            ),
            panel(
                "right finger x_r, and where its command leads",
                "m",
                [curve("x_r", x_r), dashed("commanded", c_r)],
            ),
            panel(
                "fingertips y_g, and where their command leads",
                "m",
                [curve("y_g", y_g), dashed("commanded", c_g)],
            ),
            panel("cylinder y_c", "m", [curve("y_c", y_c)]),
            panel(
                "normal forces and the squeeze bound (22) of the fingers",
                "N",
                [curve("each finger", left), dashed("least", bound), curve("table", table)],
            ),
        ],
    );
    std::fs::write(directory.join("gripper-2d-miqp.svg"), picture)
}

fn lcp(directory: &Path) -> std::io::Result<()> {
    let seen = see(&run(&shipped("gripper-2d-lcp")));
    let Seen { time, x_l, x_r, y_g, y_c, forces: [left, right, table], .. } = seen;
    let data = csv(&[
        ("time_s", &time),
        ("x_l_m", &x_l),
        ("x_r_m", &x_r),
        ("y_g_m", &y_g),
        ("y_c_m", &y_c),
        ("force_left_N", &left),
        ("force_right_N", &right),
        ("force_table_N", &table),
    ]);
    std::fs::write(directory.join("gripper-2d-lcp.csv"), data)?;
    let picture = svg(
        "The gripper as complementarity problem: commands (30)",
        &[
            panel("fingertips y_g", "m", [curve("y_g", y_g)]),
            panel("normal forces", "N", [curve("each finger", left), curve("table", table)]),
            panel("cylinder y_c", "m", [curve("y_c", y_c)]),
        ],
    );
    std::fs::write(directory.join("gripper-2d-lcp.svg"), picture)
}

fn panel<const N: usize>(title: &'static str, unit: &'static str, curves: [Curve; N]) -> Panel {
    Panel { title, unit, curves: curves.into() }
}

fn main() -> std::io::Result<()> {
    let directory = house::root().join("docs/src/figures");
    std::fs::create_dir_all(&directory)?;
    miqp(&directory)?;
    lcp(&directory)?;
    eprintln!("{}", directory.display());
    Ok(())
}
