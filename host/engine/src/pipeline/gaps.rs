//! Gaps of contacts at two times, compared by identity.

use vinci_core::contact::{ContactKey, Contacts, RawContacts};

use super::zeno_guard::same_pair;

/// Gaps by identity, sorted.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Gaps {
    list: Vec<(ContactKey, f64)>,
}

impl Gaps {
    /// Takes the gaps of contacts with kinematics.
    pub(super) fn of_contacts(&mut self, contacts: &Contacts<'_>) {
        self.list.clear();
        self.list.extend(contacts.key.iter().copied().zip(contacts.gap.iter().copied()));
    }

    /// Takes the gaps of a detector's answer; of OR groups that of the most open alternative.
    pub(super) fn of_raw(&mut self, raw: &RawContacts<'_>) {
        self.list.clear();
        let open = (0..raw.len()).filter(|&i| raw.is_most_open(i));
        self.list.extend(open.map(|i| (raw.key[i], raw.gap[i])));
        self.list.sort_by_key(|e| e.0);
    }

    /// Gap of a contact; none where it was not reported.
    pub(super) fn get(&self, key: &ContactKey) -> Option<f64> {
        self.list.binary_search_by(|e| e.0.cmp(key)).ok().map(|i| self.list[i].1)
    }

    /// Returns true if a contact was open here. One that was not reported was, unless its two shapes touched elsewhere: then a
    /// touching place has only changed its features, as rolling bodies' do.
    fn open(&self, key: &ContactKey, tolerance: f64) -> bool {
        match self.get(key) {
            Some(gap) => gap > tolerance,
            None => !self.list.iter().any(|e| same_pair(&e.0, key) && e.1 <= tolerance),
        }
    }

    /// Smallest gap of an open contact, ∞ where there is none.
    pub(super) fn smallest_open(&self, tolerance: f64) -> f64 {
        self.list.iter().map(|e| e.1).filter(|gap| *gap > tolerance).fold(f64::INFINITY, f64::min)
    }

    /// Smallest gap, here, of the contacts that were open at `start`, ∞ where there is none.
    pub(super) fn worst_since(&self, start: &Gaps, tolerance: f64) -> f64 {
        let open = self.list.iter().filter(|e| start.open(&e.0, tolerance));
        open.map(|e| e.1).fold(f64::INFINITY, f64::min)
    }

    /// Contacts that were open at `start` and are closed here.
    pub(super) fn closed_since<'a>(
        &'a self,
        start: &'a Gaps,
        tolerance: f64,
    ) -> impl Iterator<Item = ContactKey> + 'a {
        let closed = self.list.iter().filter(move |e| e.1 <= tolerance && start.open(&e.0, tolerance));
        closed.map(|e| e.0)
    }
}

/// The smallest positive root of ψ + ν t + c t², for ψ > 0; none where the gap stays open.
pub(super) fn first_root(psi: f64, nu: f64, c: f64) -> Option<f64> {
    let discriminant = nu * nu - 4.0 * c * psi;
    if discriminant < 0.0 {
        return None;
    }
    // Without cancellation: r = −(ν + sign(ν) √d)/2, roots ψ/r and r/c.
    let r = -0.5 * (nu + discriminant.sqrt().copysign(nu));
    let roots = [psi / r, r / c];
    roots.into_iter().filter(|t| t.is_finite() && *t > 0.0).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(shape_b: u32, feature_b: u32) -> ContactKey {
        ContactKey { shape_a: 0, shape_b, feature_a: 0, feature_b }
    }

    fn gaps(list: &[(ContactKey, f64)]) -> Gaps {
        Gaps { list: list.to_vec() }
    }

    #[test]
    fn the_first_root_is_the_first_time_of_contact() {
        let near = |found: Option<f64>, expected: f64| assert!((found.unwrap() - expected).abs() < 1e-14);
        near(first_root(1.0, -2.0, 0.0), 0.5);
        near(first_root(1.0, 0.0, -4.0), 0.5);
        near(first_root(6.0, -5.0, 1.0), 2.0);
        near(first_root(1.0, 1.0, -2.0), 1.0);
        near(first_root(1e-12, -1.0, -5.0), 1e-12);
        assert_eq!(first_root(1.0, 2.0, 0.0), None);
        assert_eq!(first_root(1.0, -1.0, 1.0), None);
        assert_eq!(first_root(1.0, 0.0, 0.0), None);
        assert_eq!(first_root(1.0, 3.0, 2.0), None);
    }

    #[test]
    fn resting_drift_and_changing_features_are_no_events() {
        let start = gaps(&[(key(1, 0), -3e-6), (key(2, 0), 0.1)]);
        // The first deepens, and goes on with another feature; the second opens further; a third comes and penetrates.
        assert_eq!(gaps(&[(key(1, 0), -5e-6)]).worst_since(&start, 1e-7), f64::INFINITY);
        assert_eq!(gaps(&[(key(1, 4), -5e-6)]).worst_since(&start, 1e-7), f64::INFINITY);
        assert_eq!(gaps(&[(key(2, 0), -5e-6)]).worst_since(&start, 1e-7), -5e-6);
        assert_eq!(gaps(&[(key(2, 3), -5e-6)]).worst_since(&start, 1e-7), -5e-6);
        assert_eq!(gaps(&[(key(3, 0), -5e-6)]).worst_since(&start, 1e-7), -5e-6);
        assert_eq!(start.smallest_open(1e-7), 0.1);
        let end = gaps(&[(key(1, 0), 0.0), (key(2, 0), 5e-8), (key(3, 0), 1.0)]);
        assert_eq!(end.closed_since(&start, 1e-7).collect::<Vec<_>>(), [key(2, 0)]);
    }
}
