//! The badge of a plugin for its README: what the conformance suite says of it, as a picture.

use vinci_conformance::Report;
use vinci_run::svg::{Canvas, Decimals};

/// Width of a character, pixels.
const CHARACTER: f64 = 7.0;

/// Space beside a text, pixels.
const SPACE: f64 = 6.0;

/// Height of the picture, pixels.
const HEIGHT: f64 = 20.0;

/// Paint of texts.
const TEXT: &str = "fill=\"#ffffff\" font-family=\"monospace\" font-size=\"11\"";

/// The picture, as SVG: the level up to which nothing failed, or that something did.
pub(super) fn badge(suite: &Report) -> String {
    let colour = if suite.passed() { "fill=\"#2a7d3f\"" } else { "fill=\"#b3261e\"" };
    let mut canvas = Canvas::new(Decimals::Shortest);
    let mut from = 0.0;
    for (text, paint) in [("vinci plugin check".to_owned(), "fill=\"#444444\""), (said(suite), colour)] {
        let width = CHARACTER * text.len() as f64 + 2.0 * SPACE;
        canvas.rectangle([from, 0.0], [width, HEIGHT], paint);
        canvas.text([from + SPACE, HEIGHT - SPACE], &text, TEXT);
        from += width;
    }
    canvas.file([from, HEIGHT])
}

fn said(suite: &Report) -> String {
    let [passed, failed, _, crashed] = suite.counts();
    match suite.passed() {
        true => format!("level {}, {passed} passed", suite.reached()),
        false => format!("{} failed", failed + crashed),
    }
}
