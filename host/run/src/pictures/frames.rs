//! Strips of drawings.

use vinci_core::model::{SupportPoint, System};

use super::arrow::arrow;
use super::frame_state::FrameState;
use super::jam;
use super::legend::Legend;
use super::shapes::{Placed, Pose, draw, placed};
use super::sight::{Sight, dry_friction, wider};
use super::window::{COLOURS, GAP, SUPPORT, Window};
use crate::certificate::Certificate;
use crate::plot::short;
use crate::svg::Canvas;
use vinci_scene::experiment::Frames;

const COLUMNS: usize = 4;
const WIDTH: f64 = 240.0;
/// Room for the time under a drawing, px.
const CAPTION: f64 = 20.0;
/// Room for the scales and names below all drawings, px.
const LEGEND: f64 = 26.0;
/// The longest force is drawn as long as this part of the smaller side of a drawing.
const LONGEST: f64 = 0.22;
const STATIC: &str = "fill=\"#d4d4d4\" stroke=\"#8c8c8c\" stroke-width=\"1\"";
const CONTACT: &str = "stroke=\"#b00020\" stroke-width=\"1.2\" fill=\"none\"";

/// The strip: a drawing per time, `None` where the run did not come so far.
pub(crate) fn strip(
    system: &System,
    asked: &Frames,
    follow: Option<u32>,
    seen: &[Option<FrameState>],
) -> String {
    let mut sight = Sight::default();
    seen.iter().flatten().for_each(|state| sight.add_around(system, follow, state, asked.contacts));
    let view = asked.view.unwrap_or_else(|| sight.window());
    drawn(
        system,
        asked,
        follow,
        seen,
        Shared { view, largest: sight.largest, of_run: false, certificate: None, refused: false },
    )
}

/// Words of a picture of a run that the referee does not accept.
pub const REFUSED_BY: &str = "refused by the referee";

/// Words of the force that is drawn longest in these drawings.
const LONGEST_HERE: &str = "longest arrow";
/// Words of the force that is drawn longest in any picture of a run.
pub const LONGEST_OF_RUN: &str = "longest arrow of the run";

/// How single drawings are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separate<'a> {
    /// Width of each, px.
    pub width: f64,
    /// True to draw forces of contacts.
    pub contacts: bool,
    /// The certificate of the run, drawn in the state that it stands in.
    pub certificate: Option<&'a Certificate>,
    /// More than these states show: the window holds it, and forces are to its scale.
    pub sight: Sight,
    /// The longest force of the whole run, N: forces are to its scale, and the legend says so.
    pub longest: Option<f64>,
    /// True if the referee does not accept the run: the legend says so.
    pub refused: bool,
}

/// Drawings of states, each of its own, all with the same window and scale of forces.
pub fn separate(system: &System, states: &[FrameState], how: Separate<'_>) -> Vec<String> {
    let seen: Vec<_> = states.iter().cloned().map(Some).collect();
    let times = states.iter().map(|state| state.t).collect();
    let (columns, width) = (Some(1), Some((how.width - 2.0 * GAP).max(GAP)));
    let mut asked = Frames { times, columns, width, view: None, follow: None, contacts: how.contacts };
    let certificate = how.certificate.filter(|c| states.iter().any(|state| state.t == c.time));
    let mut sight = how.sight;
    states.iter().for_each(|state| sight.add(system, state, how.contacts));
    // A ball that falls far would be a thin strip: one picture shows more beside it, moving ones stay small.
    let is_alone = how.sight != Sight::default();
    let view = if is_alone { wider(sight.window()) } else { sight.window() };
    let largest = how.longest.map_or(sight.largest, |longest| longest.max(sight.largest));
    let shared = Shared { view, largest, of_run: how.longest.is_some(), certificate, refused: how.refused };
    let one = |k: usize| {
        asked.times = vec![states[k].t];
        drawn(system, &asked, None, &seen[k..=k], shared)
    };
    (0..states.len()).map(one).collect()
}

/// Window, scale and certificate that all drawings have in common.
#[derive(Clone, Copy)]
struct Shared<'a> {
    /// Window: left, bottom, right, top, m.
    view: [f64; 4],
    /// The force that is drawn longest, N.
    largest: f64,
    /// True if it is that of the whole run, whatever these drawings show.
    of_run: bool,
    certificate: Option<&'a Certificate>,
    /// True if the referee does not accept the run.
    refused: bool,
}

/// The strip.
fn drawn(
    system: &System,
    asked: &Frames,
    follow: Option<u32>,
    seen: &[Option<FrameState>],
    Shared { view, largest, of_run, certificate, refused }: Shared<'_>,
) -> String {
    let width = asked.width.unwrap_or(WIDTH);
    let scale = width / (view[2] - view[0]);
    let height = (view[3] - view[1]) * scale;
    let columns = asked.columns.unwrap_or(COLUMNS).clamp(1, asked.times.len().max(1));
    let rows = asked.times.len().div_ceil(columns);
    let newton = if largest > 0.0 { LONGEST * width.min(height) / largest } else { 0.0 };
    let longest = (if of_run { LONGEST_OF_RUN } else { LONGEST_HERE }, largest);
    let legend = Legend::of(system, scale, (newton, longest), (width, asked.contacts));
    let legend = legend.with(certificate).saying(refused.then_some(REFUSED_BY));
    let wide = GAP + columns as f64 * (width + GAP);
    let below = GAP + rows as f64 * (height + CAPTION + GAP) + LEGEND;
    let mut canvas = Canvas::default();
    for (k, (frame_state, wanted)) in seen.iter().zip(&asked.times).enumerate() {
        let corner = [
            GAP + (k % columns) as f64 * (width + GAP),
            GAP + (k / columns) as f64 * (height + CAPTION + GAP),
        ];
        let frame = Window { view, corner, scale };
        match frame_state {
            Some(frame_state) => Drawing { system, asked, newton, certificate }.draw(
                &mut canvas,
                k,
                frame,
                follow,
                frame_state,
            ),
            None => not_reached(&mut canvas, frame, *wanted),
        }
    }
    let below = legend.draw(&mut canvas, wide, below);
    canvas.file([wide, below])
}

