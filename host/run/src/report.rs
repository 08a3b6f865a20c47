//! `report.html`: a run at a glance, in one file that loads nothing.

use std::path::Path;
use vinci_core::clock::seconds;

use serde::{Deserialize, Serialize};

use crate::plot::{COLOURS, Chart, Line, Scale, lines};
use crate::svg::escape;
use crate::view::{RunFiles, of_runs, page};
use vinci_core::model::System;
use vinci_engine::labels;

use crate::summary::{EventSummary, Summary};
use vinci_scene::Loaded;

/// Points a curve keeps at most; beyond that every k-th step is kept.
const MOST_POINTS: u64 = 600;

/// Time series thinned for pictures: energy, and the positions of all moving bodies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    every: u64,
    rows: Vec<(f64, f64, Vec<f64>)>,
}

impl Curve {
    /// A curve for about `steps` steps.
    pub fn new(steps: u64) -> Self {
        Self { every: steps.div_ceil(MOST_POINTS).max(1), rows: Vec::new() }
    }

    /// Offers a step; not all are kept.
    pub fn add(&mut self, step: u64, t: f64, energy: f64, q: &[f64]) {
        if step.is_multiple_of(self.every) {
            self.rows.push((t, energy, q.to_vec()));
        }
    }
}

/// The page.
pub fn html(
    loaded: &Loaded,
    system: &System,
    (summary, directory): (&Summary, &Path),
    curve: &Curve,
) -> String {
    let name = loaded.path.file_stem().unwrap_or_default().to_string_lossy();
    let mut body = format!("<h1>{}</h1>\n", escape(&name));
    if let Some(text) = &loaded.scene.description {
        body.push_str(&format!("<p>{}</p>\n", escape(text)));
    }
    body.push_str(&motion(directory, &name, summary).unwrap_or_else(|| HOW.to_owned()));
    body.push_str(&facts(summary));
    body.push_str(&positions(system, curve));
    let energy: Vec<_> = curve.rows.iter().map(|(t, e, _)| (*t, *e)).collect();
    body.push_str(&chart("Energy, J", &[("kinetic + potential".into(), energy)]));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n<style>{STYLE}</style></head>\n<body>\n{body}</body></html>\n",
        escape(&name)
    )
}

/// Bytes of tables up to which the motion stands in the report: it is read back and drawn within a tenth of a second.
const MOST_BYTES: u64 = 4_000_000;

/// Instead of a motion that would make the report large, or that cannot be drawn.
const HOW: &str = "<p><code>vinci view</code> with this directory writes <code>view.html</code>, which draws the motion.</p>\n";

