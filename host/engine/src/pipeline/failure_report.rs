//! The failure report of a problem that no solver solved: contacts that squeeze, bodies that nothing holds.

use crate::labels;
use vinci_core::contact::Contacts;
use vinci_core::model::System;
use vinci_core::problem::{Part, Problem, ProblemClass, RowTag, Status};

use super::failure::{FailedSolve, Falling, Involved, Squeezed, StepFailure};
use super::solver_route::Proof;
use super::stored::Stored;

/// The failure of a step whose problem no solver solved, with its proof as text.
pub(super) fn failure_report(
    system: &System,
    problem: &Problem<'_>,
    contacts: &Contacts<'_>,
    attempts: Vec<FailedSolve>,
    proof: Option<Proof>,
) -> StepFailure {
    let Some(stored) = Stored::of(problem) else {
        let class = problem.class().name();
        let said: Vec<_> = attempts.iter().map(ToString::to_string).collect();
        return StepFailure::GaveUp(format!(
            "no solver solved its problem of class {class}: {}",
            said.join("; ")
        ));
    };
    let (mut squeezing, mut unbounded, mut rests_on) = (Vec::new(), Vec::new(), Vec::new());
    let certificate = proof.and_then(|Proof { status, certificate: y, weight }| {
        if status == Status::Unbounded {
            unbounded = falling(system, stored.unknown_tags(), &y);
        } else if problem.class() != ProblemClass::Qpcc {
            // A tree is no list of rows, not even one of a single leaf.
            squeezing = squeezed(system, stored.row_tags(), contacts, &y);
        }
        if squeezing.is_empty() {
            rests_on = involved(system, stored.row_tags(), contacts, &weight);
        }
        (!y.is_empty()).then_some(y)
    });
    let problem = Box::new(stored);
    let (squeezed, falling, involved) = (squeezing.into(), unbounded.into(), rests_on.into());
    let advice = "".into();
    StepFailure::Unsolved { problem, attempts, certificate, squeezed, falling, involved, advice }
}

/// Contacts whose rows the certificate presses (normals, rays of pyramids), strongest first.
fn squeezed(system: &System, tag: &[RowTag], contacts: &Contacts<'_>, y: &[f64]) -> Vec<Squeezed> {
    if tag.len() != y.len() {
        return Vec::new();
    }
    let mut pressed = vec![0.0; contacts.len()];
    for (tag, y) in tag.iter().zip(y).filter(|(t, _)| matches!(t.part, Part::Normal | Part::Ray)) {
        if let Some(sum) = pressed.get_mut(tag.subject as usize) {
            *sum += y;
        }
    }
    let largest = pressed.iter().copied().fold(0.0, f64::max);
    let name = |body: u32| system.bodies[body as usize].name.clone();
    let mut list: Vec<_> = (0..pressed.len())
        .filter(|&k| pressed[k] > 1e-6 * largest)
        .map(|k| {
            let (a, b) = (contacts.body_a[k], contacts.body_b[k]);
            let normal = std::array::from_fn(|axis| contacts.normal[3 * k + axis]);
            let point = contacts.middle(k);
            Squeezed { body_a: name(a), body_b: name(b), share: pressed[k] / largest, point, normal }
        })
        .collect();
    list.sort_by(|a, b| b.share.total_cmp(&a.share));
    list
}

/// Shares of a leaf's largest row from which on a row is worth a word.
const LEAST_SHARE: f64 = 0.1;

/// Owners of the rows that a proof by cases rests on, strongest first; of equal ones the first in the problem.
fn involved(system: &System, tag: &[RowTag], contacts: &Contacts<'_>, weight: &[f64]) -> Vec<Involved> {
    let mut list: Vec<(f64, Involved)> = Vec::new();
    for (tag, &weight) in tag.iter().zip(weight).filter(|(_, w)| **w >= LEAST_SHARE) {
        let Some(who) = subject(system, tag, contacts) else { continue };
        match list.iter_mut().find(|(_, i)| i.who == who) {
            Some((largest, known)) => {
                *largest = largest.max(weight);
                if !known.parts.contains(&tag.part.name()) {
                    known.parts.push(tag.part.name());
                }
            }
            None => list.push((weight, Involved { who, parts: vec![tag.part.name()] })),
        }
    }
    list.sort_by(|a, b| b.0.total_cmp(&a.0));
    list.into_iter().map(|(_, i)| i).collect()
}

/// The body of a velocity or support point, the pair of a contact; `None` for rows without an owner.
fn subject(system: &System, tag: &RowTag, contacts: &Contacts<'_>) -> Option<String> {
    let at = tag.subject as usize;
    let name = |body: u32| Some(system.bodies.get(body as usize)?.name.clone());
    match tag.part {
        Part::Velocity => (at < system.nv()).then(|| system.block_name(system.block_of_dof(at)).to_owned()),
        Part::Normal | Part::Friction | Part::Slip | Part::Deformation | Part::Ray | Part::Squeeze => {
            Some(format!("{} / {}", name(*contacts.body_a.get(at)?)?, name(*contacts.body_b.get(at)?)?))
        }
        Part::Support | Part::SupportSlip => {
            Some(format!("{} / its plane", name(system.supports.get(at)?.body)?))
        }
        _ => None,
    }
}

