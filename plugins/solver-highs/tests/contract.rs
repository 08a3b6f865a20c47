//! The conformance suite on the very library, through the loader that the host uses.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use vinci_conformance::{DEFAULT_SEED, Outcome, check};

#[test]
fn the_library_keeps_the_contract() {
    // Cargo puts the library beside the tests.
    let tests = std::env::current_exe().unwrap();
    let name = format!("{}vinci_solver_highs{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let report = check(&tests.with_file_name(name), DEFAULT_SEED);
    let mut passed = 0;
    for result in &report.results {
        match &result.outcome {
            Outcome::Passed { .. } => passed += 1,
            Outcome::Skipped { reason } => println!("{}: skipped, {reason}", result.name),
            Outcome::NotApplicable => {}
            other => panic!("{}: {other:?}", result.name),
        }
    }
    assert!(passed >= 22, "{passed} passed");
}
