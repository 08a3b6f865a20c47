//! The account of the work of one block.

/// Part of the largest energy that went through any block that counts as rounding: a solver's last digits at open contacts.
pub(super) const DUST: f64 = 1e-10;
/// Part of a block's size by which it may be lifted by rounding.
const LIFT: f64 = 1e-4;

/// Work that one block received and passed on, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Account {
    /// Sum of the positive works of normal impulses and of limits.
    pub normal: f64,
    /// Sum of the positive works of friction.
    pub friction: f64,
    /// Sum of the works of joints, whatever their signs.
    pub joints: f64,
    /// Work that flowed through, without friction.
    pub flow: f64,
    /// Work that flowed through friction.
    pub slid: f64,
    /// First kinetic energy.
    pub energy: f64,
    /// First kinetic energy in the frame of what the block is joined to.
    pub inner: f64,
    /// Sum of the works of compliant contacts and of what their deformation stores, whatever their signs.
    pub soft: f64,
    /// Largest force times size, J.
    pub lift: f64,
}

impl Account {
    /// Numbers in a file.
    pub(super) const NUMBERS: usize = 9;

    /// Adds another's numbers.
    pub(super) fn add(&mut self, other: &Self) {
        self.normal += other.normal;
        self.friction += other.friction;
        self.joints += other.joints;
        self.flow += other.flow;
        self.slid += other.slid;
        self.energy += other.energy;
        self.inner += other.inner;
        self.soft += other.soft;
        self.lift = self.lift.max(other.lift);
    }

    /// The numbers, for a file.
    pub(super) fn numbers(&self) -> [f64; Self::NUMBERS] {
        let Self { normal, friction, joints, flow, slid, energy, inner, soft, lift } = *self;
        [normal, friction, joints, flow, slid, energy, inner, soft, lift]
    }

    /// The reverse.
    pub(super) fn of_numbers(n: &[f64]) -> Option<Self> {
        let &[normal, friction, joints, flow, slid, energy, inner, soft, lift] = n else { return None };
        Some(Self { normal, friction, joints, flow, slid, energy, inner, soft, lift })
    }

    /// Energy that flowed through the block, with the work that lifts it by its size, J.
    pub(super) fn through(&self) -> f64 {
        self.flow + self.slid + self.energy + self.lift
    }

    /// Created energy as a part of what flowed; `dust` is what counts as rounding at contacts, `joined` what came through joints, J. Joints
    /// have the rounding of their own body.
    pub(super) fn created(&self, dust: f64, joined: f64) -> f64 {
        let own = self.flow + LIFT * self.lift;
        let (flow, rounding) = (own + dust, DUST * self.through());
        let part = |made: f64, of: f64| if made > 0.0 { made / of.max(f64::MIN_POSITIVE) } else { 0.0 };
        part(self.normal, flow)
            + part(self.soft, flow)
            + part(self.friction, flow + self.slid)
            + part(self.joints, own + rounding + self.slid + self.inner + joined)
    }
}
