//! Writing SVG: a window of the plane in pixels, texts, numbers with units.

use std::fmt::Write;

/// Colours of moving bodies and of lines.
pub(crate) use crate::plot::COLOURS;

/// A window of the plane, y upwards, drawn at a place of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Window {
    /// Left, bottom, right, top, m.
    pub view: [f64; 4],
    /// Upper left corner in the picture, px.
    pub corner: [f64; 2],
    /// px per m.
    pub scale: f64,
}

impl Window {
    /// A point of the plane in the picture, px.
    pub(crate) fn at(&self, p: [f64; 2]) -> [f64; 2] {
        let [left, _, _, top] = self.view;
        [self.corner[0] + (p[0] - left) * self.scale, self.corner[1] + (top - p[1]) * self.scale]
    }

    /// Size in the picture, px.
    pub(crate) fn size(&self) -> [f64; 2] {
        let [x0, y0, x1, y1] = self.view;
        [(x1 - x0) * self.scale, (y1 - y0) * self.scale]
    }
}

/// How something is painted: attributes of SVG.
pub(crate) type Paint<'a> = &'a str;

/// A line between two points of the picture.
pub(crate) fn line(out: &mut String, a: [f64; 2], b: [f64; 2], paint: Paint<'_>) {
    let [x1, y1, x2, y2] = [a[0], a[1], b[0], b[1]].map(px);
    put(out, format_args!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {paint}/>\n"));
}

/// A circle in the picture.
pub(crate) fn circle(out: &mut String, centre: [f64; 2], radius: f64, paint: Paint<'_>) {
    let [x, y, r] = [centre[0], centre[1], radius].map(px);
    put(out, format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" {paint}/>\n"));
}

/// A closed polygon in the picture.
pub(crate) fn polygon(out: &mut String, points: impl Iterator<Item = [f64; 2]>, paint: Paint<'_>) {
    let points: Vec<String> = points.map(|p| format!("{},{}", px(p[0]), px(p[1]))).collect();
    put(out, format_args!("<polygon points=\"{}\" {paint}/>\n", points.join(" ")));
}

/// A rectangle of the picture.
pub(crate) fn rectangle(out: &mut String, corner: [f64; 2], size: [f64; 2], paint: Paint<'_>) {
    let [x, y, w, h] = [corner[0], corner[1], size[0], size[1]].map(px);
    put(out, format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" {paint}/>\n"));
}

/// A text in the picture.
pub(crate) fn text(out: &mut String, at: [f64; 2], words: &str, paint: Paint<'_>) {
    let ([x, y], words) = (at.map(px), escape(words));
    put(out, format_args!("<text x=\"{x}\" y=\"{y}\" {paint}>{words}</text>\n"));
}

/// Appends; a `String` takes everything.
pub(crate) fn put(out: &mut String, what: std::fmt::Arguments<'_>) {
    out.write_fmt(what).unwrap_or_default();
}

/// A coordinate of the picture to a hundredth of a pixel.
pub(crate) fn px(x: f64) -> f64 {
    (x * 100.0).round() / 100.0 + 0.0
}

/// The text without characters that mean something in XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The largest of 1, 2, 5 times a power of ten up to x > 0.
pub(crate) fn round_below(x: f64) -> f64 {
    let exponent = x.log10().floor() as i32;
    let candidates = (exponent - 1..=exponent + 1).flat_map(|e| [1, 2, 5].map(|m| decimal(m, e)));
    candidates.filter(|c| *c <= x * (1.0 + 1e-12)).fold(0.0, f64::max)
}

/// m · 10^e, as it is written in decimals.
fn decimal(m: i32, e: i32) -> f64 {
    if e < 0 { f64::from(m) / 10f64.powi(-e) } else { f64::from(m) * 10f64.powi(e) }
}

/// A number with a unit and its prefix: `20 µm`.
pub(crate) fn quantity(x: f64, unit: &str) -> String {
    let prefixes = [(1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];
    let fits = prefixes.iter().find(|(factor, _)| x.abs() >= factor * (1.0 - 1e-12));
    match fits {
        Some((factor, prefix)) => format!("{} {prefix}{unit}", crate::plot::short(x / factor)),
        None => format!("{} {unit}", crate::plot::short(x)),
    }
}
