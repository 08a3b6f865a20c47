//! Sentences about a solver route: which bridges there are, and which were used.

use vinci_core::problem::ProblemClass;

use super::route::{ProblemForm, Route};
use super::solver_route::SolverRoute;

impl SolverRoute {
    /// n_d where circles become polygons.
    pub fn directions(&self) -> usize {
        self.bridges.directions()
    }

    /// Returns true if problems of a class may be bridged with polygons in the place of circles.
    pub fn has_directions(&self, class: ProblemClass) -> bool {
        let routes =
            self.chain.iter().flat_map(|s| ProblemForm::of_class(class).iter().map(|form| (*form, s.takes)));
        routes
            .flat_map(|(form, takes)| Route::all(form, takes))
            .any(|route| route.bridges.iter().any(|b| b.has_directions()))
    }

    /// The first solver that problems of a class do not reach, by its place in the chain.
    pub fn unreached(&self, class: ProblemClass) -> Option<usize> {
        self.chain.iter().position(|s| !Route::exists(class, s.takes))
    }

    /// One sentence for every route over bridges that problems of these classes may go, the best of every form to every
    /// solver: which bridges, for whom, of what kind.
    pub fn bridge_sentences(&self, emitted: u32) -> Vec<String> {
        let classes = ProblemClass::ALL.into_iter().filter(|c| emitted & c.bit() != 0);
        let pairs = classes
            .flat_map(ProblemForm::of_class)
            .flat_map(|form| self.chain.iter().map(move |s| (*form, s)));
        pairs
            .filter_map(|(form, s)| {
                let best = Route::all(form, s.takes).into_iter().next()?;
                Some(format!("{}: {}", s.id, best.sentence(self.bridges.directions())?))
            })
            .collect()
    }

    /// One sentence for every route over bridges that led to an answer so far.
    pub fn bridged_routes(&self) -> Vec<String> {
        let sentence = |(k, route): &(usize, Route)| {
            Some(format!("{}: {}", self.chain.get(*k)?.id, route.sentence(self.bridges.directions())?))
        };
        let mut all = self.earlier.clone();
        for one in self.bridged_routes.iter().filter_map(sentence) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }
}
