//! The published schemas.

use super::super::schema::{PluginSchema, experiment_schema, scene_schema};
use super::*;
use serde_json::{Value, json};

/// A validator that knows both schemas by their names.
fn validator(plugins: &[PluginSchema], of_experiments: bool) -> jsonschema::Validator {
    // Relative names need a base to be resolved against.
    let based = |mut schema: Value, name: &str| {
        schema["$id"] = json!(format!("https://example.org/{name}.schema.json"));
        schema
    };
    let scene = based(scene_schema(), "scene");
    let registry = jsonschema::Registry::new()
        .add("https://example.org/scene.schema.json", jsonschema::Resource::from_contents(scene.clone()))
        .unwrap()
        .prepare()
        .unwrap();
    let schema = if of_experiments { based(experiment_schema(plugins), "experiment") } else { scene };
    jsonschema::options().with_registry(&registry).build(&schema).unwrap()
}

fn shipped(suffix: &str) -> Vec<(String, Value)> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let mut files: Vec<_> =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    let wanted = |p: &PathBuf| {
        let name = p.to_string_lossy().into_owned();
        name.ends_with(suffix)
            && (suffix != ".json" || !(name.ends_with(".scene.json") || name.ends_with(".sweep.json")))
    };
    let read = |p: PathBuf| {
        let text = std::fs::read_to_string(&p).unwrap();
        Some((p.display().to_string(), serde_json::from_str(&text).ok()?))
    };
    files.into_iter().filter(wanted).filter_map(read).collect()
}

#[test]
fn what_ships_and_loads_is_valid_under_the_published_schemas() {
    let (scenes, experiments) = (validator(&[], false), validator(&[], true));
    for (name, value) in shipped(".scene.json") {
        assert!(
            scenes.is_valid(&value),
            "{name}: {:?}",
            scenes.validate(&value).err().map(|e| e.to_string())
        );
    }
    for (name, value) in shipped(".json") {
        assert!(experiments.is_valid(&value), "{name}");
    }
}

#[test]
fn what_is_refused_for_its_keys_is_invalid_under_the_published_schemas() {
    let scenes = validator(&[], false);
    let good: Value = serde_json::from_str(SCENE).unwrap();
    let faults: [(&str, Value); 8] = [
        ("/space", json!("plane")),
        ("/gravity", json!([0, 0, -9.81])),
        ("/bodies/1/mass", json!(0)),
        ("/bodies/1/orientation", json!({ "rpy": [0, 0, 0] })),
        ("/bodies/1/shapes/0/type", json!("ball")),
        ("/bodies/1/shapes/0/colour", json!("red")),
        ("/bodies/1/dofs", json!({ "z": "free" })),
        ("/materials", json!({ "a b": {} })),
    ];
    for (pointer, value) in faults {
        let mut bad = good.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        bad.pointer_mut(parent).unwrap()[key] = value;
        assert!(!scenes.is_valid(&bad), "{pointer}");
        let files = Files::new([("s.json", bad.to_string().as_str())]);
        assert!(load_scene(&files.path("s.json")).is_err(), "{pointer}");
    }
    let experiments = validator(&[], true);
    assert!(!experiments.is_valid(&json!({ "format": "vinci/experiment@1" })));
    assert!(
        !experiments.is_valid(&json!({ "format": "vinci/experiment@1", "extends": "e.json", "tme": {} }))
    );
}

#[test]
fn two_keys_of_which_one_is_to_be_chosen_are_named_both() {
    let mut bad: Value = serde_json::from_str(SCENE).unwrap();
    bad["bodies"][1]["dofs"] = json!({ "x": { "position": 0, "velocity": 1 } });
    let files = Files::new([("s.json", bad.to_string().as_str())]);
    let said = files.lines(&load_scene(&files.path("s.json")).unwrap_err());
    assert!(
        said.contains("has both `velocity` and `position`")
            || said.contains("has both `position` and `velocity`"),
        "{said}"
    );
    assert!(!said.contains("unknown"), "{said}");
}

