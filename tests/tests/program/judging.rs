//! `vinci judge`: honest motions are accepted with and without their forces, motions that deceive are not, and tables that are none are
//! errors. `vinci export`: what is written is a model with the scene's numbers.

use std::path::Path;

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, ground, planar, set, shipped, spatial};
use vinci_tests::house;
use vinci_tests::program::{TestDirectory, output_text, vinci};

/// Exit code and JSON of a judgement of a trajectory; errors as text.
fn judge(directory: &TestDirectory, trajectory: &str, more: &[&str]) -> (i32, Value) {
    let (file, motion) = (directory.text("e.json"), directory.text(trajectory));
    let output = vinci(&[&["judge", &file, &motion, "--json", "--quiet"], more].concat());
    let told = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| Value::String(output_text(&output)));
    (output.status.code().unwrap(), told)
}

/// The recorded motion as rows of words, changed and written to a file.
fn changed(directory: &TestDirectory, name: &str, change: impl FnOnce(&mut Rows)) {
    let text = std::fs::read_to_string(directory.path("run/trajectory.csv")).unwrap();
    let mut rows = Rows(text.lines().map(|l| l.split(',').map(str::to_owned).collect()).collect());
    change(&mut rows);
    let text: String = rows.0.iter().map(|row| row.join(",") + "\n").collect();
    std::fs::write(directory.path(name), text).unwrap();
}

/// The criterion that is refused first.
#[track_caller]
fn refused(directory: &TestDirectory, change: impl FnOnce(&mut Rows)) -> String {
    changed(directory, "lie.csv", change);
    let (code, told) = judge(directory, "lie.csv", &[]);
    assert_eq!(code, 1, "{told:#}");
    told["summary"]["referee"]["refusal"]["criterion"].as_str().unwrap_or("none").to_owned()
}

/// What is said of a table that is no motion.
#[track_caller]
fn error(directory: &TestDirectory, change: impl FnOnce(&mut Rows)) -> String {
    changed(directory, "none.csv", change);
    let (code, told) = judge(directory, "none.csv", &[]);
    assert_eq!(code, 7, "{told:#}");
    told.as_str().unwrap().to_owned()
}

/// A table as words, the header first.
struct Rows(Vec<Vec<String>>);

impl Rows {
    fn at(&self, name: &str) -> usize {
        self.0[0].iter().position(|n| n == name).unwrap_or_else(|| panic!("{name}"))
    }

    /// Changes the numbers of a column by time.
    fn map(&mut self, name: &str, f: impl Fn(f64, f64) -> f64) {
        let at = self.at(name);
        for row in &mut self.0[1..] {
            let (t, x): (f64, f64) = (row[0].parse().unwrap(), row[at].parse().unwrap());
            row[at] = format!("{:?}", f(t, x));
        }
    }

    /// Leaves columns out.
    fn without(&mut self, leave: impl Fn(&str) -> bool) {
        let keep: Vec<bool> = self.0[0].iter().map(|name| !leave(name)).collect();
        for row in &mut self.0 {
            let mut kept = keep.iter();
            row.retain(|_| *kept.next().unwrap());
        }
    }
}

/// A box that slides to rest on the ground, from 1 m/s by μ = 0.5.
fn slide() -> Value {
    let mut scene = planar(0.5, 0.0, json!([ground("planar")]));
    scene["bodies"].as_array_mut().unwrap().push(json!({
        "name": "box", "mass": 1, "shapes": [{ "type": "box", "size": [0.2, 0.1] }], "position": [0, 0.05],
        "velocity": [1, 0] }));
    experiment(scene, 0.01, 0.4)
}

/// A ball that is thrown over the ground, and a wall that it never comes to.
fn thrown() -> Value {
    let mut scene = spatial(0.3, 0.0, json!([ground("spatial")]));
    scene["bodies"].as_array_mut().unwrap().extend([
        json!({ "name": "wall", "static": true, "position": [1, 0, 0.5], "shapes": [{ "type": "box", "size": [0.02, 4, 1] }] }),
        json!({ "name": "ball", "mass": 1, "shapes": [{ "type": "ball", "radius": 0.05 }], "position": [0, 0, 0.5],
            "velocity": [0.5, 0, 1], "angular_velocity": [1, 2, 3] }),
    ]);
    experiment(scene, 0.01, 0.2)
}

