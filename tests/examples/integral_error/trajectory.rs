//! The way of an object in long quasi-static steps beside the dynamic reference: `docs/src/figures/pose-trajectory.csv` and `.svg`.

use std::fmt::Write as _;

use serde_json::json;
use vinci_run::plot::{Chart, Line, Scale, lines};
use vinci_tests::experiment::{set, shipped, timed};
use vinci_tests::house;

use crate::paths::{Path, at, dynamic, path};
use crate::{MODELS, REFERENCE, Scene};

/// Step of the quasi-static models, s, as on the slide.
const STEP: f64 = 0.1;

/// Computes, and writes table and picture.
pub(crate) fn write(scene: &Scene) -> std::io::Result<()> {
    let base = timed(&shipped(scene.name), STEP, scene.duration);
    let reference = path(&timed(&dynamic(&base), REFERENCE[0], scene.duration), scene.object);
    let mut ways = vec![("dynamic, h = 50 µs".to_owned(), reference)];
    for (name, motion, scale) in &MODELS[..2] {
        let e = set(&base, "/stepper/options", json!({"motion": motion, "mass_scale": scale}));
        ways.push((format!("{name}, h = {STEP} s"), path(&e, scene.object)));
    }
    let ways = ways.into_iter().map(|(name, way)| Ok((name, way.map_err(std::io::Error::other)?)));
    let ways = ways.collect::<std::io::Result<Vec<(String, Path)>>>()?;
    let figures = house::root().join("docs/src/figures");
    std::fs::write(figures.join("pose-trajectory.csv"), table(&ways, scene.duration))?;
    std::fs::write(
        figures.join("pose-trajectory.svg"),
        picture(&ways, scene.duration).map_err(std::io::Error::other)?,
    )
}

/// Times of the table and the picture, s.
fn times(duration: f64) -> impl Iterator<Item = f64> {
    (0..=(duration / STEP).round() as usize).map(|k| STEP * k as f64)
}

fn table(ways: &[(String, Path)], duration: f64) -> String {
    let mut out = String::from("model,time_s,x_m,y_m\n");
    for (name, way) in ways {
        for t in times(duration) {
            let [x, y] = at(way, t);
            let _ = writeln!(out, "\"{name}\",{t:.1},{x:.6},{y:.6}");
        }
    }
    out
}

fn picture(ways: &[(String, Path)], duration: f64) -> Result<String, String> {
    let named: Vec<(String, Vec<(f64, f64)>)> = ways
        .iter()
        .flat_map(|(name, way)| {
            ["x", "y"].into_iter().enumerate().map(move |(k, axis)| {
                (format!("{axis}: {name}"), times(duration).map(|t| (t, at(way, t)[k])).collect())
            })
        })
        .collect();
    let line = |(k, named)| {
        let (label, points): &(String, Vec<(f64, f64)>) = named;
        Line { dash: k / 2, ..Line::new(label, points, k % 2) }
    };
    let chart = Chart {
        title: "place of the pushed disc",
        labels: ["time, s", "x and y, m"],
        scales: [Scale::Linear; 2],
        lines: named.iter().enumerate().map(line).collect(),
    };
    lines(&chart)
}
