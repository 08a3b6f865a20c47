//! Options of the lying stepper: the lie, what it is about, and what the manifest declares.

use vinci_sdk::rigid::{Friction, Motion};
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;
use vinci_sdk::serde_json::Value;

/// What the stepper lies about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Lie {
    /// Nothing.
    #[default]
    None,
    /// Contacts do nothing and have an infinite normal rate.
    IgnoreContacts,
    /// Contact `index` carries its body at whatever gap there is.
    Hover,
    /// Contact `index` presses with `size` times what would stop its approach.
    Press,
    /// Contacts have no friction.
    NoFriction,
    /// The same, and a slip of 0 is claimed.
    NoFrictionOwnSlip,
    /// Friction has `size` times its greatest value against the slip; negative: along the slip.
    Friction,
    /// Friction is turned by `size` degrees.
    TurnedFriction,
    /// Contact `index` holds its body back.
    Pull,
    /// Contact `index` returns `size` times the approach.
    Bounce,
    /// The masses are `size` times what they are.
    MassScale,
    /// Positions are off by `size` m or rad in coordinate `index`.
    Teleport,
    /// Joints, limits and dry friction do nothing.
    IgnoreRows,
    /// Row `index` has `size` N s more than it should.
    DriveRow,
    /// Velocity `index` is off by `size` m/s.
    Kick,
    /// Velocity `index` is off by `size` times the greatest speed that forces give in a step.
    KickByGravity,
    /// Velocity `index` is `1 + size` times what it is.
    Grow,
    /// Nothing falls.
    NoGravity,
    /// The contacts `index` and `index + 1` press against each other with `size` N s, and velocity 1 is off by `error`.
    HugePair,
    /// The same, and the contact after them carries its body at a distance.
    HugePairHover,
    /// Forces and contacts are taken `size` m away in coordinate `index`.
    EvaluateFar,
    /// The same, and then contacts where the step ends.
    EvaluateFarThenRedetect,
    /// Contacts are taken `size` m away in coordinate `index`.
    RedetectFar,
    /// Contacts are taken where the step ends, as if it began there.
    RedetectEnd,
    /// Forces are taken with velocities `size` times those at the end.
    EvaluateFast,
    /// Forces are those of `size` times the step later.
    EvaluateLate,
    /// Nothing: orientations are those of the step, written as −Q.
    OtherSign,
    /// Contacts have `size` N s along their normals and nothing else.
    Feather,
    /// Blocks have motion models of number `size`.
    MotionCode,
    /// Half a step is claimed, a whole one moved.
    HalfStep,
    /// An impact of contact `index` returns `size` times the approach.
    ImpactBounce,
    /// The same at whatever gap there is.
    ImpactAtDistance,
    /// A plastic impact whose friction drives.
    ImpactDrive,
    /// An impact of the support points with `size` N s along x.
    ImpactSupport,
    /// An impact in which row `index` has `size` N s.
    ImpactRow,
    /// Support points have `size` times their friction.
    Supports,
    /// Support points have friction turned by `size` degrees.
    TurnedSupports,
    /// An impact of contact `index` with the friction that stops its slip, as far as the cone goes, returns `size` times the approach.
    ImpactRough,
    /// An impact of all closed contacts, of which `index` returns `size` times the approach, the others what they should.
    ImpactOne,
    /// An impact whose friction is `size` times what stops the slip, as far as the cone goes.
    ImpactReverse,
    /// Contact `index` leaves an overlap with `size` times the approach, as far as the overlap over the step.
    BounceOverlap,
    /// The step is `size` times as long as asked for.
    LongStep,
    /// NaN (`size` > 0) or ∞ in velocities (`index` 0), impulses (1), row impulses (2), both of the first (3) or positions.
    Poison,
    /// An impact whose friction is turned by `size` degrees.
    ImpactTurned,
    /// The contacts `index` and `index + 1` press against each other, with as much as their friction needs to hold their body.
    Squeeze,
    /// The contacts `index` and `index + 1` have each other's impulses.
    Swap,
    /// 150 impacts a step, in each of which velocity `index` is off by `size` of what forces give in a step.
    ImpactKick,
    /// An impact of all closed contacts, each of which returns `size` times the approach.
    ImpactAll,
    /// `size` impacts a step in which a contact has next to nothing, and row `index` all that its bounds allow.
    ImpactDry,
    /// Contact `index` has `size` N s more along its normal and `error` N s more along its first tangent.
    AddPress,
    /// Nothing moves, by the model that is declared quasi-static; the contacts `index` and `index + 1` have `size` N s each.
    Still,
    /// Block `index` has `error` of its mass, and its first velocity is `size` more.
    Fling,
    /// Normal impulses are those of Hunt and Crossley's law where the step begins; nothing rubs.
    SoftLaw,
    /// The same, and before it an impact of contact `index` that takes the approach away.
    SoftImpact,
    /// An evaluation with velocity `index` off by `size`, and there an impact without any impulse.
    ImpactElsewhere,
    /// An impact that returns half of the approach of contact 0 where coordinate `index` is off by `size`.
    ImpactRedetected,
    /// Steps of Song, Pang and Kumar with `size` times the friction that pairs have.
    LayersFriction,
    /// Steps of Song, Pang and Kumar with `size` times the stiffness that pairs have.
    LayersStiffness,
    /// Steps of Song, Pang and Kumar with `size` times the stiffness that pairs have, where their surfaces part.
    LayersOneWay,
    /// Contact `index` alone has `size` times the friction that it needs.
    OneFriction,
    /// Contact `index` alone does nothing.
    IgnoreOne,
    /// Row `index` has `size` times its impulse.
    ScaleRow,
    /// Row `index` has `size` N s more along its motion.
    PumpRow,
    /// Forces are `size` times what they are.
    ScaleForces,
    /// Velocity products, such as those of centrifugal forces, do nothing.
    NoVelocityProducts,
    /// Positions move with `size` v⁺ + (1 − `size`) v.
    OwnTheta,
    /// Coordinate `index` goes `size` times as far as its velocity says.
    Stretch,
    /// Contact `index` gives `size` N s of its normal impulse to the one after it.
    Shift,
}

