//! Draws `iiwa-pick` and `iiwa-pick-st`: the arm at chosen times, the ways of hand and bottle, their heights and the contact
//! forces over time. Data (CSV) and picture (SVG) go into `docs/src/figures`.
//!
//! `cargo run -p vinci-tests --example iiwa_figures`

use std::fmt::Write as _;
use std::path::Path;

use nalgebra::{Point3, Vector3};
use vinci_tests::experiment::shipped;
use vinci_tests::house;
use vinci_tests::run::{Moment, Run, run};

const COLOURS: [&str; 4] = ["#1f5fa8", "#c8502a", "#3a8a4d", "#8a4d9e"];
/// Times of the stick figures, s.
const TIMES: [f64; 4] = [0.0, 1.8, 3.3, 7.0];
/// One row of data per so many seconds.
const EVERY: f64 = 0.02;

/// What is drawn of one time.
struct Row {
    t: f64,
    hand: Vector3<f64>,
    bottle: Vector3<f64>,
    tilt: f64,
    /// Left finger, right finger, table, N.
    forces: [f64; 3],
}

/// The middle between the fingertips, hand frame, m.
const POINT: [f64; 3] = [0.0, 0.0, 0.122];

fn row(run: &Run, m: &Moment) -> Row {
    let system = &run.simulation.system;
    let frames = system.placed(&m.q);
    let tree = &system.trees[0].tree;
    let link = tree.links().iter().position(|l| l.name == "hand").expect("the arm has a hand");
    let hand = frames.trees[0].frame(link) * Point3::from(POINT);
    let body = system.bodies.iter().position(|b| b.name == "bottle").expect("there is a bottle") as u32;
    let pose = frames.pose(body);
    let turn = nalgebra::Quaternion::new(pose[3], pose[4], pose[5], pose[6]);
    let axis = nalgebra::UnitQuaternion::new_normalize(turn) * Vector3::z();
    let force = |name: &str| {
        let with =
            m.touches.iter().filter(|t| (t.a == "bottle" && t.b == name) || (t.b == "bottle" && t.a == name));
        if m.h > 0.0 { with.map(|t| t.p_n / m.h).sum() } else { 0.0 }
    };
    Row {
        t: m.t,
        hand: hand.coords,
        bottle: Vector3::new(pose[0], pose[1], pose[2]),
        tilt: axis.angle(&Vector3::z()),
        forces: ["iiwa/finger_left", "iiwa/finger_right", "table"].map(force),
    }
}

fn rows(run: &Run) -> Vec<Row> {
    let mut next = 0.0;
    let due = run.moments.iter().filter(|m| {
        let is = m.t >= next - 1e-9;
        next += if is { EVERY } else { 0.0 };
        is
    });
    due.map(|m| row(run, m)).collect()
}

fn csv(rows: &[Row]) -> String {
    let mut text = "time_s,hand_x_m,hand_y_m,hand_z_m,bottle_x_m,bottle_y_m,bottle_z_m,tilt_rad,force_left_N,force_right_N,force_table_N\n".to_owned();
    for r in rows {
        let numbers = [r.hand.x, r.hand.y, r.hand.z, r.bottle.x, r.bottle.y, r.bottle.z, r.tilt];
        let _ = write!(text, "{:.3}", r.t);
        for x in numbers.iter().chain(&r.forces) {
            let _ = write!(text, ",{:.6}", (x * 1e6).round() / 1e6 + 0.0);
        }
        text.push('\n');
    }
    text
}

/// Joints of the arm in the world, from the base to the point between the fingertips.
fn sticks(run: &Run, t: f64) -> Vec<Vector3<f64>> {
    let m = run.moments.iter().find(|m| m.t >= t - 1e-9).unwrap_or(run.end());
    let frames = run.simulation.system.placed(&m.q);
    let tree = &run.simulation.system.trees[0].tree;
    let named = |name: &String| tree.links().iter().position(|l| l.name == *name);
    let names: Vec<String> = (1..=7).map(|k| format!("link_{k}")).chain(["hand".to_owned()]).collect();
    let joints = names.iter().filter_map(named).map(|l| frames.trees[0].frame(l).translation.vector);
    [Vector3::zeros()].into_iter().chain(joints).chain([row(run, m).hand]).collect()
}

