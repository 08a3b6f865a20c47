//! Pictures as SVG text: the canvas that strips of drawings, maps of sweeps and charts of reports are drawn on. Plots are the
//! library's ([`crate::plot`]).

use std::fmt::Write;

/// Attributes of SVG that say how something is painted.
pub type Paint<'a> = &'a str;

/// Way in which coordinates are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decimals {
    /// To a hundredth of a pixel, without zeros at the end.
    #[default]
    Shortest,
    /// With two decimals.
    Two,
}

/// A picture in the making. Coordinates are pixels from the upper left corner, y downwards.
#[derive(Debug, Clone, Default)]
pub struct Canvas {
    body: String,
    decimals: Decimals,
}

impl Canvas {
    /// An empty canvas.
    pub fn new(decimals: Decimals) -> Self {
        Self { body: String::new(), decimals }
    }

    fn number(&self, x: f64) -> String {
        match self.decimals {
            Decimals::Shortest => px(x).to_string(),
            Decimals::Two => format!("{x:.2}"),
        }
    }

    fn points(&self, points: impl Iterator<Item = [f64; 2]>) -> String {
        let points: Vec<String> = points.map(|p| p.map(|x| self.number(x)).join(",")).collect();
        points.join(" ")
    }

    /// Appends text as it is; a `String` takes everything.
    pub fn put(&mut self, text: std::fmt::Arguments<'_>) {
        self.body.write_fmt(text).unwrap_or_default();
    }

    /// A line between two points.
    pub fn line(&mut self, a: [f64; 2], b: [f64; 2], paint: Paint<'_>) {
        let [x1, y1, x2, y2] = [a[0], a[1], b[0], b[1]].map(|x| self.number(x));
        self.put(format_args!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {paint}/>\n"));
    }

    /// Lines from point to point.
    pub fn polyline(&mut self, points: impl Iterator<Item = [f64; 2]>, paint: Paint<'_>) {
        let points = self.points(points);
        self.put(format_args!("<polyline points=\"{points}\" fill=\"none\" {paint}/>\n"));
    }

    /// A closed polygon.
    pub fn polygon(&mut self, points: impl Iterator<Item = [f64; 2]>, paint: Paint<'_>) {
        let points = self.points(points);
        self.put(format_args!("<polygon points=\"{points}\" {paint}/>\n"));
    }

    /// A circle.
    pub fn circle(&mut self, centre: [f64; 2], radius: f64, paint: Paint<'_>) {
        let [x, y, r] = [centre[0], centre[1], radius].map(|x| self.number(x));
        self.put(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" {paint}/>\n"));
    }

    /// A rectangle from its upper left corner.
    pub fn rectangle(&mut self, corner: [f64; 2], size: [f64; 2], paint: Paint<'_>) {
        let [x, y, w, h] = [corner[0], corner[1], size[0], size[1]].map(|x| self.number(x));
        self.put(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" {paint}/>\n"));
    }

    /// A line of text.
    pub fn text(&mut self, at: [f64; 2], text: &str, paint: Paint<'_>) {
        let ([x, y], text) = (at.map(|x| self.number(x)), escape(text));
        self.put(format_args!("<text x=\"{x}\" y=\"{y}\" {paint}>{text}</text>\n"));
    }

    /// The picture as a file, on white.
    pub fn file(self, size: [f64; 2]) -> String {
        let [w, h] = size.map(px);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }

    /// The picture as a part of a page, which gives it its size.
    pub fn part_of_page(self, size: [f64; 2]) -> String {
        let [w, h] = size.map(px);
        format!(
            "<svg viewBox=\"0 0 {w} {h}\" font-size=\"12\" font-family=\"sans-serif\">\n{}</svg>\n",
            self.body
        )
    }
}

/// A coordinate to a hundredth of a pixel.
pub(crate) fn px(x: f64) -> f64 {
    (x * 100.0).round() / 100.0 + 0.0
}

/// The text without characters that mean something in XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
