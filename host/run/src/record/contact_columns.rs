//! Numbers of the places of contacts, and names of the bodies of contacts.

use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::System;

/// The numbers of [`CONTACT_PLACES`](super::CONTACT_PLACES) of contact i with impulses p (N s, 1 + n_t) over a step of h, s.
pub fn contact_place(contacts: &Contacts<'_>, i: usize, p: &[f64], h: f64) -> impl Iterator<Item = f64> {
    let dim = 1 + contacts.n_t;
    let three = |list: &[f64], k: usize| -> [f64; 3] { std::array::from_fn(|j| list[3 * k + j]) };
    let (a, b) = (three(contacts.point_a, i), three(contacts.point_b, i));
    let point = std::array::from_fn(|j| 0.5 * (a[j] + b[j]));
    let axes: [[f64; 3]; 3] = std::array::from_fn(|k| match k {
        0 => three(contacts.normal, i),
        k if k < dim => three(contacts.tangent, i * contacts.n_t + k - 1),
        _ => [0.0; 3],
    });
    let force = std::array::from_fn(|j| p.iter().zip(&axes).map(|(p, axis)| p * axis[j]).sum::<f64>() / h);
    let tangent = (dim == 3).then_some(axes[1]);
    let vectors = [Some(point), Some(axes[0]), tangent, Some(force)].into_iter().flatten();
    let friction = contacts.pair.friction[i];
    vectors.flat_map(move |vector| vector.into_iter().take(dim)).chain([friction])
}

/// Names of the bodies of contacts, "a/b" each, without repetition, separated by blanks.
pub fn bodies(system: &System, contacts: &[ContactKey]) -> String {
    let name = |shape: u32| &system.bodies[system.shapes[shape as usize].body as usize].name;
    let mut pairs: Vec<_> =
        contacts.iter().map(|c| format!("{}/{}", name(c.shape_a), name(c.shape_b))).collect();
    pairs.dedup();
    pairs.join(" ")
}
