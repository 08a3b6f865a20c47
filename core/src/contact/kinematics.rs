//! Contact kinematics: raw contacts become rows [Wnᵀ; Wtᵀ] on generalized velocities.

use nalgebra::Vector3;
use thiserror::Error;

use super::{ContactKey, ContactMemory, Contacts, FirstTangent, RawContacts, tangent_basis, transport};
use crate::lists::copy;
use crate::model::point::PointJacobian;
use crate::model::{Frames, Pair, PairValues, Shape, Space, System};
use crate::sparse::CsrBuf;

/// Reason why a detector's answer cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ContactError {
    /// Arrays of different lengths.
    #[error("the detector returned {found} {what} for {expected} contacts")]
    Length {
        /// Which array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Number of contacts times numbers per contact.
        expected: usize,
    },
    /// A shape index that does not exist.
    #[error("contact {contact} refers to shape {shape}, but there are only {shapes}")]
    NoSuchShape {
        /// Index of the contact.
        contact: usize,
        /// The shape index.
        shape: u32,
        /// Number of shapes.
        shapes: usize,
    },
    /// A gap, point or normal that is not finite, or a normal that is not a unit vector.
    #[error("contact {contact} has {what}")]
    BadNumber {
        /// Index of the contact.
        contact: usize,
        /// Fault, in words.
        what: &'static str,
    },
    /// Two contacts with one identity.
    #[error("two contacts have the same identity {0:?}; feature ids must tell them apart")]
    Duplicate(ContactKey),
    /// A patch of more nodes than a step can have.
    #[error(
        "shapes {shape_a} and {shape_b} meet in a patch of about {nodes:.0} nodes, at most {most} are made: give it a larger `cell`"
    )]
    TooManyNodes {
        /// Shape on side A.
        shape_a: u32,
        /// Shape on side B.
        shape_b: u32,
        /// How many there would be.
        nodes: f64,
        /// How many there may be.
        most: usize,
    },
}

/// Contacts with kinematics; owns its arrays and keeps their memory between steps.
#[derive(Debug, Clone, Default)]
pub struct ContactBuf {
    n_t: usize,
    /// Where bases of new contacts begin.
    pub first_tangent: FirstTangent,
    /// True if only the most open alternative of every OR group is taken (for steppers that know no alternatives).
    pub single: bool,
    order: Vec<u32>,
    key: Vec<ContactKey>,
    body_a: Vec<u32>,
    body_b: Vec<u32>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    tangent: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    jacobian: CsrBuf,
    relative: PointJacobian,
    pair: PairValues<Vec<f64>>,
    /// Materials and bodies of the last contact, and what they give.
    last_pair: Option<([u32; 4], Pair)>,
    last_impulse: Vec<f64>,
    age: Vec<u32>,
    group: Vec<u32>,
    cell: Vec<f64>,
}

impl ContactBuf {
    /// Fills the buffer from a detector's answer at the configuration of `frames`, sorted by identity.
    ///
    /// Tangents: planar (−n_y, n_x); spatial: transported from `memory`; new ones begin as `first_tangent` says (slip at velocity v).
    pub fn fill(
        &mut self,
        system: &System,
        frames: &Frames,
        v: &[f64],
        raw: &RawContacts<'_>,
        memory: &ContactMemory,
    ) -> Result<(), ContactError> {
        self.fill_nodes(system, frames, v, (raw, &[]), memory)
    }

