//! House rules that a reader can check: who depends on whom, which words stand where, which files every plugin has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use vinci_tests::house::root;

fn metadata() -> Metadata {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml")).no_deps().exec().expect("cargo describes the workspace")
}

/// Where a package lies in the house, as "core" or "plugins/solver-lemke".
fn place(package: &Package) -> String {
    let directory = package.manifest_path.parent().expect("a manifest lies somewhere");
    let root = root().canonicalize().expect("the root exists");
    let directory = directory.canonicalize().expect("the package exists");
    directory.strip_prefix(&root).expect("members lie in the workspace").to_string_lossy().replace('\\', "/")
}

/// What the program may depend on.
const HOST: &[&str] = &[
    "vinci-core",
    "vinci-abi",
    "vinci-conformance",
    "vinci-isolate",
    "vinci-engine",
    "vinci-scene",
    "vinci-run",
    "vinci-compare",
    "vinci-fit",
    "vinci-judge",
    "vinci-draw",
    "vinci-sweep",
];

/// Packages of the house that a package at `place` may depend on; None: any.
fn allowed(place: &str) -> Option<&'static [&'static str]> {
    match place {
        "core" | "xtask" => Some(&[]),
        "sdk/abi" => Some(&["vinci-core"]),
        "sdk" => Some(&["vinci-core", "vinci-abi"]),
        "sdk/detect" | "sdk/linear" => Some(&["vinci-core"]),
        "sdk/qp" => Some(&["vinci-core", "vinci-linear"]),
        "sdk/conformance" => Some(&["vinci-core", "vinci-abi"]),
        "host/isolate" => Some(&["vinci-core", "vinci-abi"]),
        "host/engine" => Some(&["vinci-core", "vinci-abi", "vinci-isolate"]),
        "host/scene" => Some(&["vinci-core", "vinci-abi", "vinci-engine"]),
        "host/run" => Some(&["vinci-core", "vinci-abi", "vinci-engine", "vinci-scene"]),
        "host/compare" => Some(&["vinci-core", "vinci-abi", "vinci-engine", "vinci-scene", "vinci-run"]),
        "host/draw" => Some(&["vinci-core", "vinci-scene", "vinci-run"]),
        "host/judge" => Some(&["vinci-core", "vinci-abi", "vinci-engine", "vinci-scene", "vinci-run"]),
        "host/sweep" => Some(&["vinci-core", "vinci-abi", "vinci-engine", "vinci-scene", "vinci-run"]),
        "host/fit" => {
            Some(&["vinci-core", "vinci-engine", "vinci-scene", "vinci-run", "vinci-compare", "vinci-sweep"])
        }
        "host/cli" => Some(HOST),
        "host/python" => Some(&["vinci-core", "vinci-engine", "vinci-scene", "vinci-run", "vinci-sweep"]),
        _ if place.starts_with("plugins/") => {
            Some(&["vinci-sdk", "vinci-detect", "vinci-linear", "vinci-qp"])
        }
        _ if place.starts_with("tests") => None,
        _ => panic!("{place} is no place of the house: add it to CONTRIBUTING.md and to this list"),
    }
}

