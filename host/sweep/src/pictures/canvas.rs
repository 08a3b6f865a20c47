//! Axes, cells and the scale of colours as SVG.

use std::fmt::Write;

use vinci_run::pictures::escape;
use vinci_run::plot::short;

/// Plot area: left, top, width, height.
const AREA: [f64; 4] = [90.0, 42.0, 440.0, 370.0];

/// Width of a picture without a scale of colours, and with one.
const PLAIN: f64 = 560.0;
const WIDTH: f64 = 670.0;

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

/// SVG in the making.
#[derive(Default)]
pub(super) struct Canvas {
    body: String,
    /// Whether a scale of colours stands beside the axes.
    wide: bool,
    x: [f64; 2],
    y: [f64; 2],
}

impl Canvas {
    fn across(&self, x: f64) -> f64 {
        AREA[0] + AREA[2] * (x - self.x[0]) / (self.x[1] - self.x[0])
    }

    fn up(&self, y: f64) -> f64 {
        AREA[1] + AREA[3] * (1.0 - (y - self.y[0]) / (self.y[1] - self.y[0]))
    }

    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.body, "{element}");
    }

    fn text(&mut self, [x, y]: [f64; 2], anchor: &str, more: &str, text: &str) {
        let text = escape(text);
        self.put(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\"{more}>{text}</text>"
        ));
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
        self.put(format_args!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"#eeeeee\" stroke=\"#333333\"/>"
        ));
        self.text([left + 0.5 * width, top + height + 40.0], "middle", "", x.0);
        self.upwards(18.0, y.0);
        for tick in ticks(x.1) {
            let at = self.across(tick);
            self.stroke([at, top + height], [at, top + height + 4.0]);
            self.text([at, top + height + 18.0], "middle", "", &short(tick));
        }
        for tick in ticks(y.1) {
            let at = self.up(tick);
            self.stroke([left - 4.0, at], [left, at]);
            self.text([left - 7.0, at + 4.0], "end", "", &short(tick));
        }
    }

    fn stroke(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        self.put(format_args!(
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"#333333\"/>"
        ));
    }

    /// A text that runs upwards beside the axes.
    fn upwards(&mut self, x: f64, text: &str) {
        let middle = AREA[1] + 0.5 * AREA[3];
        self.text([x, middle], "middle", &format!(" transform=\"rotate(-90 {x} {middle})\""), text);
    }

    pub(super) fn cell(&mut self, x: [f64; 2], y: [f64; 2], fill: &str) {
        let (left, right, top, bottom) = (self.across(x[0]), self.across(x[1]), self.up(y[1]), self.up(y[0]));
        self.put(format_args!(
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{fill}\" {SHARP}/>",
            right - left,
            bottom - top
        ));
    }

    /// The scale of colours at the right.
    pub(super) fn bar(&mut self, label: &str, low: f64, high: f64) {
        let (left, top, height) = (AREA[0] + AREA[2] + 20.0, AREA[1], AREA[3]);
        for k in 0..50 {
            let y = top + height * (1.0 - f64::from(k + 1) / 50.0);
            let (h, fill) = (height / 50.0 + 0.3, colour((f64::from(k) + 0.5) / 50.0));
            self.put(format_args!(
                "<rect x=\"{left}\" y=\"{y:.2}\" width=\"18\" height=\"{h:.2}\" fill=\"{fill}\" {SHARP}/>"
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
        let width = if self.wide { WIDTH } else { PLAIN };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"470\" viewBox=\"0 0 {width} 470\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" height=\"470\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
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
