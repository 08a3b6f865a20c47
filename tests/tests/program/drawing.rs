//! `vinci view --png`, `--gif` and `vinci export --to glb`: what is drawn is where the trajectory says, and files are read by libraries
//! that others wrote.

use std::process::Output;

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, ground, planar, spatial};
use vinci_tests::program::{TestDirectory, output_text, vinci};

fn view(directory: &TestDirectory, more: &[&str]) -> Output {
    vinci(&[&["view", &directory.text("run")], more].concat())
}

/// A picture that `view` draws.
fn picture(directory: &TestDirectory, name: &str, more: &[&str]) -> Picture {
    let output = view(directory, &[&["--force", "--png", &directory.text(name)], more].concat());
    assert!(output.status.success(), "{}", output_text(&output));
    Picture::read(&std::fs::read(directory.path(name)).unwrap())
}

/// Pixels of a PNG.
#[derive(PartialEq)]
struct Picture {
    width: usize,
    rgba: Vec<u8>,
}

impl Picture {
    fn read(bytes: &[u8]) -> Self {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut rgba = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgba).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgba);
        Self { width: info.width as usize, rgba }
    }

    /// The middle of all pixels in which blue is clearly the most, in pixels, and their number.
    fn blue(&self) -> ([f64; 2], usize) {
        let pixels = self.rgba.chunks_exact(4).enumerate();
        let blue =
            |p: &[u8]| i32::from(p[2]) > i32::from(p[0]) + 50 && i32::from(p[2]) > i32::from(p[1]) + 20;
        let all: Vec<[f64; 2]> = pixels
            .filter(|(_, p)| blue(p))
            .map(|(k, _)| [(k % self.width) as f64 + 0.5, (k / self.width) as f64 + 0.5])
            .collect();
        let mean = |axis: usize| all.iter().map(|p| p[axis]).sum::<f64>() / all.len() as f64;
        ([mean(0), mean(1)], all.len())
    }
}

/// A ball that moves along x at 1 m/s in free space.
fn flying() -> Value {
    let ball = json!({ "name": "ball", "mass": 1, "position": [0, 0, 1], "velocity": [1, 0, 0],
                       "shapes": [{ "type": "ball", "radius": 0.1 }] });
    let mut scene = spatial(0.5, 0.0, json!([ball]));
    scene["gravity"] = json!([0, 0, 0]);
    experiment(scene, 0.01, 1.0)
}

/// From −y the picture spans the path: 1 m of it and twice the radius, with 6 % of free space, seen by parallel rays as by these.
#[test]
fn a_ball_is_drawn_where_the_trajectory_says() {
    let place = TestDirectory::with_run(&flying());
    let from = ["--from", "-90,0", "--size", "800x624"];
    let at = |t: &str| picture(&place, "p.png", &[&["--at", t][..], &from].concat()).blue();
    let ([x0, y0], n0) = at("0");
    let ([x1, _], n1) = at("0.5");
    let ([x2, y2], n2) = at("1");
    assert!(
        (x1 - 400.0).abs() < 1.0 && (y0 - 300.0).abs() < 1.0 && (y2 - 300.0).abs() < 1.0,
        "{x1} {y0} {y2}"
    );
    assert!((x0 + x2 - 800.0).abs() < 1.0, "{x0} {x2}");
    // 1 m on the screen, by the size of the ball: its middle plane has π r² of the scale squared.
    let scale = (n1 as f64 / (std::f64::consts::PI * 0.01)).sqrt();
    assert!(((x2 - x0) / scale - 1.0).abs() < 0.02, "{} for {scale}", x2 - x0);
    assert!(n0.abs_diff(n2) < n0 / 50);
}

/// From near the ball is in the middle whatever the time, and larger; a film keeps its whole way in sight.
#[test]
fn bodies_are_shown_from_near() {
    let place = TestDirectory::with_run(&flying());
    let from = ["--from", "-90,0", "--size", "800x624"];
    let near = ["--show", "ball", "--from", "-90,0", "--size", "800x624"];
    let (_, far) = picture(&place, "p.png", &[&["--at", "0.5"][..], &from].concat()).blue();
    for t in ["0", "1"] {
        let ([x, y], n) = picture(&place, "p.png", &[&["--at", t][..], &near].concat()).blue();
        assert!((x - 400.0).abs() < 1.0 && (y - 300.0).abs() < 1.0 && n > 5 * far, "{x} {y} {n} {far}");
    }
    let output = view(&place, &["--png", &place.text("q.png"), "--show", "bell"]);
    assert_eq!(output.status.code(), Some(2), "{}", output_text(&output));
    assert!(output_text(&output).contains("error[usage]: the scene has no body `bell`; it has `ball`"));
}