/// Bodies that a direction of unbounded descent moves, with their part of it, in the order of bodies.
fn falling(system: &System, tag: &[RowTag], d: &[f64]) -> Vec<Falling> {
    let largest = d.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
    let block_of =
        |t: &RowTag| ((t.subject as usize) < system.nv()).then(|| system.block_of_dof(t.subject as usize));
    let moved = |block: usize| {
        let parts = tag.iter().zip(d).filter(move |(t, d)| {
            t.part == Part::Velocity && d.abs() > 1e-6 * largest && block_of(t) == Some(block)
        });
        let name = |t: &RowTag| labels::of_block(system, t.subject as usize).unwrap_or_default().1;
        parts.map(|(t, d)| (name(t), *d)).collect::<Vec<(String, f64)>>()
    };
    let words = |parts: &[(String, f64)]| match parts {
        [(only, _)] => format!("`{only}`"),
        _ => {
            let size = parts.iter().fold(0.0_f64, |m, (_, d)| m.max(d.abs()));
            let list: Vec<_> = parts.iter().map(|(name, d)| format!("{name}: {:.4}", d / size)).collect();
            format!("({})", list.join(", "))
        }
    };
    (0..system.n_blocks())
        .map(|block| (block, moved(block)))
        .filter(|(_, parts)| !parts.is_empty())
        .map(|(block, parts)| Falling {
            body: system.block_name(block).to_owned(),
            direction: words(&parts),
            motion: motion(system, block, tag, d),
        })
        .collect()
}

/// Velocity of the centre and angular velocity of a body in a direction d; 0 for trees, whose velocities are those of joints.
fn motion(system: &System, block: usize, tag: &[RowTag], d: &[f64]) -> [[f64; 3]; 2] {
    let mut out = [[0.0; 3]; 2];
    if system.tree_of(block).is_some() {
        return out;
    }
    let (first, dim) = (system.layout().block_start[block] as usize, system.space.dim());
    for (t, d) in tag.iter().zip(d).filter(|(t, _)| t.part == Part::Velocity) {
        let dof = t.subject as usize;
        if dof >= system.nv() || system.block_of_dof(dof) != block {
            continue;
        }
        match dof - first {
            k if k < dim => out[0][k] = *d,
            k if dim == 3 => out[1][k - dim] = *d,
            _ => out[1][2] = *d,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::blocks::blocks;

    #[test]
    fn bodies_that_nothing_holds_are_named_with_their_direction() {
        let system = blocks(10, [0.0; 3]);
        let velocity = |subject: u32| RowTag { subject, part: Part::Velocity };
        let tags = [velocity(1), RowTag::default(), velocity(3), velocity(5), velocity(8)];
        let list = falling(&system, &tags, &[-2.0, 9.0, 1.0, -0.5, 1e-9]);
        let said: Vec<String> = list.iter().map(ToString::to_string).collect();
        let name = |block: usize| system.block_name(block);
        let expected =
            [format!("{} along `vy`", name(0)), format!("{} along (vx: 1.0000, omega: -0.5000)", name(1))];
        assert_eq!(said, expected);
        assert_eq!(list[0].motion, [[0.0, -2.0, 0.0], [0.0; 3]]);
        assert_eq!(list[1].motion, [[1.0, 0.0, 0.0], [0.0, 0.0, -0.5]]);
    }

    #[test]
    fn a_proof_by_cases_names_bodies_and_pairs_once_with_their_rows() {
        let system = blocks(10, [0.0; 3]);
        let row = |part, subject| RowTag { subject, part };
        let tags = [
            row(Part::Velocity, 1),
            row(Part::Normal, 0),
            row(Part::Slip, 1),
            row(Part::Velocity, 3),
            RowTag::default(),
        ];
        let contacts = Contacts { body_a: &[0, 0], body_b: &[1, 1], ..Contacts::default() };
        let list = involved(&system, &tags, &contacts, &[0.5, 1.0, 0.2, 0.01, 1.0]);
        let said: Vec<String> = list.iter().map(ToString::to_string).collect();
        let (a, b, block) = (&system.bodies[0].name, &system.bodies[1].name, system.block_name(0));
        assert_eq!(said, [format!("{a} / {b} (normal, slip)"), format!("{block} (velocity)")]);
    }

    #[test]
    fn contacts_are_named_by_what_presses_on_all_their_rows() {
        let system = blocks(10, [0.0; 3]);
        let ray = |subject: u32| RowTag { subject, part: Part::Ray };
        let tags = [
            ray(0),
            ray(0),
            RowTag { subject: 1, part: Part::Normal },
            RowTag { subject: 1, part: Part::Slip },
        ];
        let key = [vinci_core::contact::ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b: 0 }; 2];
        let contacts = Contacts {
            key: &key,
            body_a: &[0, 1],
            body_b: &[1, 2],
            normal: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
            point_a: &[1.0, 2.0, 0.0, 3.0, 4.0, 0.0],
            point_b: &[2.0, 2.0, 0.0, 3.0, 6.0, 0.0],
            ..Contacts::default()
        };
        let list = squeezed(&system, &tags, &contacts, &[1.0, 3.0, 1.0, 100.0]);
        let shares: Vec<f64> = list.iter().map(|s| s.share).collect();
        assert_eq!(shares, [1.0, 0.25]);
        assert_eq!(list[0].body_a, system.bodies[0].name);
        assert_eq!((list[0].point, list[0].normal), ([1.5, 2.0, 0.0], [1.0, 0.0, 0.0]));
        assert_eq!((list[1].point, list[1].normal), ([3.0, 5.0, 0.0], [0.0, 1.0, 0.0]));
        assert!(
            squeezed(&system, &tags, &contacts, &[1.0]).is_empty(),
            "a proof by cases is no list of rows"
        );
    }
}