fn not_reached(canvas: &mut Canvas, frame: Window, wanted: f64) {
    canvas.rectangle(frame.corner, frame.size(), "fill=\"none\" stroke=\"#cccccc\" stroke-dasharray=\"4 3\"");
    let label = format!("t = {} s: the run ended before", short(wanted));
    canvas.text([frame.corner[0], frame.corner[1] + frame.size()[1] + 15.0], &label, "fill=\"#b00020\"");
}

struct Drawing<'a> {
    system: &'a System,
    asked: &'a Frames,
    /// px per N.
    newton: f64,
    certificate: Option<&'a Certificate>,
}

impl Drawing<'_> {
    fn draw(
        &self,
        canvas: &mut Canvas,
        k: usize,
        mut frame: Window,
        follow: Option<u32>,
        frame_state: &FrameState,
    ) {
        let frames = self.system.placed(&frame_state.q);
        let pose = |b: u32| Pose::of(frames.pose(b));
        if let Some(at) = follow.map(pose) {
            let [x0, y0, x1, y1] = frame.view;
            frame.view = [x0 + at.x, y0 + at.y, x1 + at.x, y1 + at.y];
        }
        canvas.put(format_args!("<clipPath id=\"frame{k}\">"));
        canvas.rectangle(frame.corner, frame.size(), "");
        canvas.put(format_args!("</clipPath>\n<g clip-path=\"url(#frame{k})\">\n"));
        let (moving, resting): (Vec<_>, Vec<_>) =
            (0..self.system.bodies.len() as u32).partition(|b| self.system.block_of(*b).is_some());
        for body in resting {
            self.body(canvas, &frame, body, pose(body), STATIC);
        }
        for (i, body) in moving.into_iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let paint =
                format!("fill=\"{colour}\" fill-opacity=\"0.3\" stroke=\"{colour}\" stroke-width=\"1.2\"");
            let reach = self.body(canvas, &frame, body, pose(body), &paint);
            mark(canvas, &frame, pose(body), reach, colour);
        }
        self.supports(canvas, &frame, &pose, frame_state);
        self.contacts(canvas, &frame, frame_state);
        if let Some(certificate) = self.certificate.filter(|c| c.time == frame_state.t) {
            jam::draw(canvas, &frame, certificate, (&pose, &|b| self.system.block_of(b).is_some()));
        }
        canvas.put(format_args!("</g>\n"));
        canvas.rectangle(frame.corner, frame.size(), "fill=\"none\" stroke=\"#aaaaaa\"");
        let under = [frame.corner[0], frame.corner[1] + frame.size()[1] + 15.0];
        canvas.text(under, &format!("t = {} s", short(frame_state.t)), "fill=\"#222222\"");
    }

    /// All shapes of a body; returns how far its bounded ones reach from its centre of mass, m.
    fn body(&self, canvas: &mut Canvas, frame: &Window, body: u32, pose: Pose, paint: &str) -> f64 {
        let shapes = self.system.shapes.iter().filter(|s| s.body == body);
        for shape in shapes.clone().filter_map(|s| placed(s, pose)) {
            // A line has no inside to be seen by.
            let thick = if matches!(shape, Placed::Segment(..)) {
                format!("{paint} stroke-linecap=\"round\"")
            } else {
                paint.to_owned()
            };
            draw(canvas, frame, &shape, &thick);
        }
        shapes.map(|s| s.reach()).filter(|r| r.is_finite()).fold(0.0, f64::max)
    }

    /// Small dark circles with lines along the friction force on the part.
    fn supports(
        &self,
        canvas: &mut Canvas,
        frame: &Window,
        pose: &impl Fn(u32) -> Pose,
        frame_state: &FrameState,
    ) {
        let at =
            |support: &SupportPoint| frame.at(pose(support.body).apply([support.point.x, support.point.y]));
        for (i, f) in dry_friction(self.system, frame_state) {
            let from = at(&self.system.supports[i]);
            canvas.line(from, [from[0] + self.newton * f[0], from[1] - self.newton * f[1]], SUPPORT);
        }
        for support in &self.system.supports {
            canvas.circle(at(support), 2.6, "fill=\"#1f1f1f\"");
        }
    }

    /// Arrows at the points of contact: the force on the freer body of the pair.
    fn contacts(&self, canvas: &mut Canvas, frame: &Window, frame_state: &FrameState) {
        for (point, f) in frame_state.contacts.iter().filter(|_| self.asked.contacts) {
            if self.newton * f[0].hypot(f[1]) > 0.5 {
                arrow(canvas, frame.at(*point), [self.newton * f[0], -self.newton * f[1]], CONTACT, 1.0);
            }
        }
    }
}

/// Centre of mass and the direction of the body's x axis.
fn mark(canvas: &mut Canvas, frame: &Window, pose: Pose, reach: f64, colour: &str) {
    let far = frame.at(pose.apply([0.55 * reach, 0.0]));
    let centre = frame.at([pose.x, pose.y]);
    canvas.line(centre, far, &format!("stroke=\"{colour}\" stroke-width=\"1.2\""));
    canvas.circle(centre, 2.4, &format!("fill=\"#ffffff\" stroke=\"{colour}\" stroke-width=\"1.2\""));
}
