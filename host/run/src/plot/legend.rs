//! The legend of a plot, beside its axes: where it covers no line.

use plotters::prelude::*;

use super::parts::{Area, Failure, Line, colour, fine};

/// Height of a row, pixels.
const ROW: u32 = 20;

/// Space above the first row and below the last, pixels.
const TOP: u32 = 16;

/// Length of the piece of a line that stands before its label, and the space behind it, pixels.
const PIECE: (u32, u32) = (30, 8);

/// Most of a character's width, pixels.
const CHARACTER: u32 = 7;

/// Width of the legend, pixels.
pub(super) fn width(lines: &[Line<'_>]) -> u32 {
    let characters = lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0);
    PIECE.0 + PIECE.1 + CHARACTER * u32::try_from(characters).unwrap_or(0) + 12
}

/// Height that the legend needs, pixels.
pub(super) fn height(lines: &[Line<'_>]) -> u32 {
    2 * TOP + ROW * u32::try_from(lines.len()).unwrap_or(0)
}

/// A row for every line.
pub(super) fn draw_legend<'a>(area: &Area<'a>, lines: &[Line<'_>]) -> Result<(), Failure<'a>> {
    let units = |pixels: u32| i32::try_from(fine(pixels)).unwrap_or(i32::MAX);
    let (piece, text) = (units(PIECE.0), units(PIECE.0 + PIECE.1));
    let mut y = units(TOP);
    for line in lines {
        let style = colour(line.colour).stroke_width(fine(2));
        let (dash, gap) = line.dashes();
        let (dash, step) = if dash == 0 { (piece, piece) } else { (units(dash), units(dash + gap)) };
        let mut x = 0;
        while x < piece {
            area.draw(&PathElement::new(vec![(x, y), ((x + dash).min(piece), y)], style))?;
            x += step;
        }
        if line.has_dots {
            area.draw(&Circle::new((piece / 2, y), fine(4), colour(line.colour).filled()))?;
        }
        let middle = plotters::style::text_anchor::Pos::new(
            plotters::style::text_anchor::HPos::Left,
            plotters::style::text_anchor::VPos::Center,
        );
        let font = ("sans-serif", fine(12)).into_font().color(&BLACK).pos(middle);
        area.draw(&Text::new(line.label.to_owned(), (text, y), font))?;
        y += units(ROW);
    }
    Ok(())
}
