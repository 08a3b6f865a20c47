//! Parts of a comparison beside its tables: what is told, drawn and written of one measure, and lists of words.

use serde_json::Value;

/// A part of a comparison that is asked for by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its key among the measures of `compare.json`.
    pub key: &'static str,
    /// Title on the page.
    pub title: String,
    /// Sentences below the title.
    pub notes: Vec<String>,
    /// Names of the columns of the page's table.
    pub head: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
    /// Text for people: a block below the tables.
    pub text: String,
    /// JSON for programs.
    pub json: Value,
    /// A table: name of the file, and contents.
    pub csv: (&'static str, String),
    /// Figures: name of the file, and SVG.
    pub figures: Vec<(&'static str, String)>,
}

/// Words in a table with a title, on the page of a comparison before its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Title on the page.
    pub title: &'static str,
    /// Names of the columns.
    pub head: Vec<&'static str>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}
