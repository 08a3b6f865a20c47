//! A recorded motion: a table whose columns are those of `trajectory.csv`, as places and velocities of a system.

use std::ops::Range;

use vinci_core::model::{DofRole, System};
use vinci_core::state::{angular_velocity_between, quaternion_of};
use vinci_engine::labels;
use vinci_scene::diagnostics::{Diagnostics, did_you_mean};

use vinci_run::table_file::TableFile;

/// A quaternion of a record may be off the unit sphere by so much: single precision leaves 1e-7.
const UNIT: f64 = 1e-5;
/// Part of a coordinate that a place may move between two rows of one time.
const STANDS: f64 = 1e-9;

/// Numbers of a motion at most; bodies that the record leaves out count too.
const MOST: u64 = 1 << 27;

/// A motion of a system, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Times of the rows, s.
    pub t: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    nq: usize,
    nv: usize,
    /// True if the record has velocities; false: they are differences of its places.
    pub has_velocities: bool,
    /// Blocks that the record leaves out: everything of them is locked or driven.
    absent: Vec<bool>,
    /// SHA-256 of the file, hex.
    pub digest: String,
    /// Blocks in q and v.
    blocks: Vec<[Range<usize>; 2]>,
}

/// A step of a motion, from one row to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// Row that it begins at.
    pub from: usize,
    /// Rows of the same time with the velocities after impacts.
    pub impacts: Range<usize>,
    /// Row that it ends at.
    pub to: usize,
    /// Its size, s.
    pub h: f64,
}

impl Motion {
    /// Reads a table.
    ///
    /// # Errors
    /// What is no motion of this system: columns that are missing or of nobody, cells without a number, quaternions off the unit
    /// sphere, times that go back, places that jump within no time.
    pub(crate) fn of(table: &TableFile, system: &System) -> Result<Self, Diagnostics> {
        let time = table.at("time").ok_or_else(|| missing(table, "time"))?;
        let t = table.finite(time)?.to_vec();
        if t.len() < 2 {
            return Err(table.bad(
                format!("a motion has two rows at least, this one has {}", t.len()),
                "record the start, and the end of every step",
            ));
        }
        if (t.len() as u64).saturating_mul((system.nq() + system.nv()) as u64) > MOST {
            let message =
                format!("{} rows of a scene with {} coordinates are too many", t.len(), system.nq());
            return Err(table.bad(message, "judge a part of the motion"));
        }
        let mut motion = Self::empty(t, table.digest.clone(), system);
        let mut used = vec![false; table.names.len()];
        used[time] = true;
        for b in 0..system.n_blocks() {
            motion.read_block(table, system, b, &mut used)?;
        }
        if let Some(k) = used.iter().position(|used| !used) {
            return Err(stranger(table, system, k));
        }
        motion.normalise(table, system)?;
        if !motion.has_velocities {
            motion.differentiate(system);
        }
        motion.check_times(table)?;
        Ok(motion)
    }

    fn empty(t: Vec<f64>, digest: String, system: &System) -> Self {
        let (nq, nv, n) = (system.nq(), system.nv(), t.len());
        let layout = system.layout();
        let range = |start: &[u32], b: usize| start[b] as usize..start[b + 1] as usize;
        let blocks = (0..system.n_blocks())
            .map(|b| [range(layout.q_start, b), range(layout.block_start, b)])
            .collect();
        let absent = vec![false; system.n_blocks()];
        let (q, v) = (system.initial_q().repeat(n), vec![0.0; nv * n]);
        Self { t, q, v, nq, nv, has_velocities: true, absent, digest, blocks }
    }

    fn read_block(
        &mut self,
        table: &TableFile,
        system: &System,
        b: usize,
        used: &mut [bool],
    ) -> Result<(), Diagnostics> {
        let places = labels::block(system, b).map(|side| {
            side.iter().map(|label| (label.to_string(), table.at(&label.to_string()))).collect::<Vec<_>>()
        });
        let has = |side: &Vec<(String, Option<usize>)>| side.iter().any(|(_, at)| at.is_some());
        let roles = system.roles();
        let is_told = |dof: usize| DofRole::from_code(roles[dof]) == DofRole::Prescribed;
        if !has(&places[0]) && !has(&places[1]) && self.blocks[b][1].clone().all(is_told) {
            self.absent[b] = true;
            return Ok(());
        }
        let differ = !has(&places[1]) && !places[1].is_empty();
        self.has_velocities &= !differ;
        for (side, list) in places.iter().enumerate().filter(|(side, _)| *side == 0 || !differ) {
            let width = [self.nq, self.nv][side];
            for ((name, at), to) in list.iter().zip(self.blocks[b][side].clone()) {
                let at = at.ok_or_else(|| missing(table, name))?;
                used[at] = true;
                let column = table.finite(at)?;
                let out = if side == 0 { &mut self.q } else { &mut self.v };
                column.iter().enumerate().for_each(|(row, x)| out[row * width + to] = *x);
            }
        }
        Ok(())
    }

    /// Quaternions get unit length and the sign of those in the row before.
    fn normalise(&mut self, table: &TableFile, system: &System) -> Result<(), Diagnostics> {
        for at in quaternions(system) {
            for row in 0..self.t.len() {
                let here = row * self.nq + at;
                let x: [f64; 4] = std::array::from_fn(|k| self.q[here + k]);
                let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
                if !((norm - 1.0).abs() <= UNIT) {
                    let name = place_name(system, at);
                    let message =
                        format!("row {}: the quaternion from `{name}` on has the length {norm}", row + 1);
                    return Err(table.bad(message, "orientations are unit quaternions: w, x, y, z"));
                }
                let before = |k: usize| if row > 0 { self.q[here - self.nq + k] } else { x[k] };
                let along: f64 = (0..4).map(|k| x[k] * before(k)).sum();
                // What is a unit quaternion to the last digit keeps its digits.
                let size = if (norm - 1.0).abs() < 1e-14 { 1.0 } else { norm };
                let scale = if along < 0.0 { -size } else { size };
                (0..4).for_each(|k| self.q[here + k] = x[k] / scale);
            }
        }
        Ok(())
    }