    /// Does what [`ContactBuf::fill`] does, for contacts of which some are nodes of patches: `cell` has the sides of the squares that have their
    /// areas, m, 0 for others. Contacts of bodies with patches that it does not have are nodes of one cell of the grid.
    pub fn fill_nodes(
        &mut self,
        system: &System,
        frames: &Frames,
        v: &[f64],
        (raw, cell): (&RawContacts<'_>, &[f64]),
        memory: &ContactMemory,
    ) -> Result<(), ContactError> {
        check(system, raw)?;
        self.clear(system);
        self.order.extend((0..raw.len() as u32).filter(|&i| !self.single || raw.is_most_open(i as usize)));
        if !raw.key.is_sorted() {
            self.order.sort_by_key(|&i| raw.key[i as usize]);
        }
        for k in 0..self.order.len() {
            let i = self.order[k] as usize;
            if k > 0 && self.key[k - 1] == raw.key[i] {
                return Err(ContactError::Duplicate(raw.key[i]));
            }
            self.add(system, frames, v, raw, i, memory);
            if !system.materials.patches.is_empty() {
                self.weigh(system, raw.key[i], cell.get(i).copied());
            }
        }
        Ok(())
    }

    /// Copies contacts that were filled from the same places, velocities and memory of another system, none of them a node of a patch; their
    /// pairs are those of this one.
    pub fn copy_from(&mut self, from: &Self, system: &System) {
        self.clear(system);
        self.jacobian.copy_from(&from.jacobian.view());
        for (to, from) in [
            (&mut self.gap, &from.gap),
            (&mut self.normal, &from.normal),
            (&mut self.tangent, &from.tangent),
            (&mut self.point_a, &from.point_a),
            (&mut self.point_b, &from.point_b),
            (&mut self.last_impulse, &from.last_impulse),
        ] {
            copy(to, from);
        }
        for (to, from) in [
            (&mut self.body_a, &from.body_a),
            (&mut self.body_b, &from.body_b),
            (&mut self.age, &from.age),
            (&mut self.group, &from.group),
        ] {
            copy(to, from);
        }
        copy(&mut self.key, &from.key);
        for key in &from.key {
            let [a, b] = key.shapes().map(|shape| &system.shapes[shape as usize]);
            self.push_pair(system, a, b);
        }
    }

    fn clear(&mut self, system: &System) {
        self.n_t = system.space.n_t();
        self.jacobian.clear(system.nv());
        for list in [&mut self.gap, &mut self.normal, &mut self.tangent, &mut self.point_a, &mut self.point_b]
        {
            list.clear();
        }
        self.pair.as_mut().map(Vec::clear);
        self.last_pair = None;
        self.cell.clear();
        for list in [&mut self.order, &mut self.body_a, &mut self.body_b, &mut self.age, &mut self.group] {
            list.clear();
        }
        self.last_impulse.clear();
        self.key.clear();
    }

    fn add(
        &mut self,
        system: &System,
        frames: &Frames,
        v: &[f64],
        raw: &RawContacts<'_>,
        i: usize,
        memory: &ContactMemory,
    ) {
        let key = raw.key[i];
        let (sa, sb) = (&system.shapes[key.shape_a as usize], &system.shapes[key.shape_b as usize]);
        let at = |list: &[f64]| Vector3::new(list[3 * i], list[3 * i + 1], list[3 * i + 2]);
        let (normal, alpha, beta) = (at(raw.normal), at(raw.point_a), at(raw.point_b));
        let relative = &mut self.relative;
        relative.clear();
        relative.add_body(system, sa.body, &alpha, -1.0, frames);
        relative.add_body(system, sb.body, &beta, 1.0, frames);
        let remembered = memory.get(&key);
        let t1 = match (system.space, remembered) {
            (Space::Planar, _) => Vector3::new(-normal.y, normal.x, 0.0),
            (Space::Spatial, Some(m)) => transport(&m.tangent, &m.normal, &normal),
            (Space::Spatial, None) => match self.first_tangent {
                FirstTangent::Slip => tangent_basis(&normal, &relative.velocity(v)),
                FirstTangent::Axes => tangent_basis(&normal, &Vector3::zeros()),
            },
        };
        push_row(relative, &normal, &mut self.jacobian);
        push_row(relative, &t1, &mut self.jacobian);
        self.tangent.extend_from_slice(t1.as_slice());
        if system.space == Space::Spatial {
            let t2 = normal.cross(&t1);
            push_row(relative, &t2, &mut self.jacobian);
            self.tangent.extend_from_slice(t2.as_slice());
        }
        let stride = 1 + self.n_t;
        self.key.push(key);
        self.body_a.push(sa.body);
        self.body_b.push(sb.body);
        self.gap.push(raw.gap[i]);
        self.normal.extend_from_slice(normal.as_slice());
        self.point_a.extend_from_slice(alpha.as_slice());
        self.point_b.extend_from_slice(beta.as_slice());
        self.push_pair(system, sa, sb);
        let impulse = remembered.map_or([0.0; 3], |m| m.impulse);
        self.last_impulse.extend_from_slice(&impulse[..stride]);
        self.age.push(remembered.map_or(0, |m| m.age));
        if !raw.group.is_empty() && !self.single {
            self.group.push(raw.group[i]);
        }
    }

    /// Adds the properties of a pair of shapes: contacts of the same two come one after the other, and shapes of two bodies too.
    fn push_pair(&mut self, system: &System, a: &Shape, b: &Shape) {
        let key = [a.material, a.body, b.material, b.body];
        let pair = match self.last_pair {
            Some((last, pair)) if last == key => pair,
            _ => system.materials.pair((a.material, a.body), (b.material, b.body)),
        };
        self.last_pair = Some((key, pair));
        self.pair.as_mut().zip(pair).map(|(column, value)| column.push(value));
    }

    /// The last contact has the stiffness and damping of its part of a patch, if its bodies meet in patches.
    fn weigh(&mut self, system: &System, key: ContactKey, cell: Option<f64>) {
        let body = |shape: u32| system.shapes[shape as usize].body;
        let Some(law) = system.materials.patch(body(key.shape_a), body(key.shape_b)) else {
            return self.cell.push(0.0);
        };
        let cell = cell.filter(|cell| *cell > 0.0).unwrap_or(law.cell);
        let last = self.key.len() - 1;
        self.pair.stiffness[last] = law.stiffness * cell * cell;
        self.pair.damping[last] = law.damping * cell * cell;
        self.cell.push(cell);
    }

    /// Contact i bounces no more than this from now on, until the buffer is filled again.
    pub fn set_restitution(&mut self, i: usize, e: f64) {
        self.pair.restitution[i] = e;
    }

    /// The contacts as a borrowed view.
    pub fn view(&self) -> Contacts<'_> {
        Contacts {
            n_t: self.n_t,
            key: &self.key,
            body_a: &self.body_a,
            body_b: &self.body_b,
            gap: &self.gap,
            normal: &self.normal,
            tangent: &self.tangent,
            point_a: &self.point_a,
            point_b: &self.point_b,
            jacobian: self.jacobian.view(),
            pair: self.pair.as_ref().map(Vec::as_slice),
            last_impulse: &self.last_impulse,
            age: &self.age,
            group: &self.group,
            cell: &self.cell,
        }
    }
}

