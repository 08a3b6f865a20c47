//! Distances of coordinates from the places that their drives want.

use vinci_core::model::{Space, System};

use super::signal::{DriveError, DriveKind};
use super::{Drives, finite, turned};

impl Drives {
    /// q_d(t) − q of every coordinate that a position drive leads: (index in v, m or rad), in the order of the drives.
    /// Rotations of spatial bodies count where all three are led; single ones follow their rate from wherever they are.
    ///
    /// # Errors
    /// A drive that is no number at t.
    pub fn position_gaps(&self, system: &System, t: f64, q: &[f64]) -> Result<Vec<(usize, f64)>, DriveError> {
        let mut gaps = Vec::new();
        let layout = system.layout();
        for drive in self.list.iter().filter(|d| d.kind == DriveKind::Position) {
            let Some(block) = system.block_of(drive.body) else { continue };
            let (vs, qs) = (layout.block_start[block] as usize, layout.q_start[block] as usize);
            let target = finite(system, drive, drive.signal.at(t, &[]), t)?;
            let at = match (system.space, drive.dof) {
                (Space::Planar, _) | (_, 0..3) => q[qs + drive.dof],
                _ if self.leads_orientation(drive.body) => turned(system, block, q)[drive.dof - 3],
                _ => continue,
            };
            gaps.push((vs + drive.dof, target - at));
        }
        for drive in self.joints.iter().filter(|d| d.kind == DriveKind::Position) {
            let (at, dof) = drive.place(system);
            gaps.push((dof, drive.finite(system, drive.signal.at(t, &[]), t)? - q[at]));
        }
        Ok(gaps)
    }

    fn leads_orientation(&self, body: u32) -> bool {
        self.list.iter().filter(|d| d.body == body && d.dof >= 3 && d.kind == DriveKind::Position).count()
            == 3
    }
}
