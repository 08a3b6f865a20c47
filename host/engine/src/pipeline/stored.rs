//! Problems that own their arrays: what outlives the stepper that formulated them.

use vinci_core::problem::{
    Cone, ConeBuf, Conic, ConicBuf, Mlcp, MlcpBuf, Problem, ProblemClass, Qpcc, QpccBuf, RowTag,
};

/// A copy of a problem.
#[derive(Debug, Clone)]
pub enum Stored {
    /// A mixed LCP.
    Mlcp(MlcpBuf),
    /// A problem with friction cones.
    Cone(ConeBuf),
    /// A convex program.
    Conic(ConicBuf),
    /// A convex program with complementarity pairs.
    Qpcc(QpccBuf),
}

impl Stored {
    /// A copy, if problems of the class can be stored (those with callbacks cannot).
    pub fn of(problem: &Problem<'_>) -> Option<Self> {
        match problem {
            Problem::Mlcp(p) => Some(Self::Mlcp(owned(p))),
            Problem::Cone(p) => {
                let (index, size) = (p.blocks.index.to_vec(), p.blocks.size.to_vec());
                Some(Self::Cone(ConeBuf { rows: owned(&p.rows), index, size }))
            }
            Problem::Conic(p) => Some(Self::Conic(ConicBuf::copy_of(p))),
            Problem::Qpcc(p) => Some(Self::Qpcc(QpccBuf::copy_of(p))),
            _ => None,
        }
    }

    /// Its class.
    pub fn class(&self) -> ProblemClass {
        match self {
            Self::Mlcp(_) => ProblemClass::Mlcp,
            Self::Cone(_) => ProblemClass::Cone,
            Self::Conic(_) => ProblemClass::Conic,
            Self::Qpcc(_) => ProblemClass::Qpcc,
        }
    }

    /// Rows, bounds, provenance of a complementarity problem; nothing for programs.
    pub fn rows(&self) -> Option<&MlcpBuf> {
        match self {
            Self::Mlcp(p) => Some(p),
            Self::Cone(p) => Some(&p.rows),
            _ => None,
        }
    }

    /// Objective, rows and provenance of a program; nothing for complementarity problems.
    pub fn program(&self) -> Option<&ConicBuf> {
        match self {
            Self::Conic(p) => Some(p),
            Self::Qpcc(p) => Some(&p.qp),
            _ => None,
        }
    }

    /// Provenance of what a proof of infeasibility has a number for: rows.
    pub fn row_tags(&self) -> &[RowTag] {
        match self {
            Self::Mlcp(p) => &p.tag,
            Self::Cone(p) => &p.rows.tag,
            Self::Conic(p) => &p.s_tag,
            Self::Qpcc(p) => &p.qp.s_tag,
        }
    }

    /// Provenance of the unknowns.
    pub fn unknown_tags(&self) -> &[RowTag] {
        match self {
            Self::Conic(p) => &p.x_tag,
            Self::Qpcc(p) => &p.qp.x_tag,
            _ => self.row_tags(),
        }
    }

    /// Its own tolerance.
    pub fn tolerance(&self) -> f64 {
        match self {
            Self::Mlcp(p) => p.view().tolerance,
            Self::Cone(p) => p.rows.view().tolerance,
            Self::Conic(p) => p.view().tolerance,
            Self::Qpcc(p) => p.qp.view().tolerance,
        }
    }

    /// The problem with another tolerance.
    pub fn view(&self, tolerance: f64) -> Problem<'_> {
        match self {
            Self::Mlcp(p) => Problem::Mlcp(Mlcp { tolerance, ..p.view() }),
            Self::Cone(p) => Problem::Cone(Cone { rows: Mlcp { tolerance, ..p.rows.view() }, ..p.view() }),
            Self::Conic(p) => Problem::Conic(Conic { tolerance, ..p.view() }),
            Self::Qpcc(p) => Problem::Qpcc(Qpcc { qp: Conic { tolerance, ..p.qp.view() }, ..p.view() }),
        }
    }

    /// Checks that lengths, indices and numbers fit together; the message names the first contradiction.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Mlcp(p) => p.view().check(),
            Self::Cone(p) => p.view().check(),
            Self::Conic(p) => p.view().check(),
            Self::Qpcc(p) => p.view().check(),
        }
    }
}

/// Checks that the objective of a program is convex ([`Conic::check_convex`]); complementarity problems have none.
///
/// Errors: the message names the entry without its mirror image, or the unknown with a direction of negative curvature.
pub fn check_convex(problem: &Problem<'_>) -> Result<(), String> {
    match problem {
        Problem::Conic(p) => p.check_convex(),
        Problem::Qpcc(p) => p.qp.check_convex(),
        _ => Ok(()),
    }
}

fn owned(p: &Mlcp<'_>) -> MlcpBuf {
    let mut out = MlcpBuf::default();
    out.clear(p.n(), p.tolerance);
    for i in 0..p.n() {
        for (j, value) in p.m.entries(i) {
            out.m.push(j, value);
        }
        out.end_row(p.q[i], (p.lower[i], p.upper[i]), p.tag[i], (p.z_scale[i], p.w_scale[i]));
    }
    out.guess.extend_from_slice(p.guess);
    out
}
