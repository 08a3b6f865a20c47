//! `vinci sweep`: one experiment with many values, as rows.
//!
//! A [`Plan`] (from a sweep file, [`load_sweep`]) says of every run (case, sample, rung) which values it has; [`single`] makes a row of a
//! run; [`Shape`] says which run comes next, and is all that is needed to go on, to merge, and to say how far a sweep is. The
//! [`drive`] is the only writer: it hands runs to child processes and keeps their rows in a journal until all are there.

mod cells;
mod compile;
mod depth;
mod draw;
mod drive;
mod journal;
mod laws;
mod level;
mod load;
mod merge;
mod outcome;
mod path;
mod pictures;
mod plan;
mod pool;
mod row;
mod seal;
mod shape;
mod single;
mod stderr;
mod table;
mod trial;
pub mod types;
mod words;

pub use draw::Draw;
pub use drive::{Report, drive};
pub use journal::{Journal, Line, read_journal};
pub use level::{Scalar, written};
pub use load::{Ask, load_sweep};
pub use merge::{merge, status};
pub use path::Ground;
pub use plan::{Plan, Values};
pub use pool::{WorkerPool, work};
pub use row::{Row, RunId, Status};
pub use seal::{read_shape, seal};
pub use shape::{Column, Shape, Step};
pub use single::single;
pub use words::explained;

#[cfg(test)]
mod tests;
