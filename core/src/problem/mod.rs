//! The mathematical problem classes a stepper may emit and a solver may take.
//!
//! Every instance carries provenance and units per row, a guess and a tolerance, so that a failure can be named in the
//! user's words and the instance can be written to a file and solved again alone. Residuals are computed here, in one
//! place, by us: no solver grades its own work.

mod active;
mod active_blocks;
mod active_laws;
mod active_program;
mod certificate;
mod cone;
mod cone_map;
mod conic;
mod conic_buf;
mod convex;
mod exact_proof;
mod exact_residual;
mod in_units;
mod mlcp;
mod own_sizes;
mod proof;
mod provenance;
mod qpcc;
mod ray;
mod status;
mod units;

pub use active::{ActiveSet, NoEquations, OTHER_FORM};
pub use active_laws::Ties;
pub use certificate::{FarkasCheck, RowCase, check_farkas, check_farkas_case};
pub use cone::{Cone, ConeBlock, ConeBlocks, ConeBuf, ConeResidual, NO_NORMAL, project_cone, project_disc};
pub use conic::{Conic, ConicResidual, project_second_order};
pub use conic_buf::ConicBuf;
pub use mlcp::{Mlcp, MlcpBuf, MlcpResidual};
pub use proof::{check_conic_infeasible, check_conic_unbounded, proves_no_mode, reach_of_cases};
pub use provenance::{Part, RowTag, UNTAGGED};
pub use qpcc::{NO_GROUP, Qpcc, QpccBuf};
pub use ray::Sense;
pub use status::{Solution, Status};
pub use units::LIMIT_IN_UNITS;

use crate::stage::Oracle;

/// Class of a problem; the code is what crosses the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
#[non_exhaustive]
pub enum ProblemClass {
    /// Mixed linear complementarity problem with bounds.
    Mlcp = 1,
    /// Exact Coulomb complementarity problem, one cone block per contact.
    Cone = 2,
    /// Convex quadratic objective over linear and second-order cones.
    Conic = 3,
    /// Convex quadratic program with complementarity pairs.
    Qpcc = 4,
    /// Root finding r(v) = 0 with functions called back.
    Root = 5,
}

/// Bit in a set of classes: programs of class [`ProblemClass::Conic`] may have second-order cones (the capability
/// `second-order-cones` of every solver).
pub const SECOND_ORDER_CONES: u32 = 1 << 31;

impl ProblemClass {
    /// All classes, in the order of their codes.
    pub const ALL: [Self; 5] = [Self::Mlcp, Self::Cone, Self::Conic, Self::Qpcc, Self::Root];

    /// Name as manifests and messages write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mlcp => "Mlcp",
            Self::Cone => "Cone",
            Self::Conic => "Conic",
            Self::Qpcc => "Qpcc",
            Self::Root => "Root",
        }
    }

    /// The class of a name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }

    /// Its bit in a set of classes ([`SECOND_ORDER_CONES`] may stand beside them).
    pub fn bit(self) -> u32 {
        1 << (self as u32 - 1)
    }

    /// The class of a code, if there is one.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|c| *c as u32 == code)
    }
}

