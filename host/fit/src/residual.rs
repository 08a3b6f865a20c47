//! Differences between a run and data.

use std::collections::BTreeMap;

use vinci_compare::measures::Table;

use crate::data::Data;
use crate::run_record::RunRecord;

/// Divisors of the differences of every column.
pub(crate) type Scales = BTreeMap<String, f64>;

/// The ranges of the columns.
pub(crate) fn ranges(data: &Data) -> Scales {
    data.table.columns.keys().map(|column| (column.clone(), data.range(column))).collect()
}

/// Differences of a column, run less data, at the times of the data.
fn differences(record: &RunRecord, data: &Data, column: &str) -> Vec<f64> {
    let (own, measured) = (&record.table.columns[column], &data.table.columns[column]);
    let signs = signs(record, data, column);
    let rows = data.table.times.iter().zip(measured).enumerate();
    rows.map(|(k, (t, x))| record.at(own, *t) - signs.get(k).copied().unwrap_or(1.0) * x).collect()
}

/// The signs that bring quaternions of the data to the side of the run's: q and −q are one orientation. Empty for other columns, and where
/// not all four are measured.
fn signs(record: &RunRecord, data: &Data, column: &str) -> Vec<f64> {
    const PARTS: [&str; 4] = ["qw", "qx", "qy", "qz"];
    let Some((owner, part)) = column.rsplit_once('.') else { return Vec::new() };
    let names = PARTS.map(|part| format!("{owner}.{part}"));
    if !PARTS.contains(&part) || !names.iter().all(|name| data.has(name)) {
        return Vec::new();
    }
    let product = |k: usize| -> f64 {
        let t = data.table.times[k];
        names.iter().map(|n| record.at(&record.table.columns[n], t) * data.table.columns[n][k]).sum()
    };
    (0..data.table.times.len()).map(|k| if product(k) < 0.0 { -1.0 } else { 1.0 }).collect()
}

/// All differences, column by column in the order of their names, divided by these scales.
pub(crate) fn residuals(record: &RunRecord, data: &Data, scales: &Scales) -> Vec<f64> {
    let of = |column: &String| {
        let scale = scales[column];
        differences(record, data, column).into_iter().map(move |d| d / scale)
    };
    data.table.columns.keys().flat_map(of).collect()
}

/// Root mean square of the differences divided by the ranges of their columns; of all columns or of one.
pub(crate) fn rms(record: &RunRecord, data: &Data, column: Option<&str>) -> f64 {
    let mut scales = ranges(data);
    let all: Vec<f64> = match column {
        None => residuals(record, data, &scales),
        Some(column) => {
            let scale = scales.remove(column).unwrap_or(1.0);
            differences(record, data, column).iter().map(|d| d / scale).collect()
        }
    };
    mean_square(&all).sqrt()
}

/// Derivatives of all residuals, from those of the columns of the run.
pub(crate) fn residuals_along((record, by): (&RunRecord, &Table), data: &Data, scales: &Scales) -> Vec<f64> {
    let of = |column: &String| {
        let (scale, own) = (scales[column], &by.columns[column]);
        data.table.times.iter().map(move |t| record.at(own, *t) / scale)
    };
    data.table.columns.keys().flat_map(of).collect()
}

/// Derivatives of [`rms`] by columns at times: r/(n rms σ); 0 where nothing is left, its least value.
pub(crate) fn rms_weights(record: &RunRecord, data: &Data, column: Option<&str>) -> Vec<(String, f64, f64)> {
    let mut data = data.clone();
    data.table.columns.retain(|name, _| column.is_none_or(|column| column == name));
    let scales = ranges(&data);
    let r = residuals(record, &data, &scales);
    let size = r.len() as f64 * mean_square(&r).sqrt();
    let names = data.table.columns.keys().flat_map(|name| data.table.times.iter().map(move |t| (name, *t)));
    names
        .zip(&r)
        .map(|((name, t), r)| (name.clone(), t, if size > 0.0 { r / (size * scales[name]) } else { 0.0 }))
        .collect()
}

/// Derivative of [`rms`] along those of the columns.
pub(crate) fn rms_along((record, by): (&RunRecord, &Table), data: &Data, column: Option<&str>) -> f64 {
    let weights = rms_weights(record, data, column);
    weights.iter().map(|(name, t, weight)| weight * record.at(&by.columns[name], *t)).sum()
}

pub(crate) fn mean_square(list: &[f64]) -> f64 {
    list.iter().map(|x| x * x).sum::<f64>() / list.len().max(1) as f64
}

/// Root mean square of the differences of every column.
pub(crate) fn spread(record: &RunRecord, data: &Data) -> Scales {
    let of = |column: &String| (column.clone(), mean_square(&differences(record, data, column)).sqrt());
    data.table.columns.keys().map(of).collect()
}
