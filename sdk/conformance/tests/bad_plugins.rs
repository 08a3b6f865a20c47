//! Bad plugins, one by one: refused with the right sentence before they can do harm, or reported while running.
//!
//! What cannot be survived in one process (exit, abort, crash, endless loop) is shown in a child process at the end.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

use vinci_abi::load::{LoadError, LoadedPlugin, load};
use vinci_abi::{FaultKind, ForeignSolver, Role};
use vinci_conformance::fixture::{build_member, build_stranger, compile_library};
use vinci_core::error::{ErrorKind, StageError};
use vinci_core::model::{Space, SystemView};
use vinci_core::problem::{MlcpBuf, Problem, Solution, Status};
use vinci_core::stage::{DetectQuery, Detector, Rows, Solver, StepView, Stepper};
use vinci_core::{CsrBuf, contact::Contacts};

/// The library of `tests/bad-plugins`.
fn bad_library() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    // Children are told, or every one of them would ask cargo again.
    let told = || std::env::var_os("VINCI_BAD_LIBRARY").map(PathBuf::from);
    PATH.get_or_init(|| told().unwrap_or_else(|| build_member("vinci-bad-plugins").unwrap()))
}

fn bad() -> LoadedPlugin {
    load(bad_library()).unwrap()
}

fn system() -> SystemView<'static> {
    SystemView { body_names: &["ground", "disc"], is_static: &[1, 0], nv: 3, nq: 3, ..SystemView::NOTHING }
}

fn bad_solver(options: &str) -> Result<ForeignSolver, StageError> {
    bad().create_solver(options, &system())
}

/// z = 1.
fn simple_problem() -> MlcpBuf {
    let m = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    MlcpBuf::from_parts(m, vec![-1.0], vec![0.0], vec![f64::INFINITY], 1e-10)
}

fn solve(solver: &mut ForeignSolver) -> Result<Status, StageError> {
    solver.solve(&Problem::Mlcp(simple_problem().view())).map(|s| s.status)
}

/// A directory for made-up libraries, and one compiler run at a time.
fn made_up(name: &str, source: &str) -> (tempfile::TempDir, PathBuf) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = compile_library(directory.path(), name, source).unwrap();
    (directory, path)
}

fn refusal(path: &Path) -> String {
    let error = load(path).err().unwrap();
    assert_eq!(error.path(), path);
    let text = error.to_string();
    assert!(!text.contains('\n') && text.len() < 400, "one sentence: {text}");
    text.replace(&*path.to_string_lossy(), "P")
}

// Refused before any code of the file runs.

#[test]
fn a_missing_file() {
    let path = Path::new("/nowhere/libplugin.so");
    assert_eq!(refusal(path), "there is no plugin at P; build it first, or correct the path");
}

#[test]
fn a_directory() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(
        refusal(directory.path()),
        "P is not a file; give the path of the plugin's shared library itself"
    );
}

#[test]
fn files_of_other_kinds() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        refusal(&path)
    };
    let expected = |found: &str| {
        format!("P is {found}, not a shared library; give the .so file that the plugin's build makes")
    };
    assert_eq!(write("text.so", b"#include <plugin.h>\n"), expected("a text file"));
    assert_eq!(write("empty.so", b""), expected("an empty file"));
    assert_eq!(write("archive.so", b"!<arch>\nx.o/"), expected("a static library"));
    let mut executable = std::fs::read(bad_library()).unwrap();
    executable[16] = 2;
    assert_eq!(write("program", &executable), expected("an executable or object file"));
    executable[18] = 243;
    assert_eq!(
        write("riscv.so", &executable),
        format!(
            "P is for a 64-bit machine 243, not for this {}; build the plugin on or for this machine",
            std::env::consts::ARCH
        )
    );
}