#[test]
fn forces_are_drawn_unless_they_are_not_wanted_and_the_same_run_has_the_same_pixels() {
    let ball = json!({ "name": "ball", "mass": 1, "position": [0, 0, 0.1], "shapes": [{ "type": "ball", "radius": 0.1 }] });
    let place =
        TestDirectory::with_run(&experiment(spatial(0.5, 0.0, json!([ground("spatial"), ball])), 0.01, 0.1));
    let green = |picture: &Picture| {
        let of = |p: &[u8], k: usize| i32::from(p[k]);
        picture.rgba.chunks_exact(4).filter(|p| of(p, 1) > of(p, 0) + 40 && of(p, 1) > of(p, 2) + 30).count()
    };
    let with = picture(&place, "a.png", &[]);
    assert!(green(&with) > 200, "{}", green(&with));
    assert_eq!(green(&picture(&place, "b.png", &["--no-forces"])), 0);
    assert!(picture(&place, "c.png", &[]) == with);
    // From below the floor nothing hides the ball.
    assert!(picture(&place, "d.png", &["--from", "0,-40", "--no-forces"]).blue().1 > 1000);
}

#[test]
fn planar_runs_are_drawn_as_their_pictures_are() {
    let disc = json!({ "name": "disc", "mass": 1, "position": [0, 0.5], "velocity": [1, 0], "shapes": [{ "type": "disc", "radius": 0.1 }] });
    let place =
        TestDirectory::with_run(&experiment(planar(0.5, 0.0, json!([ground("planar"), disc])), 0.01, 0.2));
    let drawn = picture(&place, "p.png", &["--size", "500x400"]);
    assert_eq!(drawn.width, 500);
    assert!(picture(&place, "p.png", &["--at", "0"]) != picture(&place, "q.png", &["--at", "0.2"]));
    let output = view(&place, &["--gif", &place.text("m.gif"), "--fps", "20", "--speed", "0.5"]);
    assert!(output.status.success(), "{}", output_text(&output));
    let file = std::fs::File::open(place.path("m.gif")).unwrap();
    let mut reader = gif::DecodeOptions::new().read_info(file).unwrap();
    let (mut frames, mut delays) = (0, Vec::new());
    while let Some(frame) = reader.read_next_frame().unwrap() {
        frames += 1;
        delays.push(frame.delay);
    }
    // 0.2 s at half the speed are 0.4 s, at 20 pictures in a second, both ends included.
    assert_eq!((frames, delays[0]), (9, 5));
}

/// The force on the second body was drawn: of a body that was named before the ground it was the one on the ground, into it.
#[test]
fn the_force_on_the_freer_body_is_drawn_whichever_is_named_first() {
    let picture_of = |space: &str, first: usize| {
        let (kind, place) =
            if space == "planar" { ("disc", json!([0, 0.1])) } else { ("ball", json!([0, 0, 0.1])) };
        let body = json!({ "name": "body", "mass": 1, "position": place, "shapes": [{ "type": kind, "radius": 0.1 }] });
        let mut bodies = vec![ground(space), body];
        bodies.swap(0, first);
        let scene = if space == "planar" { planar } else { spatial };
        let run = TestDirectory::with_run(&experiment(scene(0.5, 0.0, json!(bodies)), 0.01, 0.1));
        picture(&run, "p.png", &["--size", "300x240"])
    };
    for space in ["planar", "spatial"] {
        assert!(picture_of(space, 0) == picture_of(space, 1), "{space}");
    }
}