    /// Velocities that lead from row to row; those of the first row are the scene's.
    fn differentiate(&mut self, system: &System) {
        self.v[..self.nv].copy_from_slice(&system.initial_velocity);
        let quaternions = quaternions(system);
        for row in 1..self.t.len() {
            let h = self.t[row] - self.t[row - 1];
            for [places, speeds] in &self.blocks {
                let (mut at, mut dof) = (places.start, speeds.start);
                while at < places.end {
                    let (to, from) = (row * self.nq + at, (row - 1) * self.nq + at);
                    let out = row * self.nv + dof;
                    if quaternions.contains(&at) {
                        let turn = |k: usize| quaternion_of(&self.q[k..k + 4]);
                        let omega = angular_velocity_between(&turn(from), &turn(to), h);
                        self.v[out..out + 3].copy_from_slice(omega.as_slice());
                        (at, dof) = (at + 4, dof + 3);
                    } else {
                        self.v[out] = (self.q[to] - self.q[from]) / h;
                        (at, dof) = (at + 1, dof + 1);
                    }
                }
            }
        }
    }

    /// Times ascend; where one stands twice, velocities alone change.
    fn check_times(&self, table: &TableFile) -> Result<(), Diagnostics> {
        for row in 1..self.t.len() {
            let (before, now) = (self.t[row - 1], self.t[row]);
            if now < before {
                let message = format!("row {}: the time goes back from {before} s to {now} s", row + 1);
                return Err(table.bad(message, "rows are in the order of their times"));
            }
            let moved = |(a, b): (&f64, &f64)| (a - b).abs() > STANDS * a.abs().max(1.0);
            if now == before && self.q(row - 1).iter().zip(self.q(row)).any(moved) {
                let message = format!("row {}: something moved within no time, at t = {now} s", row + 1);
                return Err(table.bad(message, "two rows of one time are an impact: velocities alone differ"));
            }
            if now == before && !self.has_velocities {
                let message = format!("row {}: the time {now} s stands twice", row + 1);
                return Err(table.bad(message, "an impact needs columns of velocities"));
            }
        }
        match self.t.first() == self.t.last() {
            true => Err(table.bad("it takes no time".into(), "a motion has two times at least")),
            false => Ok(()),
        }
    }

    /// Places in a row, nq.
    pub fn q(&self, row: usize) -> &[f64] {
        &self.q[row * self.nq..(row + 1) * self.nq]
    }

    /// Velocities in a row, nv.
    pub fn v(&self, row: usize) -> &[f64] {
        &self.v[row * self.nv..(row + 1) * self.nv]
    }

    /// Blocks that the record leaves out, in q and v.
    pub(crate) fn absent(&self) -> impl Iterator<Item = &[Range<usize>; 2]> {
        self.blocks.iter().zip(&self.absent).filter(|(_, absent)| **absent).map(|(block, _)| block)
    }

    /// Steps from row to row; one that is a nominal step up to rounding is that to the bit.
    pub fn legs(&self, nominal: f64) -> Vec<Leg> {
        let (mut legs, mut from) = (Vec::new(), 0);
        while from + 1 < self.t.len() {
            let Some(to) = (from + 1..self.t.len()).find(|row| self.t[*row] > self.t[from]) else { break };
            let h = self.t[to] - self.t[from];
            let h = if (h - nominal).abs() <= 1e-9 * nominal { nominal } else { h };
            legs.push(Leg { from, impacts: from + 1..to, to, h });
            from = to;
        }
        legs
    }
}

/// Where quaternions begin in q.
fn quaternions(system: &System) -> Vec<usize> {
    let own = (0..system.n_blocks()).filter(|b| system.tree_of(*b).is_none());
    let own = own.flat_map(|b| {
        let places = &labels::block(system, b)[0];
        let at = places.iter().position(|label| label.name == "qw");
        at.map(|at| system.layout().q_start[b] as usize + at)
    });
    own.chain(system.layout().quaternion.iter().step_by(2).map(|q| *q as usize)).collect()
}

fn place_name(system: &System, at: usize) -> String {
    let names = (0..system.n_blocks()).flat_map(|b| {
        let [places, _] = labels::block(system, b);
        places
    });
    names.map(|label| label.to_string()).nth(at).unwrap_or_default()
}

fn missing(table: &TableFile, name: &str) -> Diagnostics {
    let message = format!("there is no column `{name}`");
    table.bad(
        message,
        "columns are those of trajectory.csv: `time`, then BODY.x and so on for every body that moves",
    )
}

/// A column that belongs to nobody.
fn stranger(table: &TableFile, system: &System, k: usize) -> Diagnostics {
    let labels = (0..system.n_blocks()).flat_map(|b| labels::block(system, b)).flatten();
    let known: Vec<String> = labels.map(|label| label.to_string()).collect();
    let name = &table.names[k];
    let meant = did_you_mean(name, known.iter().map(String::as_str));
    let help = meant.unwrap_or_else(|| "leave it out, or judge it in the scene that it belongs to".into());
    table.bad(format!("the column `{name}` belongs to nothing that moves in the scene"), &help)
}
