//! Good input: what comes out of `extends`, flags and options.

use super::*;
use crate::diagnostics::Severity;
use serde_json::json;

fn load(files: &Files, name: &str, sets: &[&str]) -> Loaded {
    let overrides: Vec<Override> = sets.iter().map(|s| Override::set(s).unwrap()).collect();
    load_experiment(&files.path(name), &overrides)
        .unwrap_or_else(|diagnostics| panic!("{}", files.lines(&diagnostics)))
}

fn path(text: &str) -> Path {
    Path::parse(text).unwrap()
}

#[test]
fn a_small_experiment_loads_with_its_defaults() {
    let loaded = load(&both(), "e.json", &[]);
    let e = &loaded.experiment;
    assert_eq!((e.time.step, e.time.duration), (0.01, 1.0));
    assert_eq!((e.detector.plugin.as_str(), e.detector.margin), ("planar", 0.0));
    assert_eq!(e.solver.as_ref().unwrap().fallback[0].plugin, "newton");
    assert_eq!((e.record.every, e.record.contacts), (1, true));
    assert_eq!(loaded.scene.bodies[1].name, "block");
    assert!(loaded.warnings.is_empty());
    assert_eq!(
        loaded.plugin_paths().iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["detector", "stepper", "solver", "solver.fallback[0]"]
    );
}

#[test]
fn the_resolved_experiment_runs_alone_and_means_the_same() {
    let loaded = load(&both(), "e.json", &["scene.bodies.block.mass=2.5", "time.step=0.1", "seed=7"]);
    let text = serde_json::to_string_pretty(&loaded.resolved()).unwrap();
    let alone = Files::new([("experiment.json", text.as_str())]);
    let again = load(&alone, "experiment.json", &[]);
    assert_eq!(again.scene, loaded.scene);
    assert_eq!(again.experiment, loaded.experiment);
    assert_eq!(again.scene.bodies[1].mass, Some(2.5));
    assert_eq!(serde_json::to_string_pretty(&again.resolved()).unwrap(), text);
}

#[test]
fn documents_that_are_read_once_give_what_files_give() {
    let files = both();
    let documents = crate::Documents::read(&files.path("e.json")).unwrap();
    // The scene that was checked first is kept for changes that leave it as it is, and for no others.
    for sets in [
        vec![],
        vec!["time.step=0.1"],
        vec!["scene.bodies.block.mass=2.5", "time.step=0.1"],
        vec!["seed=7"],
        vec!["scene.bodies.block.mass=-1"],
        vec![],
    ] {
        let overrides: Vec<Override> = sets.iter().map(|s| Override::set(s).unwrap()).collect();
        let text = |loaded: Result<Loaded, Diagnostics>| match loaded {
            Ok(loaded) => (loaded.resolved().to_json().to_string(), loaded.warnings.render_text(false)),
            Err(found) => (String::new(), found.render_text(false)),
        };
        let (kept, anew) =
            (text(documents.with(&overrides)), text(load_experiment(&files.path("e.json"), &overrides)));
        assert_eq!(kept, anew, "{sets:?}");
        assert_eq!(kept.0.is_empty(), sets.iter().any(|s| s.ends_with("mass=-1")), "{sets:?}");
    }
}

#[test]
fn numbers_survive_to_the_bit() {
    let files = both();
    for x in
        ["0.1", "1e-300", "123456789012345678901234567890", "0.30000000000000004", "-0.0", "-0", "5e-324"]
    {
        let loaded = load(&files, "e.json", &[&format!("scene.bodies.block.velocity=[{x}, 1]")]);
        let expected = x.parse::<f64>().unwrap();
        let found = loaded.scene.bodies[1].velocity.clone().unwrap()[0];
        assert_eq!(found.to_bits(), expected.to_bits(), "{x}");
        let text = serde_json::to_string(&loaded.resolved()).unwrap();
        let alone = Files::new([("e.json", text.as_str())]);
        let again = load(&alone, "e.json", &[]).scene.bodies[1].velocity.clone().unwrap()[0];
        assert_eq!(again.to_bits(), expected.to_bits(), "{x}");
    }
}

#[test]
fn comments_and_a_byte_order_mark_are_allowed() {
    let text = format!("\u{feff}// the experiment\n{}\n/* end */", EXPERIMENT.replace("1 },", "1 }, // s"));
    let files = Files::new([("s.json", SCENE), ("e.json", text.as_str())]);
    load(&files, "e.json", &[]);
}

