//! Declarations: the law that a stepper says it obeys, told before it runs. A declaration exchanges a check for another one; it removes none.
//!
//! Declarations are words in the manifest, `name` or `name=value`, where a value `@option` stands for the stepper's option of
//! that name, and `@option|default` for a default where it is not given. Without any a stepper is held to the strictest law: rigid contact on the level of positions, exact friction,
//! dynamic motion, true masses, q⁺ = q ⊕ h N v⁺.

use nalgebra::DMatrix;

use crate::model::MotionModel;
use crate::regularized::{FrictionCurve, Regularized};

/// When the normal force of a compliant law is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coupling {
    /// From the penetration at the end of the step, linearised: δ − h ν_n⁺.
    TwoWay,
    /// From penetration and rate at the start of the step.
    OneWay,
    /// From penetration and rate at the place that the stepper had evaluated, which must be the end of the step.
    End,
}

/// The law of contact that a stepper is held to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ContactLaw {
    /// 0 ≤ p_n ⟂ ψ/h + ν_n⁺ ≥ 0; Newton's restitution where a contact closes within the step.
    Position,
    /// 0 ≤ p_n ⟂ ν_n⁺ ≥ 0 for contacts with a gap up to the tolerance (m), p_n = 0 for all others.
    Velocity {
        /// Largest gap of a closed contact, m.
        tolerance: f64,
    },
    /// Anitescu's relaxation: pressed contacts may separate with up to μ |ν_t⁺|.
    Convex {
        /// True if the relaxation is taken back by the slip of the step before: closed contacts may then approach with up to
        /// μ (|ν_t⁻| − |ν_t⁺|).
        lagged: bool,
    },
    /// Hunt–Crossley normal forces and regularised friction.
    Regularized {
        /// The law of friction.
        friction: Regularized,
        /// When normal forces are taken.
        coupling: Coupling,
    },
    /// Rigid cores with visco-elastic layers: λ = k δ + c δ̇ in the normal, ratio times as stiff along the tangents.
    Layers {
        /// Tangential stiffness over normal stiffness.
        ratio: f64,
        /// True if the layers of one contact know nothing of the others'.
        local: bool,
        /// How nodes give way under the forces on others.
        coupling: LayerCoupling,
        /// Nodes of a planar edge; 1: its contacts.
        nodes: u32,
    },
}

impl ContactLaw {
    /// Returns true if contacts that have a stiffness give way under it: their forces follow from how deep bodies are in each other.
    pub fn is_compliant(&self) -> bool {
        matches!(self, Self::Regularized { .. } | Self::Layers { .. })
    }

    /// Fastest slip of a contact that sticks, m/s: the stiction velocity of a regularised law, whose friction holds only what creeps.
    pub(super) fn creep(&self) -> f64 {
        match self {
            Self::Regularized { friction, .. } => friction.stiction_velocity,
            _ => 0.0,
        }
    }
}

/// Flexibility of the nodes of a patch beside their own: node i under 1 N on node j.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerCoupling {
    /// c of c exp(−r/L)/√(k_i k_j).
    pub strength: f64,
    /// L, m.
    pub length: f64,
    /// E* of a half-space below nodes of patches, Pa; ∞: none.
    pub half_space: f64,
}

/// Stiffness and damping of a patch as matrices by rows, in the order (normal, tangent) of node 1, node 2, …
#[derive(Debug, Clone, PartialEq)]
pub struct LayerMatrices {
    /// K, N/m.
    pub k: DMatrix<f64>,
    /// C, N s/m.
    pub c: DMatrix<f64>,
}

/// How a stepper is held to restitution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Restitution {
    /// Speed of approach below which nothing has to bounce, m/s.
    pub threshold: f64,
    /// True if impulses return (Poisson) instead of velocities (Newton): then an impact is judged as a whole.
    pub poisson: bool,
}

/// Law that the referee holds a stepper to.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The law of contact.
    pub law: ContactLaw,
    /// θ of q⁺ = q ⊕ h N (θ v⁺ + (1 − θ) v), 0 … 1.
    pub theta: f64,
    /// Motion model of blocks that name none.
    pub motion: MotionModel,
    /// True if masses of quasi-dynamic blocks may have a factor above 0, at most 1.
    pub scaled_mass: bool,
    /// n_d of the friction polygon inside the circle, in space and at support points; none: the circle.
    pub directions: Option<u32>,
    /// Gap up to which a contact counts as closed by a law of positions, m.
    pub resting_gap: f64,
    /// ε of a compliance of rigid contacts: every row reads J v⁺ + g + (ε/m) p with the contact's mean effective mass m.
    pub compliance: f64,
    /// Restitution that is owed; none: the stepper ignores it, which the host tells before the run.
    pub restitution: Option<Restitution>,
    /// κ of a log barrier in the place of contact rows: a row of slack s presses with 1/(κ s), 1/J.
    pub barrier: Option<f64>,
    /// K and C of planar patches, where they are given.
    pub matrices: Option<LayerMatrices>,
    /// The words, as declared, with options' values in their places.
    pub words: Vec<String>,
    /// Words that mean nothing here, or whose value does.
    pub unknown: Vec<String>,
}

