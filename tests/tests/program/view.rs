//! `vinci view`: what stands in the page is what the run recorded.

use std::io::Read;
use std::path::Path;

use base64::Engine;
use serde_json::{Value, json};
use vinci_tests::experiment::{ground, planar, shipped};
use vinci_tests::program::{output_text, vinci};

/// A disc that slides on the ground and comes to rest.
fn slide() -> Value {
    let mut scene = planar(0.5, 0.0, json!([ground("planar")]));
    scene["bodies"].as_array_mut().unwrap().push(json!({
        "name": "disc", "mass": 2, "shapes": [{ "type": "disc", "radius": 0.1 }], "position": [5000.25, 0.1],
        "velocity": [1, 0], "dofs": { "angle": "locked" } }));
    vinci_tests::experiment::experiment(scene, 0.01, 0.3)
}

fn run(experiment: &Value, out: &Path) {
    let file = out.with_extension("json");
    std::fs::write(&file, experiment.to_string()).unwrap();
    let output = vinci(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
}

/// Header and numbers of a page.
struct Page {
    header: Value,
    bytes: Vec<u8>,
}

impl Page {
    fn read(file: &Path) -> Self {
        let text = std::fs::read_to_string(file).unwrap();
        let element = |id: &str| {
            let (_, rest) = text.split_once(&format!("id=\"{id}\">")).unwrap();
            rest.split_once("</script>").unwrap().0.to_owned()
        };
        let packed = base64::prelude::BASE64_STANDARD.decode(element("vinci-data")).unwrap();
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        Self { header: serde_json::from_str(&element("vinci-header")).unwrap(), bytes }
    }

    /// Numbers of a reference.
    fn numbers(&self, reference: &Value) -> Vec<f64> {
        let (at, count) =
            (reference["at"].as_u64().unwrap() as usize, reference["count"].as_u64().unwrap() as usize);
        assert_eq!(at % 8, 0);
        let of = |size: usize| self.bytes[at..at + size * count].chunks_exact(size);
        match reference["type"].as_str().unwrap() {
            "f64" => of(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect(),
            "f32" => of(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            "u32" => of(4).map(|b| u32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            "i16" => of(2).map(|b| i16::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            "u16" => of(2).map(|b| u16::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            "u8" => of(1).map(|b| b[0].into()).collect(),
            other => panic!("{other}"),
        }
    }
}

/// Columns of a table of a run, as words.
fn column(run: &Path, file: &str, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(run.join(file)).unwrap();
    let at = text.lines().next().unwrap().split(',').position(|n| n == name).unwrap();
    text.lines().skip(1).map(|row| row.split(',').nth(at).unwrap().to_owned()).collect()
}

fn numbers(run: &Path, file: &str, name: &str) -> Vec<f64> {
    column(run, file, name).iter().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn poses_and_forces_in_the_page_are_those_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("slide");
    run(&slide(), &out);
    let output = vinci(&["view", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let page = Page::read(&out.join("view.html"));
    let (header, shown) = (&page.header, &page.header["runs"][0]);
    assert_eq!((header["space"].as_str(), shown["every"].as_u64()), (Some("planar"), Some(1)));
    assert_eq!(shown["bodies"][1], json!({ "name": "disc", "slot": 0 }));
    // Far from the world's origin singles would tell the place to half a millimetre.
    assert_eq!(shown["origin"], json!([5000.0, 0.0, 0.0]));
    assert_eq!(page.numbers(&shown["time"]), numbers(&out, "trajectory.csv", "time"));
    let (pose, x) = (page.numbers(&shown["pose"]), numbers(&out, "trajectory.csv", "disc.x"));
    for (frame, x) in x.iter().enumerate() {
        assert!((pose[3 * frame] + 5000.0 - x).abs() < 1e-7, "{frame}: {} {x}", pose[3 * frame]);
    }
    let contacts = &shown["contacts"];
    assert_eq!(contacts["pairs"], json!([{ "bodies": [0, 1], "friction": 0.5 }]));
    let (force, normal) = (page.numbers(&contacts["force"]), page.numbers(&contacts["normal"]));
    let (p_n, mode) = (numbers(&out, "contacts.csv", "normal_impulse"), column(&out, "contacts.csv", "mode"));
    // On the disc: up with its weight, against the slip with half of it.
    for (i, p_n) in p_n.iter().enumerate() {
        assert!((force[3 * i + 1] - p_n / 0.01).abs() < 1e-5 && normal[3 * i + 1] == 32767.0);
        assert!((force[3 * i + 1] - 2.0 * 9.81).abs() < 1e-4, "{}", force[3 * i + 1]);
        if mode[i] == "slip" {
            assert!((force[3 * i] + 9.81).abs() < 1e-4, "{}", force[3 * i]);
        }
    }
    assert_eq!(mode.first().map(String::as_str), Some("slip"));
    let energy = page.numbers(&shown["columns"][0]["value"]);
    assert!((energy[0] - (1.0 + 2.0 * 9.81 * 0.1)).abs() < 1e-5, "{}", energy[0]);
}

#[test]
fn several_runs_stand_in_one_page_and_links_have_their_poses() {
    let dir = tempfile::tempdir().unwrap();
    let mut experiment = shipped("tamsi-gripper-mug");
    experiment["time"]["duration"] = json!(0.03);
    let runs = ["a", "b"].map(|name| dir.path().join(name));
    runs.iter().for_each(|out| run(&experiment, out));
    let file = dir.path().join("both.html");
    let paths = runs.each_ref().map(|out| out.to_str().unwrap());
    let output = vinci(&["view", paths[0], paths[1], "--out", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let page = Page::read(&file);
    let shown = page.header["runs"].as_array().unwrap();
    assert_eq!(shown.len(), 2);
    let bodies = shown[1]["bodies"].as_array().unwrap();
    let moving: Vec<&str> =
        bodies.iter().filter(|b| b["slot"].is_u64()).map(|b| b["name"].as_str().unwrap()).collect();
    let width = page.numbers(&shown[1]["pose"]).len() / page.numbers(&shown[1]["time"]).len();
    let last = page.numbers(&shown[1]["pose"])[page.numbers(&shown[1]["pose"]).len() - width..].to_vec();
    // Joints, and what holds or moves them, were plotted without units.
    let unit_of = |end: &str| {
        let columns = shown[1]["columns"].as_array().unwrap();
        let found = columns.iter().find(|c| c["name"].as_str().unwrap().ends_with(end));
        found.unwrap_or_else(|| panic!("{end}: {columns:#?}"))["unit"].as_str().unwrap().to_owned()
    };
    assert_eq!(["gripper.lift.q", "gripper.grip.q"].map(unit_of), ["m", "m"]);
    let table = std::fs::read_to_string(runs[1].join("links.csv")).unwrap();
    let link = moving.iter().rposition(|name| table.contains(&format!(",{name}.x"))).unwrap();
    let x = *numbers(&runs[1], "links.csv", &format!("{}.x", moving[link])).last().unwrap();
    assert!((last[link * width / moving.len()] - x).abs() < 1e-6, "{last:?} {x}");
}

#[test]
fn what_is_no_run_or_a_damaged_one_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let none = vinci(&["view", dir.path().to_str().unwrap()]);
    assert_eq!(none.status.code(), Some(7), "{}", output_text(&none));
    assert!(
        output_text(&none).contains("is not the directory of a run: it has no experiment.json"),
        "{}",
        output_text(&none)
    );
    let out = dir.path().join("slide");
    run(&slide(), &out);
    let view = || vinci(&["view", out.to_str().unwrap()]);
    let spoil = |file: &str, from: &str, to: &str| {
        let text = std::fs::read_to_string(out.join(file)).unwrap();
        std::fs::write(out.join(file), text.replacen(from, to, 1)).unwrap();
        let output = view();
        std::fs::write(out.join(file), text).unwrap();
        (output.status.code(), output_text(&output))
    };
    let (code, text) = spoil("trajectory.csv", "disc.x", "puck.x");
    assert!(code == Some(7) && text.contains("it does not hold what the run wrote to it"), "{text}");
    // A run without a summary has no sums either.
    std::fs::rename(out.join("summary.json"), dir.path().join("aside")).unwrap();
    for (file, from, to, words) in [
        ("trajectory.csv", "disc.x", "puck.x", "its columns are not those of the scene in experiment.json"),
        ("trajectory.csv", "\n0.01,", "\n0.01,1,", "trajectory.csv: CSV error"),
        ("trajectory.csv", "\n0.01,", "\nnan,", "a row holds something that is not a number"),
        ("contacts.csv", ",disc,", ",puck,", "there is no body `puck`"),
        ("contacts.csv", ",nx,", ",mx,", "it has no points and normals"),
    ] {
        let (code, text) = spoil(file, from, to);
        assert_eq!(code, Some(7), "{file}: {text}");
        assert!(text.contains(words) && text.contains("run it again"), "{file}: {text}");
    }
    // A summary that is none, and one of a version that is not known.
    for (text, words) in [
        ("{ \"format\": \"vinci/sum", "it is no summary"),
        (
            "{ \"format\": \"vinci/summary@2\" }",
            "its format is \"vinci/summary@2\", this program reads \"vinci/summary@1\"",
        ),
    ] {
        std::fs::write(out.join("summary.json"), text).unwrap();
        let output = view();
        assert!(
            output.status.code() == Some(7) && output_text(&output).contains(words),
            "{}",
            output_text(&output)
        );
    }
    std::fs::remove_file(out.join("summary.json")).unwrap();
    // A row that was cut off with the power is none.
    let whole = std::fs::read_to_string(out.join("trajectory.csv")).unwrap();
    std::fs::rename(out.join("trajectory.csv"), out.join("trajectory.csv.part")).unwrap();
    // Of a run on a full disk there may be nothing.
    std::fs::write(out.join("trajectory.csv.part"), "").unwrap();
    let text = output_text(&view());
    let words = "trajectory.csv.part: it is empty: the run ended before any of it came to the disk";
    assert!(text.contains(words), "{text}");
    for cut in [whole.len() - 3, whole.len() - 10] {
        std::fs::write(out.join("trajectory.csv.part"), &whole[..cut]).unwrap();
        let page = dir.path().join("cut.html");
        let output = vinci(&["view", out.to_str().unwrap(), "--force", "--out", page.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
        let rows = Page::read(&page).header["runs"][0]["time"]["count"].as_u64().unwrap();
        assert_eq!(rows, whole.lines().count() as u64 - 2);
    }
    std::fs::write(out.join("trajectory.csv.part"), &whole).unwrap();
    std::fs::rename(out.join("trajectory.csv.part"), out.join("trajectory.csv")).unwrap();
    std::fs::rename(dir.path().join("aside"), out.join("summary.json")).unwrap();
    assert!(!out.join("view.html").exists());
    assert_eq!(view().status.code(), Some(0));
    let no_place = vinci(&["view", out.to_str().unwrap(), "--out", "/proc/none/view.html"]);
    assert_eq!(no_place.status.code(), Some(7), "{}", output_text(&no_place));
}

/// The report of a run pointed to a page that nobody had written.
#[test]
fn a_report_holds_the_motion_also_of_a_run_that_failed() {
    let dir = tempfile::tempdir().unwrap();
    for (name, code, status) in [("jammed-fingers", 6, "failed"), ("sliding-block", 0, "completed")] {
        let out = dir.path().join(name);
        let scene = vinci_tests::house::root().join(format!("host/scenes/{name}.json"));
        let output = vinci(&["run", scene.to_str().unwrap(), "--out", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(code), "{}", output_text(&output));
        let report = std::fs::read_to_string(out.join("report.html")).unwrap();
        let (_, rest) = report.split_once("srcdoc=\"").unwrap();
        let inside = rest.split_once('"').unwrap().0;
        let marks = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
        let inside = marks.iter().fold(inside.to_owned(), |text, (mark, of)| text.replace(mark, of));
        let file = dir.path().join("inside.html");
        std::fs::write(&file, inside).unwrap();
        let page = Page::read(&file);
        let run = &page.header["runs"][0];
        assert_eq!((&page.header["title"], &run["status"]), (&json!(name), &json!(status)));
        assert_eq!(run["certificates"].as_array().unwrap().len(), usize::from(code == 6));
        assert_eq!(page.numbers(&run["time"]).len(), numbers(&out, "trajectory.csv", "time").len());
        assert!(!out.join("view.html").exists());
    }
}

/// The page and its pictures said "completed" of a run that the referee had refused.
#[test]
fn a_run_that_the_referee_refused_is_called_so() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("slide");
    run(&slide(), &out);
    let picture = |name: &str| {
        let file = dir.path().join(name);
        let output = vinci(&["view", out.to_str().unwrap(), "--png", file.to_str().unwrap()]);
        assert!(output.status.success(), "{}", output_text(&output));
        std::fs::read(file).unwrap()
    };
    let accepted = picture("accepted.png");
    let path = out.join("summary.json");
    let mut summary: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    summary["referee"]["accepted"] = json!(false);
    summary["referee"]["refusal"] = json!({ "check": "penetration", "criterion": "overlap", "value": 0.2, "limit": 0.01,
        "step": 3, "time": 0.03, "place": "ground / disc" });
    std::fs::write(&path, summary.to_string()).unwrap();
    assert_eq!(vinci(&["view", out.to_str().unwrap()]).status.code(), Some(0));
    let page = Page::read(&out.join("view.html"));
    let shown = &page.header["runs"][0];
    assert_eq!(shown["status"], "refused");
    let note = shown["notes"][0].as_str().unwrap();
    assert!(note.starts_with("the referee does not accept this run: step 3, t = 0.03 s"), "{note}");
    assert!(picture("refused.png") != accepted);
}

/// The page had no certificate, whatever ended the run.
#[test]
fn a_jam_is_in_the_page_with_its_forces_and_what_holds_it() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("jam");
    let scene = vinci_tests::house::root().join("host/scenes/jammed-fingers.json");
    let output = vinci(&["run", scene.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(6), "{}", output_text(&output));
    assert_eq!(vinci(&["view", out.to_str().unwrap()]).status.code(), Some(0));
    let page = Page::read(&out.join("view.html"));
    let (shown, jam) = (&page.header["runs"][0], &page.header["runs"][0]["certificates"][0]);
    let name = |body: &Value| shown["bodies"][body.as_u64().unwrap() as usize]["name"].clone();
    assert_eq!(jam["held"].as_array().unwrap().iter().map(name).collect::<Vec<_>>(), ["left", "right"]);
    let forces = jam["forces"].as_array().unwrap();
    // From the block into the fingers: one to the left and one to the right, of one size.
    let x = |k: usize| (forces[k]["force"][0].as_f64().unwrap(), forces[k]["point"][0].as_f64().unwrap());
    assert_eq!(forces.len(), 2);
    for k in 0..2 {
        assert!((x(k).0.abs() - 1.0).abs() < 1e-9 && x(k).0 * x(k).1 > 0.0, "{jam}");
        assert!((x(k).1.abs() - 0.05).abs() < 1e-6, "the fingers touch the block at its sides: {jam}");
    }
    assert!(x(0).0 * x(1).0 < 0.0, "{jam}");
    assert_eq!(jam["time"].as_f64(), Some(0.2));
    assert!(jam["text"].as_str().unwrap().contains("Infeasible"));
}

/// Two runs of one stepper had one label, and a run of another scene was drawn over the first as if it were of it.
#[test]
fn runs_are_told_apart_and_those_of_another_scene_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b, other] = ["a", "b", "other"].map(|name| dir.path().join(name));
    let mut second = slide();
    second["time"]["step"] = json!(0.005);
    let mut ball = slide();
    ball["scene"]["bodies"][1]["name"] = json!("ball");
    for (experiment, out) in [(&slide(), &a), (&second, &b), (&ball, &other)] {
        run(experiment, out);
    }
    let word = |path: &Path| path.to_str().unwrap().to_owned();
    let file = word(&dir.path().join("both.html"));
    let output = vinci(&["view", &word(&a), &word(&b), "--out", &file]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let page = Page::read(Path::new(&file));
    let names = [0, 1].map(|k| page.header["runs"][k]["name"].as_str().unwrap().to_owned());
    assert!(names[0].ends_with(" (a)") && names[1].ends_with(" (b)"), "{names:?}");
    let output = vinci(&["view", &word(&a), &word(&other), "--force", "--out", &file]);
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("other is of another scene than the first run: it has no body `disc`"), "{text}");
}