#[test]
fn a_library_cut_anywhere() {
    let whole = std::fs::read(bad_library()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.so");
    for percent in [5, 20, 50, 80, 99] {
        let cut = whole.len() * percent / 100;
        std::fs::write(&path, &whole[..cut]).unwrap();
        let text = refusal(&path);
        let start = format!("P is cut off: {cut} bytes where its headers promise at least ");
        assert!(text.starts_with(&start) && text.ends_with("; copy or build it again"), "{text}");
    }
}

#[test]
fn a_foreign_library_never_runs() {
    let (_directory, path) = made_up("foreign", TELLTALE);
    let expected = "P is a shared library but not a Vinci plugin: it does not export vinci_contract_version \
                    or vinci_plugin_v1; plugins are made with vinci_sdk::export_plugin! or, in C, with vinci_plugin.h";
    assert_eq!(refusal(&path), expected);
    let telltale = path.with_extension("ran");
    assert!(!telltale.exists(), "its initialiser ran");
}

/// Leaves a file when its initialiser runs.
const TELLTALE: &str = r#"
    #[used]
    #[unsafe(link_section = ".init_array")]
    static START: extern "C" fn() = start;
    extern "C" fn start() {
        let place = concat!(file!(), ".ran").replace(".rs.ran", ".ran");
        std::fs::write(place, "ran").unwrap();
    }
"#;

#[test]
fn other_contract_versions() {
    let source = |major: u32| {
        format!("#[unsafe(no_mangle)] pub static vinci_contract_version: u32 = {major} << 16 | 3; {TELLTALE}")
    };
    let (_a, newer) = made_up("newer", &source(3));
    assert_eq!(
        refusal(&newer),
        "P was made for contract 3.3, this host speaks 2.0; update the host, or use a build of the plugin for the \
         older contract"
    );
    let (_b, older) = made_up("older", &source(1));
    assert_eq!(
        refusal(&older),
        "P was made for contract 1.3, this host speaks 2.0; build the plugin again with a current vinci-sdk"
    );
    assert!(!newer.with_extension("ran").exists() && !older.with_extension("ran").exists());
}

// Refused after it was loaded.

const VERSION: &str = "#[unsafe(no_mangle)] pub static vinci_contract_version: u32 = 2 << 16;";

fn with_manifest(text: &str) -> String {
    format!(
        "{VERSION}
         #[repr(C)] pub struct Slice {{ p: *const u8, n: usize }}
         #[unsafe(no_mangle)] pub extern \"C\" fn vinci_manifest() -> Slice {{
             const TEXT: &str = r#\"{text}\"#;
             Slice {{ p: TEXT.as_ptr(), n: TEXT.len() }}
         }}"
    )
}

#[test]
fn no_manifest() {
    let (_directory, path) = made_up("silent", VERSION);
    let expected = "P is a shared library but not a Vinci plugin: it does not export vinci_manifest; plugins are made \
                    with vinci_sdk::export_plugin! or, in C, with vinci_plugin.h";
    assert_eq!(refusal(&path), expected);
}

#[test]
fn manifests_that_cannot_be_used() {
    let refused = |name: &str, text: &str| {
        let (_directory, path) = made_up(name, &with_manifest(text));
        refusal(&path)
    };
    let bad =
        |reason: &str| format!("the manifest of P cannot be used: {reason}; correct the plugin's manifest()");
    assert_eq!(refused("empty", ""), bad("it is empty"));
    assert_eq!(refused("prose", "I solve things"), bad("expected value at line 1 column 1"));
    let text = refused("half", r#"[{"id": "a.solver.b", "role": "cook"}]"#);
    assert!(
        text.contains("unknown variant `cook`, expected one of `detector`, `stepper`, `solver`"),
        "{text}"
    );
    assert_eq!(
        refused("panicky", r#"{"panicked": "panicked at lib.rs:1: no"}"#),
        bad("panicked at lib.rs:1: no")
    );
}

fn manifest_with(panic: &str) -> String {
    format!(
        r#"[{{"id": "a.solver.b", "role": "solver", "version": "1.0.0", "deterministic": true,
             "contract": "1.0", "rustc": "", "panic": "{panic}"}}]"#
    )
}

#[test]
fn a_plugin_whose_panics_abort() {
    let (_directory, path) = made_up("aborting", &with_manifest(&manifest_with("abort")));
    let expected = "a.solver.b at P was built with panic = \"abort\", so that a panic in it would end the host; build it \
                    with panic = \"unwind\"";
    assert_eq!(refusal(&path), expected);
}

