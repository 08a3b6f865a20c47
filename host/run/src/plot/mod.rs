//! Plots as SVG, and pictures as files; the same bytes for the same numbers.

mod pdf;
mod raster;

use plotters::prelude::*;

pub use pdf::pdf;
pub use raster::{Pixels, contents, pixels};

/// Colours of lines and bodies, in this order.
pub const COLOURS: [&str; 8] =
    ["#1b6ca8", "#c8553d", "#3f8f4f", "#8a5fb0", "#b58a1b", "#2f8f8f", "#a8385d", "#555555"];

/// Width and height, pixels.
const SIZE: (u32, u32) = (760, 420);

/// Units of the drawing in a pixel: the library rounds places to whole units.
const FINE: u32 = 8;

/// Lines in one pair of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines<'a> {
    /// Title, or empty.
    pub title: &'a str,
    /// Text along the axis across.
    pub x_label: &'a str,
    /// Text along the axis up, or empty.
    pub y_label: &'a str,
    /// Label and points of every line; it is broken where a point is not finite.
    pub lines: Vec<(&'a str, &'a [(f64, f64)])>,
}

/// The picture as text.
///
/// # Errors
/// What the library for plots says.
pub fn lines(chart: &Lines<'_>) -> Result<String, String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (fine(SIZE.0), fine(SIZE.1))).into_drawing_area();
        draw(chart, &area).map_err(|e| e.to_string())?;
        area.present().map_err(|e| e.to_string())?;
    }
    // The drawing stays as large as it is; the picture has its size in pixels.
    let size = |(w, h): (u32, u32)| format!("<svg width=\"{w}\" height=\"{h}\"");
    Ok(text.replacen(&size((fine(SIZE.0), fine(SIZE.1))), &size(SIZE), 1))
}

/// Pixels in units of the drawing.
const fn fine(pixels: u32) -> u32 {
    FINE * pixels
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

fn draw<'a>(chart: &Lines<'_>, area: &Area<'a>) -> Result<(), Failure<'a>> {
    area.fill(&WHITE)?;
    let all = || chart.lines.iter().flat_map(|(_, points)| points.iter()).filter(|p| finite(p));
    let (x, y) = (range(all().map(|p| p.0), 0.0), range(all().map(|p| p.1), 0.05));
    // Ticks are sums of steps: what is left of the axis' length by rounding is 0.
    let tick = |at: f64, axis: &std::ops::Range<f64>| {
        short(if at.abs() < 1e-9 * (axis.end - axis.start) { 0.0 } else { at })
    };
    let mut builder = ChartBuilder::on(area);
    builder.margin(fine(12)).x_label_area_size(fine(42)).y_label_area_size(fine(78));
    if !chart.title.is_empty() {
        builder.caption(chart.title, ("sans-serif", fine(16)));
    }
    let (across, up) = (x.clone(), y.clone());
    let mut axes = builder.build_cartesian_2d(x, y)?;
    axes.configure_mesh()
        .light_line_style(TRANSPARENT)
        .axis_style(BLACK.stroke_width(fine(1)))
        .set_all_tick_mark_size(fine(5))
        .bold_line_style(BLACK.mix(0.12).stroke_width(fine(1)))
        .x_desc(chart.x_label)
        .y_desc(chart.y_label)
        .x_label_formatter(&|x| tick(*x, &across))
        .y_label_formatter(&|y| tick(*y, &up))
        .label_style(("sans-serif", fine(12)))
        .axis_desc_style(("sans-serif", fine(12)))
        .draw()?;
    for (k, (label, points)) in chart.lines.iter().enumerate() {
        let style = colour(k).stroke_width(fine(2));
        for (part, piece) in points.split(|p| !finite(p)).filter(|piece| !piece.is_empty()).enumerate() {
            // A line of one point would be seen by nobody.
            let dot = (piece.len() == 1).then(|| Circle::new(piece[0], fine(4), colour(k).filled()));
            axes.draw_series(dot)?;
            let drawn = axes.draw_series(LineSeries::new(piece.iter().copied(), style))?;
            if part == 0 {
                let line = move |(x, y)| PathElement::new(vec![(x, y), (x + fine(18) as i32, y)], style);
                drawn.label(*label).legend(line);
            }
        }
    }
    axes.configure_series_labels()
        .position(corner(all(), &across, &up))
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3).stroke_width(fine(1)))
        .margin(fine(5))
        .legend_area_size(fine(30))
        .label_font(("sans-serif", fine(12)))
        .draw()
}

/// The corner with the fewest points: the legend stands there.
fn corner<'p>(
    points: impl Iterator<Item = &'p (f64, f64)>,
    x: &std::ops::Range<f64>,
    y: &std::ops::Range<f64>,
) -> SeriesLabelPosition {
    let mut counts = [0_usize; 4];
    for p in points {
        let at = ((p.0 - x.start) / (x.end - x.start), (p.1 - y.start) / (y.end - y.start));
        for (k, count) in counts.iter_mut().enumerate() {
            let across = if k % 2 == 0 { at.0 < 0.3 } else { at.0 > 0.7 };
            let up = if k < 2 { at.1 > 0.7 } else { at.1 < 0.3 };
            *count += usize::from(across && up);
        }
    }
    let best = (0..4).min_by_key(|&k| counts[k]).unwrap_or(0);
    [
        SeriesLabelPosition::UpperLeft,
        SeriesLabelPosition::UpperRight,
        SeriesLabelPosition::LowerLeft,
        SeriesLabelPosition::LowerRight,
    ][best]
        .clone()
}

fn finite(p: &(f64, f64)) -> bool {
    p.0.is_finite() && p.1.is_finite()
}

/// The k-th of [`COLOURS`].
fn colour(k: usize) -> RGBColor {
    let part = |from: usize| {
        let digits = COLOURS[k % COLOURS.len()].get(from..from + 2).unwrap_or("00");
        u8::from_str_radix(digits, 16).unwrap_or(0)
    };
    RGBColor(part(1), part(3), part(5))
}

/// From least to largest with a part of that on both sides; one unit about a single value, or about 0 for none.
fn range(values: impl Iterator<Item = f64>, margin: f64) -> std::ops::Range<f64> {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if low > high {
        return -0.5..0.5;
    }
    // What differs by rounding only is one value.
    let size = low.abs().max(high.abs());
    if high - low <= 1e-12 * size || high == low {
        let half = if size > 0.0 { 0.5 * size } else { 0.5 };
        return low - half..high + half;
    }
    let more = margin * (high - low);
    low - more..high + more
}

/// A number with up to six digits, without noise of rounding.
pub fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    match rounded.abs() {
        0.0 => "0".into(),
        size if !(1e-4..1e7).contains(&size) => format!("{rounded:e}"),
        _ => format!("{rounded}"),
    }
}
