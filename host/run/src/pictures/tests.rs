//! Tests of pictures: what they refuse once the scene is known, and what is drawn.

use std::path::PathBuf;

use vinci_core::model::{Shape, ShapeKind};

use super::shapes::{Placed, Pose, bounds, placed};
use super::window::{Window, quantity, round_below};
use super::*;
use serde_json::{Value, json};
use vinci_scene::{compile, load_experiment};

const EXPERIMENT: &str = r#"{ "format": "vinci/experiment@1", "time": { "step": 0.1, "duration": 1 },
  "detector": "planar", "stepper": "stewart-trinkle", "solver": "lemke",
  "scene": { "format": "vinci/scene@1", "space": "planar", "bodies": [
    { "name": "wall", "static": true, "shapes": [{ "type": "half-plane", "normal": [1, 0], "offset": -3 }] },
    { "name": "part", "mass": 1, "position": [1, 2], "shapes": [{ "type": "box", "size": [2, 1] }],
      "supports": { "points": [[0.5, 0], [-0.5, 0.4], [-0.5, -0.4]], "friction": 0.3 } }
  ] },
  "record": { "pictures": PICTURES } }"#;

fn read(text: &str) -> (tempfile::TempDir, Loaded) {
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().join("e.json");
    std::fs::write(&path, text).unwrap();
    let loaded = load_experiment(&path, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    (dir, loaded)
}

fn asked(text: &str) -> Result<(Pictures, System), Diagnostics> {
    let (_dir, loaded) = read(text);
    let (system, _) =
        compile(&loaded.scene, &loaded.scene_node).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    Pictures::new(&loaded, &system).map(|pictures| (pictures, system))
}

fn with(pictures: Value) -> String {
    EXPERIMENT.replace("PICTURES", &pictures.to_string())
}

/// `code line:column message` of every finding.
fn findings(text: &str) -> Vec<String> {
    let found = asked(text).err().unwrap_or_default();
    let place =
        |d: &Diagnostic| d.place.as_ref().map_or(String::new(), |p| format!("{}:{}", p.line(), p.column()));
    found.iter().map(|d| format!("{} {} {}", d.code.name(), place(d), d.message)).collect()
}

#[test]
fn unknown_names_are_found_at_their_letters() {
    let pictures = json!([
        { "file": "a.svg", "plot": { "x": "prt.x", "y": ["part.y", { "label": "w", "of": "2*wall.x" }] } },
        { "file": "b.svg", "frames": { "times": [0], "follow": "prat" } },
    ]);
    let text = with(pictures);
    let found = findings(&text);
    let line = text.lines().last().unwrap();
    let column = |what: &str| line.find(what).unwrap() + 1;
    let starts = [
        format!("bad-expression 8:{}", column("prt.x")),
        format!("bad-expression 8:{}", column("wall.x")),
        format!("unknown-name 8:{} there is no body `prat`", column("\"prat\"")),
    ];
    assert_eq!(found.len(), 3, "{found:?}");
    for (found, start) in found.iter().zip(&starts) {
        assert!(found.starts_with(start.as_str()), "{found} is not {start}");
    }
}

#[test]
fn drawings_of_spatial_scenes_are_refused_and_plots_are_not() {
    let pictures = json!([{ "file": "a.svg", "frames": { "times": [0] } }, { "file": "b.svg", "plot": { "y": ["b.z"] } }]);
    let text = r#"{ "format": "vinci/experiment@1", "time": { "step": 0.1, "duration": 1 },
  "detector": "parry", "stepper": "stewart-trinkle", "solver": "lemke",
  "scene": { "format": "vinci/scene@1", "space": "spatial", "bodies": [{ "name": "b", "mass": 1, "shapes": [{ "type": "ball", "radius": 1 }] }] },
  "record": { "pictures": PICTURES } }"#
        .replace("PICTURES", &pictures.to_string());
    let found = findings(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("contradiction 4:") && found[0].contains("spatial"), "{found:?}");
}

/// Time, pose, and friction forces of three support points.
type State = (f64, [f64; 3], [[f64; 2]; 3]);

fn drawn(pictures: Value, states: &[State]) -> Vec<String> {
    drawn_of(&with(pictures), states)
}