/// The page showed why a step had no solution, and a picture nothing.
#[test]
fn a_planar_picture_shows_what_jams_where_it_does() {
    let place = TestDirectory::new();
    let scene = vinci_tests::house::root().join("host/scenes/jammed-fingers.json");
    let output = vinci(&["run", scene.to_str().unwrap(), "--out", &place.text("run")]);
    assert_eq!(output.status.code(), Some(6), "{}", output_text(&output));
    let jam = |more: &[&str]| {
        let drawn = picture(&place, "p.png", more);
        drawn.rgba.chunks_exact(4).filter(|p| p[..3] == [0xd6, 0x00, 0x8f]).count()
    };
    assert!(jam(&[]) > 1000, "{}", jam(&[]));
    assert_eq!([jam(&["--at", "0.1"]), jam(&["--no-forces"])], [0, 0]);
    // All pictures have one size, the last one with the loop too.
    let output = view(&place, &["--gif", &place.text("m.gif"), "--fps", "20"]);
    assert!(output.status.success(), "{}", output_text(&output));
}

/// The page showed it, and a picture in space showed bodies alone.
#[test]
fn a_picture_in_space_shows_what_jams_where_it_does() {
    let finger = |name: &str, side: f64| {
        let x = format!("{} - {}*t", 0.08 * side, 0.1 * side);
        json!({ "name": name, "mass": 1, "position": [0.08 * side, 0, 0], "shapes": [{ "type": "box", "size": [0.02, 0.06, 0.06] }],
                "dofs": { "x": { "position": { "expression": x } }, "y": "locked", "z": "locked",
                          "rx": "locked", "ry": "locked", "rz": "locked" } })
    };
    let block = json!({ "name": "block", "mass": 1, "shapes": [{ "type": "ball", "radius": 0.05 }] });
    let bodies = json!([block, finger("left", -1.0), finger("right", 1.0)]);
    let mut scene = spatial(0.5, 0.0, bodies);
    scene["gravity"] = json!([0, 0, 0]);
    let place = TestDirectory::new();
    place.write("jam.json", &experiment(scene, 0.01, 0.5));
    let output = vinci(&["run", &place.text("jam.json"), "--out", &place.text("run")]);
    assert_eq!(output.status.code(), Some(6), "{}", output_text(&output));
    // From −y, so that the loop lies along x through the middle of the picture.
    let jam = |more: &[&str]| {
        let drawn = picture(&place, "p.png", &[&["--from", "-90,0", "--size", "800x600"][..], more].concat());
        let of = |p: &[u8], k: usize| i32::from(p[k]);
        let is_jam = |p: &[u8]| of(p, 0) > of(p, 1) + 80 && of(p, 2) > of(p, 1) + 50 && of(p, 0) > of(p, 2);
        let pixels = drawn.rgba.chunks_exact(4).enumerate().filter(|(_, p)| is_jam(p));
        // Above the legend.
        pixels.map(|(k, _)| [k % drawn.width, k / drawn.width]).filter(|p| p[1] < 540).collect::<Vec<_>>()
    };
    let drawn = jam(&[]);
    let across =
        |k: usize| (drawn.iter().map(|p| p[k]).min().unwrap(), drawn.iter().map(|p| p[k]).max().unwrap());
    let ((left, right), (top, bottom)) = (across(0), across(1));
    assert!(drawn.len() > 1000 && right - left > 8 * (bottom - top), "{left} {right} {top} {bottom}");
    assert!(
        (left + right).abs_diff(799) < 6,
        "the loop is as the scene is, the same to either side: {left} {right}"
    );
    assert_eq!([jam(&["--at", "0.1"]).len(), jam(&["--no-forces"]).len()], [0, 0]);
    let output = view(&place, &["--gif", &place.text("m.gif"), "--fps", "20"]);
    assert!(output.status.success(), "{}", output_text(&output));
}

