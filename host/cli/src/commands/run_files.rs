//! Files that a run, or `view` of it, writes: their names, and whether a run was in a directory at all. Names alone are anybody's.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use vinci_judge::INDETERMINACY;
use vinci_run::lock::LOCK;
use vinci_run::results::EARLIER;
use vinci_run::table::file_name;
use vinci_run::{ARCHIVE, CHECKPOINT, RACES};
use vinci_scene::experiment::TableFormat;
use vinci_scene::files::{LARGEST_DOCUMENT, format_of, open_regular, read_regular};

/// Files, tables and pictures apart, that stand in the directory itself.
const FILES: [&str; 9] = [
    "experiment.json",
    "summary.json",
    CHECKPOINT,
    "events.csv",
    ARCHIVE,
    RACES,
    INDETERMINACY,
    "report.html",
    "view.html",
];

/// Tables, each as CSV or as Parquet.
const TABLES: [&str; 8] =
    [STATES, "links", "contacts", "gradients", "drives", "controllers", "supports", "steps"];

/// Table of the states.
const STATES: &str = "trajectory";

/// Folders in it.
pub(super) const FOLDERS: [&str; 2] = ["repro", "states"];

/// End of the name of a file that stands aside.
pub(super) const ASIDE: &str = ".before";

/// Files that stand aside while others are written.
const SEALS: [&str; 2] = ["summary.json", "compare.json"];

/// End of the name of a file that is being written.
const PART: &str = ".part";

/// Longest first line of a table that is looked at, bytes.
const LONGEST_HEADER: u64 = 16 << 20;

/// The name that a file has once it is finished, or stood before it was set aside.
pub(super) fn finished(name: &str) -> &str {
    let aside = name.strip_suffix(ASIDE).filter(|name| SEALS.contains(name));
    aside.or_else(|| name.strip_suffix(PART)).unwrap_or(name)
}

/// Returns true if a run writes a file of this finished name.
pub(super) fn is_written(name: &str) -> bool {
    let is_table = |ending| name.strip_suffix(ending).is_some_and(|table| TABLES.contains(&table));
    FILES.contains(&name) || is_table(".csv") || is_table(".parquet")
}

/// Returns true if a run writes a file of this finished name into one of its folders.
pub(super) fn is_written_in(folder: &str, name: &str) -> bool {
    let step = |name: &str| {
        name.strip_prefix("step-")?.strip_suffix(".problem.json").map(|n| n.parse::<u64>().is_ok())
    };
    let time = |name: &str| {
        name.strip_suffix(".json").map(|t| t == "end" || t == "start" || t.parse::<f64>().is_ok())
    };
    match folder {
        "repro" => step(name).unwrap_or(false),
        "states" => time(name).unwrap_or(false),
        _ => false,
    }
}

/// Returns true if a run left results in a directory, or was killed there.
pub(super) fn was_here(directory: &Path) -> bool {
    left_results(directory) || directory.join(LOCK).is_file() || directory.join(EARLIER).is_dir()
}

/// Returns true if a directory holds the summary of a run, under its name or set aside.
pub(super) fn has_summary(directory: &Path) -> bool {
    let is_summary = |name: String| {
        format_of(&directory.join(name)).is_some_and(|format| format.starts_with("vinci/summary@"))
    };
    ["", ASIDE].into_iter().any(|end| is_summary(format!("summary.json{end}")))
}

/// A summary of a run, a checkpoint, or states with the columns of a run.
fn left_results(directory: &Path) -> bool {
    let at = |name: &str, end: &str| directory.join(format!("{name}{end}"));
    let states = |format, end: &str| at(&file_name(format, STATES), end);
    let begun = format_of(&at("summary.json", PART)).is_some_and(|f| f.starts_with("vinci/summary@"));
    has_summary(directory)
        || begun
        || ["", PART].into_iter().any(|end| at(CHECKPOINT, end).is_file())
        || has_header(&states(TableFormat::Csv, ""))
        || is_begun(&states(TableFormat::Csv, PART))
        || ["", PART].into_iter().any(|end| is_parquet(&states(TableFormat::Parquet, end)))
}

