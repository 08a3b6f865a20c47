//! Outcome of a solve: a status with residuals, never an error.

/// How a solver ended. Only [`Status::Converged`] claims a solution; the referee checks even that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
#[non_exhaustive]
pub enum Status {
    /// The tolerance was met, by the solver's own count.
    Converged = 1,
    /// The iteration limit came first.
    MaxIterations = 2,
    /// There is no solution; [`Solution::certificate`] proves it.
    Infeasible = 3,
    /// Lemke's method ended on a secondary ray; [`Solution::certificate`] holds the ray. No proof of infeasibility.
    RayTermination = 4,
    /// Factorisation, growth or cancellation made further work pointless.
    #[default]
    NumericalFailure = 5,
    /// The objective has no lower bound; [`Solution::certificate`] holds the direction, and [`Solution::z`] a point to start from: without
    /// one there may be no solution at all.
    Unbounded = 6,
    /// A time limit came first.
    TimeLimit = 7,
    /// A node limit came first; a gap is reported.
    NodeLimit = 8,
}

impl Status {
    /// All statuses in the order of their codes.
    pub const ALL: [Self; 8] = [
        Self::Converged,
        Self::MaxIterations,
        Self::Infeasible,
        Self::RayTermination,
        Self::NumericalFailure,
        Self::Unbounded,
        Self::TimeLimit,
        Self::NodeLimit,
    ];

    /// Name as summaries and messages write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "Converged",
            Self::MaxIterations => "MaxIterations",
            Self::Infeasible => "Infeasible",
            Self::RayTermination => "RayTermination",
            Self::NumericalFailure => "NumericalFailure",
            Self::Unbounded => "Unbounded",
            Self::TimeLimit => "TimeLimit",
            Self::NodeLimit => "NodeLimit",
        }
    }

    /// The status of a code, if there is one.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|s| *s as u32 == code)
    }

    /// Returns true if another solver or a smaller step may still help (as opposed to a proof that none can).
    pub fn is_recoverable(self) -> bool {
        !matches!(self, Self::Converged | Self::Infeasible | Self::Unbounded)
    }
}

/// Answer of a solver, borrowed from it until its next call.
#[derive(Debug, Clone, Copy)]
pub struct Solution<'a> {
    /// How it ended.
    pub status: Status,
    /// Primal unknowns, as many as the problem has. Best iterate found when not converged.
    pub z: &'a [f64],
    /// Dual unknowns where the class has them (empty otherwise).
    pub dual: &'a [f64],
    /// Proof or ray, or empty. Mlcp: as long as z. Conic: y (m) for Infeasible, d (n) for Unbounded. Qpcc: a list of leaves
    /// ([`super::proves_no_mode`]).
    pub certificate: &'a [f64],
    /// Qpcc: lower bound of the objective over all modes, by the solver's claim; −∞ or NaN where nothing is proved, NaN where the
    /// class has none, never +∞. What core checks of a converged answer: x is lawful, the best of its mode, and its
    /// objective is the bound up to [`super::Qpcc::gap_allowed`]; that the bound holds for all modes is not looked at.
    pub bound: f64,
    /// Iterations (pivots, sweeps, Newton steps, nodes).
    pub iterations: u32,
    /// Factorisations made.
    pub factorizations: u32,
    /// The solver's own residual, informative only.
    pub residual: f64,
    /// Human-readable detail (regularisation used, where it stopped); may be empty.
    pub note: &'a str,
}

impl Default for Solution<'_> {
    fn default() -> Self {
        Self {
            status: Status::default(),
            z: &[],
            dual: &[],
            certificate: &[],
            bound: f64::NAN,
            iterations: 0,
            factorizations: 0,
            residual: 0.0,
            note: "",
        }
    }
}