/// All pictures of an experiment whose part takes these states.
fn drawn_of(experiment: &str, states: &[State]) -> Vec<String> {
    let (mut pictures, system) = asked(experiment).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    pictures.initial(0.0, &[1.0, 2.0, 0.0], &[0.0; 3]);
    for (t, q, friction) in states {
        pictures.row(*t, q, &[0.0; 3]);
        let frame_state =
            FrameState { t: *t, q: q.to_vec(), friction: friction.to_vec(), contacts: Vec::new() };
        pictures.keep(*t, 1e-10, || frame_state.clone());
    }
    let dir = tempfile::tempdir().unwrap();
    pictures.write(&system, dir.path()).unwrap();
    let read = |file: &str| std::fs::read_to_string(dir.path().join(file)).unwrap();
    pictures.pictures.iter().map(|(file, _)| read(file)).collect()
}

#[test]
fn a_frame_shows_the_first_state_at_its_time_and_says_what_was_not_reached() {
    let pictures = json!([{ "file": "a.svg", "frames": { "times": [0, 0.15, 0.9], "columns": 2, "width": 200, "view": [-4, 0, 4, 4] } }]);
    // px per m: 200/8. The point (0.5, 0) of a part at (1, 2) lies at (1.5 + 4, 4 − 2) · 25 px from the corner.
    let force = [[0.0, -0.5], [0.0, 0.0], [0.25, 0.0]];
    let turned = [0.0, 2.0, std::f64::consts::FRAC_PI_2];
    let states = [(0.1, [1.0, 2.0, 0.0], force), (0.2, turned, force), (0.3, [9.0; 3], force)];
    let text = &drawn(pictures, &states)[0];
    assert!(text.contains("<circle cx=\"147.5\" cy=\"60\" r=\"2.6\""), "a support at the start: {text}");
    // The second frame stands right of the first: its part is turned, its longest force is 0.22 of the height, 22 px, downwards.
    let x = 220.0 + 4.0 * 25.0;
    let y = 10.0 + 1.5 * 25.0;
    let line = format!("<line x1=\"{x}\" y1=\"{y}\" x2=\"{x}\" y2=\"{}\"", y + 22.0);
    assert!(text.contains(&line), "{line}: {text}");
    assert!(text.contains("t = 0.2 s") && !text.contains("t = 0.1 s"), "{text}");
    assert!(text.contains("t = 0.9 s: the run ended before"), "{text}");
    // 0.3 of the width of 200 px is 1.36 N at 44 px/N, and 2.4 m.
    assert!(text.contains("1 N friction at supports") && text.contains(">2 m<"), "{text}");
    roxmltree::Document::parse(text).unwrap();
}

