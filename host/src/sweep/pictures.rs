//! Maps and histograms of rows as SVG: rectangles, lines and text, the same bytes for the same rows.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean, list};
use crate::scene::{Node, Path};

use super::level::written;
use super::plan::Asked;
use super::row::Row;
use super::shape::{Column, Shape};
use super::types::{Histogram, Map, Picture, Prune};

/// Plot area: left, top, width, height; the picture is 640 × 480.
const AREA: [f64; 4] = [80.0, 40.0, 440.0, 370.0];

/// Colours from low to high, even in lightness.
const COLOURS: [[f64; 3]; 5] =
    [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];

/// Checks names and files of pictures.
pub(super) fn check(
    pictures: &[Picture],
    node: &Node,
    columns: &[Column],
    asked: &Asked,
) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::new();
    let numbers = || columns.iter().filter(|c| !c.text).map(|c| c.name.as_str());
    let measures = || asked.measures.iter().map(|(name, ..)| name.as_str());
    for (k, picture) in pictures.iter().enumerate() {
        let path = Path::root().join("pictures").join(k);
        let mut wrong = |path: &Path, code, message: String, help: String| {
            found.push(Diagnostic::error(code, message).at(node.place_of(path)).help(help));
        };
        if !picture.file.ends_with(".svg") || picture.file.contains(['/', '\\']) {
            let help =
                "name a file as map.svg; pictures are written as SVG, in the directory of the rows".into();
            wrong(
                &path.join("file"),
                Code::UnknownValue,
                format!("`{}` is no name of a picture", picture.file),
                help,
            );
        }
        if picture.map.is_some() == picture.histogram.is_some() {
            wrong(&path, Code::MissingKey, "a picture is a `map` or a `histogram`".into(), String::new());
        }
        let mut known = |path: Path, name: &str, names: Vec<&str>| {
            if !names.contains(&name) {
                let meant = did_you_mean(name, names.iter().copied()).map_or_else(String::new, |m| m + " ");
                let help = format!("{meant}known here: {}", list(names));
                wrong(&path, Code::UnknownName, format!("nothing is called `{name}`"), help);
            }
        };
        if let Some(map) = &picture.map {
            known(path.join("map").join("x"), &map.x, numbers().collect());
            known(path.join("map").join("y"), &map.y, numbers().collect());
            known(
                path.join("map").join("value"),
                &map.value,
                std::iter::once("success").chain(measures()).collect(),
            );
        }
        if let Some(histogram) = &picture.histogram {
            known(path.join("histogram").join("of"), &histogram.of, numbers().chain(measures()).collect());
        }
    }
    found.accept(|_| ())
}

/// The picture as text.
pub(super) fn svg(picture: &Picture, shape: &Shape, rows: &[Row]) -> Result<String, String> {
    let mut canvas = Canvas::default();
    if let Some(map) = &picture.map {
        draw_map(&mut canvas, map, shape, rows)?;
    }
    if let Some(histogram) = &picture.histogram {
        draw_histogram(&mut canvas, histogram, shape, rows)?;
    }
    Ok(canvas.finish())
}

fn rung_of(shape: &Shape, rung: Option<&str>) -> Result<usize, String> {
    match rung {
        None => Ok(shape.rungs.len() - 1),
        Some(name) => {
            let found = shape.rungs.iter().position(|r| r.name == name);
            found.ok_or_else(|| format!("a picture is of rung `{name}`, which was not run"))
        }
    }
}

/// The value of a parameter or measure, or success, of a row.
fn value(shape: &Shape, row: &Row, name: &str) -> Option<f64> {
    if name == "success" {
        return Some(f64::from(row.success));
    }
    let parameter = shape.parameters.iter().position(|c| c.name == name).map(|k| &row.parameters[k]);
    let measure = || shape.measures.iter().position(|m| m == name).map(|k| &row.measures[k]);
    parameter.or_else(measure)?.parse().ok().filter(|x: &f64| x.is_finite())
}

