//! The page of the book that says how long steps take.

use serde_json::Value;

use super::case::Case;
use super::peers::Found;
use crate::shell::{put, root};

/// Stages of a step in the order of the table; they sum to the step.
const STAGES: [&str; 7] = ["detect", "kinematics", "formulate", "solve", "update", "referee", "rest"];

const HEAD: &str = "<!-- Written by cargo xtask bench. -->\n\n# How long steps take\n\n\
    Processor time of a step, ms, of release builds on one core of one machine: compare the numbers with one another, not with yours. `first` is the \
    first step, which starts cold; the median and the quartiles are over all steps. Stages are medians by the clock, one by one: they sum to the \
    step in every step, and nearly so here. Reading files, building and recording are not in it; the referee is.\n";

/// Writes it.
pub(super) fn write(cases: &[Case], ours: &[Value], found: Option<&Found>) -> Result<(), String> {
    let mut text = HEAD.to_owned() + "\n## Vinci\n\n" + &own_table(cases, ours) + &growth(cases, ours);
    text += match found {
        Some(_) => {
            "\n## Beside MuJoCo and Rapier\n\nThe same scenes, given away by `vinci export`; elliptic cones, all else as the engine has it. `overlap` is the deepest of balls at the end.\n\n"
        }
        None => "\nOther engines were not installed: `cargo xtask bench --peers` installs them.\n",
    };
    if let Some(found) = found {
        text += &warm_table(ours, &found.warm);
        text += "\n## Scenes of the paper on TAMSI\n\nWhole runs, µs of processor time a step; all engines in turn.\n\n";
        text += &tamsi_table(&found.tamsi);
    }
    put(&root().join("docs/src/reference/steps-measured.md"), &text)
}

/// Every experiment with its own plugins.
fn own_table(cases: &[Case], ours: &[Value]) -> String {
    let mut text = format!(
        "| scene | velocities | first | median | quartiles | worst | {} | memory, MB |\n|---{}|\n",
        STAGES.join(" | "),
        "|---".repeat(6 + STAGES.len())
    );
    for (case, one) in cases.iter().zip(ours) {
        if let Some(why) = one["failure"].as_str() {
            text += &format!("| `{}` | {why}{} |\n", case.name, " |".repeat(5 + STAGES.len()));
            continue;
        }
        let cpu = |key: &str| ms(&one["stages"]["cpu"][key]);
        let stages: Vec<_> = STAGES.iter().map(|stage| ms(&one["stages"][stage]["median_us"])).collect();
        let memory = one["memory_kb"]
            .as_f64()
            .filter(|kb| *kb > 0.0)
            .map_or(String::new(), |kb| format!("{:.0}", kb / 1024.0));
        text += &format!(
            "| `{}` | {} | {} | {} | {} – {} | {} | {} | {memory} |\n",
            case.name,
            one["nv"],
            cpu("first_us"),
            cpu("median_us"),
            cpu("low_us"),
            cpu("high_us"),
            cpu("worst_us"),
            stages.join(" | ")
        );
    }
    text
}

/// Time and memory against the number of contacts, over the scenes that were made for it.
fn growth(cases: &[Case], ours: &[Value]) -> String {
    let beds =
        cases.iter().zip(ours).filter(|(case, one)| case.name.starts_with("bed") && one["failure"].is_null());
    let points: Vec<_> = beds
        .filter_map(|(case, one)| {
            Some((
                case.counts?.1 as f64,
                one["stages"]["cpu"]["median_us"].as_f64()?,
                one["memory_kb"].as_f64()?,
            ))
        })
        .collect();
    let [Some(first), Some(last)] = [points.first(), points.last()] else { return String::new() };
    let times: Vec<_> = points.iter().map(|&(contacts, us, _)| (contacts, us)).collect();
    format!(
        "\n`bed-N` are boxes with N balls in five layers, each ball in the hollow of four below: from {} to {} closed contacts time grows with exponent {:.2} \
         (least squares of logarithms), and memory by {:.1} kB a contact. `layers-N` are boxes as high as they are wide. `boxes-1` and `boxes-16` are one and sixteen boxes of 66 balls that stand apart. \
         `pyramid-55` is a pyramid of balls that stands by friction alone. \
         Behind the solver of scenes that are made here (`-kicked`, and all from `bed-N` on) stands `clarabel`, for steps that it does not solve.\n",
        first.0,
        last.0,
        exponent(&times),
        (last.2 - first.2) / (last.0 - first.0)
    )
}