/// Row that gives the velocity of B relative to A along `d`.
#[inline]
fn push_row(relative: &PointJacobian, d: &Vector3<f64>, rows: &mut CsrBuf) {
    relative.along(d).for_each(|(column, value)| rows.push(column, value));
    rows.end_row();
}

fn check(system: &System, raw: &RawContacts<'_>) -> Result<(), ContactError> {
    let n = raw.len();
    let lengths = [
        ("gaps", raw.gap.len(), n),
        ("normal coordinates", raw.normal.len(), 3 * n),
        ("coordinates of points on A", raw.point_a.len(), 3 * n),
        ("coordinates of points on B", raw.point_b.len(), 3 * n),
        ("group numbers", raw.group.len(), if raw.group.is_empty() { 0 } else { n }),
    ];
    if let Some(&(what, found, expected)) = lengths.iter().find(|(_, found, expected)| found != expected) {
        return Err(ContactError::Length { what, found, expected });
    }
    for (contact, key) in raw.key.iter().enumerate() {
        for shape in [key.shape_a, key.shape_b] {
            if shape as usize >= system.shapes.len() {
                return Err(ContactError::NoSuchShape { contact, shape, shapes: system.shapes.len() });
            }
        }
        let normal = &raw.normal[3 * contact..3 * contact + 3];
        let length = normal.iter().map(|x| x * x).sum::<f64>();
        if (length - 1.0).abs() > 1e-9 || length.is_nan() {
            return Err(ContactError::BadNumber { contact, what: "a normal that is not a unit vector" });
        }
        let points = [&raw.point_a[3 * contact..3 * contact + 3], &raw.point_b[3 * contact..3 * contact + 3]];
        if !raw.gap[contact].is_finite() || points.iter().any(|p| p.iter().any(|x| !x.is_finite())) {
            return Err(ContactError::BadNumber { contact, what: "a gap or point that is not finite" });
        }
    }
    Ok(())
}
