//! A model of the gallery.

/// A stepper and a solver, by the last parts of their ids.
pub(crate) struct Model {
    pub(crate) stepper: String,
    pub(crate) solver: String,
    /// Parameters of the scene that it takes in another sense, or not at all, as `vinci advise` says it.
    pub(crate) departs: Vec<String>,
}

impl Model {
    /// The reverse of [`Model::name`].
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let (stepper, solver) = name.split_once(" + ").ok_or(format!("`{name}` is no STEPPER + SOLVER"))?;
        Ok(Self { stepper: stepper.to_owned(), solver: solver.to_owned(), departs: Vec::new() })
    }

    /// Name in tables and folders.
    pub(crate) fn name(&self) -> String {
        format!("{} + {}", self.stepper, self.solver)
    }
}