#[test]
fn options_of_plugins_are_described() {
    let options = json!({
        "type": "object", "additionalProperties": false,
        "properties": { "rule": { "$ref": "#/$defs/Rule" } }, "$defs": { "Rule": { "enum": ["a", "b"] } }
    });
    let plugin = PluginSchema { role: "solver".into(), id: "vinci.solver.lemke".into(), options };
    let experiments = validator(&[plugin], true);
    let with = |plugin: &str, options: Value| {
        let mut experiment: Value = serde_json::from_str(EXPERIMENT).unwrap();
        experiment["solver"] = json!({ "plugin": plugin, "options": options });
        experiments.is_valid(&experiment)
    };
    assert!(with("vinci.solver.lemke", json!({ "rule": "a" })));
    assert!(!with("vinci.solver.lemke", json!({ "rule": "c" })));
    assert!(!with("vinci.solver.lemke", json!({ "rul": "a" })));
    assert!(with("vinci.solver.other", json!({ "rul": "c" })));
}

/// Documents that the schema accepts are read by the types, whatever is changed in them; those it refuses are errors with a
/// place. Every value of a rich scene is replaced by values of every kind.
#[test]
fn no_value_anywhere_slips_between_schema_and_types() {
    let strange = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1.5),
        json!(1e300),
        json!("x"),
        json!(""),
        json!([]),
        json!([1, 2]),
        json!([1, 2, 3]),
        json!({}),
        json!({ "x": 1 }),
    ];
    for scene in [RICH_PLANAR, RICH_SPATIAL] {
        let good: Value = serde_json::from_str(scene).unwrap();
        let files = Files::new([("s.json", scene)]);
        load_scene(&files.path("s.json"))
            .unwrap_or_else(|diagnostics| panic!("{}", files.lines(&diagnostics)));
        let mut pointers = Vec::new();
        collect(&good, String::new(), &mut pointers);
        // The document itself is always an object: reading sees to that.
        pointers.retain(|p| !p.is_empty());
        assert!(pointers.len() > 60);
        for pointer in &pointers {
            for value in &strange {
                let mut changed = good.clone();
                *changed.pointer_mut(pointer).unwrap() = value.clone();
                let source = crate::diagnostics::Source::new("s.json", changed.to_string());
                let mut diagnostics = Diagnostics::new();
                let node = super::super::parse::parse(&source, &mut diagnostics).unwrap();
                let scene = super::super::check_scene(&node, &mut diagnostics);
                assert_eq!(scene.is_some(), !diagnostics.has_errors(), "{pointer} = {value}: {diagnostics}");
                assert!(diagnostics.iter().all(|d| d.place.is_some()), "{pointer} = {value}: {diagnostics}");
                // A message of the reader itself would mean that the schema let something through.
                assert!(
                    !diagnostics.to_string().contains("invalid type"),
                    "{pointer} = {value}: {diagnostics}"
                );
                if let Some(scene) = scene {
                    compile(&scene, &node)
                        .unwrap_or_else(|diagnostics| panic!("{pointer} = {value}: {diagnostics}"));
                }
            }
        }
    }
}

fn collect(value: &Value, at: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(k, v)| collect(v, format!("{at}/{k}"), pointers)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| collect(v, format!("{at}/{i}"), pointers))
        }
        _ => {}
    }
    pointers.push(at);
}

