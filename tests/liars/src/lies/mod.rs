//! The lies of the stepper. Each changes an honest answer and puts everything else right again, so that only what is lied about
//! can tell.

mod compliant;
mod contacts;
mod impacts;
mod motion;
mod places;

use vinci_sdk::prelude::*;

use crate::balance::Balance;
use crate::claim::Claim;
use crate::config::{Config, Lie};

/// What a lie is told about.
pub(crate) struct Told<'a> {
    pub(crate) config: &'a Config,
    pub(crate) step: &'a StepView<'a>,
    pub(crate) rates: &'a [f64],
    pub(crate) balance: &'a mut Balance,
    pub(crate) claim: &'a mut Claim,
    /// Velocities that led to the place that was asked for last.
    pub(crate) ended: &'a mut Vec<f64>,
}

/// Falsifies a claim.
pub(crate) fn tell(
    config: &Config,
    step: &StepView<'_>,
    rates: &[f64],
    balance: &mut Balance,
    (claim, ended): (&mut Claim, &mut Vec<f64>),
) {
    let mut told = Told { config, step, rates, balance, claim, ended };
    match config.lie {
        Lie::LayersFriction | Lie::LayersStiffness | Lie::LayersOneWay | Lie::None => {}
        Lie::MotionCode => told.claim.motion.fill(config.size as u8),
        Lie::IgnoreContacts
        | Lie::Feather
        | Lie::Hover
        | Lie::Press
        | Lie::IgnoreOne
        | Lie::Pull
        | Lie::Bounce
        | Lie::BounceOverlap => told.normals(),
        Lie::AddPress => told.add_press(),
        Lie::Still => told.still(),
        Lie::Fling => told.fling(),
        Lie::SoftLaw | Lie::SoftImpact => told.soft(),
        Lie::HugePair | Lie::HugePairHover => told.huge_pair(),
        Lie::Squeeze | Lie::Swap | Lie::Shift => told.pair(),
        Lie::OneFriction => told.one_friction(),
        Lie::NoFriction | Lie::NoFrictionOwnSlip | Lie::Friction | Lie::TurnedFriction => told.friction(),
        Lie::Supports | Lie::TurnedSupports => told.supports(),
        Lie::MassScale | Lie::Kick | Lie::KickByGravity | Lie::Grow | Lie::NoGravity => told.momentum(),
        Lie::ScaleForces | Lie::NoVelocityProducts => told.forces(),
        Lie::IgnoreRows | Lie::DriveRow | Lie::ScaleRow | Lie::PumpRow => told.rows(),
        Lie::OtherSign | Lie::Teleport | Lie::HalfStep | Lie::LongStep | Lie::Poison => told.positions(),
        Lie::OwnTheta | Lie::Stretch => told.own_way(),
        Lie::ImpactElsewhere | Lie::ImpactRedetected => told.impact_elsewhere(),
        Lie::EvaluateFar
        | Lie::EvaluateFarThenRedetect
        | Lie::RedetectFar
        | Lie::RedetectEnd
        | Lie::EvaluateFast
        | Lie::EvaluateLate => told.elsewhere(),
        Lie::ImpactBounce
        | Lie::ImpactAtDistance
        | Lie::ImpactDrive
        | Lie::ImpactSupport
        | Lie::ImpactRow
        | Lie::ImpactRough
        | Lie::ImpactOne
        | Lie::ImpactAll
        | Lie::ImpactTurned
        | Lie::ImpactKick
        | Lie::ImpactDry
        | Lie::ImpactReverse => {
            told.impact();
        }
    }
}

impl Told<'_> {
    /// v⁺ out of the impulses as they are.
    pub(crate) fn rebalance(&mut self) {
        self.claim.v = self.balance.velocities(self.step, self.claim);
    }

    /// Solves normals and rows with a law of friction.
    pub(crate) fn settle(&mut self, friction: &dyn Fn(&mut Claim, usize)) {
        self.balance.settle(self.step, self.rates, self.claim, friction);
    }
}