/// Rounding that a solver leaves at such points was drawn as an arrow of full length, of 4e-17 N.
#[test]
fn support_points_without_dry_friction_carry_no_arrow() {
    let dry = with(json!([{ "file": "a.svg", "frames": { "times": [0.1] } }]));
    let oily = dry.replace(r#""friction": 0.3"#, r#""friction": 0"#);
    let pushed = [(0.1, [1.0, 2.0, 0.0], [[4e-17, 0.0]; 3])];
    assert!(drawn_of(&dry, &pushed)[0].contains("longest"));
    let text = &drawn_of(&oily, &pushed)[0];
    assert!(!text.contains("friction at supports") && !text.contains("longest"), "{text}");
}

#[test]
fn a_strip_without_forces_has_no_scale_of_forces_and_no_broken_numbers() {
    let at_rest = [(0.1, [1.0, 2.0, 0.0], [[0.0; 2]; 3])];
    let text = &drawn(json!([{ "file": "a.svg", "frames": { "times": [0, 0.1] } }]), &at_rest)[0];
    assert!(
        !text.contains("NaN") && !text.contains("inf") && !text.contains("friction at supports"),
        "{text}"
    );
}

#[test]
fn lines_are_broken_where_a_formula_has_no_value_and_names_are_escaped() {
    let pictures = json!([{ "file": "a.svg", "plot": { "y": [{ "label": "a<b & c", "of": "ln(part.x)" }], "title": "T" } }]);
    let force = [[0.0; 2]; 3];
    let q = |x: f64| [x, 0.0, 0.0];
    let states = [(0.1, q(2.0), force), (0.2, q(-1.0), force), (0.3, q(3.0), force), (0.4, q(4.0), force)];
    let text = &drawn(pictures, &states)[0];
    assert!(text.contains("a&lt;b &amp; c") && !text.contains("NaN"), "{text}");
    let lines = roxmltree::Document::parse(text).unwrap();
    let colour = crate::plot::COLOURS[0].to_uppercase();
    let of_line = |n: &roxmltree::Node<'_, '_>| {
        n.has_tag_name("polyline") && n.attribute("stroke").is_some_and(|s| s.eq_ignore_ascii_case(&colour))
    };
    // Two pieces, and the sample in the legend.
    assert_eq!(lines.descendants().filter(of_line).count(), 3, "{text}");
}

fn shape(kind: ShapeKind, pose: [f64; 3], params: &[f64]) -> Shape {
    Shape { kind, body: 0, material: 0, pose: pose.to_vec(), params: params.to_vec(), indices: Vec::new() }
}

#[test]
fn shapes_are_placed_by_their_pose_in_the_body_and_that_of_the_body() {
    let pose = Pose { x: 1.0, y: 2.0, angle: std::f64::consts::FRAC_PI_2 };
    let near = |a: [f64; 2], b: [f64; 2]| assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 1e-12, "{a:?}, {b:?}");
    let Some(Placed::Capsule(a, b, r)) =
        placed(&shape(ShapeKind::PlanarCapsule, [1.0, 0.0, 0.0], &[0.5, 0.1]), pose)
    else {
        panic!("a capsule")
    };
    near(a, [1.0, 2.5]);
    near(b, [1.0, 3.5]);
    assert_eq!(r, 0.1);
    let Some(Placed::HalfPlane(p, n)) = placed(&shape(ShapeKind::HalfPlane, [0.0, 3.0, 0.0], &[]), pose)
    else {
        panic!("a half-plane")
    };
    near(p, [-2.0, 2.0]);
    near(n, [-1.0, 0.0]);
    let Some(Placed::Polygon(points)) =
        placed(&shape(ShapeKind::Superellipse, [0.0; 3], &[2.0, 1.0, 4.0]), pose)
    else {
        panic!("a polygon")
    };
    for p in &points {
        // Back in the frame of the shape: turned by −90°.
        let local = [p[1] - 2.0, -(p[0] - 1.0)];
        let value = (local[0] / 2.0).abs().powi(4) + local[1].abs().powi(4);
        assert!((value - 1.0).abs() < 1e-9, "{p:?}: {value}");
    }
    assert_eq!(bounds(&Placed::Circle([1.0, 1.0], 0.5)), Some([0.5, 0.5, 1.5, 1.5]));
    assert!(placed(&shape(ShapeKind::Ball, [0.0; 3], &[1.0]), pose).is_none());
}

#[test]
fn scales_are_round_and_have_prefixes() {
    for (x, expected) in [(1.0, 1.0), (0.99, 0.5), (4.9, 2.0), (5.0, 5.0), (3e-6, 2e-6), (720.0, 500.0)] {
        assert_eq!(round_below(x), expected, "{x}");
    }
    let expected = ["20 µm", "500 mm", "2 m", "10 km", "5 nm"];
    for (x, expected) in [20e-6, 0.5, 2.0, 1e4, 5e-9].into_iter().zip(expected) {
        assert_eq!(quantity(x, "m"), expected);
    }
    let window = Window { view: [0.0, 0.0, 2.0, 1.0], corner: [10.0, 20.0], scale: 100.0 };
    assert_eq!((window.at([0.5, 1.0]), window.size()), ([60.0, 20.0], [200.0, 100.0]));
}