/// Every planar key of the format.
pub(super) const RICH_PLANAR: &str = r#"{
  "format": "vinci/scene@1", "name": "rich", "description": "every planar key", "space": "planar", "gravity": [0, -1],
  "materials": { "rubber": { "friction": 0.9, "restitution": 0.5, "stiffness": 1e4, "damping": 10 }, "default": { "friction": 0.25 } },
  "combination": { "friction": "min", "restitution": "mean", "stiffness": "series", "damping": "max" },
  "pairs": [ { "materials": ["rubber", "default"], "friction": 0.7 }, { "bodies": ["a", "b"], "restitution": 1, "stiffness": 5, "damping": 0 } ],
  "bodies": [
    { "name": "ground", "static": true, "material": "rubber", "shapes": [
      { "type": "half-plane", "normal": [0, 2], "offset": -0.5 }, { "type": "segment", "from": [0, 0], "to": [1, 0] } ] },
    { "name": "a", "mass": 2, "inertia": 0.5, "position": [1, 2], "angle": 0.25, "velocity": [3, 4], "angular_velocity": 5,
      "drag": [1, 2, 3], "damping": [4, 5, 6], "motion": "first-order", "gravity": false,
      "shapes": [ { "type": "disc", "radius": 0.5, "position": [0.5, 0], "angle": 1, "material": "rubber" },
        { "type": "compound", "position": [0, 1], "angle": 1.5707963267948966, "shapes": [
          { "type": "capsule", "length": 2, "radius": 0.25, "position": [1, 0] } ] } ] },
    { "name": "b", "density": 3, "shapes": [ { "type": "polygon", "vertices": [[-1, -1], [-1, 1], [1, 1], [1, -1]] } ],
      "position": [0.5, 0], "dofs": { "x": { "position": { "keyframes": [[0, 0.5], [1, 2]], "interpolation": "cubic" } },
        "y": { "force": { "expression": "-9*y - vy" } }, "angle": { "impedance": { "stiffness": 7, "command": { "expression": "sin(t)" } } } } },
    { "name": "c", "mass": 1, "shapes": [ { "type": "box", "size": [1, 2] } ], "dofs": { "x": "locked", "y": { "force": 3 }, "angle": "free" } }
  ],
  "springs": [ { "name": "s", "bodies": ["a", null], "anchors": [[0, 0], [1, 1]], "stiffness": 10, "damping": 1, "rest_length": 0.5 } ],
  "ignore_contacts": [["b", "a"]]
}"#;

/// Every spatial key of the format.
pub(super) const RICH_SPATIAL: &str = r#"{
  "format": "vinci/scene@1", "space": "spatial",
  "bodies": [
    { "name": "ground", "static": true, "shapes": [ { "type": "half-space", "normal": [0, 0, 2], "offset": 1 } ] },
    { "name": "a", "mass": 2, "inertia": [1, 2, 2.5], "position": [1, 2, 3], "orientation": { "quaternion": [0, 1, 0, 0] },
      "velocity": [1, 2, 3], "angular_velocity": [4, 5, 6], "drag": [1, 2, 3, 4, 5, 6], "damping": [1, 2, 3, 4, 5, 6],
      "shapes": [ { "type": "ball", "radius": 0.5, "position": [1, 0, 0], "orientation": { "rpy": [0, 0, 1] } } ] },
    { "name": "b", "mass": 2, "inertia": [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 2]], "orientation": { "axis": [0, 0, 2], "angle": 0.5 },
      "shapes": [ { "type": "cylinder", "height": 2, "radius": 1 }, { "type": "cone", "height": 2, "radius": 1, "position": [0, 0, 0.5] },
        { "type": "capsule", "length": 1, "radius": 1 } ] },
    { "name": "c", "density": 2, "shapes": [ { "type": "convex-hull", "points": [[-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1],
      [-1, -1, 1], [1, -1, 1], [-1, 1, 1], [1, 1, 1]] } ],
      "dofs": { "x": "free", "y": "locked", "z": { "position": 0 }, "rx": { "force": { "expression": "-wx + z" } }, "ry": { "position": { "expression": "0.5*t" } },
        "rz": { "impedance": { "stiffness": 1, "command": 0.5 } } } },
    { "name": "d", "density": 6, "position": [5, 0, 0], "shapes": [ { "type": "mesh", "vertices": [[-1, -1, -1], [3, -1, -1], [-1, 3, -1], [-1, -1, 3]],
      "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] } ] },
    { "name": "e", "density": 6, "position": [9, 0, 0], "shapes": [ { "type": "box", "size": [1, 2, 3] } ] }
  ]
}"#;
