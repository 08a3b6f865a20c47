//! Numbers of the places of contacts, and names of the bodies of contacts.

use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::System;

/// Numbers of a contact's place, by the space.
pub enum ContactPlace {
    /// In the plane.
    Planar([f64; 7]),
    /// In space.
    Spatial([f64; 13]),
}

impl ContactPlace {
    /// Numbers of the columns, as many as the space has.
    pub fn numbers(&self) -> &[f64] {
        match self {
            Self::Planar(numbers) => numbers,
            Self::Spatial(numbers) => numbers,
        }
    }
}

/// The numbers of [`CONTACT_PLACES`](super::CONTACT_PLACES) of contact i with impulses p (N s, 1 + n_t) over a step of h, s.
pub fn contact_place(contacts: &Contacts<'_>, i: usize, p: &[f64], h: f64) -> ContactPlace {
    let three = |list: &[f64], k: usize| [list[3 * k], list[3 * k + 1], list[3 * k + 2]];
    let n = three(contacts.normal, i);
    let mut force = [p[0] * n[0], p[0] * n[1], p[0] * n[2]];
    for k in 0..contacts.n_t {
        let t = three(contacts.tangent, i * contacts.n_t + k);
        for (f, t) in force.iter_mut().zip(t) {
            *f += p[1 + k] * t;
        }
    }
    let ([x, y, z], [fx, fy, fz]) = (contacts.middle(i), force.map(|f| f / h));
    let friction = contacts.pair.friction[i];
    if contacts.n_t == 1 {
        return ContactPlace::Planar([x, y, n[0], n[1], fx, fy, friction]);
    }
    let t = three(contacts.tangent, i * contacts.n_t);
    ContactPlace::Spatial([x, y, z, n[0], n[1], n[2], t[0], t[1], t[2], fx, fy, fz, friction])
}

/// Names of the bodies of contacts, "a/b" each, without repetition, separated by blanks.
pub fn bodies(system: &System, contacts: &[ContactKey]) -> String {
    let name = |shape: u32| &system.bodies[system.shapes[shape as usize].body as usize].name;
    let mut pairs: Vec<_> =
        contacts.iter().map(|c| format!("{}/{}", name(c.shape_a), name(c.shape_b))).collect();
    pairs.dedup();
    pairs.join(" ")
}
