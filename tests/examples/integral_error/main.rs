//! The integral error against step size of quasi-static and quasi-dynamic steps: writes `docs/src/figures/integral-error.csv`
//! and `.svg`, and the way of the pushed disc in `pose-trajectory.csv` and `.svg`. Run with
//! `cargo run --release -p vinci-tests --example integral_error`; with `-- --redraw` behind it the picture of errors alone is drawn, from the
//! table that is there, with `-- --trajectory` the way alone is computed and drawn.
//!
//! e(h) = ∫ |x(t) − x_ref(t)| dt over the centre x of the object, by the trapezoidal rule on a grid of 1 ms, both
//! trajectories linear between their steps. The reference is dynamic: Stewart and Trinkle's stepper with small steps, robots of
//! 0.1 kg behind the same stiffness with critical damping against the commanded velocity.

mod paths;
mod trajectory;

use std::fmt::Write as _;

use paths::{Path, at, dynamic, path};
use serde_json::json;
use vinci_tests::experiment::{set, shipped, timed};
use vinci_tests::house;

const STEPS: [f64; 7] = [0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
/// Steps of the reference; the second is shown as an error, too.
const REFERENCE: [f64; 2] = [5e-5, 1e-4];
const MODELS: [(&str, &str, &str); 3] = [
    ("quasi-static", "quasi-static", "auto"),
    ("quasi-dynamic, scaled masses", "quasi-dynamic", "auto"),
    ("quasi-dynamic, true masses", "quasi-dynamic", "none"),
];

struct Scene {
    name: &'static str,
    object: &'static str,
    duration: f64,
}

const SCENES: [Scene; 2] = [
    Scene { name: "gripper-2d-qp", object: "cylinder", duration: 2.0 },
    Scene { name: "push-disk-qp", object: "object", duration: 9.0 },
];

fn integral_error(path: &Path, reference: &Path, duration: f64) -> f64 {
    let n = (duration / 1e-3).round() as usize;
    let distance = |k: usize| {
        let t = k as f64 * 1e-3;
        let (x, y) = (at(path, t), at(reference, t));
        (x[0] - y[0]).hypot(x[1] - y[1])
    };
    (0..n).map(|k| 0.5e-3 * (distance(k) + distance(k + 1))).sum()
}

/// Errors in m s by model, per step size; NaN where the run ended early.
struct Curves {
    scene: String,
    list: Vec<(String, Vec<f64>)>,
    reference: f64,
}

fn measure(scene: &Scene) -> Curves {
    let base = timed(&shipped(scene.name), 0.01, scene.duration);
    let [fine, coarse] = REFERENCE
        .map(|h| path(&timed(&dynamic(&base), h, scene.duration), scene.object).expect("the reference runs"));
    let list = MODELS.map(|(name, motion, scale)| {
        let e = set(&base, "/stepper/options", json!({"motion": motion, "mass_scale": scale}));
        let error = |&h: &f64| match path(&timed(&e, h, scene.duration), scene.object) {
            Ok(path) => integral_error(&path, &fine, scene.duration),
            Err(_) => f64::NAN,
        };
        (name.to_string(), STEPS.iter().map(error).collect())
    });
    Curves {
        scene: scene.name.into(),
        list: list.into(),
        reference: integral_error(&coarse, &fine, scene.duration),
    }
}

fn table(curves: &[Curves]) -> String {
    let mut out = String::from("scene,model,h_s,integral_error_m_s\n");
    for scene in curves {
        for (model, errors) in &scene.list {
            for (h, error) in STEPS.iter().zip(errors) {
                let _ = writeln!(out, "{},\"{model}\",{h},{error:e}", scene.scene);
            }
        }
        let _ = writeln!(
            out,
            "{},\"dynamic reference, twice the step\",{},{:e}",
            scene.scene, REFERENCE[1], scene.reference
        );
    }
    out
}

const COLOURS: [&str; 3] = ["#1b6ca8", "#3f8f4f", "#c8553d"];
const W: f64 = 420.0;
const H: f64 = 380.0;
/// Height of the legend.
const LEGEND: f64 = 66.0;

fn picture(curves: &[Curves]) -> String {
    let width = W * curves.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {H}\" font-size=\"11\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    curves.iter().enumerate().for_each(|(k, scene)| panel(&mut svg, W * k as f64, scene));
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, left: f64, scene: &Curves) {
    let finite = scene.list.iter().flat_map(|(_, e)| e).chain([&scene.reference]).filter(|e| **e > 0.0);
    let (low, high) = finite.fold((f64::INFINITY, 0.0_f64), |(l, h), e| (l.min(*e), h.max(*e)));
    let (low, high) = (low.log10().floor(), high.log10().ceil());
    let x = |h: f64| left + 60.0 + (h.log10() + 3.0) / 2.0 * (W - 80.0);
    // The legend stands in a band of its own below the axis.
    let (top, bottom) = (30.0, H - LEGEND - 45.0);
    let y = |e: f64| bottom - (e.log10() - low) / (high - low) * (bottom - top);
    let _ = writeln!(svg, "<text x=\"{}\" y=\"18\" font-weight=\"bold\">{}</text>", left + 60.0, scene.scene);
    for d in low as i32..=high as i32 {
        let at = y(10.0_f64.powi(d));
        let _ = writeln!(
            svg,
            "<path d=\"M{} {at}H{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">1e{d}</text>",
            x(1e-3),
            x(0.1),
            left + 54.0,
            at + 4.0
        );
    }
    for h in STEPS {
        let _ =
            writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{h}</text>", x(h), bottom + 17.0);
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">step size h, s</text>",
        x(0.01),
        bottom + 33.0
    );
    let (side, middle) = (left + 14.0, 0.5 * (top + bottom));
    let _ = writeln!(
        svg,
        "<text x=\"{side}\" y=\"{middle}\" transform=\"rotate(-90 {side} {middle})\" text-anchor=\"middle\">integral error e(h), m s</text>"
    );
    let _ = writeln!(
        svg,
        "<path d=\"M{} {}H{}\" stroke=\"#888\" stroke-dasharray=\"4 3\"/>",
        x(1e-3),
        y(scene.reference),
        x(0.1)
    );
    for (k, ((name, errors), colour)) in scene.list.iter().zip(COLOURS).enumerate() {
        let points: Vec<String> = STEPS
            .iter()
            .zip(errors)
            .filter(|(_, e)| **e > 0.0)
            .map(|(h, e)| format!("{:.1},{:.1}", x(*h), y(*e)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>",
            points.join(" ")
        );
        legend(svg, left + 60.0, bottom + 52.0 + 14.0 * k as f64, (colour, ""), name);
    }
    let dash = " stroke-dasharray=\"4 3\"";
    let at = bottom + 52.0 + 14.0 * scene.list.len() as f64;
    legend(svg, left + 60.0, at, ("#888", dash), "dynamic reference: its error at twice its step");
}

/// One line of the legend: a stroke and what it stands for.
fn legend(svg: &mut String, x: f64, y: f64, (colour, dash): (&str, &str), name: &str) {
    let _ = writeln!(
        svg,
        "<path d=\"M{x} {}h22\" stroke=\"{colour}\" stroke-width=\"1.6\"{dash}/><text x=\"{}\" y=\"{y}\">{name}</text>",
        y - 4.0,
        x + 28.0
    );
}

/// The table of [`table`], read back.
fn curves_of(table: &str) -> Option<Vec<Curves>> {
    let mut all: Vec<Curves> = Vec::new();
    for line in table.lines().skip(1) {
        let (scene, rest) = line.split_once(",\"")?;
        let (model, rest) = rest.split_once("\",")?;
        let error: f64 = rest.split_once(',')?.1.parse().ok()?;
        if all.last().is_none_or(|c| c.scene != scene) {
            all.push(Curves { scene: scene.into(), list: Vec::new(), reference: f64::NAN });
        }
        let curves = all.last_mut()?;
        if model.starts_with("dynamic reference") {
            curves.reference = error;
        } else if let Some((_, errors)) = curves.list.last_mut().filter(|(name, _)| name == model) {
            errors.push(error);
        } else {
            curves.list.push((model.into(), vec![error]));
        }
    }
    Some(all)
}

fn main() -> std::io::Result<()> {
    if std::env::args().nth(1).as_deref() == Some("--redraw") {
        let figures = house::root().join("docs/src/figures");
        let text = std::fs::read_to_string(figures.join("integral-error.csv"))?;
        let curves =
            curves_of(&text).ok_or_else(|| std::io::Error::other("the table is none of this program"))?;
        return std::fs::write(figures.join("integral-error.svg"), picture(&curves));
    }
    trajectory::write(&SCENES[1])?;
    if std::env::args().nth(1).as_deref() == Some("--trajectory") {
        return Ok(());
    }
    let curves = SCENES.each_ref().map(measure);
    let figures = house::root().join("docs/src/figures");
    std::fs::create_dir_all(&figures)?;
    std::fs::write(figures.join("integral-error.csv"), table(&curves))?;
    std::fs::write(figures.join("integral-error.svg"), picture(&curves))
}
