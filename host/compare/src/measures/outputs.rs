//! Files of a comparison for papers and programs: CSV, a table in TeX, figures, a page that shows all.

use std::io::Write;
use std::path::Path;

use vinci_run::atomic_write::write_atomic;
use vinci_run::plot::{pdf, short};
use vinci_run::svg::escape;
use vinci_run::table::{self, Column};
use vinci_run::table::{csv_line, number};

use super::errors::KINDS;
use super::figures::figures;
use super::measured::{Comparison, Measured};
use super::paper::tex;
use super::reference::UNMET;
use crate::section::{Listing, Section};

/// Names of everything that [`write()`] may write.
pub const FILES: [&str; 18] = [
    "comparison.csv",
    "comparison.tex",
    "comparison.html",
    "comparison.parquet",
    "comparison-errors.svg",
    "comparison-errors.pdf",
    "comparison-work.svg",
    "comparison-work.pdf",
    "comparison-modes.svg",
    "comparison-modes.pdf",
    "comparison-cost.svg",
    "comparison-cost.pdf",
    "comparison-same-state.csv",
    "comparison-localised.csv",
    "comparison-localised.svg",
    "comparison-localised.pdf",
    "comparison-forces.csv",
    VIEW,
];

/// The runs in one page that draws them, where somebody has written it.
pub const VIEW: &str = "comparison-view.html";

/// Numbers of a summary that have a column: its name, the unit, and where it stands.
const NUMBERS: [(&str, &str, &str); 18] = [
    ("steps", "1", "/steps"),
    ("total_s", "s", "/timing/total"),
    ("detect_s", "s", "/timing/detect"),
    ("kinematics_s", "s", "/timing/kinematics"),
    ("formulate_s", "s", "/timing/formulate"),
    ("solve_s", "s", "/timing/solve"),
    ("update_s", "s", "/timing/update"),
    ("iterations", "1", "/solver_stats/iterations_total"),
    ("solver_failures", "1", "/solver_stats/failures"),
    ("residual", "1", "/referee/max_residual"),
    ("penetration_m", "m", "/referee/max_penetration"),
    ("complementarity_m_per_s", "m/s", "/referee/max_complementarity"),
    ("cone_N_s", "N s", "/referee/max_cone_violation"),
    ("momentum_N_s", "N s", "/referee/max_momentum_residual"),
    ("friction_angle_deg", "deg", "/referee/max_friction_angle"),
    ("energy_initial_J", "J", "/energy/initial"),
    ("energy_final_J", "J", "/energy/final"),
    ("command_deviation", "m or rad", "/max_command_deviation"),
];

/// Names of the kinds of errors in columns; their units are those of [`KINDS`].
const ERRORS: [&str; 5] = ["position_m", "rotation_rad", "velocity_m_per_s", "spin_rad_per_s", "joint"];

/// The last columns: modes and order, with units.
const LAST: [(&str, &str); 3] = [("modes_differing", "1"), ("modes_first_s", "s"), ("order", "1")];

/// Axes whose values are numbers, with their units.
const NUMERIC_AXES: [(&str, &str); 2] = [("step", "s"), ("duration", "s")];

/// Writes the files into the directory of the comparison.
///
/// # Errors
/// Of output; what the library for plots says.
pub fn write(comparison: &Comparison, directory: &Path) -> std::io::Result<()> {
    let figures = figures(comparison).map_err(std::io::Error::other)?;
    let page = html(comparison, &figures);
    let put = |name: &str, bytes: &[u8]| write_atomic(directory, name, |out| out.write_all(bytes));
    for (name, text) in [(FILES[0], csv(comparison)), (FILES[1], tex(comparison)), (FILES[2], page)] {
        put(name, text.as_bytes())?;
    }
    put(FILES[3], &parquet(comparison)?)?;
    for Section { csv: (name, text), .. } in &comparison.sections {
        put(name, text.as_bytes())?;
    }
    let of_sections = comparison.sections.iter().flat_map(|section| &section.figures);
    for (name, svg) in figures.iter().chain(of_sections) {
        put(name, svg.as_bytes())?;
        put(&in_pdf(name), &pdf(svg).map_err(std::io::Error::other)?)?;
    }
    Ok(())
}

/// The name of a figure as PDF.
fn in_pdf(name: &str) -> String {
    name.replace(".svg", ".pdf")
}

