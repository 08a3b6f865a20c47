//! Maps: a value at every place of two parameters of the cases.

use std::collections::BTreeMap;

use super::canvas::{Canvas, colour};
use super::values::{ends, rung_of, value};
use crate::row::Row;
use crate::shape::Shape;
use crate::types::{Map, Prune};

/// A value of a map: place and value.
type Spot = [f64; 3];

/// Success of every case on a rung: the part of its samples that succeeded there, whether the others were run or pruned; where whole cases
/// are pruned, 1 if all samples succeeded and else 0, as the others are not known. Over a parameter of the samples every sample that was run
/// has a place of its own: 1 if it succeeded on the rung, 0 if it did not or was pruned before.
fn successes(map: &Map, shape: &Shape, rows: &[Row], rung: usize) -> Vec<Spot> {
    let place = |row: &Row| Some([value(shape, row, &map.x)?, value(shape, row, &map.y)?]);
    let mut first: BTreeMap<u64, Option<[f64; 2]>> = BTreeMap::new();
    let varies = rows.iter().any(|row| *first.entry(row.id.case).or_insert_with(|| place(row)) != place(row));
    let mut spots: BTreeMap<[u64; 2], (Option<[f64; 2]>, u64)> = BTreeMap::new();
    for row in rows {
        let spot = spots.entry([row.id.case, if varies { row.id.sample } else { 0 }]).or_default();
        spot.0 = spot.0.or_else(|| place(row));
        spot.1 += u64::from(row.success && row.id.rung as usize == rung);
    }
    let samples = if varies { 1 } else { shape.rungs[rung].samples };
    let rate = |n: u64| match shape.prune {
        Prune::Case => f64::from(n == samples),
        Prune::Sample | Prune::Never => n as f64 / samples as f64,
    };
    spots.values().filter_map(|(place, n)| place.map(|[x, y]| [x, y, rate(*n)])).collect()
}

/// A measure of all rows of a rung.
fn measured(map: &Map, shape: &Shape, rows: &[Row], rung: usize) -> Vec<Spot> {
    let rows = rows.iter().filter(|row| row.id.rung as usize == rung);
    let of = |row: &Row, name: &str| value(shape, row, name);
    rows.filter_map(|row| Some([of(row, &map.x)?, of(row, &map.y)?, of(row, &map.value)?])).collect()
}

/// Means over all that stands at one place.
pub(super) fn draw(canvas: &mut Canvas, map: &Map, shape: &Shape, rows: &[Row]) {
    let rung = rung_of(shape, map.rung.as_deref());
    let success = map.value == "success";
    let spots = if success { successes(map, shape, rows, rung) } else { measured(map, shape, rows, rung) };
    let cells = means(&spots);
    let (xs, ys) = (distinct(spots.iter().map(|s| s[0])), distinct(spots.iter().map(|s| s[1])));
    let values: Vec<f64> = cells.values().copied().collect();
    let (low, high) = if success { (0.0, 1.0) } else { ends(&values) };
    let (x_edges, y_edges) = (edges(&xs), edges(&ys));
    canvas.title(map.title.as_deref());
    let x = (map.x_label.as_deref().unwrap_or(&map.x), span(&x_edges));
    canvas.axes(x, (map.y_label.as_deref().unwrap_or(&map.y), span(&y_edges)));
    for ((x, y), mean) in &cells {
        let (Some(i), Some(j)) = (place(&xs, *x), place(&ys, *y)) else { continue };
        let part = if high > low { (mean - low) / (high - low) } else { 0.5 };
        canvas.cell([x_edges[i], x_edges[i + 1]], [y_edges[j], y_edges[j + 1]], &colour(part));
    }
    canvas.bar(map.value_label.as_deref().unwrap_or(&map.value), low, high);
}

/// The mean of what stands at every place; places are known by the bits of their numbers.
fn means(spots: &[Spot]) -> BTreeMap<(u64, u64), f64> {
    let mut sums: BTreeMap<(u64, u64), (f64, f64)> = BTreeMap::new();
    for [x, y, v] in spots {
        let cell = sums.entry((x.to_bits(), y.to_bits())).or_insert((0.0, 0.0));
        *cell = (cell.0 + v, cell.1 + 1.0);
    }
    sums.into_iter().map(|(at, (sum, n))| (at, sum / n)).collect()
}

fn place(of: &[f64], bits: u64) -> Option<usize> {
    of.iter().position(|x| x.to_bits() == bits)
}

fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
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