/// A value of a map: place and value.
type Spot = [f64; 3];

/// Success of every case on a rung: the part of its samples that succeeded there, whether the others were run or pruned; where whole cases
/// are pruned, 1 if all samples succeeded and else 0, as the others are not known.
fn successes(map: &Map, shape: &Shape, rows: &[Row], rung: usize) -> Vec<Spot> {
    let mut cases: BTreeMap<u64, (Option<[f64; 2]>, u64)> = BTreeMap::new();
    for row in rows {
        let case = cases.entry(row.id.case).or_default();
        let (x, y) = (value(shape, row, &map.x), value(shape, row, &map.y));
        case.0 = case.0.or_else(|| Some([x?, y?]));
        case.1 += u64::from(row.success && row.id.rung as usize == rung);
    }
    let samples = shape.rungs[rung].samples;
    let rate = |n: u64| match shape.prune {
        Prune::Case => f64::from(n == samples),
        Prune::Sample | Prune::Never => n as f64 / samples as f64,
    };
    cases.values().filter_map(|(place, n)| place.map(|[x, y]| [x, y, rate(*n)])).collect()
}

/// A measure of all rows of a rung.
fn measured(map: &Map, shape: &Shape, rows: &[Row], rung: usize) -> Vec<Spot> {
    let rows = rows.iter().filter(|row| row.id.rung as usize == rung);
    let of = |row: &Row, name: &str| value(shape, row, name);
    rows.filter_map(|row| Some([of(row, &map.x)?, of(row, &map.y)?, of(row, &map.value)?])).collect()
}

/// Means over all that stands at one place.
fn draw_map(canvas: &mut Canvas, map: &Map, shape: &Shape, rows: &[Row]) -> Result<(), String> {
    let rung = rung_of(shape, map.rung.as_deref())?;
    let success = map.value == "success";
    let spots = if success { successes(map, shape, rows, rung) } else { measured(map, shape, rows, rung) };
    let mut cells: BTreeMap<(u64, u64), (f64, f64)> = BTreeMap::new();
    for [x, y, v] in &spots {
        let cell = cells.entry((x.to_bits(), y.to_bits())).or_insert((0.0, 0.0));
        *cell = (cell.0 + v, cell.1 + 1.0);
    }
    let (xs, ys) = (distinct(spots.iter().map(|s| s[0])), distinct(spots.iter().map(|s| s[1])));
    let means: Vec<f64> = cells.values().map(|(sum, n)| sum / n).collect();
    let (low, high) = if success { (0.0, 1.0) } else { ends(&means) };
    let (x_edges, y_edges) = (edges(&xs), edges(&ys));
    canvas.axes(map.title.as_deref(), (&map.x, span(&x_edges)), (&map.y, span(&y_edges)));
    for ((x, y), (sum, n)) in &cells {
        let (Some(i), Some(j)) = (place(&xs, *x), place(&ys, *y)) else { continue };
        let part = if high > low { (sum / n - low) / (high - low) } else { 0.5 };
        canvas.cell([x_edges[i], x_edges[i + 1]], [y_edges[j], y_edges[j + 1]], &colour(part));
    }
    canvas.bar(&map.value, low, high);
    Ok(())
}

