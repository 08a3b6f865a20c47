//! Axes with cells and a scale of colours.

use vinci_run::plot::short;
use vinci_run::svg::{Canvas, Decimals};

/// Plot area: left, top, width, height.
const AREA: [f64; 4] = [90.0, 42.0, 440.0, 370.0];

/// Width of a picture without a scale of colours, and with one.
const PLAIN: f64 = 560.0;
const WIDTH: f64 = 670.0;
const HEIGHT: f64 = 470.0;

const STROKE: &str = "stroke=\"#333333\"";

/// No seams between neighbours.
const SHARP: &str = "shape-rendering=\"crispEdges\"";

/// Width of a letter, parts of the size of the letters, on the safe side.
const EM: f64 = 0.62;

/// Colours from low to high, even in lightness.
const COLOURS: [[f64; 3]; 5] =
    [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];

/// Colour of a part of the scale.
pub(super) fn colour(part: f64) -> String {
    let at = part.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let k = (at as usize).min(COLOURS.len() - 2);
    let [r, g, b] = [0, 1, 2]
        .map(|c| (COLOURS[k][c] + (at - k as f64) * (COLOURS[k + 1][c] - COLOURS[k][c])).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Axes in the making.
pub(super) struct Axes {
    canvas: Canvas,
    /// True if a scale of colours stands beside the axes.
    wide: bool,
    x: [f64; 2],
    y: [f64; 2],
}

impl Axes {
    pub(super) fn new() -> Self {
        Self { canvas: Canvas::new(Decimals::Two), wide: false, x: [0.0, 1.0], y: [0.0, 1.0] }
    }

    fn across(&self, x: f64) -> f64 {
        AREA[0] + AREA[2] * (x - self.x[0]) / (self.x[1] - self.x[0])
    }

    fn up(&self, y: f64) -> f64 {
        AREA[1] + AREA[3] * (1.0 - (y - self.y[0]) / (self.y[1] - self.y[0]))
    }

    fn text(&mut self, at: [f64; 2], anchor: &str, more: &str, text: &str) {
        self.canvas.text(at, text, &format!("text-anchor=\"{anchor}\"{more}"));
    }

    /// Over the whole width, so small that it fits.
    pub(super) fn title(&mut self, title: Option<&str>) {
        let Some(title) = title else { return };
        let size = (0.95 * PLAIN / (EM * title.chars().count().max(1) as f64)).clamp(7.0, 16.0);
        let (middle, more) = (AREA[0] + 0.5 * AREA[2], format!(" font-size=\"{size:.2}\""));
        // About the middle of the axes, or of the picture where it would end beyond it.
        let half = 0.5 * EM * size * title.chars().count() as f64;
        let middle = middle.clamp((8.0 + half).min(0.5 * PLAIN), (PLAIN - 8.0 - half).max(0.5 * PLAIN));
        self.text([middle, 26.0], "middle", &more, title);
    }

    /// Both axes with what they are called and their ranges.
    pub(super) fn axes(&mut self, x: (&str, [f64; 2]), y: (&str, [f64; 2])) {
        (self.x, self.y) = (x.1, y.1);
        let [left, top, width, height] = AREA;
        self.canvas.put(format_args!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"#eeeeee\" {STROKE}/>\n"
        ));
        self.text([left + 0.5 * width, top + height + 40.0], "middle", "", x.0);
        self.upwards(18.0, y.0);
        for tick in ticks(x.1) {
            let at = self.across(tick);
            self.canvas.line([at, top + height], [at, top + height + 4.0], STROKE);
            self.text([at, top + height + 18.0], "middle", "", &short(tick));
        }
        for tick in ticks(y.1) {
            let at = self.up(tick);
            self.canvas.line([left - 4.0, at], [left, at], STROKE);
            self.text([left - 7.0, at + 4.0], "end", "", &short(tick));
        }
    }

    /// A text that runs upwards beside the axes.
    fn upwards(&mut self, x: f64, text: &str) {
        let middle = AREA[1] + 0.5 * AREA[3];
        self.text([x, middle], "middle", &format!(" transform=\"rotate(-90 {x} {middle})\""), text);
    }

    pub(super) fn cell(&mut self, x: [f64; 2], y: [f64; 2], fill: &str) {
        let (left, right, top, bottom) = (self.across(x[0]), self.across(x[1]), self.up(y[1]), self.up(y[0]));
        let paint = format!("fill=\"{fill}\" {SHARP}");
        self.canvas.rectangle([left, top], [right - left, bottom - top], &paint);
    }

    /// The scale of colours at the right.
    pub(super) fn bar(&mut self, label: &str, low: f64, high: f64) {
        let (left, top, height) = (AREA[0] + AREA[2] + 20.0, AREA[1], AREA[3]);
        for k in 0..50 {
            let y = top + height * (1.0 - f64::from(k + 1) / 50.0);
            let (h, fill) = (height / 50.0 + 0.3, colour((f64::from(k) + 0.5) / 50.0));
            self.canvas.put(format_args!(
                "<rect x=\"{left}\" y=\"{y:.2}\" width=\"18\" height=\"{h:.2}\" fill=\"{fill}\" {SHARP}/>\n"
            ));
        }
        for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
            self.text(
                [left + 24.0, top + height * (1.0 - part) + 4.0],
                "start",
                "",
                &short(low + part * (high - low)),
            );
        }
        self.upwards(WIDTH - 12.0, label);
        self.wide = true;
    }

    pub(super) fn finish(self) -> String {
        self.canvas.file([if self.wide { WIDTH } else { PLAIN }, HEIGHT])
    }
}

/// About five round numbers in a range.
fn ticks([low, high]: [f64; 2]) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let size = 10.0_f64.powi(rough.log10().floor() as i32);
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * size).find(|s| *s >= rough).unwrap_or(10.0 * size);
    let (from, to) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (from..=to).map(|k| k as f64 * step).collect()
}
