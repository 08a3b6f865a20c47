//! Criteria that the referee holds a step to, and the values that it found.

/// A measured maximum and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Worst {
    /// The value; 0 where there is nothing to measure.
    pub value: f64,
    /// Where.
    pub at: usize,
}

impl Worst {
    /// Takes a value that is larger. NaN wins: a number that is no number is the worst there is.
    #[inline]
    pub fn take(&mut self, value: f64, at: usize) {
        if value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Self { value, at };
        }
    }
}

/// The questions that decide whether a step is accepted. Each has a limit of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Check {
    /// Do velocities and impulses solve the equations of the step?
    Solution,
    /// Are joints, limits, couplers, loops and dry friction obeyed?
    Rows,
    /// Are positions, masses, motion models and contacts those that velocities, scene and shapes make them?
    Consistency,
    /// How deep do bodies overlap, as a part of their thickness?
    Penetration,
    /// Did a body get across another within a step?
    PassingThrough,
    /// Did a contact, an impact or the closing of a joint create energy?
    Work,
}

impl Check {
    /// All, in the order in which they are reported.
    pub const ALL: [Self; 6] =
        [Self::Consistency, Self::Solution, Self::Rows, Self::Penetration, Self::PassingThrough, Self::Work];

    /// Name as experiments and summaries write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solution => "solution",
            Self::Rows => "rows",
            Self::Consistency => "consistency",
            Self::Penetration => "penetration",
            Self::PassingThrough => "passing_through",
            Self::Work => "work",
        }
    }
}

/// Meaning of the index of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingSubject {
    /// A contact of the step; n + k is support point k of a step with n contacts.
    Contact,
    /// A velocity.
    Velocity,
    /// Another row: joint, limit, coupler, dry friction.
    Row,
    /// A block: a body that moves by itself, or a tree.
    Block,
    /// A position coordinate.
    Coordinate,
    /// A pair of shapes, as a · number of shapes + b.
    Shapes,
}