fn draw_histogram(
    canvas: &mut Canvas,
    histogram: &Histogram,
    shape: &Shape,
    rows: &[Row],
) -> Result<(), String> {
    let rung = rung_of(shape, histogram.rung.as_deref())?;
    let own = rows.iter().filter(|row| row.id.rung as usize == rung);
    let values: Vec<f64> = own.filter_map(|row| value(shape, row, &histogram.of)).collect();
    let (low, high) = ends(&values);
    let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
    let n = histogram.bins.unwrap_or(30) as usize;
    let mut counts = vec![0_u64; n];
    for x in &values {
        counts[((n as f64 * (x - low) / (high - low)) as usize).min(n - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    canvas.axes(histogram.title.as_deref(), (&histogram.of, [low, high]), ("rows", [0.0, most]));
    let at = |k: usize| low + (high - low) * k as f64 / n as f64;
    for (k, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        canvas.cell([at(k), at(k + 1)], [0.0, *count as f64], "#3b528b");
    }
    Ok(())
}

fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

fn place(of: &[f64], bits: u64) -> Option<usize> {
    of.iter().position(|x| x.to_bits() == bits)
}

fn ends(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

fn span(edges: &[f64]) -> [f64; 2] {
    [edges[0], edges[edges.len() - 1]]
}

/// Edges of cells around values: in the middle between neighbours.
fn edges(values: &[f64]) -> Vec<f64> {
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return vec![0.0, 1.0] };
    let half = |a: f64, b: f64| 0.5 * (b - a);
    let n = values.len();
    let (before, after) =
        if n > 1 { (half(values[0], values[1]), half(values[n - 2], values[n - 1])) } else { (0.5, 0.5) };
    let middles = values.windows(2).map(|w| 0.5 * (w[0] + w[1]));
    std::iter::once(first - before).chain(middles).chain([last + after]).collect()
}

/// Colour of a part of the scale.
fn colour(part: f64) -> String {
    let at = part.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let k = (at as usize).min(COLOURS.len() - 2);
    let [r, g, b] = [0, 1, 2]
        .map(|c| (COLOURS[k][c] + (at - k as f64) * (COLOURS[k + 1][c] - COLOURS[k][c])).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// SVG in the making.
#[derive(Default)]
struct Canvas {
    body: String,
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
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.put(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\"{more}>{text}</text>"
        ));
    }

    fn axes(&mut self, title: Option<&str>, x: (&str, [f64; 2]), y: (&str, [f64; 2])) {
        (self.x, self.y) = (x.1, y.1);
        let [left, top, width, height] = AREA;
        self.put(format_args!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"#eeeeee\" stroke=\"#333333\"/>"
        ));
        self.text([left + 0.5 * width, 24.0], "middle", " font-size=\"16\"", title.unwrap_or_default());
        self.text([left + 0.5 * width, top + height + 40.0], "middle", "", x.0);
        let middle = top + 0.5 * height;
        self.text([20.0, middle], "middle", &format!(" transform=\"rotate(-90 20 {middle})\""), y.0);
        for tick in ticks(x.1) {
            let at = self.across(tick);
            self.text([at, top + height + 18.0], "middle", "", &short(tick));
        }
        for tick in ticks(y.1) {
            let at = self.up(tick);
            self.text([left - 6.0, at + 4.0], "end", "", &short(tick));
        }
    }

    fn cell(&mut self, x: [f64; 2], y: [f64; 2], fill: &str) {
        let (left, right, top, bottom) = (self.across(x[0]), self.across(x[1]), self.up(y[1]), self.up(y[0]));
        self.put(format_args!(
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{fill}\"/>",
            right - left,
            bottom - top
        ));
    }

    /// The scale of colours at the right.
    fn bar(&mut self, label: &str, low: f64, high: f64) {
        let (left, top, height) = (AREA[0] + AREA[2] + 20.0, AREA[1], AREA[3]);
        for k in 0..50 {
            let y = top + height * (1.0 - f64::from(k + 1) / 50.0);
            let (h, fill) = (height / 50.0 + 0.3, colour((f64::from(k) + 0.5) / 50.0));
            self.put(format_args!(
                "<rect x=\"{left}\" y=\"{y:.2}\" width=\"18\" height=\"{h:.2}\" fill=\"{fill}\"/>"
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
        self.text([left, top - 8.0], "start", "", label);
    }

    fn finish(self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"480\" viewBox=\"0 0 640 480\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"640\" height=\"480\" fill=\"#ffffff\"/>\n{}</svg>\n",
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

/// A number with up to six digits.
fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    let text = written(rounded);
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}
