//! Figures with a row per run: labels on the left, bars along an axis below.

use vinci_run::pictures::round_below;
use vinci_run::plot::short;
use vinci_run::svg::{Canvas, Decimals};

/// Most rows of one figure.
pub(super) const MOST: usize = 24;

/// Width of the picture and of the part with the bars, and where that begins; height of a bar, and from one to the next, pixels.
const WIDTH: f64 = 760.0;
pub(super) const LEFT: f64 = 210.0;
const BARS: f64 = 470.0;
pub(super) const BAR: f64 = 16.0;
const APART: f64 = 24.0;
/// Where the first bar begins, pixels.
const TOP: f64 = 58.0;

/// A figure in the making.
pub(super) struct Bars {
    pub(super) canvas: Canvas,
    range: [f64; 2],
    height: f64,
}

impl Bars {
    /// A figure of so many rows over a range of numbers, with what its colours mean and the text of its axis.
    pub(super) fn new(
        title: &str,
        rows: usize,
        range: [f64; 2],
        (legend, axis): (&[(&str, &str)], &str),
    ) -> Self {
        let mut canvas = Canvas::new(Decimals::Two);
        canvas.text([0.5 * WIDTH, 20.0], title, "text-anchor=\"middle\" font-size=\"16\"");
        for (k, (name, colour)) in legend.iter().enumerate() {
            let x = LEFT + 96.0 * k as f64;
            canvas.rectangle([x, 34.0], [10.0, 10.0], &format!("fill=\"{colour}\""));
            canvas.text([x + 15.0, 43.5], name, "");
        }
        let mut bars = Self { canvas, range, height: TOP + APART * rows as f64 + 40.0 };
        bars.axis(axis);
        bars
    }

    /// Ticks of 1, 2 or 5 times a power of ten, and the text.
    fn axis(&mut self, text: &str) {
        let ([low, high], below) = (self.range, self.height - 36.0);
        let tick = round_below(0.25 * (high - low));
        let mut k = (low / tick).ceil();
        while tick > 0.0 && k * tick <= high * (1.0 + 1e-12) {
            let x = self.at(k * tick);
            self.canvas.line([x, TOP - 4.0], [x, below], "stroke=\"#dddddd\"");
            self.canvas.text([x, below + 14.0], &short(k * tick), "text-anchor=\"middle\"");
            k += 1.0;
        }
        self.canvas.text([LEFT + 0.5 * BARS, below + 31.0], text, "text-anchor=\"middle\"");
    }

    /// Place of a number along the axis, pixels.
    pub(super) fn at(&self, x: f64) -> f64 {
        LEFT + BARS * (x - self.range[0]) / (self.range[1] - self.range[0])
    }

    /// The upper edge of a row, with its label.
    pub(super) fn row(&mut self, row: usize, label: &str) -> f64 {
        let y = TOP + APART * row as f64;
        self.canvas.text([LEFT - 8.0, y + 12.5], &shortened(label), "text-anchor=\"end\"");
        y
    }

    /// A bar of a row from one number to another.
    pub(super) fn bar(&mut self, y: f64, [from, to]: [f64; 2], colour: &str) {
        let (x, end) = (self.at(from), self.at(to));
        self.canvas.rectangle([x, y], [end - x, BAR], &format!("fill=\"{colour}\""));
    }

    /// The picture, as SVG.
    pub(super) fn file(self) -> String {
        self.canvas.file([WIDTH, self.height])
    }
}

/// A title, and how many of all things are drawn where that is not all of them.
pub(super) fn some_of(title: &str, all: usize, most: usize) -> String {
    if all > most { format!("{title}: {most} of {all}") } else { title.to_owned() }
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