/// Everything that a run of Vinci records is accepted under its own law, with its forces and without.
#[test]
fn ten_shipped_scenes_are_accepted_with_their_forces_and_without() {
    let scenes = [
        "sliding-block",
        "incline-slip",
        "incline-stick",
        "block-stack-10",
        "box-on-plane-3d",
        "slide-to-roll",
        "pendulum-4bar",
        "push-tripod",
        "bouncing-ball-backup",
        "gripper-2d-lcp",
        "domino-10-3d",
        "peg-in-hole-first-order",
    ];
    for name in scenes {
        // Steps between grid times are in the record, too.
        let place = TestDirectory::with_run(&set(&shipped(name), "/record", json!({ "substeps": true })));
        let contacts = place.text("run/contacts.csv");
        for forces in [&["--contacts", contacts.as_str()][..], &[]] {
            let (code, told) = judge(&place, "run/trajectory.csv", &[&["--declared"], forces].concat());
            assert_eq!(code, 0, "{name} {forces:?}: {:#}", told["summary"]["referee"]["refusal"]);
            let judged = &told["summary"]["judged"];
            assert_eq!(judged["lawful"], told["summary"]["steps"], "{name} {forces:?}: {judged:#}");
            assert_eq!(judged["forces"], if forces.is_empty() { "found" } else { "given" });
        }
    }
}

#[test]
fn a_motion_without_velocities_is_judged_by_its_places_and_what_was_not_judged_is_listed() {
    let place = TestDirectory::with_run(&slide());
    changed(&place, "places.csv", |rows| {
        rows.without(|n| n.ends_with(".vx") || n.ends_with(".vy") || n.ends_with(".omega"))
    });
    // The first velocity is the scene's, and places lead to the others.
    let (code, told) = judge(&place, "places.csv", &[]);
    assert_eq!(code, 0, "{told:#}");
    let list = told["summary"]["referee"]["not_judged"].to_string();
    assert!(
        list.contains("velocities of the record") && list.contains("contact forces of the record"),
        "{list}"
    );
}

/// A push before the first row leaves no trace in the steps after it.
#[test]
fn a_motion_that_begins_faster_than_the_scene_is_told_of() {
    let mut pushed = slide();
    let bodies = pushed["scene"]["bodies"].as_array_mut().unwrap();
    bodies.iter_mut().find(|b| b["name"] == "box").unwrap()["velocity"] = json!([1.2, 0]);
    let place = TestDirectory::with_run(&pushed);
    let told = |experiment: &Value| {
        std::fs::write(place.path("e.json"), experiment.to_string()).unwrap();
        let output = vinci(&["judge", &place.text("e.json"), &place.text("run/trajectory.csv")]);
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
        output_text(&output)
    };
    let warning =
        "the motion begins with a velocity that is up to 2.000e-1 off that of the scene (`box`, vx)";
    let text = told(&slide());
    assert!(text.contains(warning), "{text}");
    assert!(!told(&pushed).contains("begins with a velocity"));
}

