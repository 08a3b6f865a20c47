//! Places of findings that do not change from step to step.

use serde::{Deserialize, Serialize};
use vinci_core::model::{RowOwner, System};
use vinci_core::referee::FindingSubject;

use vinci_core::referee::Spot;
use vinci_engine::labels;
use vinci_engine::pipeline::Accepted;

/// The form of a [`RowOwner`] in checkpoints.
#[derive(Serialize, Deserialize)]
#[serde(remote = "RowOwner")]
enum Owner {
    Joint(u32),
    Coupler(u32),
    Friction(u32, u32),
    Lower(u32, u32),
    Upper(u32, u32),
}

/// Where a number of a run stands: whatever does not change from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Site {
    Nowhere,
    Bodies(u32, u32),
    Support(u32),
    Velocity(u32),
    Coordinate(u32),
    Block(u32),
    Row(#[serde(with = "Owner")] RowOwner),
    Shapes(u32, u32),
}

impl Site {
    pub(super) fn of(spot: Spot, accepted: &Accepted<'_>, n_shapes: usize) -> Self {
        let contacts = &accepted.contacts;
        let index = spot.at as u32;
        match spot.place {
            FindingSubject::Contact => {
                match (contacts.body_a.get(spot.at), spot.at.checked_sub(contacts.len())) {
                    (Some(&a), _) => Self::Bodies(a, contacts.body_b[spot.at]),
                    (None, Some(k)) => {
                        accepted.supports.body.get(k).map_or(Self::Nowhere, |b| Self::Support(*b))
                    }
                    (None, None) => Self::Nowhere,
                }
            }
            FindingSubject::Velocity => Self::Velocity(index),
            FindingSubject::Coordinate => Self::Coordinate(index),
            FindingSubject::Block => Self::Block(index),
            FindingSubject::Row => {
                accepted.row_owners.get(spot.at).map_or(Self::Nowhere, |owner| Self::Row(*owner))
            }
            FindingSubject::Shapes => {
                Self::Shapes((spot.at / n_shapes.max(1)) as u32, (spot.at % n_shapes.max(1)) as u32)
            }
        }
    }

    pub(super) fn name(self, system: &System) -> String {
        let body = |b: u32| system.bodies.get(b as usize).map_or("?", |b| b.name.as_str());
        match self {
            Self::Nowhere => String::new(),
            Self::Bodies(a, b) => format!("{} / {}", body(a), body(b)),
            Self::Support(b) => format!("{} / its plane", body(b)),
            Self::Velocity(i) => labels::of_block(system, i as usize)
                .map_or_else(String::new, |(owner, name)| format!("{owner}, velocity {name}")),
            Self::Coordinate(i) => coordinate(system, i as usize),
            Self::Block(b) => system.block_name(b as usize).to_owned(),
            Self::Row(owner) => row(system, owner),
            Self::Shapes(a, b) => {
                let of = |s: u32| system.shapes.get(s as usize).map_or("?", |shape| body(shape.body));
                format!("{} / {} (shapes {a} and {b})", of(a), of(b))
            }
        }
    }
}

fn coordinate(system: &System, i: usize) -> String {
    let starts = system.layout().q_start;
    let block = starts.partition_point(|&start| start as usize <= i).saturating_sub(1);
    let [places, _] = labels::block(system, block);
    places.get(i - starts[block] as usize).map_or_else(String::new, ToString::to_string)
}

fn row(system: &System, owner: RowOwner) -> String {
    let joint_of = |tree: u32, dof: u32| {
        let first = system.layout().block_start[system.n_blocks() - system.trees.len() + tree as usize];
        labels::velocity(system, first as usize + dof as usize).map_or_else(String::new, |label| label.owner)
    };
    match owner {
        RowOwner::Joint(j) => format!("joint `{}`", system.joints[j as usize].name),
        RowOwner::Coupler(c) => format!("coupler {c}"),
        RowOwner::Friction(tree, dof) => format!("dry friction of {}", joint_of(tree, dof)),
        RowOwner::Lower(tree, dof) => format!("lower limit of {}", joint_of(tree, dof)),
        RowOwner::Upper(tree, dof) => format!("upper limit of {}", joint_of(tree, dof)),
    }
}
