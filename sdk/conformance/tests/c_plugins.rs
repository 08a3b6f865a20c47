//! Plugins in C: the header is that of the contract, the examples pass the suite, and tables that are wrong are refused.

#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

use vinci_abi::load::load;
use vinci_conformance::{DEFAULT_SEED, check};
use vinci_core::CsrBuf;
use vinci_core::error::{ErrorKind, StageError};
use vinci_core::model::SystemView;
use vinci_core::problem::{MlcpBuf, Problem};
use vinci_core::stage::Solver;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Builds a source with the system's C compiler, warnings as errors.
fn build(directory: &Path, source: &Path, defines: &[&str]) -> PathBuf {
    let path = directory.join("libplugin.so");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden"]);
    cc.args(["-ffp-contract=off", "-I"]).arg(root().join("sdk/c")).args(defines);
    let built = cc.arg(source).arg("-o").arg(&path).arg("-lm").output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    path
}

fn example(name: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = build(directory.path(), &root().join("sdk/c/examples").join(name), &[]);
    (directory, path)
}

/// With VINCI_BLESS in the environment the header is written anew. Its own assertions compare every offset with the C compiler's.
#[test]
fn the_header_is_that_of_the_contract() {
    let (path, expected) = (root().join("sdk/c/vinci_plugin.h"), vinci_abi::header(&root()).unwrap());
    if std::env::var_os("VINCI_BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    let differs = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
    assert!(
        found == expected,
        "vinci_plugin.h is not that of the contract: {differs:?} (VINCI_BLESS=1 writes it)"
    );
}

fn passes(name: &str, least: usize) {
    let (_directory, path) = example(name);
    let report = check(&path, DEFAULT_SEED);
    assert!(report.passed() && report.counts()[0] >= least, "{report}");
}

#[test]
fn gauss_seidel_in_c_passes() {
    passes("pgs.c", 24);
}

#[test]
fn the_detector_in_c_passes() {
    passes("discs.c", 19);
}

/// Discs are all that it knows, so that it is asked about nothing else: an answer that changes from call to call must show with them.
#[test]
fn a_detector_of_discs_whose_answers_change_is_found_out() {
    let directory = tempfile::tempdir().unwrap();
    let source = std::fs::read_to_string(root().join("sdk/c/examples/discs.c")).unwrap();
    let honest = "    self->gap[k] = gap;\n";
    assert!(source.contains(honest));
    let source = source.replace("../vinci_helpers.h", "vinci_helpers.h");
    let fickle = "    static int calls;\n    self->gap[k] = gap + 1e-12 * calls++;\n";
    let file = directory.path().join("fickle.c");
    std::fs::write(&file, source.replace(honest, fickle)).unwrap();
    let report = check(&build(directory.path(), &file, &[]), DEFAULT_SEED).to_string();
    assert!(report.contains("detector/deterministic") && report.contains("gives other bits"), "{report}");
}

#[test]
fn the_stepper_in_c_passes() {
    passes("frictionless.c", 20);
}

#[test]
fn the_controller_in_c_passes() {
    passes("pid.c", 17);
}

/// Builds an example in C++, warnings as errors, and checks it.
fn passes_in_cpp(name: &str, more: &[&str], least: usize) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("libplugin.so");
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]);
    compiler.args(["-fvisibility=hidden", "-ffp-contract=off"]).args(more).arg("-I");
    compiler.arg(root().join("sdk/c")).arg(root().join("sdk/c/examples").join(name));
    let built = compiler.arg("-o").arg(&path).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let report = check(&path, DEFAULT_SEED);
    assert!(report.passed() && report.counts()[0] >= least, "{report}");
}

#[test]
#[ignore = "long"]
fn detector_stepper_and_controller_in_cpp_pass() {
    passes_in_cpp("pid.cpp", &[], 17);
    passes_in_cpp("discs.cpp", &[], 19);
    passes_in_cpp("frictionless.cpp", &[], 20);
}

/// Needs the headers of Eigen, which `cargo xtask setup` installs.
#[test]
#[ignore = "long"]
fn newton_in_cpp_passes() {
    let eigen = "/usr/include/eigen3";
    if !Path::new(eigen).exists() {
        println!("left out: {eigen} is missing; `cargo xtask setup` installs libeigen3-dev");
        return;
    }
    passes_in_cpp("newton.cpp", &["-isystem", eigen], 20);
}

/// The hostile plugin with a misdeed.
fn hostile(misdeed: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let source = root().join("sdk/conformance/tests/hostile.c");
    let path = build(directory.path(), &source, &[&format!("-D{misdeed}")]);
    (directory, path)
}

