//! Runs of one experiment with other values of its parameters.

use std::cell::{Cell, OnceCell};
use std::path::Path;

use vinci_engine::registry::Registry;
use vinci_run::{Prepared, ready};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::{Documents, Loaded, Override};

use crate::parameter::Parameter;
use crate::run_record::RunRecord;

/// An experiment that is run again and again. Files are read once.
pub struct Trials<'r> {
    /// Parameters that are varied.
    pub parameters: Vec<Parameter>,
    documents: Documents,
    changes: Vec<Override>,
    registry: &'r Registry,
    runs: Cell<u64>,
    /// Bits of the values that the experiment has, where it has them.
    known: OnceCell<Vec<Option<u64>>>,
    memory: usize,
    /// Hears the number of runs after each.
    watch: Option<Box<dyn Fn(u64) + 'r>>,
}

/// Bytes of linearised steps that a backward pass keeps at once.
const MEMORY: usize = 256 << 20;

impl<'r> Trials<'r> {
    /// Reads an experiment; `changes` are made in every run, before the values of the parameters.
    ///
    /// # Errors
    /// Files that cannot be read; no parameter, or one that is named twice.
    pub fn open(
        experiment: &Path,
        changes: &[Override],
        parameters: Vec<Parameter>,
        registry: &'r Registry,
    ) -> Result<Self, Diagnostics> {
        if parameters.is_empty() {
            let message = "no parameter is named";
            return Err(Diagnostic::error(Code::Usage, message).help("name at least one path").into());
        }
        let twice =
            parameters.iter().enumerate().find(|(k, p)| parameters[..*k].iter().any(|o| o.name == p.name));
        if let Some((_, twice)) = twice {
            let message = format!("`{}` is named twice", twice.name);
            return Err(Diagnostic::error(Code::DuplicateName, message).at(twice.place().clone()).into());
        }
        let documents = Documents::read(experiment)?;
        Ok(Self {
            parameters,
            documents,
            changes: changes.to_vec(),
            registry,
            runs: Cell::new(0),
            known: OnceCell::new(),
            memory: MEMORY,
            watch: None,
        })
    }

    /// Tells somebody the number of runs after each of them.
    #[must_use]
    pub fn watched(self, watch: impl Fn(u64) + 'r) -> Self {
        Self { watch: Some(Box::new(watch)), ..self }
    }

    /// Sets the memory for linearised steps, bytes. Where it is too small for a run, the backward pass makes the run again from checkpoints.
    #[must_use]
    pub fn with_memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    pub(crate) fn memory(&self) -> usize {
        self.memory
    }

    /// The values that the experiment itself has, as far as it has them.
    pub fn written(&self) -> Result<Vec<Result<f64, Diagnostics>>, Diagnostics> {
        let loaded = self.documents.with(&self.changes)?;
        Ok(self.parameters.iter().map(|p| p.value(&loaded)).collect())
    }

    fn written_as_bits(&self) -> Vec<Option<u64>> {
        let written = self.written().unwrap_or_default();
        written.into_iter().map(|value| value.ok().map(f64::to_bits)).collect()
    }

    /// The experiment with these values, checked.
    ///
    /// # Errors
    /// All findings when at least one of them is an error.
    pub fn loaded(&self, values: &[f64]) -> Result<Loaded, Diagnostics> {
        // Of many parameters a difference moves one: what is written as it is asked for needs no change.
        let written = self.known.get_or_init(|| self.written_as_bits());
        let mut changes = self.changes.clone();
        for (k, (parameter, value)) in self.parameters.iter().zip(values).enumerate() {
            if written.get(k).copied().flatten() != Some(value.to_bits()) {
                changes.push(parameter.with(*value)?);
            }
        }
        self.documents.with(&changes)
    }

    /// A run with these values that can start.
    ///
    /// # Errors
    /// Everything that a run would refuse.
    pub fn ready(&self, values: &[f64]) -> Result<Prepared, Diagnostics> {
        ready(self.loaded(values)?, self.registry, false, None)
    }

    /// A run with these values, to its end or to where it fails.
    ///
    /// # Errors
    /// Everything that a run would refuse.
    pub fn run(&self, values: &[f64]) -> Result<RunRecord, Diagnostics> {
        let prepared = self.ready(values)?;
        let record = RunRecord::of(prepared);
        self.count_run();
        Ok(record)
    }

    /// Counts a run that was made, whole or step by step with its derivatives.
    pub(crate) fn count_run(&self) {
        self.runs.set(self.runs.get() + 1);
        self.watch.iter().for_each(|watch| watch(self.runs.get()));
    }

    /// A run with these values that comes to its end.
    ///
    /// # Errors
    /// Everything that a run would refuse; a run that fails.
    pub fn whole(&self, values: &[f64]) -> Result<RunRecord, Diagnostics> {
        let record = self.run(values)?;
        match &record.failure {
            None => Ok(record),
            Some(why) => {
                let help = "`vinci run` with these values says more";
                let message = format!("the run {}does not come to its end: {why}", self.with_values(values));
                Err(Diagnostic::error(Code::Unsolved, message).help(help).into())
            }
        }
    }

    /// Number of runs so far.
    pub fn runs(&self) -> u64 {
        self.runs.get()
    }

    /// "with a = 1, b = 2 ".
    fn with_values(&self, values: &[f64]) -> String {
        let of = |(p, x): (&Parameter, &f64)| format!("{} = {x}", p.name);
        let list: Vec<String> = self.parameters.iter().zip(values).map(of).collect();
        format!("with {} ", list.join(", "))
    }
}
