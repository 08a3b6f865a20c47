//! `vinci judge` of motions that owe the linearisation over a step nothing: what flies past is no collision, and what hits one exactly
//! is one.

use serde_json::{Value, json};
use vinci_tests::experiment::planar;
use vinci_tests::program::{TestDirectory, output_text, vinci};

/// Radius of all discs, m.
const R: f64 = 0.05;

fn disc(name: &str, position: [f64; 2], velocity: [f64; 2]) -> Value {
    json!({ "name": name, "mass": 1, "gravity": false, "shapes": [{ "type": "disc", "radius": R }],
        "position": position, "velocity": velocity })
}

/// A row: time, then (x, y, angle, vx, vy, omega) of every body that moves.
type Row = (f64, Vec<[f64; 6]>);

/// Exit code of the judge, and what is said of a motion of these bodies.
fn judge(scene: &Value, names: &[&str], rows: &[Row]) -> (i32, String) {
    let directory = TestDirectory::new();
    directory.write("s.json", scene);
    let columns = ["x", "y", "angle", "vx", "vy", "omega"];
    let head = names.iter().flat_map(|name| columns.map(|column| format!(",{name}.{column}")));
    let mut table = format!("time{}\n", head.collect::<String>());
    for (t, bodies) in rows {
        let cells = bodies.iter().flatten().map(|x| format!(",{x:?}")).collect::<String>();
        table += &format!("{t:?}{cells}\n");
    }
    std::fs::write(directory.path("motion.csv"), table).unwrap();
    let output = vinci(&["judge", &directory.text("s.json"), &directory.text("motion.csv")]);
    (output.status.code().unwrap(), output_text(&output))
}

/// A post of a disc, and a disc that comes at 60 m/s, `aside` of touching it.
fn post(aside: f64) -> Value {
    let mut post = disc("post", [0.0, 0.0], [0.0, 0.0]);
    post["static"] = json!(true);
    for key in ["mass", "velocity", "gravity"] {
        post.as_object_mut().unwrap().remove(key);
    }
    planar(0.3, 0.0, json!([post, disc("d", [-0.63, 2.0 * R + aside], [60.0, 0.0])]))
}

fn straight(aside: f64) -> Vec<Row> {
    let at = |k: i32| {
        let t = 1e-3 * f64::from(k);
        (t, vec![[-0.63 + 60.0 * t, 2.0 * R + aside, 0.0, 60.0, 0.0, 0.0]])
    };
    (0..=22).map(at).collect()
}

/// The straight flight was refused: it "closes within the step over its gap of 3.8e-2 m" along the normal at the start of the step.
#[test]
fn a_disc_that_flies_past_a_post_is_accepted() {
    for aside in [5e-3, 1e-4, 1e-6] {
        let (code, said) = judge(&post(aside), &["d"], &straight(aside));
        assert_eq!(code, 0, "{aside}: {said}");
    }
    for aside in [-1e-4, -1e-3, -5e-3] {
        let (code, said) = judge(&post(aside), &["d"], &straight(aside));
        assert!(code == 1 && said.contains("post"), "{aside}: {said}");
    }
}

/// A small disc in a long step: it clips its like by 9 % between two looks at it.
#[test]
fn a_disc_that_clips_another_on_the_way_is_refused() {
    let small = |name: &str, position: [f64; 2]| {
        let mut body = disc(name, position, [30.0, 0.0]);
        body["shapes"][0]["radius"] = json!(1e-3);
        body
    };
    let mut post = small("post", [0.0, 0.0]);
    post["static"] = json!(true);
    for key in ["mass", "velocity", "gravity"] {
        post.as_object_mut().unwrap().remove(key);
    }
    for (start, high, lawful) in [(-0.0108, 1.82e-3, false), (-0.0108, 2.02e-3, true), (-0.15, 1.9e-3, false)]
    {
        let scene = planar(0.3, 0.0, json!([post, small("d", [start, high])]));
        let row = |t: f64| (t, vec![[start + 30.0 * t, high, 0.0, 30.0, 0.0, 0.0]]);
        let (code, said) = judge(&scene, &["d"], &[row(0.0), row(0.01)]);
        assert_eq!(code == 0, lawful, "{start} {high}: {said}");
    }
}

