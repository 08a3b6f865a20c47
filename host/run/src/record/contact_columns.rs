//! Numbers of the places of contacts, and names of the bodies of contacts.

use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::System;

/// Adds the numbers of [`CONTACT_PLACES`](super::CONTACT_PLACES) of contact i with impulses p (N s, 1 + n_t) over a step of h, s.
pub fn contact_place(contacts: &Contacts<'_>, i: usize, p: &[f64], h: f64, out: &mut Vec<f64>) {
    let dim = 1 + contacts.n_t;
    let three = |list: &[f64], k: usize| [list[3 * k], list[3 * k + 1], list[3 * k + 2]];
    let n = three(contacts.normal, i);
    let mut force = [p[0] * n[0], p[0] * n[1], p[0] * n[2]];
    for k in 0..contacts.n_t {
        let t = three(contacts.tangent, i * contacts.n_t + k);
        for (f, t) in force.iter_mut().zip(t) {
            *f += p[1 + k] * t;
        }
    }
    out.extend_from_slice(&contacts.middle(i)[..dim]);
    out.extend_from_slice(&n[..dim]);
    if dim == 3 {
        out.extend_from_slice(&three(contacts.tangent, i * contacts.n_t));
    }
    out.extend(force.iter().take(dim).map(|f| f / h));
    out.push(contacts.pair.friction[i]);
}

/// Names of the bodies of contacts, "a/b" each, without repetition, separated by blanks.
pub fn bodies(system: &System, contacts: &[ContactKey]) -> String {
    let name = |shape: u32| &system.bodies[system.shapes[shape as usize].body as usize].name;
    let mut pairs: Vec<_> =
        contacts.iter().map(|c| format!("{}/{}", name(c.shape_a), name(c.shape_b))).collect();
    pairs.dedup();
    pairs.join(" ")
}