impl Default for Declaration {
    fn default() -> Self {
        Self {
            law: ContactLaw::Position,
            theta: 1.0,
            motion: MotionModel::Dynamic,
            scaled_mass: false,
            directions: None,
            resting_gap: 0.0,
            compliance: 0.0,
            restitution: Some(Restitution { threshold: 0.0, poisson: false }),
            barrier: None,
            matrices: None,
            words: Vec::new(),
            unknown: Vec::new(),
        }
    }
}

/// Words and values on the way to a declaration.
struct Reading<'a> {
    pairs: Vec<(&'a str, String)>,
    used: Vec<bool>,
}

impl Reading<'_> {
    /// Value of a word; the word counts as used. An option that is not set declares nothing.
    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.pairs.iter().position(|(n, _)| *n == name)?;
        self.used[at] = true;
        Some(self.pairs[at].1.clone()).filter(|value| value != "null" && value != "false")
    }

    /// A word's value as a number in a range; a value outside leaves the word unknown.
    fn number(&mut self, name: &str, range: std::ops::RangeInclusive<f64>) -> Option<f64> {
        let at = self.pairs.iter().position(|(n, _)| *n == name)?;
        let value = self.pairs[at].1.parse::<f64>().ok().filter(|x| range.contains(x));
        self.used[at] = value.is_some() || self.pairs[at].1 == "null";
        value
    }

    /// A word that means nothing after all.
    fn disown(&mut self, name: &str) {
        let at = self.pairs.iter().position(|(n, _)| *n == name);
        at.into_iter().for_each(|at| self.used[at] = false);
    }

    /// A word's value as a symmetric positive definite matrix of this size, written by rows as `[[…], …]`; another value leaves the
    /// word unknown.
    fn matrix(&mut self, name: &str, size: usize) -> Option<DMatrix<f64>> {
        let at = self.pairs.iter().position(|(n, _)| *n == name)?;
        let text = self.pairs[at].1.trim().strip_prefix("[[")?.strip_suffix("]]")?;
        let numbers: Option<Vec<f64>> = text
            .split([',', '[', ']'])
            .map(str::trim)
            .filter(|s| !s.is_empty())
            .map(|s| s.parse().ok())
            .collect();
        let numbers = numbers.filter(|n| n.len() == size * size && n.iter().all(|x| x.is_finite()))?;
        let matrix = DMatrix::from_row_slice(size, size, &numbers);
        let sound = matrix == matrix.transpose() && matrix.clone().cholesky().is_some();
        self.used[at] = sound;
        sound.then_some(matrix)
    }
}

impl Declaration {
    /// Gap up to which contacts, and limits of joints, count as closed on the level of velocities, m; 0 under other laws.
    pub fn closed(&self) -> f64 {
        match self.law {
            ContactLaw::Velocity { tolerance } => tolerance,
            _ => 0.0,
        }
    }

    /// Reads the words of a manifest. `option` gives the value of an option as JSON text without quotes, if there is one.
    pub fn read(words: &[String], option: impl Fn(&str) -> Option<String>) -> Self {
        let pairs = words.iter().map(|word| {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let value = match value.strip_prefix('@') {
                Some(path) => {
                    let (path, default) = path.split_once('|').unwrap_or((path, "null"));
                    option(path).unwrap_or_else(|| default.into())
                }
                None => value.into(),
            };
            (name, value)
        });
        let pairs: Vec<_> = pairs.collect();
        let mut reading = Reading { used: vec![false; pairs.len()], pairs };
        let mut out = Self { motion: motion(&mut reading), ..Self::default() };
        (out.law, out.matrices) = law(&mut reading);
        // The balance of the trapezoidal model supposes the mean of both velocities.
        let own = if out.motion == MotionModel::Trapezoidal { 0.5..=0.5 } else { 0.0..=1.0 };
        out.theta = reading.number("own-positions", own).unwrap_or(1.0);
        out.scaled_mass = reading.take("scaled-mass").is_some();
        if matches!(out.law, ContactLaw::Layers { .. }) {
            reading.take("own-slip-rate");
        }
        out.directions = reading.number("polygon", 4.0..=1e6).map(|n| n as u32);
        out.resting_gap = reading.number("resting-gap", 0.0..=f64::MAX).unwrap_or(0.0);
        out.compliance = reading.number("compliance", 0.0..=COMPLIANT).unwrap_or(0.0);
        out.restitution = Some(restitution(&mut reading));
        out.barrier = reading.number("barrier", f64::MIN_POSITIVE..=f64::MAX);
        let text = |(name, value): &(&str, String)| {
            if value.is_empty() { (*name).to_owned() } else { format!("{name}={value}") }
        };
        let set = |(_, value): &&(&str, String)| value != "null";
        out.words = reading.pairs.iter().filter(set).map(text).collect();
        let unused =
            reading.pairs.iter().zip(&reading.used).filter(|(pair, used)| !**used && pair.1 != "null");
        out.unknown = unused.map(|(pair, _)| text(pair)).collect();
        out
    }

