//! `vinci export --to sdf`: what is written is read again, meshes beside it too, and nothing is written over. What is not written at all.

use serde_json::json;
use vinci_tests::house;
use vinci_tests::program::{output_text, vinci};

#[test]
fn a_scene_given_away_as_sdf_is_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let gripper = house::root().join("host/scenes/tamsi-gripper-mug.json").display().to_string();
    let given = vinci(&["export", &gripper, "--to", "sdf", "--out", &at("m.sdf")]);
    let told = output_text(&given);
    assert!(given.status.success() && told.contains("not said  2 drives"), "{told}");
    let read = vinci(&["import", &at("m.sdf"), "--out", &at("again.scene.json")]);
    let told = output_text(&read);
    assert!(read.status.success() && told.contains("1.188882 kg"), "{told}");
    let checked = vinci(&["check", &at("again.scene.json")]);
    assert!(checked.status.success(), "{}", output_text(&checked));
}

#[test]
fn hulls_stand_beside_the_model_and_replace_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let wedge = json!({ "type": "convex-hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] });
    let scene = json!({ "format": "vinci/scene@1", "name": "a/../wedge", "space": "spatial",
        "bodies": [{ "name": "wedge", "density": 1000, "shapes": [wedge] }] });
    std::fs::write(at("wedge.json"), scene.to_string()).unwrap();
    let words = ["export", &at("wedge.json"), "--to", "sdf", "--out", &at("m.sdf")];
    let given = vinci(&words);
    assert!(given.status.success(), "{}", output_text(&given));
    let names = || {
        let all = std::fs::read_dir(directory.path()).unwrap();
        let mut names: Vec<String> = all.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["a____wedge_shape0.obj", "m.sdf", "wedge.json"]);
    assert!(vinci(&["import", &at("m.sdf")]).status.success());
    std::fs::remove_file(at("m.sdf")).unwrap();
    std::fs::write(at("a____wedge_shape0.obj"), "mine").unwrap();
    assert_eq!(vinci(&words).status.code(), Some(7));
    assert_eq!(std::fs::read_to_string(at("a____wedge_shape0.obj")).unwrap(), "mine");
    assert_eq!(names(), ["a____wedge_shape0.obj", "wedge.json"]);
}

/// It named tables that Rerun does not open.
#[test]
fn logs_of_rerun_are_refused_with_a_page_that_has_a_script() {
    let output = vinci(&["export", "run", "--to", "rrd"]);
    let told = output_text(&output);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("RRD is not built in: the library that writes it brings 400 packages"), "{told}");
    let page = house::root().join("docs/src/how-to/pictures.md");
    assert!(told.contains("how-to/pictures.md"), "{told}");
    assert!(std::fs::read_to_string(page).unwrap().contains("import rerun"));
}