#[test]
fn an_exported_motion_is_read_by_another_library_and_says_the_same() {
    let place = TestDirectory::with_run(&flying());
    let out = place.text("m.glb");
    let output = vinci(&["export", &place.text("run"), "--to", "glb", "--out", &out]);
    assert!(output.status.success(), "{}", output_text(&output));
    let (document, buffers) = gltf_of(&std::fs::read(&out).unwrap());
    let animation = document.animations().next().unwrap();
    let rows: Vec<Vec<f64>> = std::fs::read_to_string(place.path("run/trajectory.csv"))
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|word| word.parse().unwrap()).collect())
        .collect();
    let mut seen = 0;
    for channel in animation.channels() {
        assert_eq!(channel.target().node().name(), Some("ball"));
        let reader = channel.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        assert_eq!(times.len(), rows.len());
        if let gltf::animation::util::ReadOutputs::Translations(all) = reader.read_outputs().unwrap() {
            for ((place, t), row) in all.zip(times).zip(&rows) {
                assert_eq!(
                    (f64::from(t) as f32, place),
                    (row[0] as f32, [row[1] as f32, row[2] as f32, row[3] as f32])
                );
                seen += 1;
            }
        }
    }
    assert_eq!(seen, rows.len());
    // z points upwards there as here: the root turns it to y.
    let root = document.default_scene().unwrap().nodes().next().unwrap();
    let (_, [x, y, z, w], _) = root.transform().decomposed();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert_eq!([x, y, z, w], [-half, 0.0, 0.0, half]);
    let again = vinci(&["export", &place.text("run"), "--to", "glb", "--out", &out]);
    assert!(
        again.status.code() == Some(7) && output_text(&again).contains("--force"),
        "{}",
        output_text(&again)
    );
}

/// The document and its buffers, checked by the library.
fn gltf_of(bytes: &[u8]) -> (gltf::Document, Vec<Vec<u8>>) {
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(bytes).unwrap();
    (document, vec![blob.unwrap()])
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let place = TestDirectory::with_run(&flying());
    let (png, gif) = (place.text("p.png"), place.text("p.gif"));
    let run = place.text("run");
    let missing = place.text("nowhere/p.png");
    // A PNG was written under this name.
    let jpg = place.text("x.jpg");
    for (more, code, text) in [
        (vec!["--png", &png, "--at", "7"], 2, "the run has no state at 7 s: it goes from 0 to 1 s"),
        (vec!["--png", &png, "--at", "-1"], 2, "the run has no state at -1 s"),
        (vec![run.as_str(), "--png", &png], 2, "pictures show one run"),
        (vec!["--png", &png, "--size", "9x9"], 2, "each side from 64 to 4096"),
        (vec!["--png", &png, "--from", "up"], 2, "two angles in degrees"),
        (
            vec!["--png", &png, "--from", "0,200"],
            2,
            "the eye stands from -90 to 90 degrees above the plane, not 200",
        ),
        (vec!["--gif", &gif, "--fps", "0"], 2, "`--fps` goes up to 50"),
        (vec!["--gif", &gif, "--speed", "1e-5"], 2, "2000 are the most"),
        (vec!["--at", "1"], 2, "--png"),
        (vec!["--png", &missing], 7, "p.png"),
        (vec!["--png", &jpg], 2, "`--png` writes PNG, and the name ends in `.jpg`"),
    ] {
        let output = view(&place, &more);
        assert_eq!(output.status.code(), Some(code), "{more:?}: {}", output_text(&output));
        assert!(output_text(&output).contains(text), "{more:?}: {}", output_text(&output));
    }
    let no_run = vinci(&["export", &place.text("e.json"), "--to", "glb"]);
    assert!(
        no_run.status.code() == Some(7) && output_text(&no_run).contains("not the directory of a run"),
        "{}",
        output_text(&no_run)
    );
    let step = vinci(&["export", &run, "--to", "glb", "--step", "0.1"]);
    assert!(
        step.status.code() == Some(2) && output_text(&step).contains("`--step` is for MJCF"),
        "{}",
        output_text(&step)
    );
}

/// There were two objects, and the second file could be the first.
#[test]
fn a_picture_and_a_motion_are_told_as_one() {
    let disc = json!({ "name": "disc", "mass": 1, "position": [0, 0.5], "shapes": [{ "type": "disc", "radius": 0.1 }] });
    let place =
        TestDirectory::with_run(&experiment(planar(0.5, 0.0, json!([ground("planar"), disc])), 0.01, 0.1));
    let [png, gif] = ["a.png", "a.gif"].map(|name| place.text(name));
    let size = ["--size", "64x64", "--error-format", "json"];
    let output = view(&place, &[&["--png", &png, "--gif", &gif], &size[..]].concat());
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((told["files"][0]["pictures"].as_u64(), &told["files"][1]["file"]), (Some(1), &json!(gif)));
    let one = view(&place, &["--png", &png, "--gif", &png]);
    assert_eq!(one.status.code(), Some(2), "{}", output_text(&one));
}