/// Returns true if a table begins as that of the states of a run does: `time`, and then columns `NAME.x`.
fn has_header(path: &Path) -> bool {
    let Ok((file, _)) = open_regular(path, u64::MAX) else { return false };
    let mut line = String::new();
    let read = BufReader::new(file.take(LONGEST_HEADER)).read_line(&mut line);
    let mut names = line.trim_end().split(',');
    read.is_ok() && names.next() == Some("time") && names.all(|name| name.contains('.'))
}

/// Returns true if a growing table is still empty, or begins as that of a run's states does.
fn is_begun(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == 0) || has_header(path)
}

/// Returns true if a table is empty, or begins as Parquet does: names of columns stand at its end, which may not be there yet.
fn is_parquet(path: &Path) -> bool {
    let Ok((file, length)) = open_regular(path, u64::MAX) else { return false };
    let mut magic = Vec::new();
    length == 0 || file.take(4).read_to_end(&mut magic).is_ok() && magic == b"PAR1"
}

/// Files of the pictures that the run in a directory drew, if there was one.
pub(super) fn pictures_of(directory: &Path) -> Vec<String> {
    if !left_results(directory) {
        return Vec::new();
    }
    let bytes = read_regular(&directory.join("experiment.json"), LARGEST_DOCUMENT).unwrap_or_default();
    let run: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let pictures = run["record"]["pictures"].as_array();
    pictures.into_iter().flatten().filter_map(|p| p["file"].as_str()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_folders_are_those_of_steps_and_times() {
        for (folder, name) in [
            ("states", "end.json"),
            ("states", "start.json"),
            ("states", "0.25.json"),
            ("repro", "step-12.problem.json"),
        ] {
            assert!(is_written_in(folder, name), "{name}");
        }
        for (folder, name) in
            [("states", "notes.txt"), ("states", "mine.json"), ("repro", "step-x.problem.json")]
        {
            assert!(!is_written_in(folder, name), "{name}");
        }
    }

    #[test]
    fn a_table_of_somebody_else_is_no_trace_of_a_run() {
        let dir = tempfile::tempdir().unwrap();
        let table = dir.path().join("trajectory.csv");
        for (text, is_ours) in [("time,a.x,a.y\n0,1,2\n", true), ("time,height\n0,1\n", false), ("", false)] {
            std::fs::write(&table, text).unwrap();
            assert_eq!(was_here(dir.path()), is_ours, "{text}");
        }
        std::fs::write(dir.path().join("trajectory.csv.part"), "").unwrap();
        assert!(was_here(dir.path()));
    }

    /// Every file that the recorder or the end of a run makes is known here.
    #[test]
    fn every_file_that_a_run_writes_is_in_the_list() {
        let recorder = concat!(
            include_str!("../../../run/src/record.rs"),
            include_str!("../../../run/src/record/events.rs"),
            include_str!("../../../run/src/record/links.rs"),
            include_str!("../../../run/src/record/opening.rs"),
            include_str!("../../../run/src/record/step_tables.rs"),
        );
        let end =
            concat!(include_str!("../../../run/src/writing.rs"), include_str!("../../../run/src/races.rs"));
        let mut seen = 0;
        for name in recorder.split('"').chain(end.split('"')) {
            let is_file = [".csv", ".json", ".html"].iter().any(|ending| name.ends_with(ending));
            if is_file && !name.contains([' ', '/', '\n']) {
                assert!(is_written(name), "{name}");
                seen += 1;
            }
        }
        let quoted: Vec<&str> = recorder.split('"').collect();
        let opens =
            |code: &str| ["open(", "open_hashed(", "numbers("].iter().any(|call| code.ends_with(call));
        for pair in quoted.windows(2).filter(|pair| opens(pair[0]) && !pair[1].contains('.')) {
            for ending in ["csv", "parquet"] {
                assert!(is_written(&format!("{}.{ending}", pair[1])), "{}", pair[1]);
            }
            seen += 1;
        }
        assert!(seen >= 12, "{seen}");
    }
}