/// Columns: names and units; words have none. An axis whose values are not all numbers is words.
fn columns(comparison: &Comparison) -> Vec<Column> {
    let axis = |(k, name): (usize, &String)| {
        let unit = NUMERIC_AXES.iter().find(|(known, _)| *known == name.as_str());
        let are_numbers = comparison.runs.iter().all(|m| m.run.values[k].parse::<f64>().is_ok());
        match unit.filter(|_| are_numbers) {
            Some((_, unit)) => Column::numbers(name.clone(), unit),
            None => Column::words(name.clone()),
        }
    };
    let numbers = NUMBERS.iter().map(|(name, unit, _)| Column::numbers(*name, unit));
    let error = |(name, (_, unit)): (&&str, &(&str, &'static str))| {
        ["max", "rms"].map(|what| Column::numbers(format!("error_{what}_{name}"), unit))
    };
    let last = LAST.iter().map(|(name, unit)| Column::numbers(*name, unit));
    let axes = comparison.axes.iter().enumerate().map(axis).chain([Column::words("status")]);
    axes.chain(numbers).chain(ERRORS.iter().zip(&KINDS).flat_map(error)).chain(last).collect()
}

fn header(comparison: &Comparison) -> Vec<String> {
    columns(comparison).into_iter().map(|column| column.name).collect()
}

fn cells(m: &Measured) -> Vec<String> {
    let numbers = NUMBERS.iter().map(|(.., pointer)| number(m.number(pointer)));
    let error = |kind: usize| {
        let errors = m.own_errors();
        [number(errors.map(|e| e.most(kind))), number(errors.map(|e| e.rms(kind)))]
    };
    let more = [m.modes.map(|(part, _)| part), m.modes.and_then(|(_, first)| first), m.order];
    let status = [m.run.verdict().to_owned()];
    let errors = (0..KINDS.len()).flat_map(error);
    m.run.values.iter().cloned().chain(status).chain(numbers).chain(errors).chain(more.map(number)).collect()
}

fn csv(comparison: &Comparison) -> String {
    let line = |cells: Vec<String>| csv_line(&cells);
    line(header(comparison)) + &comparison.runs.iter().map(|m| line(cells(m))).collect::<String>()
}

/// The rows of [`csv`] in Parquet, with units in the metadata.
fn parquet(comparison: &Comparison) -> std::io::Result<Vec<u8>> {
    let rows: Vec<Vec<String>> = comparison.runs.iter().map(cells).collect();
    table::parquet(&columns(comparison), &rows).map_err(std::io::Error::other)
}

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:80em;margin:2em auto;padding:0 1em;color:#222}\
table{border-collapse:collapse;margin:1em 0;display:block;overflow-x:auto}td,th{text-align:left;padding:.2em 1em .2em 0;\
border-bottom:1px solid #ddd;white-space:nowrap;vertical-align:top}.words td{white-space:normal}img{width:100%;max-width:60em}\
iframe{width:100%;height:46em;border:1px solid #ddd}";

/// A row of a table: cells of this kind.
fn html_row(cells: &[String], tag: &str) -> String {
    let cell = |text: &String| format!("<{tag}>{}</{tag}>", escape(text));
    format!("<tr>{}</tr>\n", cells.iter().map(cell).collect::<String>())
}

/// A figure with a link to it as PDF.
fn html_figure((name, _): &(&'static str, String)) -> String {
    let file = in_pdf(name);
    format!("<p><img src=\"{name}\" alt=\"{name}\"><br><a href=\"{file}\">{file}</a></p>\n")
}

/// The name of a file or folder as a part of an address: all bytes but letters, digits and a few signs by their numbers.
fn in_address(name: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    name.bytes().map(one).collect()
}

/// Cells with numbers of six digits for the eye, behind so many words; all digits are in the table of the file.
fn rounded(cells: Vec<String>, words: usize) -> Vec<String> {
    let shown = |(k, text): (usize, String)| match text.parse::<f64>() {
        Ok(x) if k >= words && x.is_finite() => short(x),
        _ => text,
    };
    cells.into_iter().enumerate().map(shown).collect()
}

fn html_listing(listing: &Listing) -> String {
    let head: Vec<String> = listing.head.iter().map(|name| (*name).to_owned()).collect();
    let rows: String = listing.rows.iter().map(|row| html_row(row, "td")).collect();
    format!(
        "<h2>{}</h2>\n<table class=\"words\">\n{}{rows}</table>\n",
        escape(listing.title),
        html_row(&head, "th")
    )
}

fn html_section(section: &Section) -> String {
    let notes: String = section.notes.iter().map(|note| format!("<p>{}</p>\n", escape(note))).collect();
    let rows: String = section.rows.iter().map(|row| html_row(row, "td")).collect();
    let (file, figures) = (section.csv.0, section.figures.iter().map(html_figure).collect::<String>());
    format!(
        "<h2>{}</h2>\n{notes}{figures}<table>\n{}{rows}</table>\n<p><a href=\"{file}\">{file}</a></p>\n",
        escape(&section.title),
        html_row(&section.head, "th")
    )
}

fn html(comparison: &Comparison, figures: &[(&'static str, String)]) -> String {
    let words = comparison.axes.len() + 1;
    let rows: String = comparison.runs.iter().map(|m| html_row(&rounded(cells(m), words), "td")).collect();
    let reference = comparison.reference.as_ref();
    let without = if comparison.unmet { format!("<p>No errors: {UNMET}.</p>\n") } else { String::new() };
    let reference =
        reference.map_or(without, |name| format!("<p>Errors are those to {}.</p>\n", escape(name)));
    let warned = comparison.warnings.iter().map(|w| format!("<p>{}</p>\n", escape(&w.message)));
    let reference = reference + &warned.collect::<String>();
    let view = if comparison.has_view {
        format!("<iframe src=\"{VIEW}\" title=\"the runs\"></iframe>\n<p><a href=\"{VIEW}\">{VIEW}</a></p>\n")
    } else {
        String::new()
    };
    let link = |m: &Measured| {
        let folder = m.run.directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        format!("<li><a href=\"{}/report.html\">{}</a></li>\n", in_address(&folder), escape(&folder))
    };
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Comparison</title>\n<style>{STYLE}</style></head>\n\
         <body>\n<h1>Comparison</h1>\n{reference}{view}{}{}<h2>Measures</h2>\n<table>\n{}{rows}</table>\n{}<h2>Runs</h2>\n<ul>\n{}</ul>\n</body></html>\n",
        comparison.listings.iter().map(html_listing).collect::<String>(),
        figures.iter().map(html_figure).collect::<String>(),
        html_row(&header(comparison), "th"),
        comparison.sections.iter().map(html_section).collect::<String>(),
        comparison.runs.iter().map(link).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;
    use vinci_run::table::Cells;

    use super::super::measured::{Done, measure};
    use super::super::table::Table;
    use super::*;

    /// A model called `a_b & 50% #1` had a link that led nowhere.
    #[test]
    fn folders_in_links_are_encoded() {
        assert_eq!(in_address("a_b & 50% #1?"), "a_b%20%26%2050%25%20%231%3F");
        assert_eq!(in_address("ST-0.01~µ"), "ST-0.01~%C2%B5");
    }

    /// Every unit was "as named", of pure numbers too, and steps were words.
    #[test]
    fn columns_have_their_units() {
        let of = |steps: [&str; 2]| {
            let run = |step: &str| Done {
                values: vec!["ST".to_owned(), step.to_owned()],
                directory: PathBuf::new(),
                summary: json!({ "status": "completed" }),
                states: Table::default(),
            };
            let axes = ["model".to_owned(), "step".to_owned()];
            columns(&measure(&axes, steps.map(run).to_vec(), None).unwrap())
        };
        let found = of(["0.01", "0.005"]);
        let cells = |name: &str| found.iter().find(|column| column.name == name).unwrap().cells;
        assert_eq!([cells("model"), cells("status")], [Cells::Words; 2]);
        for (name, unit) in [
            ("step", "s"),
            ("iterations", "1"),
            ("cone_N_s", "N s"),
            ("error_rms_spin_rad_per_s", "rad/s"),
            ("error_max_joint", "m or rad"),
            ("modes_first_s", "s"),
        ] {
            assert_eq!(cells(name), Cells::Numbers(unit), "{name}");
        }
        assert_eq!(of(["0.01", "auto"])[1].cells, Cells::Words);
    }
}
