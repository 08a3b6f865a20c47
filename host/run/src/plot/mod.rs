//! Plots as SVG, and pictures as files; the same bytes for the same numbers.

mod axis;
mod legend;
mod parts;
mod pdf;
mod raster;

use plotters::prelude::*;

use axis::Axis;
pub use axis::Scale;
use legend::draw_legend;
use parts::{Area, Failure, colour, fine};
pub use parts::{COLOURS, Line, short};
pub use pdf::pdf;
pub use raster::{Pixels, contents, pixels};

/// Width and height of axes with their labels, pixels; the legend stands beside them.
const SIZE: (u32, u32) = (760, 420);

/// Lines in one pair of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart<'a> {
    /// Title, or empty.
    pub title: &'a str,
    /// Texts along the axis across and the axis up; either may be empty.
    pub labels: [&'a str; 2],
    /// How the axes are divided, across and up.
    pub scales: [Scale; 2],
    /// Lines, in the order of the legend.
    pub lines: Vec<Line<'a>>,
}

/// The picture as text.
///
/// # Errors
/// What the library for plots says.
pub fn lines(chart: &Chart<'_>) -> Result<String, String> {
    let mut text = String::new();
    let size = (SIZE.0 + legend::width(&chart.lines), SIZE.1.max(legend::height(&chart.lines)));
    {
        let area = SVGBackend::with_string(&mut text, (fine(size.0), fine(size.1))).into_drawing_area();
        draw(chart, &area).map_err(|e| e.to_string())?;
        area.present().map_err(|e| e.to_string())?;
    }
    // The drawing stays as large as it is; the picture has its size in pixels.
    let words = |(w, h): (u32, u32)| format!("<svg width=\"{w}\" height=\"{h}\"");
    Ok(text.replacen(&words((fine(size.0), fine(size.1))), &words(size), 1))
}

fn draw<'a>(chart: &Chart<'_>, area: &Area<'a>) -> Result<(), Failure<'a>> {
    area.fill(&WHITE)?;
    let (left, right) = area.split_horizontally(fine(SIZE.0));
    let all: Vec<Vec<(f64, f64)>> =
        chart.lines.iter().map(|line| placed(line.points, chart.scales)).collect();
    let shown = || all.iter().flatten().filter(|p| finite(p));
    let across = Axis::new(chart.scales[0], shown().map(|p| p.0), 0.0);
    let up = Axis::new(chart.scales[1], shown().map(|p| p.1), 0.05);
    let mut builder = ChartBuilder::on(&left);
    builder.margin(fine(12)).x_label_area_size(fine(42)).y_label_area_size(fine(78));
    if !chart.title.is_empty() {
        builder.caption(chart.title, ("sans-serif", fine(16)));
    }
    let mut axes = builder.build_cartesian_2d(across, up)?;
    axes.configure_mesh()
        .light_line_style(TRANSPARENT)
        .axis_style(BLACK.stroke_width(fine(1)))
        .set_all_tick_mark_size(fine(5))
        .bold_line_style(BLACK.mix(0.12).stroke_width(fine(1)))
        .x_desc(chart.labels[0])
        .y_desc(chart.labels[1])
        .label_style(("sans-serif", fine(12)))
        .axis_desc_style(("sans-serif", fine(12)))
        .draw()?;
    for (line, points) in chart.lines.iter().zip(&all) {
        for piece in points.split(|p| !finite(p)).filter(|piece| !piece.is_empty()) {
            // A line of one point would be seen by nobody.
            let dots = if line.has_dots || piece.len() == 1 { piece } else { &[] };
            axes.draw_series(dots.iter().map(|p| Circle::new(*p, fine(4), colour(line.colour).filled())))?;
            let style = colour(line.colour).stroke_width(fine(2));
            let points = piece.iter().copied();
            match line.dashes() {
                (0, _) => axes.draw_series(LineSeries::new(points, style))?,
                (dash, gap) => {
                    axes.draw_series(DashedLineSeries::new(points, fine(dash), fine(gap), style))?
                }
            };
        }
    }
    draw_legend(&right, &chart.lines)
}

/// Points in the units of the axes.
fn placed(points: &[(f64, f64)], [across, up]: [Scale; 2]) -> Vec<(f64, f64)> {
    points.iter().map(|p| (across.place(p.0), up.place(p.1))).collect()
}

fn finite(p: &(f64, f64)) -> bool {
    p.0.is_finite() && p.1.is_finite()
}
