//! Pictures a run draws of itself: strips of drawings of a planar scene, and lines over time. SVG or PNG, the same bytes for the same run.
//!
//! A run gathers states as it goes on ([`Pictures::step`]) and draws at its end ([`Pictures::write`]).

mod arrow;
mod frame_state;
mod frames;
mod jam;
mod legend;
mod shapes;
mod sight;
mod window;

use std::io::Write;
use std::path::Path as FilePath;

use serde::{Deserialize, Serialize};

use vinci_core::model::{Space, System};

use crate::atomic_write::write_atomic;
use crate::freer::sign_of_drawn;
use crate::plot;
pub use frame_state::FrameState;
pub use frames::{LONGEST_OF_RUN, REFUSED_BY, Separate, separate};
pub use jam::{FREE, JAM};
pub use legend::certificate_strip;
pub use shapes::superellipse;
pub use sight::Sight;
use vinci_engine::pipeline::Accepted;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean, list};
use vinci_scene::experiment::{Frames, Plot};
use vinci_scene::formula::{self, Formula};
use vinci_scene::{Loaded, Path};
pub use window::{quantity, round_below, significant};

#[derive(Debug, Clone)]
enum Content {
    Frames { asked: Frames, follow: Option<u32>, seen: Vec<Option<FrameState>> },
    Plot { asked: Plot, x: Formula, y: Vec<Formula>, points: Vec<Vec<(f64, f64)>> },
}

/// Data that a run has gathered for a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Gathered {
    Frames(Vec<Option<FrameState>>),
    Plot(Vec<Vec<(f64, f64)>>),
}

/// The pictures of a run.
#[derive(Debug, Clone, Default)]
pub struct Pictures {
    pictures: Vec<(String, Content)>,
    scratch: Vec<f64>,
}

impl Pictures {
    /// The pictures that `record.pictures` asks for, on the scene's system.
    ///
    /// # Errors
    /// Formulas that cannot be read, bodies that are not there, drawings of spatial scenes; all of them, each at its place.
    pub fn new(loaded: &Loaded, system: &System) -> Result<Self, Diagnostics> {
        let mut reader =
            Reader { loaded, system, names: formula::names(system), diagnostics: Diagnostics::new() };
        let mut pictures = Vec::new();
        for (i, picture) in loaded.experiment.record.pictures.iter().enumerate() {
            let path = Path::root().join("record").join("pictures").join(i);
            let content = match (&picture.frames, &picture.plot) {
                (Some(frames), _) => reader.frames(frames, &path.join("frames")),
                (None, Some(plot)) => reader.plot(plot, &path.join("plot")),
                (None, None) => None,
            };
            pictures.extend(content.map(|content| (picture.file.clone(), content)));
        }
        reader.diagnostics.accept(|_| Self { pictures, scratch: Vec::new() })
    }

    /// Data gathered so far, picture by picture.
    pub(crate) fn gathered(&self) -> Vec<Gathered> {
        let of = |content: &Content| match content {
            Content::Frames { seen, .. } => Gathered::Frames(seen.clone()),
            Content::Plot { points, .. } => Gathered::Plot(points.clone()),
        };
        self.pictures.iter().map(|(_, content)| of(content)).collect()
    }

    /// Goes on with what was gathered for the same pictures.
    pub(crate) fn go_on(&mut self, gathered: Vec<Gathered>) {
        for ((_, content), kept) in self.pictures.iter_mut().zip(gathered) {
            match (content, kept) {
                (Content::Frames { seen, .. }, Gathered::Frames(kept)) => *seen = kept,
                (Content::Plot { points, .. }, Gathered::Plot(kept)) => *points = kept,
                // They are those of the same experiment, of which a hash is kept.
                _ => {}
            }
        }
    }

    /// Names of the files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.pictures.iter().map(|(file, _)| file.as_str())
    }

    /// The state at which the run begins, at time `t`.
    pub fn initial(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.row(t, q, v);
        let start = || FrameState { t, q: q.to_vec(), friction: Vec::new(), contacts: Vec::new() };
        self.keep(t, 0.0, start);
    }

    /// An accepted step; `written`: its end is a row of `trajectory.csv`. Impacts at its start always are.
    pub fn step(&mut self, system: &System, accepted: &Accepted<'_>, written: bool) {
        for impact in accepted.impacts {
            self.row(impact.t, &impact.q, &impact.v);
        }
        if written {
            self.row(accepted.t, accepted.q, accepted.v);
        }
        self.keep(accepted.t, 1e-9 * accepted.h, || frame_state(system, accepted));
    }

    fn row(&mut self, t: f64, q: &[f64], v: &[f64]) {
        for (_, content) in &mut self.pictures {
            let Content::Plot { x, y, points, .. } = content else { continue };
            let across = x.at(t, q, v, &mut self.scratch);
            for (formula, line) in y.iter().zip(points) {
                line.push((across, formula.at(t, q, v, &mut self.scratch)));
            }
        }
    }

    fn keep(&mut self, t: f64, slack: f64, frame_state: impl Fn() -> FrameState) {
        for (_, content) in &mut self.pictures {
            let Content::Frames { asked, seen, .. } = content else { continue };
            for (place, &wanted) in seen.iter_mut().zip(&asked.times) {
                if place.is_none() && t >= wanted - slack {
                    *place = Some(frame_state());
                }
            }
        }
    }

    /// Draws all of them into a directory.
    ///
    /// # Errors
    /// Of output.
    pub fn write(&self, system: &System, directory: &FilePath) -> std::io::Result<()> {
        for (file, content) in &self.pictures {
            let text = match content {
                Content::Frames { asked, follow, seen } => frames::strip(system, asked, *follow, seen),
                Content::Plot { asked, points, .. } => lines(asked, points)?,
            };
            let drawn = plot::contents(file, text)?;
            write_atomic(directory, file, |out| out.write_all(&drawn))?;
        }
        Ok(())
    }
}

