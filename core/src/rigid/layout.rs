//! Layout of the unknowns of a step's problem.

/// v_f (free velocities), p_b (other rows), p_n, p_f (adjacent per contact), σ, then p_s and σ_s of support points.
///
/// With cones there are no σ, and p_f, p_s are the tangential impulses along the axes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Layout {
    /// Free velocities.
    pub(super) n_free: usize,
    /// Other rows.
    pub(super) n_rows: usize,
    /// Contacts that take part.
    pub(super) n_active: usize,
    /// Friction unknowns per contact.
    pub(super) per_contact: usize,
    /// Support points.
    pub(super) n_supports: usize,
    /// Friction unknowns per support point.
    pub(super) per_support: usize,
    /// 1 where a bound row with its σ follows (pyramid), 0 for cones.
    pub(super) n_bound: usize,
}

impl Layout {
    /// Number of unknowns.
    pub(super) fn n(&self) -> usize {
        self.support_at(0) + self.n_supports * (self.per_support + self.n_bound)
    }

    /// p_n of the active contact `slot`.
    pub(super) fn normal_at(&self, slot: usize) -> usize {
        self.n_free + self.n_rows + slot
    }

    /// First p_f of the active contact `slot`.
    pub(super) fn friction_at(&self, slot: usize) -> usize {
        self.normal_at(self.n_active) + slot * self.per_contact
    }

    /// σ of the active contact `slot`.
    pub(super) fn slip_at(&self, slot: usize) -> usize {
        self.friction_at(self.n_active) + slot
    }

    /// First p_s of support point k.
    pub(super) fn support_at(&self, k: usize) -> usize {
        self.friction_at(self.n_active) + self.n_active * self.n_bound + k * self.per_support
    }

    /// σ of support point k.
    pub(super) fn support_slip_at(&self, k: usize) -> usize {
        self.support_at(self.n_supports) + k
    }
}