#[test]
fn no_module() {
    let (_directory, path) = made_up("hollow", &with_manifest(&manifest_with("unwind")));
    let expected = "P is a shared library but not a Vinci plugin: it does not export the plugin module; plugins are made \
                    with vinci_sdk::export_plugin! or, in C, with vinci_plugin.h";
    assert_eq!(refusal(&path), expected);
}

#[test]
fn another_layout() {
    // As if a field of a struct that crosses had another name: the description of the layout is text in the library.
    let mut bytes = std::fs::read(bad_library()).unwrap();
    let field = b"damping;dissipation;channels;";
    let mut found = 0;
    for at in 0..bytes.len() - field.len() {
        if bytes[at..].starts_with(field) {
            bytes[at..at + 7].copy_from_slice(b"dumping");
            found += 1;
        }
    }
    assert!(found > 0, "the layout text is where this test looks for it");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("layout.so");
    std::fs::write(&path, &bytes).unwrap();
    let expected = "test.detector.bad + test.stepper.bad + test.solver.bad + test.controller.bad at P lays out the structs \
                    of contract 2.0.0 differently from this host (2.0.0); build it again with the released vinci-sdk of that version";
    assert_eq!(refusal(&path), expected);
}

// Loaded, and at fault later.

#[test]
fn loading_twice_gives_one_library() {
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("copy.so");
    std::fs::copy(bad_library(), &copy).unwrap();
    let (a, b) = (load(bad_library()).unwrap(), load(&copy).unwrap());
    assert_eq!((a.digest(), a.digest().len()), (b.digest(), 64));
    assert_ne!(a.path(), b.path());
    assert!(std::ptr::eq(a.manifests(), b.manifests()));
    assert_eq!(a.manifest(Role::Solver).unwrap().id, "test.solver.bad");
    // Overwriting a loaded file is harmless: a private copy is what runs.
    let mut solver = b.create_solver("", &system()).unwrap();
    std::fs::write(&copy, b"gone").unwrap();
    assert_eq!(solve(&mut solver).unwrap(), Status::Converged);
}

