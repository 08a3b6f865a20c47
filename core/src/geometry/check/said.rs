//! A detector's answer, and where in it two bodies stand.

use std::ops::Deref;

use crate::contact::RawContacts;

/// An answer, with its contacts by bodies where all pairs are looked up: to go through all contacts for every pair takes longer than to find
/// them.
pub(super) struct Said<'a> {
    raw: &'a RawContacts<'a>,
    /// Smaller and larger body, and the contact, in this order; none where few pairs are looked up.
    by_bodies: Option<Vec<[u32; 3]>>,
}

impl<'a> Said<'a> {
    /// For a look at few pairs: nothing is made.
    pub(super) fn plain(raw: &'a RawContacts<'a>) -> Self {
        Self { raw, by_bodies: None }
    }

    /// For a look at all pairs. `bodies`: the smaller and the larger body of two shapes.
    pub(super) fn sorted(raw: &'a RawContacts<'a>, bodies: impl Fn(u32, u32) -> [u32; 2]) -> Self {
        let of = |(i, key): (usize, &crate::contact::ContactKey)| {
            let [a, b] = bodies(key.shape_a, key.shape_b);
            [a, b, i as u32]
        };
        let mut by_bodies: Vec<[u32; 3]> = raw.key.iter().enumerate().map(of).collect();
        by_bodies.sort_unstable();
        Self { raw, by_bodies: Some(by_bodies) }
    }

    /// Contacts, ascending, among which are all of these two bodies (a ≤ b).
    pub(super) fn between(&self, bodies: [u32; 2]) -> impl Iterator<Item = usize> + '_ {
        let (all, sorted) = match &self.by_bodies {
            None => (0..self.raw.len(), &[][..]),
            Some(list) => {
                let from = list.partition_point(|&[a, b, _]| [a, b] < bodies);
                let to = list.partition_point(|&[a, b, _]| [a, b] <= bodies);
                (0..0, &list[from..to])
            }
        };
        all.chain(sorted.iter().map(|[.., i]| *i as usize))
    }
}

impl<'a> Deref for Said<'a> {
    type Target = RawContacts<'a>;

    fn deref(&self) -> &RawContacts<'a> {
        self.raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactKey;

    #[test]
    fn a_pair_is_found_among_all() {
        let raw = RawContacts { key: &[ContactKey::default(); 4], ..RawContacts::default() };
        let by_bodies = vec![[0, 1, 0], [0, 1, 3], [0, 2, 1], [1, 2, 2]];
        let said = Said { raw: &raw, by_bodies: Some(by_bodies) };
        let of = |pair| said.between(pair).collect::<Vec<_>>();
        assert_eq!((of([0, 1]), of([0, 2]), of([1, 1])), (vec![0, 3], vec![1], vec![]));
        assert_eq!(Said::plain(&raw).between([5, 6]).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
}
