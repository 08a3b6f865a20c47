//! Histograms: how many rows have a value in which bin.

use super::axes::Axes;
use super::values::{ends, rung_of, value};
use crate::row::Row;
use crate::shape::Shape;
use crate::types::Histogram;

/// The values of a histogram, as rows come.
pub(super) struct Values<'a> {
    histogram: &'a Histogram,
    rung: usize,
    values: Vec<f64>,
}

impl<'a> Values<'a> {
    pub(super) fn of(histogram: &'a Histogram, shape: &Shape) -> Self {
        Self { histogram, rung: rung_of(shape, histogram.rung.as_deref()), values: Vec::new() }
    }

    /// Takes the next row in.
    pub(super) fn add(&mut self, shape: &Shape, row: &Row) {
        if row.id.rung as usize == self.rung {
            self.values.extend(value(shape, row, &self.histogram.of));
        }
    }

    /// Draws the bars.
    pub(super) fn draw(self, axes: &mut Axes) {
        draw(axes, self.histogram, &self.values);
    }
}

fn draw(axes: &mut Axes, histogram: &Histogram, values: &[f64]) {
    let (low, high) = ends(values);
    let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
    let n = histogram.bins.unwrap_or(30) as usize;
    let mut counts = vec![0_u64; n];
    for x in values {
        counts[((n as f64 * (x - low) / (high - low)) as usize).min(n - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    axes.title(histogram.title.as_deref());
    let x = (histogram.x_label.as_deref().unwrap_or(&histogram.of), [low, high]);
    axes.axes(x, (histogram.y_label.as_deref().unwrap_or("runs"), [0.0, most]));
    let at = |k: usize| low + (high - low) * k as f64 / n as f64;
    for (k, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        axes.cell([at(k), at(k + 1)], [0.0, *count as f64], "#3b528b");
    }
}