/// Names and scales of a narrow drawing ran out of the picture.
#[test]
fn a_legend_takes_as_many_lines_as_it_needs() {
    let (_, system) = asked(&with(json!([{ "file": "a.svg", "frames": { "times": [0] } }]))).unwrap();
    let state = FrameState {
        t: 0.0,
        q: vec![1.0, 2.0, 0.0],
        friction: vec![[1.0, 0.0]; 3],
        contacts: vec![([0.0, 0.0], [3.0, 4.0])],
    };
    let height = |width: f64| -> (f64, String) {
        let text = separate(
            &system,
            std::slice::from_ref(&state),
            Separate {
                width,
                contacts: true,
                certificate: None,
                sight: Sight::default(),
                longest: None,
                refused: false,
            },
        )
        .remove(0);
        let parsed = roxmltree::Document::parse(&text).unwrap();
        let root = parsed.root_element();
        (root.attribute("height").unwrap().parse().unwrap(), root.attribute("width").unwrap().to_owned())
    };
    // The part is twice as wide as high, with a margin of .08 m around its 2 m; below it stand time and legend.
    let drawn = |width: f64| 10.0 + (width - 20.0) * 1.16 / 2.16 + 20.0 + 10.0 + 26.0;
    let ((wide, _), (narrow, size)) = (height(1000.0), height(300.0));
    assert!((wide - drawn(1000.0)).abs() < 1.0, "one line: {wide}");
    assert!((narrow - drawn(300.0) - 2.0 * 18.0).abs() < 1.0, "three lines: {narrow}");
    assert_eq!(size, "300");
}

/// A picture of a run that the referee had refused said nothing of it.
#[test]
fn a_picture_of_a_refused_run_says_so() {
    let (_, system) = asked(&with(json!([]))).unwrap();
    let state = FrameState { t: 0.0, q: vec![1.0, 2.0, 0.0], friction: vec![], contacts: vec![] };
    let drawn = |refused: bool| {
        let sight = Sight::default();
        let how = Separate { width: 400.0, contacts: true, certificate: None, sight, longest: None, refused };
        separate(&system, std::slice::from_ref(&state), how).remove(0)
    };
    assert!(drawn(true).contains(REFUSED_BY) && !drawn(false).contains(REFUSED_BY));
}

/// A body at a pole of 4 m was a dot in a picture of forty times its width.
#[test]
fn what_never_moves_does_not_make_a_picture_tall() {
    let pole = |height: f64| {
        let mut experiment: Value = serde_json::from_str(&with(json!([]))).unwrap();
        experiment["scene"]["bodies"] = json!([
            { "name": "pole", "static": true, "shapes": [{ "type": "box", "size": [0.02, height] }] },
            { "name": "bird", "mass": 1, "position": [0.06, 0], "shapes": [{ "type": "disc", "radius": 0.05 }] },
        ]);
        let (_, system) = asked(&experiment.to_string()).unwrap();
        let state = FrameState { t: 0.0, q: vec![0.06, 0.0, 0.0], friction: vec![], contacts: vec![] };
        let how = Separate {
            width: 200.0,
            contacts: false,
            certificate: None,
            sight: Sight::default(),
            longest: None,
            refused: false,
        };
        let drawn = separate(&system, &[state], how).remove(0);
        let of = |key: &str| {
            drawn.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
        };
        of("height").parse::<f64>().unwrap()
    };
    // All of a short pole is seen, and of a long one what is about the bird.
    let [long, short] = [4.0, 0.3].map(pole);
    assert!(200.0 < long && long < short && short < 600.0, "{long} {short}");
}

/// A ball in the air and the same ball lower were one picture, and so were a large force and a small one.
#[test]
fn a_still_has_the_window_and_the_scale_of_more_than_its_state() {
    let (_, system) = asked(&with(json!([]))).unwrap();
    let state = |y: f64, force: f64| FrameState {
        t: 0.0,
        q: vec![1.0, y, 0.0],
        friction: vec![],
        contacts: vec![([1.0, y], [0.0, force])],
    };
    let mut sight = Sight::default();
    [(2.0, 1.0), (5.0, 40.0)].into_iter().for_each(|(y, force)| sight.add(&system, &state(y, force), true));
    let drawn = |y: f64, force: f64| {
        let how = Separate {
            width: 200.0,
            contacts: true,
            certificate: None,
            sight,
            longest: None,
            refused: false,
        };
        separate(&system, &[state(y, force)], how).remove(0)
    };
    let [low, high] = [drawn(2.0, 40.0), drawn(5.0, 40.0)];
    assert_ne!(low, high);
    assert_eq!(low.lines().next(), high.lines().next(), "they have one size");
    assert_ne!(low, drawn(2.0, 20.0));
    sight.add(&system, &state(50.0, 0.0), true);
    let how =
        Separate { width: 200.0, contacts: true, certificate: None, sight, longest: None, refused: false };
    let tall = separate(&system, &[state(2.0, 40.0)], how).remove(0);
    let height = tall.split(" height=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(height.parse::<f64>().unwrap() < 700.0, "{height}");
}
