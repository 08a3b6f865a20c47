//! `vinci plugin check` as a judge: libraries that would deceive it, and what it says for a README.

use vinci_tests::program::{comes, processes};

use super::*;

/// The solver in C of the SDK with a change of its text, and with a deed that is done as it is loaded.
fn solver_in_c(directory: &Path, name: &str, change: [&str; 2], deed: &str) -> String {
    changed("pgs.c", directory, name, change, deed)
}

/// A library from an example in C of the SDK with a change of its text, and with more behind it.
fn changed(example: &str, directory: &Path, name: &str, change: [&str; 2], more: &str) -> String {
    let text = std::fs::read_to_string(house::root().join("sdk/c/examples").join(example)).unwrap();
    assert!(text.contains(change[0]), "{}", change[0]);
    let text = text.replace(change[0], change[1]).replace("\"../vinci_helpers.h\"", "\"vinci_helpers.h\"");
    let source = directory.join(format!("{name}.c"));
    std::fs::write(&source, text + more).unwrap();
    let place = directory.join(file_name(name));
    built_in_c(&source, &place, false);
    place.display().to_string()
}

/// Where nobody keeps it from anything it ended the process: the check ended with 0 and said nothing.
#[test]
fn a_library_that_ends_the_process_where_it_is_not_kept_in_fails_its_check() {
    let dir = tempfile::tempdir().unwrap();
    let deed = "#include <sys/prctl.h>\n#include <unistd.h>\n\
        __attribute__((constructor)) static void leave(void) { if (prctl(PR_GET_SECCOMP) == 0) _exit(0); }\n";
    let library = solver_in_c(dir.path(), "sly", ["", ""], deed);
    let output = vinci(dir.path(), &["plugin", "check", &library, "--level", "1"]);
    let text = ends_with(&output, 1);
    assert!(text.contains("CRASHED: the process ended with code 0 and gave no answer"), "{text}");
}

/// It printed the answer of the suite itself, which was believed.
#[test]
fn a_library_does_not_answer_in_the_place_of_the_suite() {
    let dir = tempfile::tempdir().unwrap();
    let deed = "#include <stdio.h>\n#include <sys/prctl.h>\n#include <unistd.h>\n\
        __attribute__((constructor)) static void answer(void) { if (prctl(PR_GET_SECCOMP) == 0) {\n\
        puts(\"vinci-conformance-outcome {\\\"outcome\\\":\\\"passed\\\",\\\"remark\\\":\\\"\\\"}\"); fflush(stdout); _exit(0); } }\n";
    let library = solver_in_c(dir.path(), "boast", ["", ""], deed);
    let text = ends_with(&vinci(dir.path(), &["plugin", "check", &library, "--level", "1"]), 1);
    assert!(!text.contains("passed:") && text.contains("gave no answer"), "{text}");
}

/// A process that a library starts holds the output of the test for as long as it likes.
#[test]
fn a_library_that_forks_does_not_hold_the_suite_up() {
    let dir = tempfile::tempdir().unwrap();
    let deed = "#include <sys/prctl.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n\
        __attribute__((constructor)) static void leave(void) {\n\
        if (prctl(PR_GET_SECCOMP) == 0 && syscall(SYS_fork) == 0) { sleep(600); _exit(0); } }\n";
    let library = solver_in_c(dir.path(), "heavy", ["", ""], deed);
    let begun = std::time::Instant::now();
    let output = vinci(dir.path(), &["plugin", "check", &library, "--level", "1"]);
    assert!(begun.elapsed().as_secs() < 300, "{}", output_text(&output));
    // What it left was ended with its test.
    assert!(comes(|| processes(|line| line.contains(&library)).is_empty()), "a process is left");
}

/// A misspelt capability is none, and nobody was told.
#[test]
fn a_capability_that_nobody_knows_is_warned_of() {
    let dir = tempfile::tempdir().unwrap();
    let change = [
        "\\\"deterministic\\\": true",
        "\\\"capabilities\\\": [\\\"warm-start\\\", \\\"second-order-cone\\\"], \\\"deterministic\\\": true",
    ];
    let library = solver_in_c(dir.path(), "misspelt", change, "");
    let file = experiment(dir.path(), |_| ());
    let text = ends_with(&vinci(dir.path(), &["run", &file, "--solver", &library, "--out", "out"]), 0);
    let told = "example.solver.pgs-in-c claims the capability \"second-order-cone\", which this host does not know (of a solver: bounds, ";
    assert!(text.contains(told) && !text.contains("capability \"warm-start\""), "{text}");
    let text = ends_with(&vinci(dir.path(), &["plugin", "check", &library, "--level", "1"]), 0);
    assert!(text.contains("unknown capabilities: \"second-order-cone\""), "{text}");
}

