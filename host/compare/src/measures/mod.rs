//! Measures between the runs of a comparison, from the files that they wrote. Definitions with units: the page on comparisons in the book.

mod bars;
mod columns;
mod common_times;
mod cost;
mod error_table;
mod errors;
mod figures;
mod looks;
mod measured;
mod modes;
mod outputs;
mod paper;
mod reference;
mod table;
mod timeline;
mod told;

pub use errors::{At, Errors, KINDS};
pub(crate) use figures::{Curve, drawn};
pub use looks::{Look, drawn_looks, looks};
pub use measured::{Comparison, Done, Measured, measure};
pub use outputs::{FILES, VIEW, write};
pub use reference::Reference;
pub use table::Table;
pub use told::{residual, stages, verdict};