#[test]
fn extends_merges_objects_and_replaces_the_rest() {
    let over = r#"{ "format": "vinci/experiment@1", "extends": "../e.json",
        "time": { "step": 0.5 }, "scene": { "gravity": [0, -1] }, "detector": { "margin": 0.25 } }"#;
    let files = Files::new([("s.json", SCENE), ("e.json", EXPERIMENT), ("sub/o.json", over)]);
    let loaded = load(&files, "sub/o.json", &[]);
    assert_eq!((loaded.experiment.time.step, loaded.experiment.time.duration), (0.5, 1.0));
    assert_eq!(loaded.scene.gravity, Some(vec![0.0, -1.0]));
    assert_eq!(loaded.scene.bodies.len(), 2);
    assert_eq!(
        (loaded.experiment.detector.plugin.as_str(), loaded.experiment.detector.margin),
        ("planar", 0.25)
    );
    let place = loaded.place(&path("time.duration")).to_string();
    assert!(place.ends_with("e.json:3:39"), "{place}");
    let place = loaded.scene_place(&path("gravity")).to_string();
    assert!(place.ends_with("o.json:2:56"), "{place}");
    assert!(loaded.resolved().entry("extends").is_none());
}

#[test]
fn an_overlay_can_take_a_scene_of_its_own() {
    let other = SCENE.replace("block", "brick");
    let file = r#"{ "format": "vinci/experiment@1", "extends": "e.json", "scene": "other.json" }"#;
    let inline = format!(r#"{{ "format": "vinci/experiment@1", "extends": "e.json", "scene": {other} }}"#);
    let files = Files::new([
        ("s.json", SCENE),
        ("e.json", EXPERIMENT),
        ("other.json", other.as_str()),
        ("f.json", file),
        ("i.json", inline.as_str()),
    ]);
    for name in ["f.json", "i.json"] {
        let loaded = load(&files, name, &[]);
        assert_eq!(
            loaded.scene.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(),
            ["ground", "brick"]
        );
    }
    let by_flag = load(&files, "e.json", &[&format!("scene={}", files.path("other.json").display())]);
    assert_eq!(by_flag.scene.bodies[1].name, "brick");
}

#[test]
fn null_takes_a_value_back() {
    let loaded = load(&both(), "e.json", &["scene.bodies.block.mass=null", "scene.bodies.block.density=4"]);
    assert_eq!((loaded.scene.bodies[1].mass, loaded.scene.bodies[1].density), (None, Some(4.0)));
}

#[test]
fn array_elements_are_addressed_by_name_or_number() {
    for address in ["scene.bodies.block.mass", "scene.bodies.1.mass", "scene.bodies[1].mass"] {
        assert_eq!(load(&both(), "e.json", &[&format!("{address}=3")]).scene.bodies[1].mass, Some(3.0));
    }
    let loaded = load(&both(), "e.json", &["solver.fallback[0]=pgs", "solver.fallback[0].options.sweeps=9"]);
    assert_eq!(
        loaded.experiment.solver.as_ref().unwrap().fallback[0].options,
        *json!({ "sweeps": 9 }).as_object().unwrap()
    );
}

const OPTIONS: &str = r##"{
    "type": "object", "additionalProperties": false,
    "properties": {
        "pivots": { "type": "integer", "minimum": 1, "description": "Most pivots. Default 100." },
        "rule": { "$ref": "#/$defs/Rule" }
    },
    "$defs": { "Rule": { "oneOf": [ { "type": "string", "const": "lexicographic" }, { "type": "string", "const": "bland" } ] } }
}"##;

#[test]
fn options_are_checked_against_the_schema_of_the_plugin_at_their_places() {
    let files = both();
    let schema = serde_json::from_str(OPTIONS).unwrap();
    let check = |sets: &[&str]| {
        let mut diagnostics = Diagnostics::new();
        let value = load(&files, "e.json", sets).plugin_options(
            &path("solver"),
            "vinci.solver.lemke",
            &schema,
            &mut diagnostics,
        );
        (value, files.lines(&diagnostics))
    };
    assert_eq!(check(&[]), (json!({ "pivots": 100 }), String::new()));
    let (_, diagnostics) =
        check(&["solver.options.pivot=3", "solver.options.pivots=0", "solver.options.rule=blond"]);
    assert_eq!(
        diagnostics,
        "error[out-of-range] --set solver.options.pivots=0 `solver.options.pivots` must be at least 1, found 0\n  \
         Most pivots\n\
         error[unknown-key] --set solver.options.pivot=3 unknown key `pivot` in `solver.options`\n  \
         did you mean `pivots`? `vinci plugin info vinci.solver.lemke` explains them\n\
         error[unknown-value] --set solver.options.rule=blond `solver.options.rule` has the unknown value \"blond\"\n  \
         did you mean `bland`? known values: `lexicographic`, `bland`\n"
    );
}

