//! `vinci sweep`: one experiment with many values, as rows.
//!
//! A [`Plan`] (from a sweep file, [`load_sweep`]) says of every run (case, sample, rung) which values it has; [`single`] makes a row of a
//! run; [`Shape`] says which run comes next, and is all that is needed to go on, to merge, and to say how far a sweep is. The
//! [`drive`] is the only writer: it hands runs to child processes and keeps their rows in a journal until all are there.
//!
//! A [`Planned`] sweep is a file that holds all of it: other engines run its shards ([`drive_part`]) wherever they like, and
//! [`merge_parts`] puts the sealed parts together.

mod cells;
mod compile;
mod depth;
mod draw;
mod drive;
mod handover;
mod journal;
mod laws;
mod level;
mod load;
mod merge;
mod order;
mod outcome;
mod part;
mod path;
mod pictures;
mod plan;
mod pool;
mod row;
mod seal;
mod shape;
mod single;
mod stderr;
mod summary_text;
mod table;
mod tally;
mod trial;
pub mod types;

pub use draw::Draw;
pub use drive::{Report, drive, drive_part};
pub use handover::{Planned, plan_sweep};
pub use journal::{Journal, Line, read_journal};
pub use level::{Scalar, written};
pub use load::{Ask, load_sweep};
pub use merge::{merge, merge_parts, status, status_of_parts};
pub use path::Ground;
pub use plan::{Plan, Values};
pub use pool::{WorkerPool, work};
pub use row::{Row, RunId, Status};
pub use seal::read_shape;
pub use shape::{Column, Shape, Step};
pub use single::single;
pub use summary_text::explained;

#[cfg(test)]
mod tests;