/// A rectangle of the picture and the values at its edges.
struct Panel {
    x: [f64; 2],
    y: [f64; 2],
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Panel {
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.left + (x - self.x[0]) / (self.x[1] - self.x[0]) * self.width,
            self.top + (self.y[1] - y) / (self.y[1] - self.y[0]) * self.height,
        )
    }

    fn frame(&self, s: &mut String, title: &str, axes: [&str; 2], ticks: [f64; 2]) {
        let (bottom, right) = (self.top + self.height, self.left + self.width);
        let _ = writeln!(s, "<text x=\"{}\" y=\"{}\">{title}</text>", self.left, self.top - 8.0);
        let steps = |range: [f64; 2], step: f64| {
            let first = (range[0] / step).ceil() as i64;
            (first..).map(move |i| i as f64 * step).take_while(move |x| *x <= range[1] + 1e-9)
        };
        for x in steps(self.x, ticks[0]) {
            let at = self.at(x, 0.0).0;
            let _ = writeln!(s, "<path d=\"M{at:.2} {bottom}v4\" stroke=\"black\"/>");
            let label = (x * 100.0).round() / 100.0;
            let _ = writeln!(
                s,
                "<text x=\"{at:.2}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
                bottom + 17.0
            );
        }
        for y in steps(self.y, ticks[1]) {
            let (at, label) = (self.at(0.0, y).1, (y * 100.0).round() / 100.0);
            let _ = writeln!(s, "<path d=\"M{} {at:.2}H{right}\" stroke=\"#dddddd\"/>", self.left);
            let _ = writeln!(
                s,
                "<text x=\"{}\" y=\"{:.2}\" text-anchor=\"end\">{label}</text>",
                self.left - 6.0,
                at + 4.0
            );
        }
        let _ = writeln!(
            s,
            "<path d=\"M{} {}V{bottom}H{right}\" stroke=\"black\" fill=\"none\"/>",
            self.left, self.top
        );
        let _ =
            writeln!(s, "<text x=\"{right}\" y=\"{}\" text-anchor=\"end\">{}</text>", bottom + 32.0, axes[0]);
        let _ = writeln!(s, "<text x=\"{}\" y=\"{}\">{}</text>", self.left - 42.0, self.top - 8.0, axes[1]);
    }

    fn line(&self, s: &mut String, points: impl Iterator<Item = (f64, f64)>, colour: &str, style: &str) {
        let mut path = String::new();
        for (x, y) in points {
            let (x, y) = self.at(x, y);
            let _ = write!(path, "{}{x:.2} {y:.2}", if path.is_empty() { 'M' } else { 'L' });
        }
        let _ = writeln!(s, "<path d=\"{path}\" stroke=\"{colour}\" fill=\"none\" {style}/>");
    }

    fn legend(&self, s: &mut String, k: usize, name: &str, style: &str) {
        let (x, y) = (self.left + self.width + 8.0, self.top + 14.0 + 17.0 * k as f64);
        let _ = writeln!(s, "<path d=\"M{x} {y}h18\" stroke=\"{}\" {style}/>", COLOURS[k]);
        let _ = writeln!(s, "<text x=\"{}\" y=\"{}\">{name}</text>", x + 22.0, y + 4.0);
    }
}

const LINE: &str = "stroke-width=\"1.5\"";
const DASH: &str = "stroke-width=\"1.5\" stroke-dasharray=\"5 4\"";