#[test]
fn options_of_an_exchanged_plugin_stay_if_the_new_one_takes_them() {
    let over = r#"{ "format": "vinci/experiment@1", "extends": "e.json", "solver": { "options": { "sweeps": 3 } } }"#;
    let files = Files::new([("s.json", SCENE), ("e.json", EXPERIMENT), ("o.json", over)]);
    let schema = serde_json::from_str(OPTIONS).unwrap();
    let mut loaded = load(&files, "o.json", &["solver=pgs"]);
    let mut diagnostics = Diagnostics::new();
    let options = loaded.plugin_options(&path("solver"), "vinci.solver.pgs", &schema, &mut diagnostics);
    assert_eq!(options, json!({ "pivots": 100 }));
    assert!(diagnostics.iter().all(|d| d.severity == Severity::Warning));
    assert_eq!(
        files.lines(&diagnostics),
        "warning[bad-option] o.json:1:81 option `sweeps` was written for another plugin; \
         vinci.solver.pgs does not take it\n  \
         it is left out; give options of this plugin with --set or in an experiment of its own\n"
    );
    // What was dropped is not recorded.
    let resolved = loaded.resolved().to_json();
    let expected =
        json!({ "plugin": "pgs", "options": { "pivots": 100 }, "fallback": [{ "plugin": "newton" }] });
    assert_eq!(resolved["solver"], expected);
}

#[test]
fn options_set_by_hand_are_meant_for_the_plugin_that_runs() {
    let files = both();
    let schema = serde_json::from_str(OPTIONS).unwrap();
    for sets in [["solver=pgs", "solver.options.sweeps=3"], ["solver.options.sweeps=3", "solver=pgs"]] {
        let mut loaded = load(&files, "e.json", &sets);
        let mut diagnostics = Diagnostics::new();
        loaded.plugin_options(&path("solver"), "vinci.solver.pgs", &schema, &mut diagnostics);
        assert_eq!(diagnostics.errors(), 1, "{sets:?}");
    }
}

#[test]
fn the_same_plugin_under_its_short_name_keeps_its_options() {
    let mut loaded = load(&both(), "e.json", &["solver.options.sweeps=3", "solver=vinci.solver.lemke"]);
    let mut diagnostics = Diagnostics::new();
    let schema = serde_json::from_str(OPTIONS).unwrap();
    loaded.plugin_options(&path("solver"), "vinci.solver.lemke", &schema, &mut diagnostics);
    assert_eq!(diagnostics.errors(), 1, "an option of this very plugin is an error when it is unknown");
}

#[test]
fn an_unreadable_file_is_no_bad_input() {
    let diagnostics = load_scene(std::path::Path::new("/proc/self/mem")).unwrap_err();
    assert_eq!(diagnostics.exit_code(), 7, "{diagnostics}");
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    let files = Files::new([]);
    std::fs::write(files.path("s.json"), b"{\n \"a\xff\": 1}").unwrap();
    let diagnostics = load_scene(&files.path("s.json")).unwrap_err();
    assert_eq!(
        files.lines(&diagnostics),
        "error[syntax] s.json:2:4 not a text file: byte 5 is not UTF-8\n  experiments and scenes are JSON in UTF-8\n"
    );
    assert_eq!(diagnostics.exit_code(), 3);
}

#[test]
fn deep_nesting_and_long_lines_are_suffered() {
    for text in ["[".repeat(100_000), r#"{"a":"#.repeat(100_000)] {
        let files = Files::new([("s.json", text.as_str())]);
        let diagnostics = load_scene(&files.path("s.json")).unwrap_err();
        assert!(files.lines(&diagnostics).contains("nested more than 512 levels deep"));
        assert!(diagnostics.render_text(false).len() < 1000);
    }
    let compounds = format!(
        r#"{{"format":"vinci/scene@1","space":"planar","bodies":[{{"name":"a","mass":1,"shapes":[{}{{"type":"disc","radius":0}}{}]}}]}}"#,
        r#"{"type":"compound","shapes":["#.repeat(100),
        "]}".repeat(100)
    );
    let files = Files::new([("s.json", compounds.as_str())]);
    let diagnostics = load_scene(&files.path("s.json")).unwrap_err();
    assert!(files.lines(&diagnostics).contains("radius` must be greater than 0, found 0"));
}

