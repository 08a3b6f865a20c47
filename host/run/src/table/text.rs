//! Small tables of text that are made at once.

/// A line of a CSV file.
pub fn csv_line(cells: &[String]) -> String {
    let quoted = |cell: &String| {
        if cell.contains([',', '"', '\n']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// A number that reads back to the same bits; empty where there is none.
pub fn number(x: Option<f64>) -> String {
    let whole = |x: f64| x.fract() == 0.0 && x.abs() < 1e15;
    let text = |x: f64| if whole(x) { format!("{x:.0}") } else { format!("{x:?}") };
    x.filter(|x| x.is_finite()).map_or_else(String::new, text)
}