/// One problem of one step, borrowed from the stepper that formulated it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Problem<'a> {
    /// Mixed linear complementarity problem.
    Mlcp(Mlcp<'a>),
    /// Complementarity problem with exact friction cones.
    Cone(Cone<'a>),
    /// Convex program over linear rows and second-order cones.
    Conic(Conic<'a>),
    /// Convex quadratic program with complementarity pairs.
    Qpcc(Qpcc<'a>),
    /// Root finding with callbacks.
    Root(Root<'a>),
}

impl<'a> Problem<'a> {
    /// Class of this instance.
    pub fn class(&self) -> ProblemClass {
        match self {
            Self::Mlcp(_) => ProblemClass::Mlcp,
            Self::Cone(_) => ProblemClass::Cone,
            Self::Conic(_) => ProblemClass::Conic,
            Self::Qpcc(_) => ProblemClass::Qpcc,
            Self::Root(_) => ProblemClass::Root,
        }
    }

    /// Residual of a point and its duals in balanced units, each connected part by its own size: the units in which rows,
    /// unknowns and costs are written do not change it. 0 for a root, whose residual is in the units of its rows already.
    pub fn residual_in_units(&self, z: &[f64], dual: &[f64]) -> f64 {
        match self {
            Self::Mlcp(p) => p.residual_in_units(z),
            Self::Conic(p) => p.residual_in_units(z, dual),
            Self::Qpcc(p) => p.residual_in_units(z, dual),
            Self::Cone(p) => p.residual_in_units(z),
            Self::Root(_) => 0.0,
        }
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        match self {
            Self::Mlcp(p) => p.q.len(),
            Self::Cone(p) => p.n(),
            Self::Conic(p) => p.n(),
            Self::Qpcc(p) => p.qp.n(),
            Self::Root(p) => p.start.len(),
        }
    }

    /// Wanted relative residual.
    pub fn tolerance(&self) -> f64 {
        match self {
            Self::Mlcp(p) => p.tolerance,
            Self::Cone(p) => p.rows.tolerance,
            Self::Conic(p) => p.tolerance,
            Self::Qpcc(p) => p.qp.tolerance,
            Self::Root(p) => p.tolerance,
        }
    }

    /// Number of dual unknowns, 0 for classes without.
    pub fn dual_len(&self) -> usize {
        match self {
            Self::Conic(p) => p.m(),
            Self::Qpcc(p) => p.qp.m(),
            _ => 0,
        }
    }

    /// Returns true if the problem has no unknowns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// This problem with another guess: unknowns, and duals of programs. Roots and programs with complementarity pairs keep theirs, and so does
    /// a problem with another number of unknowns.
    #[must_use]
    pub fn with_guess(self, z: &'a [f64], dual: &'a [f64]) -> Self {
        if (z.len(), dual.len()) != (self.len(), self.dual_len()) {
            return self;
        }
        match self {
            Self::Mlcp(p) => Self::Mlcp(Mlcp { guess: z, ..p }),
            Self::Cone(p) => Self::Cone(Cone { rows: Mlcp { guess: z, ..p.rows }, ..p }),
            Self::Conic(p) => Self::Conic(Conic { guess: z, dual_guess: dual, ..p }),
            Self::Qpcc(_) | Self::Root(_) => self,
        }
    }

    /// This problem without guesses. A root keeps the point where it starts: it is part of the problem.
    #[must_use]
    pub fn without_guess(self) -> Self {
        match self {
            Self::Mlcp(p) => Self::Mlcp(Mlcp { guess: &[], ..p }),
            Self::Cone(p) => Self::Cone(Cone { rows: Mlcp { guess: &[], ..p.rows }, ..p }),
            Self::Conic(p) => Self::Conic(Conic { guess: &[], dual_guess: &[], ..p }),
            Self::Qpcc(p) => {
                let qp = Conic { guess: &[], dual_guess: &[], ..p.qp };
                Self::Qpcc(Qpcc { qp, modes: &[], ..p })
            }
            Self::Root(p) => Self::Root(p),
        }
    }
}

/// Find v with r(v) = 0; r, its Jacobian and the step limiter are called back through the [`Oracle`].
///
/// Calls (`what`): [`Root::RESIDUAL`] v → r (n); [`Root::JACOBIAN`] v → ∂r/∂v (n × n, by rows);
/// [`Root::LIMIT`] (v, Δv) → α ∈ (0, 1]; and, where the problem knows them, [`Root::TRAITS`], [`Root::UPDATE_SIZE`], and a sparse
/// Jacobian by [`Root::ENTRIES`], [`Root::PATTERN`] and [`Root::VALUES`], all three or none. What a problem does not know it refuses ([`crate::error::ErrorKind::Unsupported`]), and is then as it was before that call existed.
#[derive(Clone, Copy)]
pub struct Root<'a> {
    /// Starting point, length n.
    pub start: &'a [f64],
    /// Where residual, Jacobian and step limiter are evaluated.
    pub oracle: &'a dyn Oracle,
    /// Typical size of every r_i, > 0, n: a candidate is judged by max |r_i|/scale_i. Empty: 1.
    pub scale: &'a [f64],
    /// Wanted residual, see [`Root::residual`].
    pub tolerance: f64,
}

impl Root<'_> {
    /// max |r_i(v)|/scale_i, infinite where r cannot be evaluated or v is no vector of numbers.
    pub fn residual(&self, v: &[f64]) -> f64 {
        self.residual_in(v, &mut Vec::new())
    }

    /// [`Root::residual`], with scratch for r that lasts from step to step.
    pub fn residual_in(&self, v: &[f64], r: &mut Vec<f64>) -> f64 {
        r.clear();
        r.resize(self.start.len(), 0.0);
        let finite = v.len() == r.len() && v.iter().all(|x| x.is_finite());
        if !finite || self.oracle.call(Self::RESIDUAL, v, r).is_err() {
            return f64::INFINITY;
        }
        let size = |i: usize| self.scale.get(i).copied().unwrap_or(1.0);
        r.iter().enumerate().fold(0.0, |m, (i, r)| conic::worse(m, r.abs() / size(i)))
    }

    /// Oracle call: v → r(v).
    pub const RESIDUAL: u32 = 1;
    /// Oracle call: v → ∂r/∂v, n × n by rows.
    pub const JACOBIAN: u32 = 2;
    /// Oracle call: (v, Δv) → largest allowed fraction α of the update.
    pub const LIMIT: u32 = 3;
    /// Oracle call: (v, Δv) → size of an *undamped* update, ≥ 0: below 1 the iteration may stop after it. A criterion of the
    /// problem beside its residual, which is audited all the same. Only where [`Root::TRAITS`] says so.
    pub const UPDATE_SIZE: u32 = 4;
    /// Oracle call: v → (1 where [`Root::UPDATE_SIZE`] is known, 1 where ∂r/∂v is symmetric positive definite everywhere),
    /// else 0.
    pub const TRAITS: u32 = 5;
    /// Oracle call: v → number e of entries of ∂r/∂v that are stored, those of its pattern. The pattern is that of the problem:
    /// no v changes it, and what is not in it is 0 at every v.
    pub const ENTRIES: u32 = 6;
    /// Oracle call: v → pattern of ∂r/∂v by rows, n + 1 + e whole numbers: where each row begins among the entries, and e; then
    /// the columns, in any order within a row, none twice. It is symmetric, with the diagonal. Unknowns with the same columns
    /// are eliminated together.
    pub const PATTERN: u32 = 7;
    /// Oracle call: v → entries of ∂r/∂v in the order of the pattern, e.
    pub const VALUES: u32 = 8;
}