    /// Returns true if a contact of stiffness k (N/m, ∞ if rigid) has a force that a law of deformation gives.
    pub(super) fn is_soft(&self, stiffness: f64) -> bool {
        match self.law {
            ContactLaw::Regularized { .. } => true,
            ContactLaw::Layers { .. } => stiffness.is_finite(),
            _ => false,
        }
    }

    /// Sine of the angle by which friction along the declared polygon may be off a slip.
    pub(super) fn aslant(&self, slip: [f64; 2]) -> f64 {
        aslant(self.directions, slip).sin()
    }

    /// The part of μ p_n |ν_t| by which friction along the declared polygon may fall short at a slip.
    pub fn shortfall(&self, slip: [f64; 2]) -> f64 {
        shortfall(self.directions, slip)
    }
}

/// The part of μ p_n |ν_t| by which friction's power may fall short at a slip: 1 − cos of the angle between friction and the
/// nearest of the n_d directions cos(2πk/n_d) t1 + sin(2πk/n_d) t2; 0 for the circle.
pub(super) fn shortfall(directions: Option<u32>, slip: [f64; 2]) -> f64 {
    1.0 - aslant(directions, slip).cos()
}

/// The angle between −slip and the nearest of the directions, rad; 0 for the circle.
pub(super) fn aslant(directions: Option<u32>, slip: [f64; 2]) -> f64 {
    let Some(n) = directions else { return 0.0 };
    let apart = std::f64::consts::TAU / f64::from(n);
    let angle = (-slip[1]).atan2(-slip[0]).rem_euclid(apart);
    angle.min(apart - angle)
}

fn motion(reading: &mut Reading<'_>) -> MotionModel {
    let all = [
        MotionModel::Dynamic,
        MotionModel::FirstOrder,
        MotionModel::QuasiStatic,
        MotionModel::QuasiDynamic,
        MotionModel::Trapezoidal,
    ];
    let name = reading.take("motion");
    let found = name.as_ref().and_then(|name| all.into_iter().find(|m| m.name() == name));
    if let (Some(_), None) = (&name, found) {
        let at = reading.pairs.iter().position(|(n, _)| *n == "motion");
        at.into_iter().for_each(|at| reading.used[at] = false);
    }
    found.unwrap_or(MotionModel::Dynamic)
}

/// Nodes of an edge at most: its matrices are dense.
const MOST_NODES: f64 = 256.0;

/// L where nothing is declared, m.
const COUPLING_LENGTH: f64 = 0.01;

/// Largest compliance ε: contacts are to stay rigid.
const COMPLIANT: f64 = 0.1;

/// Largest threshold of restitution, m/s: a declaration may not take the check away.
const LARGEST_THRESHOLD: f64 = 1.0;

fn restitution(reading: &mut Reading<'_>) -> Restitution {
    let threshold = reading.number("restitution-threshold", 0.0..=LARGEST_THRESHOLD).unwrap_or(0.0);
    Restitution { threshold, poisson: reading.take("impact-law").as_deref() == Some("poisson") }
}

fn law(reading: &mut Reading<'_>) -> (ContactLaw, Option<LayerMatrices>) {
    let law = match reading.take("law").as_deref() {
        Some("velocity") => {
            let tolerance = reading.number("contact-tolerance", 0.0..=f64::MAX).unwrap_or(0.0);
            ContactLaw::Velocity { tolerance }
        }
        Some("convex") => ContactLaw::Convex { lagged: reading.take("repair").as_deref() == Some("lagged") },
        Some("regularized") => regularized(reading),
        Some("layers") => return layers(reading),
        None | Some("position") => ContactLaw::Position,
        Some(_) => {
            reading.disown("law");
            ContactLaw::Position
        }
    };
    (law, None)
}

