//! Maps: a value at every place of two parameters of the cases.

use std::collections::BTreeMap;

use super::axes::{Axes, colour};
use super::values::{ends, rung_of, value};
use crate::row::Row;
use crate::shape::Shape;
use crate::types::{Map, Prune};

/// Means over all that stands at one place: sum and number by the bits of x and y.
#[derive(Default)]
struct Means(BTreeMap<(u64, u64), (f64, f64)>);

impl Means {
    fn add(&mut self, [x, y]: [f64; 2], value: f64) {
        let cell = self.0.entry((x.to_bits(), y.to_bits())).or_insert((0.0, 0.0));
        *cell = (cell.0 + value, cell.1 + 1.0);
    }
}

/// Rows of one case, or of one sample of it: where they stand, and how many succeeded on the rung.
struct Spot {
    at: u64,
    place: Option<[f64; 2]>,
    good: u64,
}

impl Spot {
    /// Adds a row to the spot that stands, or gives that one away and begins another.
    fn add(now: &mut Option<Self>, at: u64, place: Option<[f64; 2]>, good: u64) -> Option<Self> {
        match now {
            Some(spot) if spot.at == at => {
                (spot.place, spot.good) = (spot.place.or(place), spot.good + good);
                None
            }
            _ => now.replace(Self { at, place, good }),
        }
    }
}

/// The values of a map, as rows come, in their order.
///
/// Success of every case on a rung: the part of its samples that succeeded there, whether the others were run or pruned; where whole cases
/// are pruned, 1 if all samples succeeded and else 0, as the others are not known. Over a parameter of the samples every sample that was run
/// has a place of its own: 1 if it succeeded on the rung, 0 if it did not or was pruned before.
pub(super) struct Places<'a> {
    map: &'a Map,
    rung: usize,
    samples: u64,
    prune: Prune,
    /// The place of the first row of the case.
    first: Option<(u64, Option<[f64; 2]>)>,
    /// True if rows of one case have different places.
    varies: bool,
    case: Option<Spot>,
    /// The sample of a case.
    sample: Option<Spot>,
    by_case: Means,
    by_sample: Means,
    measured: Means,
}

impl<'a> Places<'a> {
    pub(super) fn of(map: &'a Map, shape: &Shape) -> Self {
        let rung = rung_of(shape, map.rung.as_deref());
        let (samples, prune) = (shape.rungs[rung].samples, shape.prune);
        let means = || Means::default();
        let (by_case, by_sample, measured) = (means(), means(), means());
        let (first, case, sample) = (None, None, None);
        Self { map, rung, samples, prune, first, varies: false, case, sample, by_case, by_sample, measured }
    }

    fn is_of_success(&self) -> bool {
        self.map.value == "success"
    }

    /// Takes the next row in.
    pub(super) fn add(&mut self, shape: &Shape, row: &Row) {
        let of = |name: &str| value(shape, row, name);
        let place = of(&self.map.x).and_then(|x| Some([x, of(&self.map.y)?]));
        let on_rung = row.id.rung as usize == self.rung;
        if !self.is_of_success() {
            if let (true, Some(place), Some(value)) = (on_rung, place, of(&self.map.value)) {
                self.measured.add(place, value);
            }
            return;
        }
        match self.first {
            Some((case, first)) if case == row.id.case => self.varies |= first != place,
            _ => {
                self.first = Some((row.id.case, place));
                self.end_sample();
            }
        }
        let good = u64::from(row.success && on_rung);
        if let Some(spot) = Spot::add(&mut self.case, row.id.case, place, good) {
            self.put(&spot, self.samples, false);
        }
        if let Some(spot) = Spot::add(&mut self.sample, row.id.sample, place, good) {
            self.put(&spot, 1, true);
        }
    }

    fn end_sample(&mut self) {
        if let Some(spot) = self.sample.take() {
            self.put(&spot, 1, true);
        }
    }

    /// The rate of a spot that is whole.
    fn put(&mut self, spot: &Spot, samples: u64, is_sample: bool) {
        let rate = match self.prune {
            Prune::Case => f64::from(spot.good == samples),
            Prune::Sample | Prune::Never => spot.good as f64 / samples as f64,
        };
        let means = if is_sample { &mut self.by_sample } else { &mut self.by_case };
        spot.place.into_iter().for_each(|place| means.add(place, rate));
    }

    /// Draws the map of all rows that came.
    pub(super) fn draw(mut self, axes: &mut Axes) {
        self.end_sample();
        if let Some(spot) = self.case.take() {
            self.put(&spot, self.samples, false);
        }
        let success = self.is_of_success();
        let means = match (success, self.varies) {
            (false, _) => self.measured,
            (true, false) => self.by_case,
            (true, true) => self.by_sample,
        };
        draw(axes, self.map, success, means);
    }
}

fn draw(axes: &mut Axes, map: &Map, success: bool, means: Means) {
    let cells: BTreeMap<(u64, u64), f64> = means.0.into_iter().map(|(at, (sum, n))| (at, sum / n)).collect();
    let xs = distinct(cells.keys().map(|(x, _)| f64::from_bits(*x)));
    let ys = distinct(cells.keys().map(|(_, y)| f64::from_bits(*y)));
    let values: Vec<f64> = cells.values().copied().collect();
    let (low, high) = if success { (0.0, 1.0) } else { ends(&values) };
    let (x_edges, y_edges) = (edges(&xs), edges(&ys));
    axes.title(map.title.as_deref());
    let x = (map.x_label.as_deref().unwrap_or(&map.x), span(&x_edges));
    axes.axes(x, (map.y_label.as_deref().unwrap_or(&map.y), span(&y_edges)));
    for ((x, y), mean) in &cells {
        let (Some(i), Some(j)) = (place(&xs, *x), place(&ys, *y)) else { continue };
        let part = if high > low { (mean - low) / (high - low) } else { 0.5 };
        axes.cell([x_edges[i], x_edges[i + 1]], [y_edges[j], y_edges[j + 1]], &colour(part));
    }
    axes.bar(map.value_label.as_deref().unwrap_or(&map.value), low, high);
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
