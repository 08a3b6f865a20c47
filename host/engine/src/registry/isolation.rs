//! Plugins that have a process of their own.

use std::path::Path;
use std::sync::Arc;

use vinci_isolate::{AVAILABLE, Limits, Workers};

use super::error::FindError;

/// Plugins that have a process of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Isolation {
    /// None but those for which the experiment asks.
    None,
    /// Those that did not come with the program.
    #[default]
    Others,
    /// All.
    All,
}

impl Isolation {
    /// Word of the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Others => "others",
            Self::All => "all",
        }
    }
}

/// Isolation of a registry.
#[derive(Debug, Clone, Default)]
pub(super) struct Apart {
    pub(super) isolation: Isolation,
    pub(super) limits: Limits,
    /// None where there is no program for them, or no means.
    workers: Option<Arc<Workers>>,
}

impl Apart {
    /// Isolation by workers that are a program.
    pub(super) fn by(program: &Path) -> Self {
        Self { workers: AVAILABLE.then(|| Workers::of(program.to_owned())), ..Self::default() }
    }

    /// This one for other plugins.
    pub(super) fn with(self, isolation: Isolation) -> Self {
        Self { isolation, ..self }
    }

    /// Isolation of all plugins with some limits.
    pub(super) fn always(&self, limits: Limits) -> Result<Self, FindError> {
        match &self.workers {
            Some(_) => Ok(Self { isolation: Isolation::All, limits, ..self.clone() }),
            None => Err(FindError::NoWorkers),
        }
    }

    /// Its part of what tells plugins apart.
    pub(super) fn key(&self) -> (Isolation, Limits) {
        (self.isolation, self.limits)
    }

    /// Starter of programs and their limits; true where they are kept from nothing. They never run in this process.
    pub(super) fn programs(&self) -> Option<(&Arc<Workers>, (Limits, bool))> {
        let open = self.isolation == Isolation::None;
        Some((self.workers.as_ref()?, (self.limits, open)))
    }

    /// Workers for a library; none where it stays in this process.
    pub(super) fn workers(&self, is_ours: impl FnOnce() -> bool) -> Option<&Arc<Workers>> {
        let apart = match self.isolation {
            Isolation::None => false,
            Isolation::Others => self.workers.is_some() && !is_ours(),
            Isolation::All => true,
        };
        self.workers.as_ref().filter(|_| apart)
    }
}
