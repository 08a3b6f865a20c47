//! Cells of Parquet files, and files that may be damaged.

use parquet::record::Field;

/// Result of a reader of Parquet; nothing where it panics, as it may over damaged files.
pub(crate) fn sound<T>(read: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).ok()
}

/// A cell as a number; NaN where it is none.
pub(crate) fn cell_number(field: &Field) -> f64 {
    match *field {
        Field::Double(x) => x,
        Field::Float(x) => x.into(),
        Field::Int(x) => x.into(),
        Field::Long(x) => x as f64,
        _ => f64::NAN,
    }
}
