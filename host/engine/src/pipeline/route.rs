//! Routes of a problem to a solver: as it is, or over bridges, the most exact and shortest route first.

use vinci_core::problem::{Problem, ProblemClass};

/// Form of a problem on its route: its class, with programs that have second-order cones told apart from those without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemForm {
    /// Mixed linear complementarity.
    Mlcp,
    /// Complementarity with friction cones.
    Cone,
    /// A convex program over linear rows.
    Linear,
    /// A convex program with second-order cones.
    Conic,
    /// A convex program with complementarity pairs.
    Qpcc,
    /// Root finding.
    Root,
}

pub use vinci_core::problem::SECOND_ORDER_CONES;

impl ProblemForm {
    /// The form of an instance; nothing for classes to come.
    pub fn of(problem: &Problem<'_>) -> Option<Self> {
        Some(match problem {
            Problem::Mlcp(_) => Self::Mlcp,
            Problem::Cone(_) => Self::Cone,
            Problem::Conic(p) if p.cones.is_empty() => Self::Linear,
            Problem::Conic(_) => Self::Conic,
            Problem::Qpcc(_) => Self::Qpcc,
            Problem::Root(_) => Self::Root,
            _ => return None,
        })
    }

    /// The forms that instances of a class may have.
    pub fn of_class(class: ProblemClass) -> &'static [Self] {
        match class {
            ProblemClass::Mlcp => &[Self::Mlcp],
            ProblemClass::Cone => &[Self::Cone],
            ProblemClass::Conic => &[Self::Linear, Self::Conic],
            ProblemClass::Qpcc => &[Self::Qpcc],
            ProblemClass::Root => &[Self::Root],
            _ => &[],
        }
    }

    /// Name in sentences.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mlcp => "Mlcp",
            Self::Cone => "Cone",
            Self::Linear => "Conic without cones",
            Self::Conic => "Conic",
            Self::Qpcc => "Qpcc",
            Self::Root => "Root",
        }
    }

    /// Returns true if a solver that takes this set of classes takes it.
    pub(super) fn is_taken(self, takes: u32) -> bool {
        let class = |c: ProblemClass| takes & c.bit() != 0;
        match self {
            Self::Mlcp => class(ProblemClass::Mlcp),
            Self::Cone => class(ProblemClass::Cone),
            Self::Linear => class(ProblemClass::Conic),
            Self::Conic => class(ProblemClass::Conic) && takes & SECOND_ORDER_CONES != 0,
            Self::Qpcc => class(ProblemClass::Qpcc),
            Self::Root => class(ProblemClass::Root),
        }
    }
}

/// Names of the classes in a set: "Mlcp, Conic without cones".
pub(super) fn names(takes: u32) -> String {
    let forms = [
        ProblemForm::Mlcp,
        ProblemForm::Cone,
        ProblemForm::Linear,
        ProblemForm::Conic,
        ProblemForm::Qpcc,
        ProblemForm::Root,
    ];
    let cones = ProblemForm::Conic.is_taken(takes);
    let named = forms.into_iter().filter(|f| f.is_taken(takes) && !(cones && *f == ProblemForm::Linear));
    named.map(ProblemForm::name).collect::<Vec<_>>().join(", ")
}

/// Exactness of a bridge, in the order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    /// Solutions and proofs are those of the problem itself.
    Exact,
    /// Repeated until the problem itself is solved.
    Iterative,
    /// Another problem near it.
    Approximate,
}

impl Exactness {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Iterative => "iterative",
            Self::Approximate => "approximate",
        }
    }
}

/// A bridge of core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bridge {
    /// [`vinci_core::bridge::MlcpAsQpcc`].
    MlcpAsQpcc,
    /// [`vinci_core::bridge::MlcpAsConic`].
    MlcpAsConic,
    /// [`vinci_core::bridge::ConicAsMlcp`].
    ConicAsMlcp,
    /// [`vinci_core::bridge::ConicAsLinear`].
    ConicAsLinear,
    /// [`vinci_core::bridge::ConeAsMlcp`].
    ConeAsMlcp,
    /// [`vinci_core::bridge::ConeAsConic`].
    ConeAsConic,
}

impl Bridge {
    /// All of them; of two routes of the same exactness and length the earlier one is tried first: a convex program before cases.
    pub const ALL: [Self; 6] = [
        Self::MlcpAsConic,
        Self::MlcpAsQpcc,
        Self::ConicAsMlcp,
        Self::ConicAsLinear,
        Self::ConeAsMlcp,
        Self::ConeAsConic,
    ];

    /// Where it begins and ends, and how exact it is.
    pub fn ends(self) -> (ProblemForm, ProblemForm, Exactness) {
        match self {
            Self::MlcpAsQpcc => (ProblemForm::Mlcp, ProblemForm::Qpcc, Exactness::Exact),
            Self::MlcpAsConic => (ProblemForm::Mlcp, ProblemForm::Linear, Exactness::Exact),
            Self::ConicAsMlcp => (ProblemForm::Linear, ProblemForm::Mlcp, Exactness::Exact),
            Self::ConicAsLinear => (ProblemForm::Conic, ProblemForm::Linear, Exactness::Approximate),
            Self::ConeAsMlcp => (ProblemForm::Cone, ProblemForm::Mlcp, Exactness::Approximate),
            Self::ConeAsConic => (ProblemForm::Cone, ProblemForm::Conic, Exactness::Iterative),
        }
    }

