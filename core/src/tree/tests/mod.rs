//! Closed forms and independent formulations.

mod closed_forms;
