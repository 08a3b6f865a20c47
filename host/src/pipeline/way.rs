//! How a problem reaches a solver: as it is, or over a bridge.

use vinci_core::StageError;
use vinci_core::bridge::ConeAsMlcp;
use vinci_core::problem::{Problem, ProblemClass};

/// The way from a class to a solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The solver takes the class itself.
    Direct,
    /// A Cone problem as an Mlcp, polygons for circles ([`ConeAsMlcp`]).
    ConeAsMlcp,
}

impl Way {
    /// The way of problems of a class to a solver that takes this set of classes, if there is one.
    pub fn of(class: ProblemClass, takes: u32) -> Option<Self> {
        if takes & class.bit() != 0 {
            return Some(Self::Direct);
        }
        (class == ProblemClass::Cone && takes & ProblemClass::Mlcp.bit() != 0).then_some(Self::ConeAsMlcp)
    }
}

/// The bridges of a run, with their memory.
#[derive(Debug, Clone, Default)]
pub struct Bridges {
    cone: ConeAsMlcp,
}

/// A problem in the form a solver takes.
pub struct Given<'a> {
    /// It.
    pub problem: Problem<'a>,
    bridge: Option<&'a ConeAsMlcp>,
}

impl Bridges {
    /// With n_d directions where circles become polygons; even, at least 4.
    pub fn new(directions: usize) -> Result<Self, StageError> {
        Ok(Self { cone: ConeAsMlcp::new(directions)? })
    }

    /// The problem in a form that a solver with these classes takes; the message says why there is none.
    pub fn give<'a>(&'a mut self, problem: &Problem<'a>, takes: u32) -> Result<Given<'a>, String> {
        match (Way::of(problem.class(), takes), problem) {
            (Some(Way::Direct), _) => Ok(Given { problem: *problem, bridge: None }),
            (Some(Way::ConeAsMlcp), Problem::Cone(cone)) => {
                self.cone.write(cone);
                Ok(Given { problem: Problem::Mlcp(self.cone.view()), bridge: Some(&self.cone) })
            }
            _ => Err(format!("it is of class {}, and no bridge leads from there", problem.class().name())),
        }
    }

    /// What people read about a way, if it is a bridge.
    pub fn sentence(&self, way: Way) -> Option<String> {
        (way == Way::ConeAsMlcp).then(|| words(&self.cone))
    }
}

fn words(cone: &ConeAsMlcp) -> String {
    format!(
        "Cone as Mlcp, approximate: {} directions for every friction circle, friction up to {:.3} % too weak; exact on planar \
         contacts",
        cone.directions(),
        100.0 * cone.bound()
    )
}

impl Given<'_> {
    /// What people read about the bridge, if there is one.
    pub fn sentence(&self) -> Option<String> {
        self.bridge.map(words)
    }

    /// Whether no bridge lies in between.
    pub fn is_direct(&self) -> bool {
        self.bridge.is_none()
    }

    /// The unknowns `x` of the given problem as the unknowns z of `original`.
    pub fn take_back(&self, original: &Problem<'_>, x: &[f64], z: &mut Vec<f64>) {
        z.clear();
        match self.bridge {
            None => z.extend_from_slice(x),
            Some(bridge) => {
                z.resize(original.len(), 0.0);
                bridge.expand(x, z);
            }
        }
    }
}