#[test]
fn nobody_depends_on_what_it_must_not_know() {
    let metadata = metadata();
    let ours: BTreeSet<&str> = metadata.packages.iter().map(|p| p.name.as_str()).collect();
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let place = place(package);
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            // A plugin's own tests may use the shared suite and the shared problems.
            let tests = dependency.kind == DependencyKind::Development
                && ["vinci-conformance", "vinci-test-problems"].contains(&name);
            if let Some(allowed) = allowed(&place)
                && ours.contains(name)
                && !allowed.contains(&name)
                && !tests
            {
                wrong.push(format!("{place} depends on {name}"));
            }
            if ["abi_stable", "libloading"].contains(&name) && place != "sdk/abi" {
                wrong.push(format!("{place} depends on {name}, which only sdk/abi may"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A crate whose manifest says that its sources hold no tests is not built for them: one written there would never run.
#[test]
fn no_test_stands_where_none_is_built() {
    let metadata = metadata();
    let targets = metadata.packages.iter().flat_map(|p| &p.targets);
    let untested: Vec<_> = targets.filter(|t| !t.test && t.name != "build-script-build").collect();
    let mut wrong = Vec::new();
    for target in untested {
        let mut files = Vec::new();
        walk(target.src_path.parent().expect("sources lie in a folder").as_std_path(), &mut files);
        let tested =
            |f: &PathBuf| std::fs::read_to_string(root().join(f)).is_ok_and(|t| t.contains("#[test]"));
        wrong.extend(files.iter().filter(|f| f.extension().is_some_and(|e| e == "rs") && tested(f)).cloned());
    }
    assert!(wrong.is_empty(), "tests that never run: {wrong:?}");
}

/// Plugins are shipped with the program or by their owners, never through a registry of crates.
#[test]
fn plugins_are_not_published() {
    let metadata = metadata();
    let plugins = metadata.packages.iter().filter(|p| place(p).starts_with("plugins/"));
    let open: Vec<_> =
        plugins.filter(|p| p.publish.as_deref() != Some(&[])).map(|p| p.name.as_str()).collect();
    assert!(open.is_empty(), "`publish = false` is missing: {open:?}");
}

/// Documentation, of items and of files, whose first line does not begin with what the thing is.
fn riddles(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_doc = |k: usize| lines[k].starts_with("///");
    let items = (0..lines.len()).filter(|&k| is_doc(k) && (k == 0 || !is_doc(k - 1)));
    let heads = (0..lines.len().min(1)).filter(|&k| lines[k].starts_with("//!"));
    let riddle = |line: &str| {
        let text = line.trim_start_matches(['/', '!', ' ']);
        let begins =
            |word: &str| text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        ["The same", "What", "Who", "Whether"].into_iter().any(begins)
    };
    heads.chain(items).map(|k| lines[k]).filter(|line| riddle(line)).map(str::to_owned).collect()
}

#[test]
fn documentation_begins_with_what_the_thing_is() {
    let planted = "//! What it is.\n\n/// What it is.\n#[derive(Debug)]\nstruct A {\n    /// Whether so.\n    b: bool,\n}\n\
                   /// Length in m.\n/// What else.\npub const B: f64 = 1.0;\n/// Whole.\npub const C: f64 = 1.0;";
    assert_eq!(riddles(planted), ["//! What it is.", "/// What it is.", "/// Whether so."]);
    let sources = texts(|n| n.ends_with(".rs") && !n.starts_with("tests/") && !n.contains("/tests/"));
    let found: Vec<String> =
        sources.iter().flat_map(|(n, t)| riddles(t).into_iter().map(move |l| format!("{n}: {l}"))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn everybody_is_where_the_list_says() {
    let places: Vec<String> = metadata().packages.iter().map(place).collect();
    for expected in
        ["core", "sdk", "sdk/abi", "sdk/conformance", "host/engine", "host/cli", "host/python", "tests"]
    {
        assert!(places.iter().any(|p| p == expected), "{expected} is no member of the workspace: {places:?}");
    }
    assert!(places.iter().filter(|p| p.starts_with("plugins/")).count() >= 7, "{places:?}");
}

/// Files under version control (all files of the house where there is none), relative to the root.
fn files() -> Vec<PathBuf> {
    let git = Command::new("git").arg("-C").arg(root()).args(["ls-files", "-z"]).output();
    match git {
        Ok(output) if output.status.success() && !output.stdout.is_empty() => {
            let list = String::from_utf8(output.stdout).expect("paths are text");
            list.split('\0')
                .filter(|f| !f.is_empty())
                .map(PathBuf::from)
                .filter(|f| root().join(f).is_file())
                .collect()
        }
        _ => {
            let mut all = Vec::new();
            walk(&root(), &mut all);
            all
        }
    }
}

fn walk(directory: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("the house can be read").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() && !["target", "results", ".git"].iter().any(|n| *n == name) {
            walk(&path, all);
        } else if path.is_file() {
            all.push(path.strip_prefix(root()).expect("below the root").to_path_buf());
        }
    }
}

/// Tracked text files of one kind of name, with their text. This file names what it forbids, so it is left out.
fn texts(wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for file in files() {
        let name = file.to_string_lossy().replace('\\', "/");
        if name == "tests/tests/rules/tidy.rs" || !wanted(&name) {
            continue;
        }
        if let Ok(text) = std::fs::read_to_string(root().join(&file)) {
            all.push((name, text));
        }
    }
    assert!(!all.is_empty());
    all
}

/// "file:line" of all lines that hold `word`, whole words only where it consists of letters.
fn lines_with(texts: &[(String, String)], word: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let whole = word.chars().all(is_part);
    let mut found = Vec::new();
    for (name, text) in texts {
        for (number, line) in text.lines().enumerate() {
            let hit = line.match_indices(word).any(|(at, _)| {
                let before = line[..at].chars().next_back().is_some_and(is_part);
                let after = line[at + word.len()..].chars().next().is_some_and(is_part);
                !whole || (!before && !after)
            });
            if hit {
                found.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    found
}

#[track_caller]
fn nowhere(texts: &[(String, String)], words: &[&str]) {
    let found: Vec<String> = words.iter().flat_map(|w| lines_with(texts, w)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Rust outside the contract crate, the one that shares memory with other processes, and the plugins that break the contract on purpose (and
/// the tests that look at them).
fn ordinary_rust(name: &str) -> bool {
    let trusted = ["sdk/abi/", "host/isolate/"];
    name.ends_with(".rs") && !trusted.iter().any(|place| name.starts_with(place)) && !misbehaving(name)
}

fn misbehaving(name: &str) -> bool {
    let tests = ["sdk/conformance/tests/bad_plugins.rs", "tests/tests/program/bad_plugins.rs"];
    name.starts_with("tests/bad-plugins") || tests.contains(&name)
}

#[test]
fn only_the_contract_names_its_machinery() {
    let rust = texts(|n| n.ends_with(".rs") && !n.starts_with("sdk/abi/"));
    nowhere(&rust, &["abi_stable", "libloading"]);
    let manifests = texts(|n| n.ends_with("Cargo.toml") && n != "Cargo.toml" && !n.starts_with("sdk/abi/"));
    nowhere(&manifests, &["abi_stable", "libloading"]);
}

#[test]
fn only_two_crates_are_trusted_with_memory() {
    nowhere(&texts(ordinary_rust), &["unsafe"]);
}

#[test]
fn the_host_names_no_plugin() {
    let host = texts(|n| n.starts_with("host/") && n.ends_with(".rs"));
    let names: Vec<String> = metadata()
        .packages
        .iter()
        .filter(|p| place(p).starts_with("plugins/"))
        .map(|p| p.name.replace('-', "_"))
        .collect();
    nowhere(&host, &names.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn nothing_is_left_for_later_and_no_place_of_a_machine_is_named() {
    let ours = texts(|n| !n.ends_with("Cargo.lock") && !n.starts_with("LICENSE"));
    nowhere(&ours, &["todo!", "unimplemented!", "FIXME", "XXX", "HACK", "for now"]);
    nowhere(&ours, &["/home/", "/Users/", "/root/", "/work/", "C:\\\\Users", "/tmp/"]);
    let code = texts(ordinary_rust);
    nowhere(&code, &["dbg!"]);
}

/// Deepest folder, from the root, that a relative path in a line of `file` may start from: that of its package, and its own
/// where the compiler reads the path.
fn depth(file: &str, line: &str, packages: &BTreeSet<String>) -> usize {
    let folders = |path: &str| path.split('/').filter(|p| !p.is_empty()).count();
    let own = folders(file) - 1;
    if ["include_str!", "include_bytes!", "include!", "#[path"].iter().any(|w| line.contains(w)) {
        return own;
    }
    let package = packages.iter().filter(|p| file.starts_with(&format!("{p}/"))).map(|p| folders(p)).max();
    package.unwrap_or(own)
}

/// What a test needs is part of the repository: one that reads what lies beside it passes or fails for reasons that nobody sees
/// in a clone.
#[test]
fn nothing_is_read_from_beside_the_repository() {
    let everything = texts(|n| !n.ends_with("Cargo.lock"));
    nowhere(&everything, &[concat!("..", "/shared")]);
    let packages: BTreeSet<String> = metadata().packages.iter().map(place).collect();
    let mut found = Vec::new();
    for (name, text) in texts(|n| n.ends_with(".rs") || n.ends_with(".py")) {
        for (number, line) in text.lines().enumerate() {
            for literal in line.split('"').skip(1).step_by(2) {
                let ups = literal.trim_start_matches("{}").trim_start_matches('/').split('/');
                let ups = ups.take_while(|part| *part == "..").count();
                if ups > depth(&name, line, &packages) {
                    found.push(format!("{name}:{}: {literal}", number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Data of others say where they come from and under which licence.
#[test]
fn data_have_their_source_and_licence() {
    for folder in ["problems", "models", "scenes"] {
        let path = root().join("tests/data").join(folder).join("README.md");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(text.to_lowercase().contains("licence"), "{} names no licence", path.display());
        let unnamed: Vec<String> = std::fs::read_dir(root().join("tests/data").join(folder))
            .expect("the data are there")
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .filter(|name| name != "README.md" && !text.contains(name.as_str()))
            .collect();
        assert!(unnamed.is_empty(), "{} does not name {unnamed:?}", path.display());
    }
}

/// Names of the plugin folders.
fn plugins() -> Vec<String> {
    let mut names: Vec<String> = metadata()
        .packages
        .iter()
        .map(place)
        .filter_map(|p| p.strip_prefix("plugins/").map(str::to_owned))
        .collect();
    names.sort();
    names
}

#[test]
fn who_can_read_one_plugin_can_read_all() {
    let mut missing = Vec::new();
    for plugin in plugins() {
        let role = plugin.split('-').next().unwrap_or_default();
        let own: &[&str] = match role {
            "detector" => &["src/detect.rs"],
            "stepper" => &["src/formulate.rs", "src/update.rs"],
            "solver" => &["src/solve.rs"],
            "controller" => &["src/control.rs"],
            _ => panic!("plugins/{plugin}: the first word of a plugin is its role"),
        };
        for file in ["README.md", "src/lib.rs", "src/config.rs"].iter().chain(own) {
            if !root().join("plugins").join(&plugin).join(file).is_file() {
                missing.push(format!("plugins/{plugin}/{file}"));
            }
        }
    }
    assert!(missing.is_empty(), "missing: {}", missing.join(", "));
}

#[test]
fn backend_types_stay_in_one_file() {
    for plugin in plugins() {
        let source = texts(|n| n.starts_with(&format!("plugins/{plugin}/src/")) && n.ends_with(".rs"));
        for backend in ["parry3d_f64", "clarabel", "highs", "faer"] {
            let naming = lines_with(&source, backend)
                .into_iter()
                .filter(|l| !l.split_once(": ").is_some_and(|(_, t)| t.starts_with("//")));
            let files: BTreeSet<String> =
                naming.filter_map(|l| l.split(':').next().map(str::to_owned)).collect();
            let allowed = format!("plugins/{plugin}/src/convert.rs");
            assert!(files.iter().all(|f| *f == allowed), "{plugin} names {backend} in {files:?}");
        }
    }
}

#[test]
fn the_examples_are_what_they_promise() {
    let mut roles: BTreeSet<&str> = BTreeSet::new();
    for (name, text) in texts(|n| n.starts_with("sdk/examples/") && n.ends_with("src/lib.rs")) {
        assert!(text.lines().count() < 100, "{name} has {} lines", text.lines().count());
        roles.extend(["detector", "stepper", "solver", "controller"].iter().filter(|r| name.contains(**r)));
    }
    assert_eq!(roles.len(), 4, "an example is missing: {roles:?}");
}

#[test]
fn every_shipped_experiment_has_its_scene_and_every_scene_its_experiment() {
    let scenes = root().join("host/scenes");
    for entry in std::fs::read_dir(&scenes).expect("scenes ship").flatten() {
        let name = entry.file_name().into_string().expect("names are text");
        // A scene has an experiment whose name begins with its own; an experiment names its scene, which others may share.
        if let Some(stem) = name.strip_suffix(".scene.json") {
            let files = std::fs::read_dir(&scenes).expect("scenes ship").flatten();
            let mut names = files.map(|f| f.file_name().into_string().expect("names are text"));
            assert!(names.any(|n| n.starts_with(stem) && !n.contains(".scene.")), "no experiment on {name}");
            continue;
        }
        // Data to fit belong to the experiment of their name.
        if let Some(stem) = name.strip_suffix(".csv") {
            assert!(scenes.join(format!("{stem}.json")).is_file(), "no experiment for {name}");
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("it is read");
        let experiment: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let key = if name.ends_with(".sweep.json") { "experiment" } else { "scene" };
        let scene = experiment[key].as_str().or(experiment["extends"].as_str());
        let scene = scene.expect("experiments that ship name their scene, sweeps their experiment");
        assert!(scenes.join(scene).is_file(), "{name} has no {scene}");
    }
}