/// Slope of log y over log x by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let (above, below) =
        logs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - mx) * (y - my), b + (x - mx).powi(2)));
    above / below
}

/// Shared scenes, one line an engine, with Vinci's step first.
fn warm_table(ours: &[Value], warm: &[Value]) -> String {
    let mut text = "| scene | engine | first | median | quartiles | worst | overlap, mm |\n|---|---|---|---|---|---|---|\n".to_owned();
    let mut last = "";
    for row in warm {
        let scene = row["experiment"].as_str().unwrap_or_default();
        if scene != last {
            let own = ours.iter().find(|one| one["experiment"] == scene);
            text += &own.map_or(String::new(), |one| own_line(scene, one));
            last = scene;
        }
        let engine = row["engine"].as_str().unwrap_or_default();
        if let Some(why) = row["failure"].as_str() {
            text += &format!("| | {engine} | {why} | | | | |\n");
            continue;
        }
        let of = |key: &str| ms(&row["warm_us"][key]);
        let overlap = row["overlap_m"].as_f64().map_or(String::new(), |m| format!("{:.4}", 1e3 * m));
        text += &format!(
            "| | {engine} | {} | {} | {} – {} | {} | {overlap} |\n",
            ms(&row["cold_us"]),
            of("median"),
            of("low"),
            of("high"),
            of("worst")
        );
    }
    text
}

/// Vinci's line among other engines.
fn own_line(scene: &str, one: &Value) -> String {
    if let Some(why) = one["failure"].as_str() {
        return format!("| `{scene}` | Vinci | {why} | | | | |\n");
    }
    let [first, median, low, high, worst] =
        ["first_us", "median_us", "low_us", "high_us", "worst_us"].map(|key| ms(&one["stages"]["cpu"][key]));
    format!("| `{scene}` | Vinci | {first} | {median} | {low} – {high} | {worst} | |\n")
}

/// The three scenes of the paper under all engines.
fn tamsi_table(rows: &[Value]) -> String {
    let mut text = "| scene | engine | median | least | greatest |\n|---|---|---|---|---|\n".to_owned();
    for row in rows {
        let [scene, engine] = ["scene", "engine"].map(|key| row[key].as_str().unwrap_or_default());
        if let Some(why) = row["failure"].as_str() {
            text += &format!("| `{scene}` | {engine} | {why} | | |\n");
            continue;
        }
        let [median, least, greatest] =
            ["median", "min", "max"].map(|key| row["cpu_us"][key].as_f64().unwrap_or(f64::NAN));
        text += &format!("| `{scene}` | {engine} | {median:.2} | {least:.2} | {greatest:.2} |\n");
    }
    text
}

/// Microseconds as milliseconds with three digits.
fn ms(us: &Value) -> String {
    let ms = 1e-3 * us.as_f64().unwrap_or(f64::NAN);
    let digits = (2.0 - ms.abs().log10().floor()).clamp(0.0, 5.0);
    format!("{ms:.*}", if digits.is_finite() { digits as usize } else { 3 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_its_own() {
        let points: Vec<_> = [50.0_f64, 700.0, 9000.0].map(|x| (x, 3.0 * x.powf(1.15))).into();
        assert!((exponent(&points) - 1.15).abs() < 1e-12);
    }

    #[test]
    fn times_have_three_digits() {
        let said = [12.3456, 1234.56, 123_456.0, 1.2e7].map(|us| ms(&Value::from(us)));
        assert_eq!(said, ["0.0123", "1.23", "123", "12000"]);
        assert_eq!(ms(&Value::Null), "NaN");
    }
}
