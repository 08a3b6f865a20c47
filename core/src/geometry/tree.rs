//! A tree of boxes over facets: neighbours are found without looking at all of them.

use nalgebra::Vector3;

use super::facet::Facet;

/// Facets of a leaf at most.
const LEAF: usize = 4;

/// Depth that no tree of halves reaches.
const DEPTH: usize = 64;

/// A box: inner nodes come before their left child, which is the next node.
#[derive(Debug, Clone, Copy)]
struct Node {
    low: Vector3<f64>,
    high: Vector3<f64>,
    /// First facet, and how many: 0 for inner nodes.
    first: u32,
    count: u32,
    /// Right child of an inner node.
    right: u32,
}

/// Boxes over facets, which are put in the order of the leaves.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Sorts the facets and builds the boxes.
    pub(super) fn new(facets: &mut [Facet]) -> Self {
        let mut tree = Self::default();
        tree.build(facets, 0);
        tree
    }

    fn build(&mut self, facets: &mut [Facet], first: usize) {
        let (low, high) = bounds(facets);
        let at = self.nodes.len();
        let count = if facets.len() <= LEAF { facets.len() } else { 0 };
        self.nodes.push(Node { low, high, first: first as u32, count: count as u32, right: 0 });
        if count > 0 || facets.is_empty() {
            return;
        }
        let axis = (high - low).imax();
        let middle = facets.len() / 2;
        let key = |f: &Facet| f.corners().iter().map(|x| x[axis]).sum::<f64>() / f.n as f64;
        facets.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let (left, right) = facets.split_at_mut(middle);
        self.build(left, first);
        self.nodes[at].right = self.nodes.len() as u32;
        self.build(right, first + middle);
    }

    /// Calls `leaf` with every facet whose boxes `enter` lets in; both see `state`, which a leaf may change.
    pub(super) fn visit<S>(
        &self,
        enter: impl Fn(&Vector3<f64>, &Vector3<f64>, &S) -> bool,
        state: &mut S,
        mut leaf: impl FnMut(usize, &mut S),
    ) {
        let (mut stack, mut top) = ([0_u32; DEPTH], usize::from(!self.nodes.is_empty()));
        while top > 0 {
            top -= 1;
            let at = stack[top];
            let node = &self.nodes[at as usize];
            if !enter(&node.low, &node.high, state) {
                continue;
            }
            if node.count > 0 {
                (node.first..node.first + node.count).for_each(|i| leaf(i as usize, state));
            } else if node.right > 0 {
                (stack[top], stack[top + 1]) = (node.right, at + 1);
                top += 2;
            }
        }
    }
}

fn bounds(facets: &[Facet]) -> (Vector3<f64>, Vector3<f64>) {
    let empty = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    facets.iter().flat_map(|f| f.corners()).fold(empty, |(l, h), x| (l.inf(x), h.sup(x)))
}

/// Squared distance of a point from a box, m².
#[inline]
pub(super) fn squared_distance_to_box(x: &Vector3<f64>, low: &Vector3<f64>, high: &Vector3<f64>) -> f64 {
    let outside = |k: usize| (low[k] - x[k]).max(x[k] - high[k]).max(0.0);
    let (a, b, c) = (outside(0), outside(1), outside(2));
    a * a + b * b + c * c
}
