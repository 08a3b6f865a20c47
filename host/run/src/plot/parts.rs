//! Parts that the files of a plot share: lines, colours, dashes, units of the drawing, texts of numbers.

use plotters::prelude::*;

/// Colours of lines and bodies, in this order.
pub const COLOURS: [&str; 8] =
    ["#1b6ca8", "#c8553d", "#3f8f4f", "#8a5fb0", "#b58a1b", "#2f8f8f", "#a8385d", "#555555"];

/// Units of the drawing in a pixel: the library rounds places to whole units.
const FINE: u32 = 8;

/// Lengths of dashes and of the gaps between them, pixels; the first is a whole line.
const DASHES: [(u32, u32); 4] = [(0, 0), (9, 5), (3, 3), (15, 4)];

/// One line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line<'a> {
    /// Text in the legend.
    pub label: &'a str,
    /// Points; the line is broken where one is not finite, or has no logarithm on an axis of decades.
    pub points: &'a [(f64, f64)],
    /// Place of its colour in [`COLOURS`], which begins again after the last with the next dashes.
    pub colour: usize,
    /// 0 for a whole line; others are dashed, each its own way, beginning again after three.
    pub dash: usize,
    /// True if its points have dots.
    pub has_dots: bool,
}

impl<'a> Line<'a> {
    /// A whole line without dots, in the k-th colour.
    pub fn new(label: &'a str, points: &'a [(f64, f64)], k: usize) -> Self {
        Self { label, points, colour: k, dash: 0, has_dots: false }
    }

    /// Lengths of its dashes and of the gaps between them, pixels; 0 for a whole line. Lines that share a colour have others.
    pub(super) fn dashes(&self) -> (u32, u32) {
        DASHES[(self.dash + self.colour / COLOURS.len()) % DASHES.len()]
    }
}

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
pub(super) type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

/// Pixels in units of the drawing.
pub(super) const fn fine(pixels: u32) -> u32 {
    FINE * pixels
}

/// The k-th of [`COLOURS`].
pub(super) fn colour(k: usize) -> RGBColor {
    let part = |from: usize| {
        let digits = COLOURS[k % COLOURS.len()].get(from..from + 2).unwrap_or("00");
        u8::from_str_radix(digits, 16).unwrap_or(0)
    };
    RGBColor(part(1), part(3), part(5))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The ninth line looked like the first.
    #[test]
    fn colour_and_dashes_together_are_those_of_one_line() {
        let look = |k: usize| (colour(k), Line::new("", &[], k).dashes());
        let looks: Vec<_> = (0..24).map(look).collect();
        assert!((0..24).all(|k| !looks[..k].contains(&looks[k])));
        assert_eq!(looks[..8].iter().filter(|(_, dashes)| dashes.0 == 0).count(), 8);
    }
}