macro_rules! criteria {
    ($($(#[$doc:meta])* $name:ident: $check:ident, $place:ident, $description:literal;)*) => {
        /// One thing that can be wrong with a step. Values have no unit: each is divided by the sizes of its own terms.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Criterion { $($(#[$doc])* $name,)* }

        impl Criterion {
            /// All of them.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];

            /// The question it belongs to.
            pub fn check(self) -> Check {
                match self { $(Self::$name => Check::$check,)* }
            }

            /// Meaning of the index of this criterion.
            pub fn place(self) -> FindingSubject {
                match self { $(Self::$name => FindingSubject::$place,)* }
            }

            /// Returns true if it speaks of the start of the step, which is the end of the one before.
            pub fn is_of_start(self) -> bool {
                let at_end = matches!(self, Self::Motion | Self::MassScale | Self::Positions | Self::Evaluated | Self::SlipRate | Self::Driven);
                !at_end && !matches!(self.check(), Check::Solution | Check::Rows | Check::Work)
            }

            /// Description of a failure, as the end of a sentence that begins with the place.
            pub fn description(self) -> &'static str {
                match self { $(Self::$name => $description,)* }
            }
        }
    };
}

criteria! {
    /// A block moves by another model than the scene or the stepper's declaration says.
    Motion: Consistency, Block, "moves by a motion model that neither the scene nor the stepper's manifest names";
    /// A factor on a mass that is not declared, not allowed for the motion model, or not in (0, 1].
    MassScale: Consistency, Block, "has a mass that the stepper changed without being allowed to";
    /// q⁺ is not what the declared rule makes of the velocities.
    Positions: Consistency, Coordinate, "the positions at the end of the step are not those that the velocities lead to";
    /// The place that the stepper had evaluated is neither the start nor the end of the step.
    Evaluated: Consistency, Coordinate, "forces and contacts were taken at a place that is not the end of the step";
    /// A slip rate of the stepper's own, undeclared.
    SlipRate: Consistency, Contact, "friction is judged by a slip that the stepper made up";
    /// The tolerance up to which contacts count as closed is large against the bodies.
    Tolerance: Consistency, Contact, "counts as closed at a gap that is large against the bodies";
    /// The gap at the end of the step cannot be: no motion of the step changes it that much.
    GapJump: Consistency, Contact, "has a gap that the motion of the step cannot explain";
    /// A normal that is no unit vector, a gap that does not fit its points, a point off its shape.
    Detected: Consistency, Shapes, "was reported by the detector with points, gap or normal that do not fit the shapes";
    /// A normal that is none of the shapes there.
    Normal: Consistency, Shapes, "was reported by the detector with a normal that is none of the shapes";
    /// A gap that is not the distance of the shapes.
    WrongGap: Consistency, Shapes, "was reported by the detector with a gap that is not the distance of the shapes";
    /// A pair of shapes that the detector should have reported.
    Missed: Consistency, Shapes, "was not reported by the detector although it is within the active distance";
    /// A contact of bodies that may not collide.
    Barred: Consistency, Shapes, "has a contact of the detector although the scene says that the bodies do not touch";
    /// Contacts of an OR group that are no alternatives.
    Grouped: Consistency, Shapes, "has contacts that the detector gives as alternatives of each other, although all of them count";
    /// Contacts of a face on the ground that do not span half of it.
    Bare: Consistency, Shapes, "was reported by the detector with contacts that span less than half of the face it lies on";
    /// One place that is reported twice, under a law that gives every contact the stiffness of its pair.
    Repeated: Consistency, Shapes, "has one place of contact that the detector reports twice";
    /// Contacts that stuck and got other identities, under a law that remembers by identity.
    Renamed: Consistency, Contact, "creeps, because the detector gives it new identities while it sticks";
    /// Bodies that pressed each other in the last step, without a contact now.
    Vanished: Consistency, Shapes, "are no longer reported by the detector although they have just pressed each other";
    /// A driven velocity that does not follow its command, or a locked one that moves; of recorded motions.
    Driven: Consistency, Velocity, "a drive or a lock is not followed";
    /// A v⁺ = b + W p.
    Momentum: Solution, Velocity, "the momentum balance is off";
    /// Approach where contacts must not approach.
    Approach: Solution, Contact, "approaches although it is closed";
    /// Normal impulse although the contact is open.
    Distance: Solution, Contact, "presses at a distance";
    /// p_n < 0.
    Pull: Solution, Contact, "pulls";
    /// |p_t| > μ p_n.
    Cone: Solution, Contact, "has friction beyond its cone";
    /// Friction that is too weak for the slip, or points elsewhere, beyond what the declared polygon explains.
    Friction: Solution, Contact, "has friction that is too weak for its slip or points in a wrong direction";
    /// A force that is given between bodies where nothing touches; of recorded motions.
    Unmatched: Solution, Shapes, "were given a force although they do not touch";
    /// An impulse in an impact in which nothing approaches.
    Idle: Solution, Contact, "has an impulse in an impact in which nothing approaches";
    /// An impulse that is not the declared force law's.
    ForceLaw: Solution, Contact, "has an impulse that its force law does not give";
    /// Restitution beyond the pair's coefficient.
    Bounce: Solution, Contact, "bounces more than its restitution";
    /// Restitution short of the pair's coefficient.
    Dead: Solution, Contact, "bounces less than its restitution";
    /// l ≤ p ≤ u ⟂ J v⁺ + g.
    Row: Rows, Row, "is not obeyed";
    /// An impulse of a row in an impact that it has no part in: dry friction, a limit that is not reached, or no contact presses.
    Struck: Rows, Row, "has an impulse although nothing strikes it";
    /// Overlap as a part of the thinner shape's thickness.
    Overlap: Penetration, Contact, "overlaps";
    /// Depth of overlap of a soft pair, whose overlap is its deformation.
    Deformation: Penetration, Contact, "is deformed";
    /// Depth on the way, as a part of the thinner body's thickness.
    Crossing: PassingThrough, Shapes, "passed through each other within a step";
    /// Energy that contacts and joints of a block created, as a part of what flowed through it.
    Created: Work, Block, "has energy that its contacts or joints created";
    /// The kinetic energy of a slip that friction does not yet hold, as a part of what flowed through its bodies.
    Creep: Work, Contact, "has friction that only holds slips faster than its bodies ever move";
    /// Energy that an impact created, as a part of its terms.
    ImpactWork: Work, Contact, "takes part in an impact that created energy";
}

/// The worst value of every criterion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Findings([Worst; Criterion::ALL.len()]);

impl Default for Findings {
    fn default() -> Self {
        Self([Worst::default(); Criterion::ALL.len()])
    }
}

impl Findings {
    /// Takes a value in.
    #[inline]
    pub fn take(&mut self, criterion: Criterion, value: f64, at: usize) {
        self.0[criterion as usize].take(value, at);
    }

    /// Puts another value in the place of the worst of a criterion: something is known now that was not when it was found.
    pub fn replace(&mut self, criterion: Criterion, worst: Worst) {
        self.0[criterion as usize] = worst;
    }

    /// Takes all of others in.
    pub fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, new)| own.take(new.value, new.at));
    }

    /// The worst of a criterion.
    pub fn of(&self, criterion: Criterion) -> Worst {
        self.0[criterion as usize]
    }

    /// Returns true if nothing was found at all.
    pub fn is_clean(&self) -> bool {
        self.0.iter().all(|worst| worst.value == 0.0)
    }
}