/// `check` and `run` told of both, and a motion that began there was judged without a word.
#[test]
fn bodies_that_overlap_and_joints_that_are_open_at_the_start_are_told_of() {
    let place = TestDirectory::new();
    let mut scene = planar(0.5, 0.0, json!([ground("planar")]));
    let disc = |name: &str, at: [f64; 2]| json!({"name": name, "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}], "position": at});
    scene["bodies"].as_array_mut().unwrap().extend([disc("low", [0.0, 0.09]), disc("high", [0.0, 1.0])]);
    scene["joints"] = json!([{"name": "pin", "bodies": ["ground", "high"], "anchors": [[0, 1.5], [0, 0.1]]}]);
    place.write("e.json", &experiment(scene, 0.01, 0.01));
    let rows = "time,low.x,low.y,low.angle,high.x,high.y,high.angle\n0,0,0.09,0,0,1,0\n0.01,0,0.09,0,0,1,0\n";
    std::fs::write(place.path("motion.csv"), rows).unwrap();
    let text = output_text(&vinci(&["judge", &place.text("e.json"), &place.text("motion.csv")]));
    assert!(text.contains("bodies `ground` and `low` overlap by 1.000e-2 m at the start"), "{text}");
    assert!(text.contains("joint `pin` is open by 4.000e-1 m at the start"), "{text}");
}

#[test]
fn bodies_that_no_force_explains_are_refused() {
    let place = TestDirectory::with_run(&slide());
    // Hovering a centimetre above the ground: the weight is borne by nothing.
    assert_eq!(refused(&place, |rows| rows.map("box.y", |_, y| y + 0.01)), "distance");
    // Sliding on without friction.
    let on = |rows: &mut Rows| {
        rows.map("box.vx", |_, _| 1.0);
        rows.map("box.x", |t, _| t);
    };
    assert_eq!(refused(&place, on), "friction");
    // Friction that drives.
    let faster = |rows: &mut Rows| {
        rows.map("box.vx", |t, _| 1.0 + 2.0 * t);
        let steps = |t: f64| (t / 0.01).round();
        rows.map("box.x", |t, _| 0.01 * (steps(t) + 0.01 * steps(t) * (steps(t) + 1.0)));
    };
    assert_eq!(refused(&place, faster), "friction");
    // Stopped more strongly than its weight times μ can do.
    let stopped = |rows: &mut Rows| {
        rows.map("box.vx", |t, v| if t > 0.1 { 0.0 } else { v });
        let x = rows.0[11][rows.at("box.x")].parse::<f64>().unwrap();
        rows.map("box.x", |t, y| if t > 0.1 { x } else { y });
    };
    assert_eq!(refused(&place, stopped), "momentum");
    // A jump of places that the velocities know nothing of.
    assert_eq!(
        refused(&place, |rows| rows.map("box.x", |t, x| if t > 0.205 { x + 0.05 } else { x })),
        "positions"
    );
    // Through the ground.
    let sunk = |rows: &mut Rows| rows.map("box.y", |t, y| if t > 0.3 { y - 0.04 } else { y });
    assert!(["overlap", "positions"].contains(&refused(&place, sunk).as_str()));
    // Energy from nowhere: a hop from rest.
    let hop = |rows: &mut Rows| {
        rows.map("box.vy", |t, v| if t > 0.3 { 2.0 - 9.81 * (t - 0.3) } else { v });
        rows.map("box.y", |t, y| {
            let n = ((t - 0.3) / 0.01).round();
            if n > 0.0 { y + 2.0 * 0.01 * n - 9.81 * 1e-4 * n * (n + 1.0) / 2.0 } else { y }
        });
    };
    assert!(["distance", "momentum"].contains(&refused(&place, hop).as_str()));
}

#[test]
fn a_body_that_was_carried_through_a_wall_between_two_rows_is_refused() {
    let place = TestDirectory::with_run(&thrown());
    let (code, told) = judge(&place, "run/trajectory.csv", &[]);
    assert_eq!(code, 0, "{told:#}");
    // A speed that takes it across within one step, and every row is clear of the wall.
    changed(&place, "fast.csv", |rows| {
        rows.map("ball.vx", |_, _| 90.0);
        rows.map("ball.x", |t, _| 0.55 + 90.0 * t);
    });
    let (code, told) = judge(&place, "fast.csv", &["--set", "referee.solution=false"]);
    let crossed = &told["summary"]["referee"]["checks"]["passing_through"];
    assert!(code == 1 && crossed["accepted"] == false, "{crossed:#}");
    assert!(crossed["place"].as_str().unwrap().contains("wall"), "{crossed:#}");
}

#[test]
fn forces_that_are_given_are_held_against_the_motion() {
    let place = TestDirectory::with_run(&slide());
    let text = std::fs::read_to_string(place.path("run/contacts.csv")).unwrap();
    let rewritten = |name: &str, change: &dyn Fn(&[&str], &mut Vec<String>)| {
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap().split(',').collect();
        let mut out = header.join(",") + "\n";
        for line in lines {
            let mut row: Vec<String> = line.split(',').map(str::to_owned).collect();
            change(&header, &mut row);
            out += &(row.join(",") + "\n");
        }
        std::fs::write(place.path(name), out).unwrap();
        judge(&place, "run/trajectory.csv", &["--contacts", &place.text(name)])
    };
    let at = |header: &[&str], name: &str| header.iter().position(|n| *n == name).unwrap();
    let refusal = |told: &Value| told["summary"]["referee"]["refusal"]["criterion"].clone();
    let (code, told) = rewritten("same.csv", &|_, _| {});
    assert_eq!(code, 0, "{told:#}");
    // Twice as strong as the motion says.
    let (code, told) = rewritten("strong.csv", &|header, row| {
        let k = at(header, "fy");
        row[k] = format!("{:?}", 2.0 * row[k].parse::<f64>().unwrap());
    });
    assert_eq!((code, refusal(&told)), (1, json!("momentum")), "{told:#}");
    // Between bodies that the scene does not have, and at times when no step ends.
    for (name, column, value, words) in [
        ("who.csv", "body_b", "nobody", "no body `nobody`"),
        ("when.csv", "time", "0.005", "no step of the motion ends"),
    ] {
        let (code, told) = rewritten(name, &|header, row| row[at(header, column)] = value.to_owned());
        assert!(code == 7 && told.to_string().contains(words), "{told}");
    }
}

#[test]
fn a_force_between_bodies_that_do_not_touch_is_refused() {
    let place = TestDirectory::with_run(&thrown());
    let forces = "time,body_a,body_b,x,y,z,fx,fy,fz\n0.05,wall,ball,0.9,0,0.5,0.0,0,1e-3\n";
    std::fs::write(place.path("ghost.csv"), forces).unwrap();
    let (code, told) = judge(&place, "run/trajectory.csv", &["--contacts", &place.text("ghost.csv")]);
    let refusal = &told["summary"]["referee"]["refusal"];
    assert!(code == 1 && refusal["criterion"] == "unmatched", "{told:#}");
    assert!(refusal["place"].as_str().unwrap().contains("wall / ball"), "{refusal:#}");
}

/// Layers deform along their surface, which no record tells: runs of them were refused by their own law.
#[test]
fn a_law_of_layers_that_rub_is_not_judged() {
    let place = TestDirectory::with_run(&shipped("micro-slip-square"));
    let output = vinci(&["judge", &place.text("e.json"), &place.text("run/trajectory.csv"), "--declared"]);
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("their layers deform along the surface: no record tells by how much"), "{text}");
    assert!(text.contains("without --declared"), "{text}");
}

#[test]
fn driven_bodies_follow_their_drives() {
    let gripper = shipped("gripper-2d-lcp");
    let place = TestDirectory::with_run(&gripper);
    let (_, told) = judge(&place, "run/trajectory.csv", &["--declared"]);
    assert_eq!(told["summary"]["exit_code"], 0, "{told:#}");
    let at = |rows: &Rows| {
        rows.0[0].iter().find(|n| n.ends_with(".vx") && !n.starts_with("cylinder")).unwrap().clone()
    };
    changed(&place, "other.csv", |rows| {
        let column = at(rows);
        rows.map(&column, |_, v| 1.1 * v + 0.01);
    });
    let (code, told) = judge(&place, "other.csv", &["--declared"]);
    let check = &told["summary"]["referee"]["checks"]["consistency"];
    assert!(code == 1 && check["accepted"] == false, "{check:#}");
}

#[test]
fn tables_that_are_no_motions_are_errors() {
    let place = TestDirectory::with_run(&thrown());
    let qw = |rows: &mut Rows| rows.map("ball.qw", |_, w| 1.1 * w);
    assert!(error(&place, qw).contains("quaternion from `ball.qw` on has the length"));
    assert!(
        error(&place, |rows| rows.map("time", |t, _| if t > 0.1 { 0.2 - t } else { t }))
            .contains("time goes back")
    );
    assert!(
        error(&place, |rows| rows.0[3][2] = "NaN".into())
            .contains("row 3, column `ball.y`: not a finite number")
    );
    assert!(error(&place, |rows| rows.0[3][2] = "inf".into()).contains("not a finite number"));
    assert!(error(&place, |rows| rows.0[3][2] = String::new()).contains("not a finite number"));
    assert!(error(&place, |rows| rows.0[0][1] = "bowl.x".into()).contains("no column `ball.x`"));
    assert!(error(&place, |rows| rows.without(|n| n == "ball.qz")).contains("no column `ball.qz`"));
    assert!(error(&place, |rows| rows.without(|n| n == "time")).contains("no column `time`"));
    let more = |rows: &mut Rows| {
        rows.0.iter_mut().enumerate().for_each(|(k, r)| r.push(if k == 0 { "ball2.x" } else { "0" }.into()))
    };
    assert!(error(&place, more).contains("`ball2.x` belongs to nothing that moves"));
    let twice = |rows: &mut Rows| {
        rows.0.iter_mut().enumerate().for_each(|(k, r)| r.push(if k == 0 { "ball.x" } else { "0" }.into()))
    };
    assert!(error(&place, twice).contains("stands twice"));
    assert!(
        error(&place, |rows| rows.0.truncate(1)).contains("a motion has two rows at least, this one has 0")
    );
    // Cut within a row, and moved within no time.
    assert!(
        error(&place, |rows| rows.0.last_mut().unwrap().truncate(4)).contains("found record with 4 fields")
    );
    let jump = |rows: &mut Rows| {
        let mut row = rows.0[5].clone();
        row[1] = "7".into();
        rows.0.insert(6, row);
    };
    assert!(error(&place, jump).contains("something moved within no time"));
}

/// A motion that was cut at a row is none of its experiment.
#[test]
fn a_motion_that_ends_early_is_not_accepted() {
    let place = TestDirectory::with_run(&slide());
    changed(&place, "cut.csv", |rows| rows.0.truncate(20));
    let (code, told) = judge(&place, "cut.csv", &[]);
    let failure = told["summary"]["failure"]["message"].as_str().unwrap();
    assert!(
        code == 1 && failure.contains("the motion ends at t = 0.18 s, its experiment at 0.4 s"),
        "{failure}"
    );
}

#[test]
fn files_that_are_not_there_or_not_tables_are_errors() {
    let place = TestDirectory::with_run(&slide());
    assert_eq!(judge(&place, "missing.csv", &[]).0, 3);
    std::fs::write(place.path("bad.parquet"), b"PAR1 and then nothing of the kind PAR1").unwrap();
    let (code, told) = judge(&place, "bad.parquet", &[]);
    assert!(code == 7, "{told}");
    std::fs::write(place.path("bytes.csv"), [0xff_u8, 0xfe, 0x00, 0x80, b',']).unwrap();
    assert_eq!(judge(&place, "bytes.csv", &[]).0, 7);
    assert_eq!(judge(&place, ".", &[]).0, 7);
    // Events change the scene on the way.
    let events =
        set(&slide(), "/events", json!([{ "at": 0.1, "set": { "scene.materials.default.friction": 0.1 } }]));
    std::fs::write(place.path("e.json"), events.to_string()).unwrap();
    let (code, told) = judge(&place, "run/trajectory.csv", &[]);
    assert!(code == 3 && told.to_string().contains("the experiment has events"), "{told}");
}

/// A scene alone is judged with the step of the motion, and its directory is that of a run.
#[test]
fn a_scene_is_judged_without_experiment_and_the_directory_is_that_of_a_run() {
    let place = TestDirectory::with_run(&slide());
    let scene = slide()["scene"].clone();
    std::fs::write(place.path("s.json"), scene.to_string()).unwrap();
    let out = place.text("judged");
    let output = vinci(&["judge", &place.text("s.json"), &place.text("run/trajectory.csv"), "--out", &out]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let read = |file: &str| std::fs::read_to_string(place.path(file)).unwrap();
    assert_eq!(read("judged/trajectory.csv"), read("run/trajectory.csv"));
    let summary: Value = serde_json::from_str(&read("judged/summary.json")).unwrap();
    assert_eq!(summary["stepper"]["id"], "trajectory.csv");
    assert!(vinci(&["view", &out]).status.success());
    // A directory that a run is in use is not written over by its own motion.
    let into = vinci(&[
        "judge",
        &place.text("e.json"),
        &place.text("run/trajectory.csv"),
        "--out",
        &place.text("run"),
    ]);
    assert!(
        into.status.code() == Some(7) && output_text(&into).contains("would replace it"),
        "{}",
        output_text(&into)
    );
}

fn write_file(name: &str, directory: &Path, value: &Value) -> String {
    let path = directory.join(name);
    std::fs::write(&path, value.to_string()).unwrap();
    path.display().to_string()
}

/// A motion from elsewhere is a row of a comparison, and one judge looks at all.
#[test]
fn a_motion_is_a_model_of_a_comparison() {
    let place = TestDirectory::with_run(&slide());
    changed(&place, "creeps.csv", |rows| {
        // It never comes to rest: a millimetre a second is left.
        rows.map("box.vx", |_, v| v.max(1e-3));
        let (x, v) = (rows.at("box.x"), rows.at("box.vx"));
        for k in 2..rows.0.len() {
            let number = |word: &String| word.parse::<f64>().unwrap();
            rows.0[k][x] = format!("{:?}", number(&rows.0[k - 1][x]) + 0.01 * number(&rows.0[k][v]));
        }
    });
    let comparison = json!({ "format": "vinci/comparison@1", "experiment": "e.json", "models": [
        { "name": "ST", "stepper": "stewart-trinkle", "solver": "lemke" },
        { "name": "peer", "trajectory": "creeps.csv" } ], "reference": { "run": { "model": "ST" } } });
    let path = write_file("c.json", &place.path("."), &comparison);
    let output = vinci(&["compare", &path, "--out", &place.text("out")]);
    assert_eq!(output.status.code(), Some(1), "{}", output_text(&output));
    let compared: Value =
        serde_json::from_str(&std::fs::read_to_string(place.path("out/compare.json")).unwrap()).unwrap();
    let runs = compared["runs"].as_array().unwrap();
    assert_eq!((runs.len(), &runs[1]["summary"]["stepper"]["id"]), (2, &json!("creeps.csv")));
    assert!(runs[1]["difference"].as_f64().unwrap() > 1e-4);
    let judged = compared["judged"].as_array().unwrap();
    assert!(judged[0]["judged"]["creep"]["value"].as_f64().unwrap() < 1e-12, "{:#}", judged[0]);
    let creep = judged[1]["judged"]["creep"]["value"].as_f64().unwrap();
    assert!((creep - 1e-3).abs() < 1e-9, "{:#}", judged[1]);
    assert!(compared["measures"]["runs"][1]["errors"]["position"]["max"].as_f64().unwrap() > 1e-4);
    let text = output_text(&output);
    assert!(text.contains("by one judge, the strictest law"), "{text}");
    // Heads without units and words that said something else.
    for plain in
        ["Δ to 1st: the largest", "position m rotation rad velocity m/s   spin rad/s", "unexplained %"]
    {
        assert!(text.contains(plain), "{plain}: {text}");
    }
    // What the judge took was told as the time of the simulator.
    let of_peer: Vec<&str> =
        text.lines().find(|line| line.starts_with("peer ")).unwrap().split_whitespace().collect();
    assert_eq!(of_peer[3..6], ["-", "-", "-"], "{text}");
    let csv = std::fs::read_to_string(place.path("out/comparison.csv")).unwrap();
    let cells = |k: usize| csv.lines().nth(k).unwrap().split(',').collect::<Vec<_>>();
    let at = cells(0).iter().position(|name| *name == "total_s").unwrap();
    assert!(!cells(1)[at].is_empty() && cells(2)[at].is_empty(), "{csv}");
    let page = std::fs::read_to_string(place.path("out/comparison.html")).unwrap();
    assert!(page.contains("<h2>By one judge, the strictest law"), "the page knows what the terminal says");
    // It goes on and is compared anew; a model is one or the other.
    assert_eq!(vinci(&["compare", &path, "--out", &place.text("out")]).status.code(), Some(1));
    let both = json!({ "format": "vinci/comparison@1", "experiment": "e.json", "models": [
        { "name": "both", "trajectory": "creeps.csv", "stepper": "stewart-trinkle" } ] });
    let refused = vinci(&["compare", &write_file("b.json", &place.path("."), &both)]);
    assert!(
        refused.status.code() == Some(3) && output_text(&refused).contains("not both"),
        "{}",
        output_text(&refused)
    );
}

#[test]
fn an_exported_scene_has_the_masses_places_and_frictions_of_the_scene() {
    let place = TestDirectory::with_run(&thrown());
    let out = place.text("m.xml");
    let output = vinci(&["export", &place.text("e.json"), "--to", "mjcf", "--out", &out]);
    assert!(output.status.success(), "{}", output_text(&output));
    let model = std::fs::read_to_string(&out).unwrap();
    for part in [
        "<option timestep=\"0.01\" gravity=\"0 0 -9.81\" cone=\"elliptic\"/>",
        "<body name=\"wall\" pos=\"1 0 0.5\" quat=\"1 0 0 0\">",
        "<body name=\"ball\" pos=\"0 0 0.5\" quat=\"1 0 0 0\">",
        "<inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"0.001",
        "type=\"sphere\" pos=\"0 0 0\" quat=\"1 0 0 0\" size=\"0.05\" condim=\"3\" friction=\"0.3 0 0\"",
        "qvel=\"0.5 0 1 1 2 3\"",
    ] {
        assert!(model.contains(part), "{part}\n{model}");
    }
    let again = vinci(&["export", &place.text("e.json"), "--to", "mjcf", "--out", &out]);
    assert_eq!(again.status.code(), Some(7), "{}", output_text(&again));
    // What the format does not say is listed.
    let gripper = house::root().join("host/scenes/tamsi-gripper-mug.json").display().to_string();
    let told = output_text(&vinci(&["export", &gripper, "--to", "mjcf"]));
    assert!(told.contains("not said  2 drives") && told.contains("stiffness and dissipation"), "{told}");
}

/// What suits is what takes everything from the scene; a compliant stepper without a stiffness cannot run it.
#[test]
fn advice_follows_from_manifests_and_from_what_a_run_would_refuse() {
    let place = TestDirectory::with_run(&slide());
    let output = vinci(&["advise", &place.text("e.json"), "--json", "--steps", "3"]);
    assert!(output.status.success(), "{}", output_text(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |id: &str| {
        let list = told["models"].as_array().unwrap();
        list.iter()
            .find(|m| m["stepper"] == format!("vinci.stepper.{id}"))
            .unwrap_or_else(|| panic!("{id}"))
            .clone()
    };
    let strict = of("stewart-trinkle");
    let lemke =
        strict["models"].as_array().unwrap().iter().find(|m| m["solver"] == "vinci.solver.lemke").unwrap();
    assert_eq!(
        (&strict["wrong"], &lemke["departs"], &lemke["class"]),
        (&json!([]), &json!([]), &json!("Mlcp"))
    );
    assert_eq!(lemke["cost"]["steps"], 3);
    assert!(of("tamsi")["refused"].as_str().unwrap().contains("stiffness"), "{:#}", of("tamsi"));
    assert!(of("anitescu-qp")["wrong"][0].as_str().unwrap().contains("hover"), "{:#}", of("anitescu-qp"));
}

/// The experiment's fallback stood behind every solver that was tried: models could not run for what it does not take.
#[test]
fn a_model_is_tried_with_its_solver_alone() {
    let place = TestDirectory::new();
    let advice = |solver: Value| {
        let mut experiment = slide();
        experiment["solver"] = solver;
        place.write("e.json", &experiment);
        let output = vinci(&["advise", &place.text("e.json"), "--json", "--steps", "0"]);
        assert!(output.status.success(), "{}", output_text(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["models"].clone()
    };
    let alone = advice(json!({ "plugin": "newton" }));
    assert_eq!(advice(json!({ "plugin": "newton", "fallback": ["lemke"] })), alone);
    assert_eq!(advice(json!({ "plugin": "newton", "fallback": ["lemke"], "race": true })), alone);
}

/// Stewart-Trinkle was said to have polygons of 8 directions beside solvers that get its circles as they are.
#[test]
fn advice_tells_of_polygons_where_there_are_some() {
    let scene = house::root().join("host/scenes/box-on-plane-3d.json").display().to_string();
    let output = vinci(&["advise", &scene, "--json"]);
    assert!(output.status.success(), "{}", output_text(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let models = told["models"].as_array().unwrap();
    let strict = models.iter().find(|m| m["stepper"] == "vinci.stepper.stewart-trinkle").unwrap();
    let polygons = |list: &Value| list.to_string().matches("bounded by polygons").count();
    assert!(!strict["wrong"].to_string().contains("polygon"), "{strict:#}");
    let of = |solver: &str| {
        let id = format!("vinci.solver.{solver}");
        let models = strict["models"].as_array().unwrap();
        models.iter().find(|m| m["solver"] == id).unwrap_or_else(|| panic!("{id}"))["departs"].clone()
    };
    assert_eq!(["nsgs", "lemke", "newton"].map(|solver| polygons(&of(solver))), [0, 1, 1], "{strict:#}");
    // What two solvers have in common is told once.
    assert_eq!(of("lemke"), of("newton"));
    let text = output_text(&vinci(&["advise", &scene]));
    // A warning of a plugin stood there once for every model that it is part of.
    let warned = text.lines().filter(|line| line.contains("WARN")).collect::<Vec<_>>();
    let once = warned.iter().collect::<std::collections::BTreeSet<_>>();
    assert_eq!(warned.len(), once.len(), "{warned:#?}");
    let own = text.split("\nvinci.stepper.").find(|part| part.starts_with("stewart-trinkle")).unwrap();
    assert_eq!(own.matches("polygons of 8 directions").count(), 1, "{own}");
    let first = &told["first_choice"];
    assert_eq!(first["stepper"], "vinci.stepper.stewart-trinkle", "{first}");
    assert!(text.starts_with(&format!(
        "first choice: vinci.stepper.stewart-trinkle with {}",
        first["solver"].as_str().unwrap()
    )));
}

/// The block's first-order error is h v/2: half the step leaves half of it, and the bar is twice the difference.
#[test]
fn a_verified_run_has_error_bars() {
    let place = TestDirectory::with_run(&slide());
    let out = place.text("verified");
    let output = vinci(&["run", &place.text("e.json"), "--out", &out, "--verify", "--error-format", "json"]);
    assert!(output.status.success(), "{}", output_text(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let bars = told["verify"].as_array().unwrap();
    assert_eq!(
        (bars.len(), &bars[0]["name"]),
        (1, &json!("half-step")),
        "friction in the plane has no polygon"
    );
    // x_h − x = −h t v'/2 with v' = −μ g up to the rest at v/(μ g).
    let bar = bars[0]["bars"]["position"].as_f64().unwrap();
    assert!((bar - 0.5 * 0.01 * 1.0).abs() < 2e-4, "{bar}");
    assert!(Path::new(&out).with_extension("verify").join("half-step/summary.json").exists());
    // In space circles are polygons under Lemke.
    let mut scene = spatial(0.5, 0.0, json!([ground("spatial")]));
    scene["bodies"].as_array_mut().unwrap().push(json!({
        "name": "ball", "mass": 1, "shapes": [{ "type": "ball", "radius": 0.1 }], "position": [0, 0, 0.1], "velocity": [1, 0.4, 0] }));
    let place = TestDirectory::with_run(&experiment(scene, 0.01, 0.1));
    let text = output_text(&vinci(&["run", &place.text("e.json"), "--out", &place.text("v"), "--verify"]));
    assert!(
        text.contains("verify    half-step: position ±") && text.contains("verify    cones: position ±"),
        "{text}"
    );
}