#[test]
fn findings_are_printed_for_people_and_for_programs() {
    let text = "{ \"format\": \"vinci/scene@1\", \"space\": \"planar\",\n\t\"bodis\": [] }";
    let files = Files::new([("s.json", text)]);
    let diagnostics = load_scene(&files.path("s.json")).unwrap_err();
    let shown = diagnostics.render_text(false).replace(&format!("{}/", files.dir.path().display()), "");
    assert_eq!(
        shown,
        "error[missing-key]: the scene lacks the key `bodies`
 --> s.json:1:1
  |
1 | { \"format\": \"vinci/scene@1\", \"space\": \"planar\",
  | ^
  = help: `bodies`: The bodies, in the order of their coordinates; `vinci schema scene` prints all keys

error[unknown-key]: unknown key `bodis` in the scene
 --> s.json:2:2
  |
2 |  \"bodis\": [] }
  |  ^^^^^^^
  = help: did you mean `bodies`? `vinci schema scene` prints all keys

2 errors
"
    );
    let json: Vec<serde_json::Value> =
        diagnostics.render_json().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(json.len(), 2);
    assert_eq!(json[1]["severity"], "error");
    assert_eq!(json[1]["code"], "unknown-key");
    assert_eq!(json[1]["message"], "unknown key `bodis` in the scene");
    assert_eq!(json[1]["file"], files.path("s.json").display().to_string());
    assert_eq!((&json[1]["line"], &json[1]["column"]), (&json!(2), &json!(2)));
    assert_eq!(json[1]["help"], "did you mean `bodies`? `vinci schema scene` prints all keys");
}

#[test]
fn a_fault_in_a_flag_is_shown_in_the_flag() {
    let sets = ["time.step=fast", "scene.bodies.block.mas=1"].map(|s| Override::set(s).unwrap());
    let own = Override::flag("--duration", path("time.duration"), "-1").unwrap();
    let overrides = [sets[0].clone(), sets[1].clone(), own];
    let diagnostics = load_experiment(&both().path("e.json"), &overrides).unwrap_err();
    assert_eq!(
        diagnostics.render_text(false),
        "error[wrong-type]: `time.step` must be a number, found the string \"fast\"
  |
  | --set time.step=fast
  |                 ^^^^
  = help: Size h of a time step, s

error[out-of-range]: `time.duration` must be greater than 0, found -1
  |
  | --duration -1
  |            ^^
  = help: Simulated time, s

error[unknown-key]: unknown key `mas` in `bodies[1]`
  |
  | --set scene.bodies.block.mas=1
  |       ^^^^^^^^^^^^^^^^^^^^^^
  = help: did you mean `mass`? `vinci schema scene` prints all keys

3 errors
"
    );
}

#[test]
fn a_long_line_is_shown_around_its_fault() {
    let bodies: Vec<String> =
        (0..500).map(|i| format!(r#"{{"name":"b{i}","mass":1,"inertia":1}}"#)).collect();
    let text = format!(
        r#"{{"format":"vinci/scene@1","space":"planar","bodies":[{}]}}"#,
        bodies.join(",").replace(r#""b400","mass":1"#, r#""b400","mass":0"#)
    );
    let files = Files::new([("s.json", text.as_str())]);
    let shown = load_scene(&files.path("s.json")).unwrap_err().render_text(false);
    assert!(shown.lines().all(|line| line.chars().count() < 200), "{shown}");
    let (at, marks) = (shown.lines().nth(3).unwrap(), shown.lines().nth(4).unwrap());
    assert_eq!(at.chars().nth(marks.chars().count() - 1), Some('0'), "{shown}");
}

/// Half of all numbers came out one bit off where `serde_json` was built for one package alone.
#[test]
fn numbers_are_read_to_the_last_bit() {
    for text in ["1.0471975511965976", "0.1", "2.2250738585072011e-308", "9007199254740993.0", "-3.3e-5"] {
        let expected: f64 = text.parse().unwrap();
        assert_eq!(serde_json::from_str::<f64>(text).unwrap().to_bits(), expected.to_bits(), "{text}");
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(value.as_f64().unwrap().to_bits(), expected.to_bits(), "{text}");
    }
}
