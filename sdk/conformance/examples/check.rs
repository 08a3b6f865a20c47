//! Runs the suite on plugin libraries: `cargo run -p vinci-conformance --example check -- target/debug/libplugin.so`.
//! (`vinci plugin check` does the same with every test in a process of its own.)

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut all = true;
    for path in std::env::args().skip(1) {
        let report = vinci_conformance::check(Path::new(&path), vinci_conformance::DEFAULT_SEED);
        println!("{path}\n{report}\n");
        all &= report.passed();
    }
    if all { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
