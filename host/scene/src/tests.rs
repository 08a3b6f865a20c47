//! Bad and good input through the whole of loading. Findings in full are compared by the tests of the program.

mod controllers;
mod files;
mod loading;
mod schemas;
mod systems;

use super::*;
use crate::diagnostics::Diagnostics;
use files::{EXPERIMENT, Files, SCENE, both};
use std::path::PathBuf;