fn lines(asked: &Plot, points: &[Vec<(f64, f64)>]) -> std::io::Result<String> {
    let x = asked.x.as_deref().unwrap_or("t");
    let x_label = asked.x_label.as_deref().unwrap_or(if x == "t" { "t, s" } else { x });
    let chart = plot::Chart {
        title: asked.title.as_deref().unwrap_or(""),
        labels: [x_label, asked.y_label.as_deref().unwrap_or("")],
        scales: [plot::Scale::Linear; 2],
        lines: asked
            .y
            .iter()
            .zip(points)
            .enumerate()
            .map(|(k, (line, points))| plot::Line::new(line.label(), points, k))
            .collect(),
    };
    plot::lines(&chart).map_err(std::io::Error::other)
}

fn frame_state(system: &System, accepted: &Accepted<'_>) -> FrameState {
    let c = &accepted.contacts;
    let pressed = |i: usize| {
        let p = &accepted.impulse[c.row(i)..][..c.stride()];
        let sign = sign_of_drawn(system, [c.body_a[i], c.body_b[i]]);
        let axis = |k: usize| {
            let friction: f64 =
                p[1..].iter().zip(0..).map(|(p, t)| p * c.tangent[3 * (i * c.n_t + t) + k]).sum();
            sign * (c.normal[3 * i + k] * p[0] + friction) / accepted.h
        };
        (p[0] != 0.0).then(|| ([c.point_b[3 * i], c.point_b[3 * i + 1]], [axis(0), axis(1)]))
    };
    FrameState {
        t: accepted.t,
        q: accepted.q.to_vec(),
        friction: accepted
            .support_impulse
            .chunks_exact(2)
            .map(|p| [p[0] / accepted.h, p[1] / accepted.h])
            .collect(),
        contacts: (0..c.len()).filter_map(pressed).collect(),
    }
}

struct Reader<'a> {
    loaded: &'a Loaded,
    system: &'a System,
    names: Vec<String>,
    diagnostics: Diagnostics,
}

impl Reader<'_> {
    fn frames(&mut self, frames: &Frames, path: &Path) -> Option<Content> {
        if self.system.space != Space::Planar {
            let message = "drawings show planar scenes, and this one is spatial";
            let help = "ask for a `plot` of its coordinates instead";
            let place = self.loaded.place(path).part(0, 1);
            self.diagnostics.push(Diagnostic::error(Code::Contradiction, message).help(help).at(place));
            return None;
        }
        let follow = match &frames.follow {
            Some(name) => Some(self.body(name, &path.join("follow"))?),
            None => None,
        };
        Some(Content::Frames { asked: frames.clone(), follow, seen: vec![None; frames.times.len()] })
    }

    fn body(&mut self, name: &str, path: &Path) -> Option<u32> {
        let bodies = &self.system.bodies;
        if let Some(body) = bodies.iter().position(|b| b.name == name) {
            return Some(body as u32);
        }
        let known = || bodies.iter().map(|b| b.name.as_str());
        let help = did_you_mean(name, known()).unwrap_or_else(|| format!("the scene has {}", list(known())));
        let finding = Diagnostic::error(Code::UnknownName, format!("there is no body `{name}`")).help(help);
        self.diagnostics.push(finding.at(self.loaded.place(path)));
        None
    }

    fn plot(&mut self, plot: &Plot, path: &Path) -> Option<Content> {
        let x = self.formula(plot.x.as_deref().unwrap_or("t"), path.join("x"));
        let mut y = Vec::new();
        for (k, line) in plot.y.iter().enumerate() {
            let place = path.join("y").join(k);
            let inside = place.join("of");
            let written = self.loaded.experiment_node.find(&inside).is_some();
            y.extend(self.formula(line.formula(), if written { inside } else { place }));
        }
        let points = vec![Vec::new(); y.len()];
        (y.len() == plot.y.len()).then_some(Content::Plot { asked: plot.clone(), x: x?, y, points })
    }

    fn formula(&mut self, text: &str, path: Path) -> Option<Formula> {
        Formula::parse(text, &self.names)
            .map_err(|error| self.diagnostics.push(formula::finding(error, text, self.loaded.place(&path))))
            .ok()
    }
}

#[cfg(test)]
mod tests;
