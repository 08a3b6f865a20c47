//! Lanes: the velocities of a step as rows of contacts and joints read them, and the sums over their bodies.

/// One velocity as rows read it: all numbers that a row needs, side by side.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lane {
    /// v⁺ and v.
    pub(super) moved: [f64; 2],
    /// V, and D, m/s or rad/s; 0 without inertia. In pairs: what is done to both is done at once.
    pub(super) size: [f64; 2],
    /// 1/A_jj of unknowns with inertia, else 0.
    pub(super) mobility: f64,
    /// 1/(cause + pressure) of unknowns without inertia, 0 where nothing acts.
    pub(super) share: f64,
}

/// One row J of contacts or other rows: ν⁺ = J v⁺, ν⁻ = J v, its scale, and what an impulse along it is
/// multiplied with to be compared, 1/(N s).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rate {
    pub(super) after: f64,
    pub(super) before: f64,
    pub(super) scale: f64,
    pub(super) weight: f64,
}

impl Rate {
    /// Work of an impulse p along it, J: p times the mean of the rates before and after, the change of kinetic energy.
    pub(super) fn work(&self, p: f64) -> f64 {
        0.5 * p * (self.before + self.after)
    }

    /// Sum of the sizes of the terms of twice that work, J.
    pub(super) fn flow(&self, p: f64) -> f64 {
        p.abs() * (self.before.abs() + self.after.abs())
    }
}

/// Sums over the entries of a row, from which its rate is made.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Row {
    moved: [f64; 2],
    size: [f64; 2],
    mobility: f64,
    share: f64,
}

impl Row {
    /// Adds x times a lane.
    #[inline]
    pub(super) fn add(&mut self, x: f64, lane: &Lane) {
        let far = x.abs();
        for k in 0..2 {
            self.moved[k] += x * lane.moved[k];
            self.size[k] += far * lane.size[k];
        }
        self.mobility += x * x * lane.mobility;
    }

    /// Takes the share of a lane without inertia times x, where it is the largest.
    #[inline]
    pub(super) fn take_share(&mut self, x: f64, lane: &Lane) {
        self.share = self.share.max(x.abs() * lane.share);
    }

    /// The rate with its weight, and Σ J_j²/A_jj, 1/kg. A row on which nothing acts has no impulse either, and where nothing gives
    /// way no impulse is small: there the weight is `unfelt`.
    #[inline]
    pub(super) fn weighed(self, unfelt: f64) -> (Rate, f64) {
        let Self { moved: [after, before], size: [scale, change], mobility, share } = self;
        let weight = if change > 0.0 { mobility / change } else { share };
        let weight = if weight > 0.0 { weight } else { unfelt };
        (Rate { after, before, scale, weight }, mobility)
    }
}