/// The run of the same flight is pressed where the post is 1.4 cm away at the end of the step: that is its law, and told.
#[test]
fn a_run_tells_how_far_apart_its_contacts_pressed() {
    let directory = TestDirectory::new();
    let experiment = json!({ "format": "vinci/experiment@1", "scene": post(5e-3), "time": { "step": 1e-3, "duration": 0.022 },
        "detector": { "plugin": "planar" }, "stepper": { "plugin": "stewart-trinkle" }, "solver": { "plugin": "lemke" } });
    directory.write("e.json", &experiment);
    let output = vinci(&["run", &directory.text("e.json"), "--out", &directory.text("run")]);
    let said = output_text(&output);
    assert!(
        said.contains("contacts pressed bodies that were up to") && said.contains("of the thinner one"),
        "{said}"
    );
    let summary: Value =
        serde_json::from_slice(&std::fs::read(directory.path("run/summary.json")).unwrap()).unwrap();
    let gap = summary["referee"]["max_linearized_gap"].as_f64().unwrap();
    assert!(gap > 0.01 && gap < 0.04, "{gap}");
}

/// Two equal discs without friction, e = 0.7, in closed form, the impact as two rows of one time. The discs meet obliquely between two
/// rows; by the normal at the start of that step they met earlier, and 20 of 20 such collisions were refused.
#[test]
fn exact_oblique_collisions_are_accepted() {
    let (e, speed, h) = (0.7, 3.0, 1e-3);
    let scene = |v: [f64; 2], p: [f64; 2]| {
        planar(0.0, e, json!([disc("a", p, v), disc("b", [0.0, 0.0], [0.0, 0.0])]))
    };
    for k in 0..8 {
        let (angle, off) = (0.4 + f64::from(k), -0.08 + 0.02 * f64::from(k));
        let (u, w) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
        let p: [f64; 2] = std::array::from_fn(|i| -0.3 * u[i] + off * w[i]);
        let v = u.map(|x| speed * x);
        // On the way along u they meet where what is left is the chord.
        let t = (0.3 - (4.0 * R * R - off * off).sqrt()) / speed;
        let meet: [f64; 2] = std::array::from_fn(|i| p[i] + t * v[i]);
        let n = meet.map(|x| -x / meet[0].hypot(meet[1]));
        let closing = v[0] * n[0] + v[1] * n[1];
        let after = |returned: f64| {
            let j = 0.5 * (1.0 + returned) * closing;
            let (va, vb): ([f64; 2], [f64; 2]) = (std::array::from_fn(|i| v[i] - j * n[i]), n.map(|x| j * x));
            let row = |t: f64, since: f64| {
                let a: [f64; 2] = std::array::from_fn(|i| meet[i] + since * va[i]);
                (
                    t,
                    vec![
                        [a[0], a[1], 0.0, va[0], va[1], 0.0],
                        [since * vb[0], since * vb[1], 0.0, vb[0], vb[1], 0.0],
                    ],
                )
            };
            let before =
                |t: f64| (t, vec![[p[0] + t * v[0], p[1] + t * v[1], 0.0, v[0], v[1], 0.0], [0.0; 6]]);
            let whole = (t / h) as i32;
            let mut rows: Vec<Row> = (0..=whole).map(|i| before(h * f64::from(i))).collect();
            rows.extend([before(t), row(t, 0.0)]);
            rows.extend((whole + 1..whole + 20).map(|i| row(h * f64::from(i), h * f64::from(i) - t)));
            rows
        };
        let (code, said) = judge(&scene(v, p), &["a", "b"], &after(e));
        assert_eq!(code, 0, "{angle}: {said}");
        let (code, said) = judge(&scene(v, p), &["a", "b"], &after(0.9));
        assert_eq!(code, 1, "{angle}: {said}");
    }
}
