//! An axis of a plot: its range, its ticks, their texts.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;

use super::parts::short;

/// Division of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal lengths for equal differences.
    Linear,
    /// Equal lengths for equal ratios; what is not above 0 has no place.
    Decades,
}

impl Scale {
    /// Place of a number on the axis: itself, or its log₁₀ (NaN where it has none).
    pub fn place(self, x: f64) -> f64 {
        match self {
            Self::Linear => x,
            Self::Decades if x > 0.0 => x.log10(),
            Self::Decades => f64::NAN,
        }
    }
}

/// Largest number of ticks.
const MOST: f64 = 10.0;

/// Whole decades that make an axis readable by themselves.
const FEWEST: usize = 3;

/// Least length of an axis of decades, in decades: one value alone stands between its neighbours.
const LEAST: f64 = 0.5;

/// An axis in the units of [`Scale::place`].
#[derive(Clone)]
pub(super) struct Axis {
    scale: Scale,
    range: Range<f64>,
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.range.clone()).map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.text(*value)
    }
}

impl Axis {
    /// The axis that shows these places, with a part of its length more on both sides.
    pub(super) fn new(scale: Scale, places: impl Iterator<Item = f64>, margin: f64) -> Self {
        let range = match scale {
            Scale::Linear => range(places, margin),
            Scale::Decades => decades(places),
        };
        Self { scale, range }
    }

    /// Places of the ticks, upwards.
    fn ticks(&self) -> Vec<f64> {
        let length = self.range.end - self.range.start;
        match self.scale {
            Scale::Decades => {
                let whole = self.multiples((length / MOST).ceil().max(1.0));
                if whole.len() < FEWEST { self.parts_of_decades() } else { whole }
            }
            Scale::Linear => self.multiples(nice(length / MOST)),
        }
    }

    /// Multiples of a step in the range.
    fn multiples(&self, step: f64) -> Vec<f64> {
        let first = (self.range.start / step - 1e-9).ceil();
        let ticks = (0..).map(|k| (first + f64::from(k)) * step);
        ticks.take_while(|at| *at <= self.range.end + 1e-9 * step).collect()
    }

    /// 1, 2 and 5 of every decade; all digits where less than one is there.
    fn parts_of_decades(&self) -> Vec<f64> {
        let few = self.range.end - self.range.start < 0.9;
        let digits: &[f64] =
            if few { &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0] } else { &[1.0, 2.0, 5.0] };
        let (first, last) = (self.range.start.floor(), self.range.end.ceil());
        let decades = (0..).map(|k| first + f64::from(k)).take_while(|decade| *decade <= last);
        let parts = decades.flat_map(|decade| digits.iter().map(move |part| decade + part.log10()));
        parts.filter(|at| self.range.contains(at)).collect()
    }

    /// Text of a tick.
    fn text(&self, at: f64) -> String {
        match self.scale {
            Scale::Decades => short(10.0_f64.powf(at)),
            // Ticks are multiples of steps: what is left of the axis' length by rounding is 0.
            Scale::Linear if at.abs() < 1e-9 * (self.range.end - self.range.start) => short(0.0),
            Scale::Linear => short(at),
        }
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not below a length.
fn nice(length: f64) -> f64 {
    let power = 10.0_f64.powf(length.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|part| part * power).find(|step| *step >= length).unwrap_or(10.0 * power)
}

/// From least to largest with a twentieth of that on both sides, and no shorter than [`LEAST`].
fn decades(places: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = ends(places);
    if low > high {
        return -0.5..0.5;
    }
    let more = (0.05 * (high - low)).max(0.5 * (LEAST - (high - low)));
    low - more..high + more
}

/// From least to largest with a part of that on both sides; one unit about a single value, or about 0 for none.
fn range(values: impl Iterator<Item = f64>, margin: f64) -> Range<f64> {
    let (low, high) = ends(values);
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

/// Least and largest; the first above the second where there is none.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: Scale, values: &[f64]) -> Vec<String> {
        let axis = Axis::new(scale, values.iter().map(|x| scale.place(*x)), 0.0);
        axis.ticks().into_iter().map(|at| axis.text(at)).collect()
    }

    /// Axes of logarithms had ticks like -3.4.
    #[test]
    fn axes_of_decades_have_powers_of_ten() {
        assert_eq!(texts(Scale::Decades, &[3e-4, 5.0]), ["0.001", "0.01", "0.1", "1"]);
        assert_eq!(texts(Scale::Decades, &[2e-3, 2e-2]), ["0.002", "0.005", "0.01", "0.02"]);
        assert_eq!(texts(Scale::Decades, &[2e-3, 4.1e-3]), ["0.002", "0.003", "0.004", "0.005"]);
        let wide = texts(Scale::Decades, &[1e-16, 1e8]);
        assert!(wide.len() <= 10 && wide.contains(&"1".to_owned()), "{wide:?}");
    }

    /// An axis from 2e-3 to 9e-2 had one tick, at 0.01.
    #[test]
    fn an_axis_of_few_decades_has_parts_of_them() {
        for (least, most) in [(2e-3, 9e-2), (1.1e-3, 9.9e-1), (1e-5, 1.2e-4), (0.9, 1.1)] {
            let found = texts(Scale::Decades, &[least, most]);
            assert!((3..=12).contains(&found.len()), "{least} to {most}: {found:?}");
        }
    }

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(texts(Scale::Linear, &[0.0, 1.0]).len(), 11);
        assert_eq!(texts(Scale::Linear, &[-0.3, 0.3])[..3], ["-0.3", "-0.2", "-0.1"]);
        assert!(texts(Scale::Linear, &[-0.3, 0.3]).contains(&"0".to_owned()));
        assert_eq!(texts(Scale::Linear, &[7.0]).first().map(String::as_str), Some("4"));
    }

    #[test]
    fn one_value_and_none_have_an_axis() {
        assert!(!texts(Scale::Decades, &[3e-3]).is_empty());
        assert!(!texts(Scale::Decades, &[0.0]).is_empty());
        assert!(!texts(Scale::Linear, &[]).is_empty());
    }
}
