//! The table `links`: poses of the links of trees, `TREE/LINK.x` and so on.

use std::io;

use vinci_core::model::{Frames, MotionSource, System};

use super::columns;
use super::opening::Opening;
use super::rows::Rows;
use super::writer::Writer;

/// The table, row by row.
pub(super) struct Links {
    pub(super) rows: Rows,
    links: Vec<u32>,
    /// Scratch: where everything stands.
    frames: Frames,
}

impl Links {
    /// Opens the table, where there are links.
    ///
    /// # Errors
    /// Of input and output.
    pub(super) fn open(to: &mut Opening, system: &System) -> io::Result<Option<Self>> {
        let is_link = |body: &u32| matches!(system.motion_source(*body), MotionSource::Link { .. });
        let links: Vec<u32> = (0..system.bodies.len() as u32).filter(is_link).collect();
        if links.is_empty() {
            return Ok(None);
        }
        let rows = to.numbers("links", &columns::links(system, &links))?;
        Ok(Some(Self { rows, links, frames: Frames::default() }))
    }

    /// The row of a state at positions q.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn row(&mut self, system: &System, t: f64, q: &[f64], writer: &mut Writer) -> io::Result<()> {
        let Self { rows, links, frames } = self;
        system.place(q, frames);
        rows.number(t);
        links.iter().for_each(|&body| rows.numbers(frames.pose(body)));
        rows.end_row(writer)
    }
}