/// A number that stands for no feature was that of contacts which the dry run imagines: two were told as one.
#[test]
fn a_detector_without_features_may_say_so_by_the_largest_number() {
    let dir = tempfile::tempdir().unwrap();
    let change =
        [".shape_b = pair[1]}", ".shape_b = pair[1], .feature_a = UINT32_MAX, .feature_b = UINT32_MAX}"];
    let library = changed("discs.c", dir.path(), "featureless", change, "");
    let file = experiment(dir.path(), |e| {
        e["scene"] = json!({ "format": "vinci/scene@1", "space": "planar", "gravity": [0, -9.81],
            "materials": { "default": { "friction": 0.5 } },
            "bodies": [
                { "name": "held", "static": true, "shapes": [{ "type": "disc", "radius": 1 }] },
                { "name": "disc", "mass": 1, "inertia": 0.5, "position": [0, 2],
                  "shapes": [{ "type": "disc", "radius": 1 }] } ] });
    });
    let text = ends_with(&vinci(dir.path(), &["run", &file, "--detector", &library, "--out", "out"]), 0);
    let contacts = std::fs::read_to_string(dir.path().join("out/contacts.csv")).unwrap();
    assert!(contacts.lines().count() > 1, "{text}");
}

/// Where a pair was apart there was room for one contact more, and no scene of the suite had any.
#[test]
fn a_detector_that_reports_a_contact_twice_fails_its_check() {
    let dir = tempfile::tempdir().unwrap();
    let answer = "    out->key.list = (VinciSliceKey){self->key, n};";
    let twice = "    if (n > 0 && n < self->n_pairs) {\n        self->key[n] = self->key[n - 1];\n        self->gap[n] = self->gap[n - 1];\n\
        for (size_t i = 0; i < 3; ++i) {\n            self->normal[3 * n + i] = self->normal[3 * n + i - 3];\n\
        self->point_a[3 * n + i] = self->point_a[3 * n + i - 3];\n            self->point_b[3 * n + i] = self->point_b[3 * n + i - 3];\n\
        }\n        ++n;\n    }\n";
    let library = changed("discs.c", dir.path(), "twice", [answer, &format!("{twice}{answer}")], "");
    let text = ends_with(&vinci(dir.path(), &["plugin", "check", &library, "--level", "4"]), 1);
    assert!(text.contains("two contacts have the identity"), "{text}");
}

/// All words of the plugins that ship are known.
#[test]
fn the_plugins_that_ship_claim_nothing_unknown() {
    let found = house::registry().scan();
    let manifests = found.iter().filter_map(|one| one.plugin.as_ref().ok()).flat_map(|p| p.manifests());
    let own: Vec<_> = manifests.filter(|m| m.id.starts_with("vinci.")).collect();
    assert!(own.len() > 15, "{}", own.len());
    let unknown: Vec<_> =
        own.iter().flat_map(|m| m.unknown_capabilities().map(|word| (&m.id, word))).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn the_result_is_a_badge_and_names_what_was_checked() {
    let dir = tempfile::tempdir().unwrap();
    let library = solver_in_c(dir.path(), "fine", ["", ""], "");
    let badge = dir.path().join("badge.svg");
    let check = ["plugin", "check", &library, "--level", "1", "--json", "--badge", badge.to_str().unwrap()];
    let output = vinci(dir.path(), &check);
    ends_with(&output, 0);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let named = json!([{ "role": "solver", "id": "example.solver.pgs-in-c", "version": "0.1.0" }]);
    assert_eq!(report["plugins"], named);
    assert_eq!(report["sha256"].as_str().map(str::len), Some(64));
    let drawn = std::fs::read_to_string(&badge).unwrap();
    assert!(drawn.starts_with("<svg ") && drawn.contains(">level 1, "), "{drawn}");
}
