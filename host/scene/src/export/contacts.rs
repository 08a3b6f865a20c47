//! Pairs of shapes that may collide.

use std::collections::BTreeSet;

use vinci_core::model::{Pair, Shape, System};

/// Pairs of shapes that may collide, with what the pair has.
pub(super) fn pairs(system: &System) -> impl Iterator<Item = (usize, usize, Pair)> + '_ {
    let ignored: BTreeSet<(u32, u32)> =
        system.ignored_pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    let may = move |a: &Shape, b: &Shape| {
        let (low, high) = (a.body.min(b.body), a.body.max(b.body));
        let fixed = |body: u32| system.bodies[body as usize].is_static;
        low != high && !(fixed(low) && fixed(high)) && !ignored.contains(&(low, high))
    };
    let side = |shape: &Shape| (shape.material, shape.body);
    system.shapes.iter().enumerate().flat_map(move |(i, a)| {
        let may = may.clone();
        let others = system.shapes.iter().enumerate().skip(i + 1);
        let met = others.filter(move |(_, b)| may(a, b));
        met.map(move |(j, b)| (i, j, system.materials.pair(side(a), side(b))))
    })
}

/// The friction of all pairs, where it is one.
pub(super) fn common_friction(system: &System) -> Option<f64> {
    let mut all = pairs(system).map(|(_, _, pair)| pair.friction);
    let first = all.next()?;
    all.all(|friction| friction == first).then_some(first)
}
