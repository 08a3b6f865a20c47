//! Drives of the joints of a tree: roles of their velocities, and signals.

use super::super::types::{self, Dof};
use super::signals::signal;
use std::collections::BTreeMap;
use vinci_core::model::{DofRole, TreePart};
use vinci_engine::drives::{DriveKind, JOINT_STATE, JointDrive};

/// Gives the velocities of a tree their roles; the drives of tree `index` are returned.
pub(super) fn drive(tree: &types::Tree, index: u32, part: &mut TreePart) -> Result<Vec<JointDrive>, String> {
    let mut drives = Vec::new();
    let joints = part.tree.joints().iter().enumerate();
    let joints: BTreeMap<String, usize> = joints.map(|(i, joint)| (joint.name.clone(), i)).collect();
    for (name, dof) in &tree.drives {
        let Some(&joint) = joints.get(name) else { continue };
        let role = match dof {
            Dof::Locked | Dof::Position(_) | Dof::Velocity(_) => DofRole::Prescribed,
            Dof::Impedance(_) => DofRole::Impedance,
            Dof::Free | Dof::Force(_) => DofRole::Free,
        };
        for v in part.tree.v_range(joint) {
            part.role[v] = role;
            if let Dof::Impedance(impedance) = dof {
                part.impedance[v] = impedance.stiffness;
            }
        }
        let (kind, value, state) = match dof {
            Dof::Position(drive) => (DriveKind::Position, drive, [].as_slice()),
            Dof::Velocity(drive) => (DriveKind::Velocity, drive, [].as_slice()),
            Dof::Force(drive) => (DriveKind::Force, drive, JOINT_STATE.as_slice()),
            Dof::Impedance(impedance) => (DriveKind::Impedance, &impedance.command, [].as_slice()),
            Dof::Free | Dof::Locked => continue,
        };
        drives.push(JointDrive { tree: index, joint: joint as u32, kind, signal: signal(value, state)? });
    }
    Ok(drives)
}