#[test]
fn tables_that_are_wrong_are_refused_in_one_sentence() {
    let build_again =
        "; set its size to sizeof of its type, and build it with the vinci_plugin.h of this host";
    for (misdeed, expected) in [
        (
            "SHORT_TABLE",
            format!("vinci_plugin_v1 of P cannot be used: it has 12 bytes where 56 are expected{build_again}"),
        ),
        (
            "SHORT_ROLE",
            format!("the solver table of P cannot be used: it has 8 bytes where 56 are expected{build_again}"),
        ),
        (
            "OTHER_MAJOR",
            "P was made for contract 9.0, this host speaks 2.0; update the host, or use a build of the plugin for the \
             older contract"
                .into(),
        ),
        (
            "NO_SOLVE",
            "the solver table of P cannot be used: its function solve is null; no instance can be used without it".into(),
        ),
        (
            "NO_CREATE",
            "the solver table of P cannot be used: its function create is null; no instance can be used without it"
                .into(),
        ),
        (
            "ONLY_SAVE",
            "the solver table of P cannot be used: it has one of save and load; give both or neither".into(),
        ),
        (
            "NO_MANIFEST",
            "the manifest of P cannot be used: its function manifest is null; correct the plugin's manifest()".into(),
        ),
        (
            "NO_ROLE",
            "the manifest of P cannot be used: it names a solver but none is exported; correct the plugin's manifest()"
                .into(),
        ),
    ] {
        let (_directory, path) = hostile(misdeed);
        let error = load(&path).err().unwrap().to_string().replace(&*path.to_string_lossy(), "P");
        assert_eq!(error, expected, "{misdeed}");
    }
}

#[test]
fn manifests_that_are_none_are_refused() {
    for (misdeed, part) in [
        ("NOT_JSON", "a JSON list of objects is expected, one for each role: "),
        ("NULL_MANIFEST", "the text: 10 values at 0x0 cannot be an array"),
        ("NOT_UTF8", "the text is not UTF-8"),
        ("NO_ID", "missing field `id`"),
    ] {
        let (_directory, path) = hostile(misdeed);
        let error = load(&path).err().unwrap().to_string();
        assert!(error.starts_with("the manifest of ") && error.contains(part), "{misdeed}: {error}");
    }
}

fn system() -> SystemView<'static> {
    SystemView { body_names: &["ground", "disc"], is_static: &[1, 0], nv: 3, nq: 3, ..SystemView::NOTHING }
}

/// Loads, makes an instance, solves z = 1.
fn solve(misdeed: &str) -> Result<f64, StageError> {
    let (_directory, path) = hostile(misdeed);
    let m = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    let problem = MlcpBuf::from_parts(m, vec![-1.0], vec![0.0], vec![f64::INFINITY], 1e-10);
    let mut solver = load(&path).unwrap().create_solver("", &system())?;
    solver.solve(&Problem::Mlcp(problem.view())).map(|s| s.z[0])
}

#[test]
fn answers_that_cannot_be_are_faults_that_name_the_plugin() {
    assert_eq!(solve("HARMLESS"), Ok(1.0));
    for (misdeed, said) in [
        ("WRONG_LENGTH", "solve broke the contract in what it returned: 2 values of z where 1 are expected"),
        ("NOTHING_OUT", "solve broke the contract in what it returned: 0 is not the code of a status"),
        ("NAN_OUT", "solve broke the contract in what it returned: z[0] is NaN"),
        ("NULL_OUT", "solve broke the contract in what it returned: z: 1 values at 0x0 cannot be an array"),
        ("HUGE_OUT", "cannot be an array"),
        ("UNKNOWN_CODE", "solve gave the unknown return code 77"),
        ("ROUNDING", "solve changed the floating-point environment"),
    ] {
        let error = solve(misdeed).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Fault, "{misdeed}: {error}");
        assert_eq!(error.plugin.as_deref(), Some("hostile.solver.c"), "{misdeed}");
        assert!(error.message.contains(said), "{misdeed}: {error}");
    }
}

#[test]
fn refusals_without_a_text_say_so() {
    let reason = "gives no reason; ask the plugin's author for one";
    for misdeed in ["REFUSES_SILENTLY", "CREATES_NOTHING"] {
        let error = solve(misdeed).unwrap_err();
        assert_eq!((error.message.as_str(), error.kind), (reason, ErrorKind::Other), "{misdeed}");
    }
    let error = solve("LONG_TEXT").unwrap_err();
    assert_eq!(
        (error.kind, error.message.len()),
        (ErrorKind::Unsupported, 1000 + "…".len()),
        "the length is the host's, whatever it claims"
    );
}

/// What a Rust plugin's side of the contract does is done by the host.
#[test]
fn arguments_are_looked_at_before_they_go_in() {
    let (_directory, path) = hostile("HARMLESS");
    let plugin = load(&path).unwrap();
    let refused = plugin.create_solver(r#"{"rate": 1}"#, &system()).err().unwrap();
    assert_eq!(
        (refused.kind, refused.message.as_str()),
        (ErrorKind::BadOption, "options: unknown field `rate`, there are no options")
    );
    let m = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    let mut problem = MlcpBuf::from_parts(m, vec![f64::NAN], vec![0.0], vec![1.0], 1e-10);
    let mut solver = plugin.create_solver("", &system()).unwrap();
    let error = solver.solve(&Problem::Mlcp(problem.view())).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::BadInput, "q[0] is NaN"));
    problem.q = vec![1.0, 2.0];
    let error = solver.solve(&Problem::Mlcp(problem.view())).unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadInput);
}