    /// How exact it is.
    pub fn exactness(self) -> Exactness {
        self.ends().2
    }

    /// "Mlcp as Qpcc".
    pub fn name(self) -> &'static str {
        match self {
            Self::MlcpAsQpcc => "Mlcp as Qpcc",
            Self::MlcpAsConic => "Mlcp as Conic",
            Self::ConicAsMlcp => "Conic as Mlcp",
            Self::ConicAsLinear => "Conic as linear Conic",
            Self::ConeAsMlcp => "Cone as Mlcp",
            Self::ConeAsConic => "Cone as Conic",
        }
    }

    /// Returns true if there are instances that it does not lead from.
    fn may_refuse(self) -> bool {
        matches!(self, Self::MlcpAsConic | Self::ConicAsLinear | Self::ConeAsConic)
    }

    /// Returns true if it puts polygons of n_d directions in the place of circles.
    pub fn has_directions(self) -> bool {
        matches!(self, Self::ConicAsLinear | Self::ConeAsMlcp)
    }

    /// Sentence about the bridge: name, exactness, and what is lost.
    pub fn sentence(self, directions: usize) -> String {
        let short = 100.0 * (1.0 - (std::f64::consts::PI / directions as f64).cos());
        let text = match self {
            Self::MlcpAsQpcc => "every row with bounds as complementarity pairs, decided by cases".to_string(),
            Self::MlcpAsConic => {
                "the convex program whose optimality conditions it is; refused where friction or an indefinite block says \
                 that it is none"
                    .to_string()
            }
            Self::ConicAsMlcp => "its optimality conditions".to_string(),
            Self::ConicAsLinear => format!(
                "{directions} directions for every cone of three rows, impulses up to {short:.3} % too weak; exact on cones of two"
            ),
            Self::ConeAsMlcp => format!(
                "{directions} directions for every friction circle, friction up to {short:.3} % too weak; exact on planar \
                 contacts"
            ),
            Self::ConeAsConic => "programs with De Saxcé's shift frozen, until the friction law holds as it is; refused where \
                                  the rows are no optimality conditions"
                .to_string(),
        };
        format!("{}, {}: {text}", self.name(), self.exactness().name())
    }
}

/// A route from a form to a solver: bridges in the order in which they rewrite a problem; none where it goes directly.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Route {
    /// The bridges.
    pub bridges: Vec<Bridge>,
}

impl Route {
    /// All routes of a form to a solver that takes this set of classes, best first: exact before iterative before
    /// approximate, then the fewer bridges, then in the order of [`Bridge::ALL`]. What would come after a route that never
    /// refuses is left out.
    pub fn all(form: ProblemForm, takes: u32) -> Vec<Self> {
        let mut found = Vec::new();
        walk(form, takes, &mut vec![form], &mut Vec::new(), &mut found);
        found.sort_by_key(|route: &Self| (route.exactness(), route.bridges.len()));
        let sure = found.iter().position(|route| !route.bridges.iter().any(|b| b.may_refuse()));
        found.truncate(sure.map_or(found.len(), |k| k + 1));
        found
    }

    /// Returns true if instances of a class may reach a solver that takes this set of classes.
    pub fn exists(class: ProblemClass, takes: u32) -> bool {
        ProblemForm::of_class(class).iter().any(|form| !Self::all(*form, takes).is_empty())
    }

    /// The exactness of its weakest bridge.
    pub fn exactness(&self) -> Exactness {
        self.bridges.iter().map(|b| b.exactness()).max().unwrap_or(Exactness::Exact)
    }

    /// Returns true if no bridge lies in between.
    pub fn is_direct(&self) -> bool {
        self.bridges.is_empty()
    }

    /// Sentences about the route, bridge by bridge; `None` for the direct route.
    pub fn sentence(&self, directions: usize) -> Option<String> {
        let list: Vec<String> = self.bridges.iter().map(|b| b.sentence(directions)).collect();
        (!list.is_empty()).then(|| list.join("; then "))
    }

    /// "Cone as Mlcp, Mlcp as Qpcc".
    pub fn names(&self) -> String {
        let list: Vec<&str> = self.bridges.iter().map(|b| b.name()).collect();
        list.join(", ")
    }
}

/// Every path without a form twice that ends in a form that is taken; one that is taken is not walked beyond.
fn walk(
    form: ProblemForm,
    takes: u32,
    seen: &mut Vec<ProblemForm>,
    bridges: &mut Vec<Bridge>,
    found: &mut Vec<Route>,
) {
    if form.is_taken(takes) {
        found.push(Route { bridges: bridges.clone() });
        return;
    }
    for bridge in Bridge::ALL {
        let (from, to, _) = bridge.ends();
        if from == form && !seen.contains(&to) {
            seen.push(to);
            bridges.push(bridge);
            walk(to, takes, seen, bridges, found);
            bridges.pop();
            seen.pop();
        }
    }
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;