/// (a) the arm from the side.
fn arms(s: &mut String, run: &Run, seen: &[Row]) {
    let panel = Panel { x: [-0.1, 0.9], y: [0.0, 0.8], left: 60.0, top: 60.0, width: 300.0, height: 240.0 };
    panel.frame(s, "(a) the arm from the side", ["x, m", "z, m"], [0.2, 0.2]);
    for (k, t) in TIMES.iter().enumerate() {
        let arm = sticks(run, *t);
        panel.line(
            s,
            arm.iter().map(|p| (p.x, p.z)),
            COLOURS[k],
            "stroke-width=\"2.5\" stroke-linejoin=\"round\"",
        );
        let r = seen.iter().find(|r| r.t >= t - 1e-9).unwrap_or(&seen[0]);
        let ((x, y), (x1, y1)) = (
            panel.at(r.bottle.x - 0.0325, r.bottle.z + 0.1),
            panel.at(r.bottle.x + 0.0325, r.bottle.z - 0.1),
        );
        let _ = writeln!(
            s,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"none\" stroke=\"{}\"/>",
            x1 - x,
            y1 - y,
            COLOURS[k]
        );
        let _ = writeln!(
            s,
            "<text x=\"{}\" y=\"{}\" fill=\"{}\">t = {t} s</text>",
            290.0,
            76.0 + 16.0 * k as f64,
            COLOURS[k]
        );
    }
}

fn svg(run: &Run, seen: &[Row], other: &[Row]) -> String {
    let mut s = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 760\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"60\" y=\"24\" font-size=\"14\">iiwa-pick: TAMSI (lines), \
         Stewart and Trinkle (dashed)</text>\n"
        .to_owned();
    arms(&mut s, run, seen);
    let front =
        Panel { x: [-0.25, 0.45], y: [0.0, 0.5], left: 440.0, top: 60.0, width: 270.0, height: 240.0 };
    front.frame(&mut s, "(b) ways, seen from the front", ["y, m", "z, m"], [0.1, 0.1]);
    front.line(&mut s, seen.iter().map(|r| (r.hand.y, r.hand.z)), COLOURS[0], LINE);
    front.line(&mut s, seen.iter().map(|r| (r.bottle.y, r.bottle.z)), COLOURS[1], LINE);
    front.line(&mut s, other.iter().map(|r| (r.bottle.y, r.bottle.z)), "black", DASH);
    ["fingertips", "bottle"].iter().enumerate().for_each(|(k, n)| front.legend(&mut s, k, n, LINE));
    let end = seen.last().map_or(8.0, |r| r.t);
    let heights = Panel { x: [0.0, end], y: [0.0, 0.5], left: 60.0, top: 370.0, width: 650.0, height: 140.0 };
    heights.frame(&mut s, "(c) heights", ["t, s", "z, m"], [1.0, 0.1]);
    heights.line(&mut s, seen.iter().map(|r| (r.t, r.hand.z)), COLOURS[0], LINE);
    heights.line(&mut s, seen.iter().map(|r| (r.t, r.bottle.z)), COLOURS[1], LINE);
    heights.line(&mut s, other.iter().map(|r| (r.t, r.bottle.z)), "black", DASH);
    ["fingertips", "bottle"].iter().enumerate().for_each(|(k, n)| heights.legend(&mut s, k, n, LINE));
    let forces =
        Panel { x: [0.0, end], y: [0.0, 100.0], left: 60.0, top: 570.0, width: 650.0, height: 140.0 };
    forces.frame(&mut s, "(d) normal forces on the bottle", ["t, s", "N"], [1.0, 20.0]);
    for (k, name) in ["left finger", "right finger", "table"].iter().enumerate() {
        forces.line(&mut s, seen.iter().map(|r| (r.t, r.forces[k].min(100.0))), COLOURS[k], LINE);
        forces.legend(&mut s, k, name, LINE);
    }
    s + "</svg>\n"
}

fn main() -> std::io::Result<()> {
    let directory: &Path = &house::root().join("docs/src/figures");
    let (tamsi, st) = (run(&shipped("iiwa-pick")), run(&shipped("iiwa-pick-st")));
    let (seen, other) = (rows(&tamsi), rows(&st));
    std::fs::write(directory.join("iiwa-pick.csv"), csv(&seen))?;
    std::fs::write(directory.join("iiwa-pick-st.csv"), csv(&other))?;
    std::fs::write(directory.join("iiwa-pick.svg"), svg(&tamsi, &seen, &other))
}
