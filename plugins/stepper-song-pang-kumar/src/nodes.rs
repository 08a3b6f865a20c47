//! Patches and their nodes. A node is what carries a deformation: a contact, or a place between two contacts of an edge.

use std::ops::Range;

use vinci_sdk::prelude::*;

use crate::state::State;

/// One node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// The two contacts it lies between (twice the same where it is a contact), and how far towards the second, 0 … 1.
    pub(crate) ends: [u32; 2],
    pub(crate) weight: f64,
    /// Identity.
    pub(crate) key: ContactKey,
    pub(crate) number: u32,
    /// Its patch, and its place in it.
    pub(crate) patch: u32,
    pub(crate) place: u32,
}

/// Contacts of the host, grouped; and contacts as the problem sees them, one per node.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) list: Vec<Node>,
    /// Nodes of patch i: `members[start[i]..start[i + 1]]`.
    pub(crate) start: Vec<u32>,
    pub(crate) members: Vec<u32>,
    /// True if nodes are other than the host's contacts.
    pub(crate) refined: bool,
    /// Contacts of the step they were made from.
    pub(crate) n_contacts: usize,
    patch_of: Vec<u32>,
    /// Contacts, patch by patch.
    order: Vec<u32>,
    arrays: Arrays,
}

#[derive(Debug, Default)]
struct Arrays {
    key: Vec<ContactKey>,
    body_a: Vec<u32>,
    body_b: Vec<u32>,
    age: Vec<u32>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    tangent: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    jacobian: CsrBuf,
    pair: PairValues<Vec<f64>>,
    last_impulse: Vec<f64>,
}

impl Nodes {
    /// Groups the contacts into patches (one pair of shapes, one normal) and sets the nodes, `per_edge` on every patch of
    /// two planar contacts whose pair is not rigid.
    pub(crate) fn build(&mut self, contacts: &Contacts<'_>, per_edge: usize, state: &State) {
        self.n_contacts = contacts.len();
        self.group(contacts);
        self.list.clear();
        self.refined = false;
        self.members.clear();
        let patches = self.start.len() - 1;
        // `start` counts contacts so far; from here it counts nodes.
        let mut contact_start = 0;
        for patch in 0..patches {
            let contact_end = self.start[patch + 1] as usize;
            self.start[patch] = self.members.len() as u32;
            self.set_nodes(contacts, per_edge, patch as u32, contact_start..contact_end);
            contact_start = contact_end;
        }
        self.start[patches] = self.members.len() as u32;
        if self.refined {
            self.interpolate(contacts, state);
        } else {
            // Nodes in the order of the contacts they are.
            self.list.sort_unstable_by_key(|n| n.ends[0]);
            for (i, node) in self.list.iter().enumerate() {
                self.members[self.start[node.patch as usize] as usize + node.place as usize] = i as u32;
            }
        }
    }

    /// `patch_of` every contact; contacts of patch i are `order[start[i]..start[i + 1]]`.
    fn group(&mut self, contacts: &Contacts<'_>) {
        self.patch_of.clear();
        self.start.clear();
        let pair = |i: usize| (contacts.key[i].shape_a, contacts.key[i].shape_b);
        let mut sizes = std::mem::take(&mut self.start);
        for i in 0..contacts.len() {
            // Sorted by key: contacts of one pair stand together.
            let same = (0..i).rev().take_while(|&j| pair(j) == pair(i)).find(|&j| contacts.same_normal(i, j));
            let patch = same.map_or(sizes.len() as u32, |j| self.patch_of[j]);
            self.patch_of.push(patch);
            if patch as usize == sizes.len() {
                sizes.push(0);
            }
            sizes[patch as usize] += 1;
        }
        sizes.push(0);
        let mut sum = 0;
        for size in &mut sizes {
            sum += std::mem::replace(size, sum);
        }
        self.start = sizes;
        self.order.clear();
        self.order.extend(0..contacts.len() as u32);
        let patch_of = &self.patch_of;
        self.order.sort_unstable_by_key(|&i| (patch_of[i as usize], i));
    }

