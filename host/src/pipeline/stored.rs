//! Problems that own their arrays: what outlives the stepper that formulated them.

use vinci_core::problem::{Cone, ConeBuf, Mlcp, MlcpBuf, Problem, ProblemClass};

/// A copy of a problem.
#[derive(Debug, Clone)]
pub enum Stored {
    /// A mixed LCP.
    Mlcp(MlcpBuf),
    /// A problem with friction cones.
    Cone(ConeBuf),
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
            _ => None,
        }
    }

    /// Its class.
    pub fn class(&self) -> ProblemClass {
        match self {
            Self::Mlcp(_) => ProblemClass::Mlcp,
            Self::Cone(_) => ProblemClass::Cone,
        }
    }

    /// Rows, bounds, provenance.
    pub fn rows(&self) -> &MlcpBuf {
        match self {
            Self::Mlcp(p) => p,
            Self::Cone(p) => &p.rows,
        }
    }

    /// The problem with another tolerance.
    pub fn view(&self, tolerance: f64) -> Problem<'_> {
        let rows = Mlcp { tolerance, ..self.rows().view() };
        match self {
            Self::Mlcp(_) => Problem::Mlcp(rows),
            Self::Cone(p) => Problem::Cone(Cone { rows, ..p.view() }),
        }
    }

    /// Whether lengths, indices and numbers fit together; the message names the first contradiction.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Mlcp(p) => p.view().check(),
            Self::Cone(p) => p.view().check(),
        }
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