#[test]
fn options_are_refused_with_advice() {
    let error = bad_solver(r#"{"att": "solve"}"#).err().unwrap();
    assert_eq!(error.kind, ErrorKind::BadOption);
    assert!(error.message.ends_with("did you mean `at`?"), "{error}");
    let error = bad_solver(r#"{"at": "create", "do": "refuse"}"#).err().unwrap();
    assert_eq!(error, StageError::bad_input("refused at Create, as asked").by("test.solver.bad"));
}

#[test]
fn a_panic_in_create() {
    for deed in ["panic", "bomb"] {
        let error = bad_solver(&format!(r#"{{"at": "create", "do": "{deed}"}}"#)).err().unwrap();
        assert_eq!(error.kind, ErrorKind::Panicked);
        let start = "plugin test.solver.bad: create panicked at tests/bad-plugins/src/misdeeds.rs:";
        assert!(error.message.starts_with(start), "{error}");
    }
}

#[test]
fn a_panic_in_solve_poisons() {
    let mut solver = bad_solver(r#"{"at": "solve", "do": "panic"}"#).unwrap();
    let first = solve(&mut solver).unwrap_err();
    assert_eq!(first.kind, ErrorKind::Panicked);
    assert!(first.message.starts_with("plugin test.solver.bad: solve panicked at "), "{first}");
    assert!(first.message.ends_with(": asked to panic at Solve"), "{first}");
    let second = solve(&mut solver).unwrap_err();
    let start = "plugin test.solver.bad: solve is refused because of an earlier panic: panicked at ";
    assert!(second.message.starts_with(start), "{second}");
    assert_eq!(solver.fault().unwrap().kind, FaultKind::Poisoned);
    // The library is not poisoned, only the instance.
    assert_eq!(solve(&mut bad_solver("").unwrap()).unwrap(), Status::Converged);
}

#[test]
fn a_panic_in_drop_is_survived() {
    drop(bad_solver(r#"{"at": "drop", "do": "panic"}"#).unwrap());
    drop(bad_solver(r#"{"at": "drop", "do": "bomb"}"#).unwrap());
    assert_eq!(solve(&mut bad_solver("").unwrap()).unwrap(), Status::Converged);
}

#[test]
fn panics_while_saving_and_loading() {
    let solver = bad_solver(r#"{"at": "save", "do": "panic"}"#).unwrap();
    let mut bytes = vec![];
    solver.save_state(&mut bytes);
    assert!(bytes.is_empty() && solver.fault().is_some());
    let mut solver = bad_solver(r#"{"at": "load", "do": "panic"}"#).unwrap();
    assert_eq!(solver.load_state(&[1]).unwrap_err().kind, ErrorKind::Panicked);
}

#[test]
fn wrong_answers() {
    let forbids = "broke the contract in what it returned:";
    let solved = |deed: &str| {
        let mut solver = bad_solver(&format!(r#"{{"at": "solve", "do": "{deed}"}}"#)).unwrap();
        let error = solve(&mut solver).unwrap_err();
        (solver.fault().unwrap().kind, error.message)
    };
    let expected = format!("plugin test.solver.bad: solve {forbids} z[0] is NaN");
    assert_eq!(solved("nan"), (FaultKind::NonFinite, expected));
    let expected = format!("plugin test.solver.bad: solve {forbids} 0 values of z where 1 are expected");
    assert_eq!(solved("short"), (FaultKind::BadOutput, expected));

    let query = DetectQuery { t: 0.0, pose: &[0.0; 6], margin: &[0.0; 2] };
    let mut detector = bad().create_detector(r#"{"at": "detect", "do": "nan"}"#, &system()).unwrap();
    let error = detector.detect(&query).map(|_| ()).unwrap_err();
    assert_eq!(error.message, format!("plugin test.detector.bad: detect {forbids} gap[0] is NaN"));

    let at_stepper = |options: &str| bad().create_stepper(options, &system()).unwrap();
    let mut stepper = at_stepper(r#"{"at": "formulate", "do": "short"}"#);
    let error = stepper.formulate(&step()).map(|_| ()).unwrap_err();
    assert_eq!(
        error.message,
        format!("plugin test.stepper.bad: formulate {forbids} 0 upper bounds for 1 unknowns")
    );
    let mut stepper = at_stepper(r#"{"at": "update", "do": "nan"}"#);
    let error = stepper.update(&step(), &Solution::default()).map(|_| ()).unwrap_err();
    assert_eq!(error.message, format!("plugin test.stepper.bad: update {forbids} v[0] is NaN"));
    assert_eq!(at_stepper("").update(&step(), &Solution::default()).unwrap().v, &[0.0; 3]);
}

/// One free planar body.
fn step() -> StepView<'static> {
    StepView {
        step: 0,
        pass: 0,
        attempt: 0,
        t: 0.0,
        h: 0.01,
        space: Space::Planar,
        tolerance: 1e-10,
        q: &[0.0; 3],
        v: &[0.0; 3],
        block_start: &[0, 3],
        q_start: &[0, 3],
        block_kind: &[1],
        quaternion: &[],
        motion: &[0],
        mass: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        drag: &[0.0; 9],
        force: &[0.0; 3],
        bias: &[0.0; 3],
        stiffness: Default::default(),
        viscosity: Default::default(),
        role: &[0; 3],
        command: &[0.0; 3],
        impedance: &[0.0; 3],
        contacts: Contacts { n_t: 1, ..Contacts::default() },
        rows: Rows::default(),
        supports: Default::default(),
        force_rate: &[],
        drive_speed: &[],
        rows_middle: Default::default(),
        rows_end: Default::default(),
    }
}

#[test]
fn a_false_success_is_for_the_residual_to_judge() {
    let mut solver = bad_solver(r#"{"at": "solve", "do": "lie"}"#).unwrap();
    let problem = simple_problem();
    let claimed = solver.solve(&Problem::Mlcp(problem.view())).unwrap();
    assert_eq!(claimed.status, Status::Converged);
    let (audited, _) = problem.view().audited_status(claimed.status, claimed.z);
    assert_eq!(audited, Status::NumericalFailure);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_changed_float_environment() {
    let mut solver = bad_solver(r#"{"at": "solve", "do": "flush"}"#).unwrap();
    let error = solve(&mut solver).unwrap_err();
    assert_eq!(
        error.message,
        "plugin test.solver.bad: solve changed the floating-point environment from 0x1f80 to 0x9fc0 (it was put back); \
         build the plugin without -ffast-math and leave rounding and flushing alone"
    );
    assert!(denormals_survive());
    // Made, but at fault: the instance is destroyed, the environment put back.
    let error = bad_solver(r#"{"at": "create", "do": "flush"}"#).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Fault);
    assert!(denormals_survive());
}

fn denormals_survive() -> bool {
    std::hint::black_box(f64::MIN_POSITIVE) / std::hint::black_box(2.0) > 0.0
}

#[test]
#[ignore = "long"]
fn a_role_that_is_not_there() {
    let minimal = build_stranger(Path::new(MINIMAL_SOLVER)).unwrap();
    let error = load(&minimal).unwrap().create_detector("", &system()).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    let expected = format!("{} has no detector, only solver example.solver.minimal", minimal.display());
    assert_eq!(error.message, expected);
}

const MINIMAL_SOLVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/minimal-solver/Cargo.toml");

// What only another process survives. `vinci plugin check` runs every test in a child for this reason.

/// The body of a child: does the deed and says so if it comes back.
#[test]
#[ignore = "run as a child by the tests below"]
fn child() {
    let options = std::env::var("DEED").unwrap();
    tracing_subscriber::fmt().with_ansi(false).without_time().init();
    println!("warnings: {:?}; denormals survive: {}", bad().warnings(), denormals_survive());
    let outcome = solve(&mut bad_solver(&options).unwrap());
    println!("came back: {outcome:?}");
}

fn run_child(deed: &str) -> (std::process::ExitStatus, String) {
    let options = format!(r#"{{"at": "solve", "do": "{deed}"}}"#);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env("DEED", options)
        .env("VINCI_BAD_LIBRARY", bad_library());
    let output = command.output().unwrap();
    (output.status, String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn exits_aborts_and_crashes_end_the_process() {
    let (status, output) = run_child("log");
    assert!(status.success() && output.contains("came back: Ok(Converged)"), "{output}");
    // A clean exit is the most treacherous: the host leaves a handler that turns it into the code of a plugin fault.
    let (status, output) = run_child("exit");
    assert_eq!((status.code(), output.contains("came back")), (Some(5), false), "{output}");
    for deed in ["abort", "crash"] {
        let (status, output) = run_child(deed);
        assert!(status.code().is_none() && !output.contains("came back"), "{deed}: {status} {output}");
    }
}

/// Each library has a dispatcher of its own: its events reach the host's, under the plugin's name, as far as wanted.
#[test]
fn log_messages_reach_the_host() {
    let (_, output) = run_child("log");
    let line =
        output.lines().find(|line| line.contains("bad at Solve")).unwrap_or_else(|| panic!("{output}"));
    assert!(line.trim_start().starts_with("INFO plugin: bad at Solve n=3"), "{line}");
    assert!(line.contains("test.solver.bad") && line.contains("vinci_bad_plugins::misdeeds"), "{line}");
    assert!(!output.contains("not wanted"), "{output}");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn loading_that_changes_the_float_environment() {
    // As `gcc -ffast-math -shared` does: an initialiser of the library sets flush-to-zero.
    let (_directory, path) = made_up("fast", &format!("{VERSION} {FLUSH}"));
    assert!(matches!(load(&path), Err(LoadError::NotAPlugin { symbol: "vinci_manifest", .. })));
    assert!(denormals_survive());
    // The same in a plugin that is otherwise good is a warning.
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--ignored", "--nocapture"]).env("VINCI_BAD_LIBRARY", bad_library());
    let output = command.env("DEED", "").env("VINCI_BAD_FLUSH_AT_LOAD", "1").output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.contains("changed the floating-point environment from 0x1f80 to 0x9fc0; it was put back"),
        "{output}"
    );
    assert!(
        output.contains("denormals survive: true") && output.contains("came back: Ok(Converged)"),
        "{output}"
    );
}

#[cfg(target_arch = "x86_64")]
const FLUSH: &str = r#"
    #[used]
    #[unsafe(link_section = ".init_array")]
    static START: extern "C" fn() = start;
    #[allow(deprecated)]
    extern "C" fn start() {
        unsafe { std::arch::x86_64::_mm_setcsr(std::arch::x86_64::_mm_getcsr() | 0x8040) }
    }
"#;