    fn set_nodes(&mut self, contacts: &Contacts<'_>, per_edge: usize, patch: u32, range: Range<usize>) {
        let of_patch = &self.order[range];
        let soft = contacts.pair.stiffness[of_patch[0] as usize].is_finite();
        if let (&[a, b], 1, true) = (of_patch, contacts.n_t, soft && per_edge > 1) {
            self.refined = true;
            for number in 0..per_edge as u32 {
                let weight = f64::from(number) / (per_edge - 1) as f64;
                let key = contacts.key[a as usize];
                self.members.push(self.list.len() as u32);
                // Number 0 is the contact alone: what it becomes when the other end is out of sight.
                self.list.push(Node { ends: [a, b], weight, key, number: number + 1, patch, place: number });
            }
            return;
        }
        for (place, &i) in of_patch.iter().enumerate() {
            let (key, place) = (contacts.key[i as usize], place as u32);
            self.members.push(self.list.len() as u32);
            self.list.push(Node { ends: [i; 2], weight: 0.0, key, number: 0, patch, place });
        }
    }

    /// Contacts of the nodes: gap, rows and points linear between the ends of a straight edge.
    fn interpolate(&mut self, contacts: &Contacts<'_>, state: &State) {
        let arrays = &mut self.arrays;
        arrays.clear(contacts.jacobian.n_cols);
        for node in &self.list {
            arrays.push(contacts, node, state);
        }
    }

    /// Contacts as the problem sees them.
    pub(crate) fn contacts<'a>(&'a self, contacts: &Contacts<'a>) -> Contacts<'a> {
        if self.refined { self.arrays.view(contacts.n_t) } else { *contacts }
    }

    /// Number of patches.
    pub(crate) fn n_patches(&self) -> usize {
        self.start.len() - 1
    }

    /// Nodes of a patch.
    pub(crate) fn of_patch(&self, patch: usize) -> &[u32] {
        &self.members[self.start[patch] as usize..self.start[patch + 1] as usize]
    }
}

impl Arrays {
    fn clear(&mut self, nv: usize) {
        self.jacobian.clear(nv);
        self.key.clear();
        for list in [&mut self.body_a, &mut self.body_b, &mut self.age] {
            list.clear();
        }
        for list in [&mut self.gap, &mut self.normal, &mut self.tangent, &mut self.point_a, &mut self.point_b]
        {
            list.clear();
        }
        self.pair.as_mut().map(Vec::clear);
        self.last_impulse.clear();
    }

    fn push(&mut self, contacts: &Contacts<'_>, node: &Node, state: &State) {
        let [a, b] = node.ends.map(|i| i as usize);
        let (w, stride, n_t) = (node.weight, contacts.stride(), contacts.n_t);
        let between = |x: f64, y: f64| if a == b { x } else { (1.0 - w) * x + w * y };
        self.key.push(node.key);
        self.body_a.push(contacts.body_a[a]);
        self.body_b.push(contacts.body_b[a]);
        self.age.push(contacts.age[a]);
        self.gap.push(between(contacts.gap[a], contacts.gap[b]));
        self.normal.extend_from_slice(&contacts.normal[3 * a..3 * a + 3]);
        self.tangent.extend_from_slice(&contacts.tangent[3 * n_t * a..3 * n_t * (a + 1)]);
        for k in 0..3 {
            self.point_a.push(between(contacts.point_a[3 * a + k], contacts.point_a[3 * b + k]));
            self.point_b.push(between(contacts.point_b[3 * a + k], contacts.point_b[3 * b + k]));
        }
        let kept = state.get(node.key, node.number).map_or([0.0; 3], |d| d.impulse);
        for k in 0..stride {
            let (row_a, row_b) = (stride * a + k, stride * b + k);
            // Both contacts are of one pair of shapes, so both rows store the same columns.
            let ((columns, x), y) = (contacts.jacobian.row(row_a), contacts.jacobian.row(row_b).1);
            for ((&column, x), y) in columns.iter().zip(x).zip(y) {
                self.jacobian.push(column as usize, between(*x, *y));
            }
            self.jacobian.end_row();
            self.last_impulse.push(if a == b { contacts.last_impulse[row_a] } else { kept[k] });
        }
        self.pair.as_mut().zip(contacts.pair).map(|(column, values)| column.push(values[a]));
    }

    fn view(&self, n_t: usize) -> Contacts<'_> {
        Contacts {
            n_t,
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
            group: &[],
            cell: &[],
        }
    }
}