/// The page of `vinci view` with the motion of the run, which a frame of the report holds as a whole: the report stays one file. None where
/// the tables are large or not there.
fn motion(directory: &Path, name: &str, summary: &Summary) -> Option<String> {
    let run = RunFiles::of_ended(directory, summary).ok()?;
    if run.bytes_of_tables() > MOST_BYTES {
        return None;
    }
    let (header, block) = of_runs(&[run], name).ok()?;
    let page = page(header, &block).ok()?;
    Some(format!("<iframe title=\"the motion\" srcdoc=\"{}\"></iframe>\n", escape(&page)))
}

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}\
table{border-collapse:collapse;margin:1em 0}td,th{text-align:left;padding:.2em 1em .2em 0;border-bottom:1px solid #ddd}\
svg{width:100%;height:auto}iframe{width:100%;height:46em;border:1px solid #ddd}.bad{color:#b00020;font-weight:bold}h2{font-size:1.1em;margin-bottom:.2em}";

fn facts(s: &Summary) -> String {
    let status = match &s.failure {
        None => s.status.to_string(),
        Some(f) => format!("<span class=\"bad\">{}</span>: {}", s.status, escape(&f.message)),
    };
    let plugin = |p: &crate::summary::PluginUsed| {
        format!("{} {} ({}…)", escape(&p.id), escape(&p.version), &p.digest[..p.digest.len().min(12)])
    };
    let detectors: Vec<String> = [&s.detector].into_iter().chain(&s.other_detectors).map(plugin).collect();
    let controllers: Vec<String> = s.controllers.iter().map(plugin).collect();
    let rows = [
        ("Status", status),
        ("Steps, time", format!("{}, {} s", s.steps, seconds(s.time_end))),
        ("Detector", detectors.join(", ")),
        ("Stepper", plugin(&s.stepper)),
        ("Solver", plugin(&s.solver)),
        (
            "Controllers",
            if controllers.is_empty() { "none but the scene's".to_owned() } else { controllers.join(", ") },
        ),
        ("Largest accepted residual", format!("{:.2e}", s.referee.max_residual)),
        ("Momentum residual", format!("{:.2e} N s", s.referee.max_momentum_residual)),
        (
            "Complementarity",
            format!(
                "{:.2e} m/s (step {}, {})",
                s.referee.max_complementarity,
                s.referee.worst.step,
                escape(&s.referee.worst.contact)
            ),
        ),
        ("Penetration", format!("{:.2e} m", s.referee.max_penetration)),
        ("Cone violation", format!("{:.2e} N s", s.referee.max_cone_violation)),
        (
            "Energy, first / last / largest",
            format!("{:.6} / {:.6} / {:.6} J", s.energy.initial, s.energy.r#final, s.energy.max),
        ),
        ("Impacts", impacts(s)),
        ("Trial steps taken back", s.stepping.rejected.to_string()),
        ("Steps shortened by the stepper", s.stepping.shortened.to_string()),
        ("Steps solved again, finer", s.stepping.refined.to_string()),
        ("State hash", s.state_hash.clone()),
    ];
    let warnings =
        s.warnings.iter().map(|w| ("Warning", format!("<span class=\"bad\">{}</span>", escape(w))));
    let what = |e: &EventSummary| format!("{} (t = {} s): {}", e.event, seconds(e.time), escape(&e.what));
    let events = s.events.iter().map(|e| ("Event", what(e)));
    let rows: Vec<_> = rows.into_iter().chain(events).chain(warnings).collect();
    let rows: String = rows.iter().map(|(k, v)| format!("<tr><th>{k}</th><td>{v}</td></tr>\n")).collect();
    format!("<table>\n{rows}</table>\n")
}

fn impacts(s: &Summary) -> String {
    let i = &s.impacts;
    match i.count {
        0 => "none".into(),
        n => format!(
            "{n}, energy change {:.6} J in all, {:.2e} J at most",
            i.energy_change, i.largest_energy_change
        ),
    }
}

fn positions(system: &System, curve: &Curve) -> String {
    let bodies = labels::places(system);
    let placed: Vec<_> = curve.rows.iter().map(|(t, _, q)| (*t, system.placed(q))).collect();
    let mut out = String::new();
    for (axis, name) in ["x", "y", "z"].iter().enumerate().take(system.space.dim()) {
        let series: Vec<_> = bodies[..bodies.len().min(COLOURS.len())]
            .iter()
            .map(|&b| {
                let points = placed.iter().map(|(t, frames)| (*t, frames.pose(b)[axis])).collect();
                (system.bodies[b as usize].name.clone(), points)
            })
            .collect();
        let title = if bodies.len() > COLOURS.len() {
            format!("{name}, m (first {} of {} bodies)", COLOURS.len(), bodies.len())
        } else {
            format!("{name}, m")
        };
        out.push_str(&chart(&title, &series));
    }
    out
}

/// Lines over time with axes, ticks and a legend; nothing where there is no point.
fn chart(y_label: &str, series: &[(String, Vec<(f64, f64)>)]) -> String {
    if series.iter().all(|(_, points)| points.is_empty()) {
        return String::new();
    }
    let list = series.iter().enumerate().map(|(k, (name, points))| Line::new(name, points, k)).collect();
    let labels = ["t, s", y_label];
    match lines(&Chart { title: "", labels, scales: [Scale::Linear; 2], lines: list }) {
        Ok(drawing) => drawing + "\n",
        Err(why) => format!("<p>{} is not drawn: {}</p>\n", escape(y_label), escape(&why)),
    }
}