/// Layers and their matrices. Matrices without numbers of such declare nothing.
fn layers(reading: &mut Reading<'_>) -> (ContactLaw, Option<LayerMatrices>) {
    let ratio = reading.number("tangential-ratio", 0.0..=f64::MAX).unwrap_or(1.0);
    let nodes = reading.number("nodes", 1.0..=MOST_NODES).unwrap_or(1.0) as u32;
    let strength = reading.number("layer-coupling", 0.0..=f64::MAX).unwrap_or(0.0);
    let length = reading.number("coupling-length", f64::MIN_POSITIVE..=f64::MAX).unwrap_or(COUPLING_LENGTH);
    let half_space = reading.number("half-space", f64::MIN_POSITIVE..=f64::MAX).unwrap_or(f64::INFINITY);
    let given = reading.take("layer-matrix").is_some();
    let size = 2 * nodes as usize;
    let k = reading.matrix("layer-matrix", size);
    let c = reading.matrix("layer-damping", size);
    if given && k.is_none() {
        reading.disown("layer-matrix");
    }
    let matrices = k.map(|k| LayerMatrices { c: c.unwrap_or_else(|| DMatrix::zeros(size, size)), k });
    let local = nodes == 1 && matrices.is_none() && strength == 0.0 && half_space == f64::INFINITY;
    let coupling = LayerCoupling { strength, length, half_space };
    (ContactLaw::Layers { ratio, local, coupling, nodes }, matrices)
}

fn regularized(reading: &mut Reading<'_>) -> ContactLaw {
    let curve = match reading.take("friction-curve").as_deref() {
        Some("quadratic") => FrictionCurve::Quadratic,
        _ => FrictionCurve::Linear,
    };
    let coupling = match reading.take("coupling").as_deref() {
        Some("one-way") => Coupling::OneWay,
        Some("end") => Coupling::End,
        _ => Coupling::TwoWay,
    };
    let stiction_velocity = reading.number("stiction-velocity", f64::MIN_POSITIVE..=f64::MAX).unwrap_or(1e-4);
    let soft = reading.take("norm").as_deref() == Some("soft");
    let softening = if soft { SOFTENING * stiction_velocity } else { 0.0 };
    ContactLaw::Regularized { friction: Regularized { curve, stiction_velocity, softening }, coupling }
}

/// Softening of the soft norm as a part of v_s.
const SOFTENING: f64 = 1e-2;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Declaration {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        Declaration::read(&words, |path| match path {
            "contact_tolerance" => Some("1e-6".into()),
            "motion" => Some("quasi-static".into()),
            "friction_directions" => Some("8".into()),
            _ => None,
        })
    }

    #[test]
    fn options_stand_in_the_place_of_values() {
        let found = read(&["law=velocity", "contact-tolerance=@contact_tolerance", "motion=@motion"]);
        assert_eq!(found.law, ContactLaw::Velocity { tolerance: 1e-6 });
        assert_eq!(found.motion, MotionModel::QuasiStatic);
        assert!(found.unknown.is_empty());
    }

    /// Friction of eight directions is short between them, and not along them.
    #[test]
    fn a_polygon_explains_no_more_than_its_directions_leave() {
        let polygon = read(&["polygon=@friction_directions"]);
        let slip = |degrees: f64| [degrees.to_radians().cos(), degrees.to_radians().sin()];
        for along in [0.0, 45.0, -90.0, 180.0] {
            assert!(polygon.shortfall(slip(along)) < 1e-15, "{along}");
        }
        assert!((polygon.shortfall(slip(22.5)) - 0.0761).abs() < 1e-4);
        assert!((polygon.shortfall(slip(-170.0)) - (1.0 - 10_f64.to_radians().cos())).abs() < 1e-12);
        assert_eq!(read(&[]).shortfall(slip(22.5)), 0.0);
    }

    /// v⁺ of the trapezoidal balance with positions of another rule is no method.
    #[test]
    fn the_trapezoidal_model_has_its_own_positions() {
        let found = read(&["motion=trapezoidal", "own-positions=0"]);
        assert_eq!((found.theta, found.unknown), (1.0, vec!["own-positions=0".to_owned()]));
        assert_eq!(read(&["motion=trapezoidal", "own-positions=0.5"]).theta, 0.5);
    }

    #[test]
    fn words_that_mean_nothing_change_nothing_and_are_told() {
        let words = ["trust-me", "law=mine", "motion=teleport", "own-positions=x", "scaled-mass"];
        let found = read(&words);
        assert_eq!(found.unknown, ["trust-me", "law=mine", "motion=teleport", "own-positions=x"]);
        let Declaration { law, theta, motion, scaled_mass, .. } = found;
        assert_eq!(
            (law, theta, motion, scaled_mass),
            (ContactLaw::Position, 1.0, MotionModel::Dynamic, true)
        );
        let far = read(&["own-positions=1e6"]);
        assert_eq!((far.theta, far.unknown.len()), (1.0, 1));
    }

    #[test]
    fn an_option_that_is_not_set_declares_nothing() {
        let found = read(&["barrier=@smoothing.kappa"]);
        assert_eq!((found.barrier, found.words.len(), found.unknown.len()), (None, 0, 0));
    }
}
