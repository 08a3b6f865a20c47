//! Measures between the runs of a comparison, from the files that they wrote. Definitions with units: the page on comparisons in the book.

mod bars;
mod cost;
mod errors;
mod figures;
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
pub use figures::{Look, looks};
pub use measured::{Comparison, Done, Measured, measure};
pub use outputs::{FILES, VIEW, write};
pub use reference::Reference;
pub use table::Table;
pub use told::{stages, verdict};
