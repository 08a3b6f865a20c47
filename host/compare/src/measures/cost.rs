//! Bars of cost: the time of a step by stage, one bar per run.

use vinci_run::plot::{COLOURS, short};
use vinci_run::svg::{Canvas, Decimals};

use super::measured::{Comparison, Measured};

/// Stages that make a step. The referee's and the recorder's time is the same work for every model.
const STAGES: [&str; 5] = ["detect", "kinematics", "formulate", "solve", "update"];

/// Most bars of one figure.
const MOST: usize = 24;

/// Width of the picture and of the part with the bars, and where that begins; height of a bar, and from one to the next, pixels.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 210.0;
const BARS: f64 = 470.0;
const BAR: f64 = 16.0;
const APART: f64 = 24.0;
/// Where the first bar begins, pixels.
const TOP: f64 = 58.0;

/// Times of a run per step, µs, in the order of the stages; 0 where its summary has none.
fn per_step(m: &Measured) -> [f64; STAGES.len()] {
    let number = |of: &serde_json::Value| of.as_f64().unwrap_or(0.0);
    let steps = number(&m.run.summary["steps"]).max(1.0);
    STAGES.map(|stage| 1e6 * number(&m.run.summary["timing"][stage]) / steps)
}

/// The figure, as SVG.
pub(super) fn cost(comparison: &Comparison) -> String {
    let shown: Vec<&Measured> = comparison.runs.iter().take(MOST).collect();
    let most = shown.iter().map(|m| per_step(m).iter().sum::<f64>()).fold(0.0, f64::max);
    let (most, height) = (if most > 0.0 { most } else { 1.0 }, TOP + APART * shown.len() as f64 + 40.0);
    let mut canvas = Canvas::new(Decimals::Two);
    canvas.text([0.5 * WIDTH, 20.0], "Time of a step by stage", "text-anchor=\"middle\" font-size=\"16\"");
    legend(&mut canvas);
    axis(&mut canvas, (most, height));
    for (row, m) in shown.iter().enumerate() {
        let y = TOP + APART * row as f64;
        let label = m.run.values.join(", ");
        canvas.text([LEFT - 8.0, y + 12.5], &shortened(&label), "text-anchor=\"end\"");
        let (mut x, parts) = (LEFT, per_step(m));
        for (k, part) in parts.iter().enumerate().filter(|(_, part)| **part > 0.0) {
            let w = BARS * part / most;
            canvas.rectangle([x, y], [w, BAR], &format!("fill=\"{}\"", COLOURS[k]));
            x += w;
        }
        canvas.text([x + 6.0, y + 12.5], &short(rounded(parts.iter().sum())), "");
    }
    canvas.file([WIDTH, height])
}

/// Three digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// The beginning of a long label.
fn shortened(label: &str) -> String {
    const LONGEST: usize = 32;
    if label.chars().count() <= LONGEST {
        label.to_owned()
    } else {
        label.chars().take(LONGEST - 1).collect::<String>() + "…"
    }
}

fn legend(canvas: &mut Canvas) {
    for (k, stage) in STAGES.iter().enumerate() {
        let x = LEFT + 96.0 * k as f64;
        canvas.rectangle([x, 34.0], [10.0, 10.0], &format!("fill=\"{}\"", COLOURS[k]));
        canvas.text([x + 15.0, 43.5], stage, "");
    }
}

/// Ticks of 1, 2 or 5 times a power of ten, and the unit.
fn axis(canvas: &mut Canvas, (most, height): (f64, f64)) {
    let decade = 10.0_f64.powf((most / 4.0).log10().floor());
    let tick = [1.0, 2.0, 5.0, 10.0].map(|k| k * decade).into_iter().find(|tick| most / tick <= 5.0);
    let (tick, below) = (tick.unwrap_or(most), height - 36.0);
    for k in 0..=(most / tick) as usize {
        let x = LEFT + BARS * k as f64 * tick / most;
        canvas.line([x, TOP - 4.0], [x, below], "stroke=\"#dddddd\"");
        canvas.text([x, below + 14.0], &short(k as f64 * tick), "text-anchor=\"middle\"");
    }
    let unit = "µs of the clock per step, without referee and recorder";
    canvas.text([LEFT + 0.5 * BARS, below + 31.0], unit, "text-anchor=\"middle\"");
}
