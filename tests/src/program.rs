//! The program as a user runs it: a command line, and what it printed.

use std::process::{Command, Output};

use crate::house;

/// Runs the program of this build with arguments, to its end.
///
/// # Panics
/// Where the program cannot be started.
pub fn vinci(arguments: &[&str]) -> Output {
    Command::new(house::program()).args(arguments).output().expect("the program starts")
}

/// All that a program printed: standard output, then standard error.
pub fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}
