//! Pictures that a run draws of itself: `record.pictures`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A picture of a run: drawings of the scene at certain times, or lines over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    /// Name of the file beside the results, ending in `.svg` or `.png`.
    #[schemars(length(min = 1))]
    pub file: String,
    /// Drawings of a planar scene (give either `frames` or `plot`).
    pub frames: Option<Frames>,
    /// Lines over time.
    pub plot: Option<Plot>,
}

/// A strip of drawings of a planar scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frames {
    /// Times, s: each is drawn at the end of the first step that reaches it.
    #[schemars(length(min = 1), inner(range(min = 0)))]
    pub times: Vec<f64>,
    /// Drawings in a row; default 4.
    #[schemars(range(min = 1))]
    pub columns: Option<usize>,
    /// Window of a drawing, [xmin, ymin, xmax, ymax], m; default: all bounded shapes at all the times; where that
    /// is over 3 times as high as wide, what lies far above or below the moving bodies is left out.
    pub view: Option<[f64; 4]>,
    /// A body that stays where it is in the drawings; `view` is then relative to its centre of mass.
    pub follow: Option<String>,
    /// Width of a drawing, px; default 240.
    #[schemars(range(min = 40, max = 4000))]
    pub width: Option<f64>,
    /// True if forces of contacts are drawn too; default false.
    #[serde(default)]
    pub contacts: bool,
}

/// Lines: formulas over the recorded states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// Formula across, of t and the columns of `trajectory.csv`; default `t`.
    pub x: Option<String>,
    /// Formulas up, one line each.
    #[schemars(length(min = 1))]
    pub y: Vec<Line>,
    /// Title; default none.
    pub title: Option<String>,
    /// Text along the axis across; default the formula, or `t, s`.
    pub x_label: Option<String>,
    /// Text along the axis up; default none.
    pub y_label: Option<String>,
}

/// A line of a plot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Line {
    /// A formula, which is its label too.
    Formula(String),
    /// A formula with a label.
    Labelled(Labelled),
}

/// A formula with a label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Labelled {
    /// Text in the legend.
    pub label: String,
    /// The formula.
    pub of: String,
}

impl Line {
    /// Text in the legend.
    pub fn label(&self) -> &str {
        match self {
            Self::Formula(text) => text,
            Self::Labelled(line) => &line.label,
        }
    }

    /// The formula.
    pub fn formula(&self) -> &str {
        match self {
            Self::Formula(text) => text,
            Self::Labelled(line) => &line.of,
        }
    }
}

/// Endings of files that pictures are written as.
const ENDINGS: [&str; 2] = [".svg", ".png"];

/// Returns true if pictures can be written to a file of this name.
pub fn is_picture(file: &str) -> bool {
    ENDINGS.iter().any(|ending| file.len() > ending.len() && file.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::is_picture;

    #[test]
    fn pictures_are_svg_and_png_with_a_name() {
        assert!(is_picture("a.png") && is_picture("a.svg") && !is_picture(".png") && !is_picture("a.pdf"));
    }
}