/// Options.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// What is lied about.
    pub lie: Lie,
    /// How much, in the unit that the lie says.
    pub size: f64,
    /// Contact, row, velocity or coordinate that the lie is about.
    pub index: usize,
    /// First step that is lied about, from 0.
    pub from: u64,
    /// The step after the last that is lied about; none: all are.
    pub until: Option<u64>,
    /// Every how many of these steps is lied about.
    pub every: u64,
    /// Velocity error, m/s, where a lie hides one.
    pub error: f64,
    /// Motion model that is really used.
    pub motion: Motion,
    /// Friction that is really used.
    pub friction: Friction,
    /// Gap up to which contacts count as closed, m; none: contact on the level of positions.
    pub closed: Option<f64>,
    /// Declared: law of contact.
    pub law: Option<String>,
    /// Declared: tolerance of contacts on the level of velocities, m.
    pub tolerance: Option<f64>,
    /// Declared: θ of own positions.
    pub theta: Option<f64>,
    /// Declared: motion model.
    pub declared_motion: Option<String>,
    /// Declared: scaled masses.
    pub scaled: Option<bool>,
    /// Declared: directions of friction.
    pub polygon: Option<u32>,
    /// Declared: κ of a barrier, 1/J.
    pub barrier: Option<f64>,
    /// Declared: coupling of a regularised law.
    pub coupling: Option<String>,
    /// Declared: stiction velocity, m/s.
    pub stiction_velocity: Option<f64>,
    /// Declared: tangential stiffness of layers over the normal one.
    pub ratio: Option<f64>,
    /// Declared: coupling of layers.
    pub layer_coupling: Option<f64>,
    /// Declared: nodes of a patch.
    pub nodes: Option<f64>,
    /// Declared: K of layers, or a word that is none.
    pub layer_matrix: Option<Value>,
    /// Declared: C of layers.
    pub layer_damping: Option<Value>,
    /// Declared: E* of half-spaces, Pa.
    pub half_space: Option<f64>,
    /// Options of the Song-Pang-Kumar stepper, where one steps.
    pub layers: Option<Value>,
    /// Declared: law of impact.
    pub impact_law: Option<String>,
    /// Declared: threshold of restitution, m/s.
    pub threshold: Option<f64>,
    /// Declared: gap that counts as closed, m.
    pub resting_gap: Option<f64>,
    /// Declared: compliance of rows.
    pub compliance: Option<f64>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            lie: Lie::None,
            size: 1.0,
            index: 0,
            from: 0,
            until: None,
            every: 1,
            error: 0.0,
            motion: Motion::Dynamic,
            friction: Friction::Auto,
            closed: None,
            law: None,
            tolerance: None,
            theta: None,
            declared_motion: None,
            scaled: None,
            polygon: None,
            barrier: None,
            coupling: None,
            stiction_velocity: None,
            ratio: None,
            layer_coupling: None,
            nodes: None,
            layer_matrix: None,
            layer_damping: None,
            half_space: None,
            layers: None,
            impact_law: None,
            threshold: None,
            resting_gap: None,
            compliance: None,
        }
    }
}

impl Config {
    /// Returns true if a step is lied about.
    pub(crate) fn lies_at(&self, step: u64) -> bool {
        step >= self.from
            && self.until.is_none_or(|until| step < until)
            && (step - self.from).is_multiple_of(self.every.max(1))
    }
}

/// What the manifest declares, out of the options.
pub(crate) const DECLARES: [&str; 20] = [
    "law=@law",
    "contact-tolerance=@tolerance",
    "own-positions=@theta",
    "motion=@declared_motion",
    "scaled-mass=@scaled",
    "polygon=@polygon",
    "barrier=@barrier",
    "coupling=@coupling",
    "stiction-velocity=@stiction_velocity",
    "tangential-ratio=@ratio",
    "layer-coupling=@layer_coupling",
    "own-slip-rate",
    "nodes=@nodes",
    "layer-matrix=@layer_matrix",
    "layer-damping=@layer_damping",
    "half-space=@half_space",
    "impact-law=@impact_law",
    "restitution-threshold=@threshold",
    "resting-gap=@resting_gap",
    "compliance=@compliance",
];
