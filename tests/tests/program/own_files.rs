//! Files that a run must not take for its own: the user's, and those that it begins from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use vinci_tests::house;
use vinci_tests::program::vinci;

fn scene(name: &str) -> PathBuf {
    house::root().join("host/scenes").join(name)
}

fn run(experiment: &Path, out: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(house::program());
    command.arg("run").arg(experiment).args(["--duration", "0.05", "--out"]).arg(out).args(more);
    command.output().unwrap()
}

#[track_caller]
fn refused(output: &Output, words: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.contains(words), "{said}");
}

fn made(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A folder of the name that a run gives one went with everything in it.
#[test]
fn files_in_a_folder_called_states_are_not_removed() {
    let (dir, experiment) = (tempfile::tempdir().unwrap(), scene("sliding-block.json"));
    let out = dir.path().join("out");
    let notes = out.join("states/notes.txt");
    fs::create_dir_all(out.join("states")).unwrap();
    fs::write(&notes, "mine").unwrap();
    refused(&run(&experiment, &out, &[]), "is in use: it holds");
    made(&run(&experiment, &out, &["--force"]));
    assert_eq!(fs::read_to_string(&notes).unwrap(), "mine");
    // Beside the results of a run, too.
    refused(&run(&experiment, &out, &[]), "notes.txt");
    fs::remove_file(&notes).unwrap();
    made(&run(&experiment, &out, &[]));
}

/// They were taken for those of a run that had never been there.
#[test]
fn files_with_the_names_of_a_run_are_not_removed_where_none_was() {
    let (dir, experiment) = (tempfile::tempdir().unwrap(), scene("sliding-block.json"));
    for name in ["experiment.json", "trajectory.csv", "report.html", "summary.json"] {
        let out = dir.path().join(name.replace('.', "-"));
        fs::create_dir(&out).unwrap();
        fs::write(out.join(name), "{ \"mine\": 1 }").unwrap();
        refused(&run(&experiment, &out, &[]), "is in use: it holds");
        assert_eq!(fs::read_to_string(out.join(name)).unwrap(), "{ \"mine\": 1 }");
    }
}

/// A run replaced its own experiment by what became of it.
#[test]
fn the_experiment_that_is_to_run_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("experiment.json");
    let text = fs::read_to_string(scene("sliding-block.json")).unwrap();
    fs::write(&own, &text).unwrap();
    fs::copy(scene("sliding-block.scene.json"), dir.path().join("sliding-block.scene.json")).unwrap();
    for more in [&[][..], &["--force"]] {
        refused(&run(&own, dir.path(), more), "is the experiment that is to run");
        assert_eq!(fs::read_to_string(&own).unwrap(), text);
    }
    // Its rows would go to DIR/lemke.
    fs::create_dir(dir.path().join("lemke")).unwrap();
    let own = dir.path().join("lemke/experiment.json");
    fs::write(&own, text.replace("sliding-block.scene.json", "../sliding-block.scene.json")).unwrap();
    let mut compare = Command::new(house::program());
    compare.arg("compare").arg(&own).args(["--vary", "solver=lemke", "--force", "--out"]).arg(dir.path());
    refused(&compare.output().unwrap(), "is the experiment that is to run");
    assert!(own.exists());
}

#[test]
fn the_state_that_a_run_goes_on_from_is_not_replaced() {
    let (dir, experiment) = (tempfile::tempdir().unwrap(), scene("sliding-block.json"));
    let out = dir.path().join("out");
    made(&run(&experiment, &out, &[]));
    let state = out.join("states/end.json");
    let before = fs::read(&state).unwrap();
    for more in [&[][..], &["--force"]] {
        let more = [&["--duration", "0.1", "--from", state.to_str().unwrap()], more].concat();
        let mut command = Command::new(house::program());
        command.arg("run").arg(&experiment).arg("--out").arg(&out).args(&more);
        refused(&command.output().unwrap(), "is the state that the run goes on from");
        assert!(out.join("summary.json").exists() && fs::read(&state).unwrap() == before);
    }
}

/// The same code and a true sentence, whatever was to be read.
#[test]
fn a_directory_in_the_place_of_a_file_is_called_one() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().to_str().unwrap();
    for arguments in [
        vec!["run", place],
        vec!["check", place],
        vec!["explain", place],
        vec!["sweep", place],
        vec!["import", place],
        vec!["solve", place, "--solver", "lemke"],
    ] {
        let output = Command::new(house::program()).args(&arguments).output().unwrap();
        refused(&output, "is a directory, not a file");
    }
}

/// `--out` of commands that write one file replaced what they read, and tables of runs.
#[test]
fn files_that_a_command_reads_and_those_of_a_run_are_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    made(&run(&scene("sliding-block.json"), &dir.path().join("r"), &[]));
    let table = fs::read(at("r/trajectory.csv")).unwrap();
    refused(
        &vinci(&["view", &at("r"), "--out", &at("r/trajectory.csv")]),
        "is a file of the run in its directory",
    );
    assert_eq!(fs::read(at("r/trajectory.csv")).unwrap(), table);
    let state = at("r/states/end.json");
    refused(&vinci(&["view", &at("r"), "--out", &state]), "is a file of the run in its directory");
    // A page is made again.
    made(&vinci(&["view", &at("r")]));
    made(&vinci(&["view", &at("r")]));
    // What somebody named stays: pages, pictures and films were written over whatever stood there.
    for (flag, name) in
        [("--out", "mine.html"), ("--png", "mine.png"), ("--gif", "mine.gif"), ("--mp4", "mine.mp4")]
    {
        fs::write(at(name), "precious").unwrap();
        refused(
            &vinci(&["view", &at("r"), flag, &at(name)]),
            &format!("choose another {flag}, or add --force"),
        );
        assert_eq!(fs::read_to_string(at(name)).unwrap(), "precious");
    }
    made(&vinci(&["view", &at("r"), "--force", "--png", &at("mine.png")]));
    assert!(fs::read(at("mine.png")).unwrap().starts_with(b"\x89PNG"));
    let problem = house::root().join("tests/data/problems/contact-lcp.json");
    fs::copy(problem, at("p.json")).unwrap();
    let kept = fs::read(at("p.json")).unwrap();
    refused(
        &vinci(&["solve", &at("p.json"), "--solver", "lemke", "--out", &at("p.json")]),
        "a file that this command reads",
    );
    assert_eq!(fs::read(at("p.json")).unwrap(), kept);
    let urdf = r#"<robot name="r"><link name="a"/></robot>"#;
    fs::write(at("r.urdf"), urdf).unwrap();
    refused(
        &vinci(&["import", &at("r.urdf"), "--out", &at("r.urdf"), "--force"]),
        "a file that this command reads",
    );
    assert_eq!(fs::read_to_string(at("r.urdf")).unwrap(), urdf);
}

/// `/dev/stdout` is a link, and may lead to a file: the link was replaced.
#[cfg(unix)]
#[test]
fn links_and_pipes_are_written_through() {
    let dir = tempfile::tempdir().unwrap();
    let (link, file) = (dir.path().join("stdout"), dir.path().join("f"));
    std::os::unix::fs::symlink("/proc/self/fd/1", &link).unwrap();
    let urdf = dir.path().join("r.urdf");
    fs::write(&urdf, r#"<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#).unwrap();
    let mut command = Command::new(house::program());
    command.arg("import").arg(&urdf).args(["--force", "--out"]).arg(&link);
    command.stdout(fs::File::create(&file).unwrap());
    made(&command.output().unwrap());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&file).unwrap().contains("vinci/scene@1"));
}

/// A run that had ended was called whole whatever had become of its files.
#[test]
fn an_ended_run_whose_files_have_changed_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("r");
    made(&run(&scene("sliding-block.json"), &out, &[]));
    let resume = || vinci(&["run", "--resume", out.to_str().unwrap()]);
    made(&resume());
    let mut table = fs::read_to_string(out.join("trajectory.csv")).unwrap();
    table.push_str("1,2,3\n");
    fs::write(out.join("trajectory.csv"), table).unwrap();
    refused(&resume(), "trajectory.csv does not hold what the run wrote to it");
}

/// `fit` and `export` replaced the scene that their experiment names.
#[test]
fn the_scene_of_an_experiment_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    for name in ["dropped-part.json", "dropped-part.scene.json", "dropped-part.csv"] {
        fs::copy(scene(name), at(name)).unwrap();
    }
    let kept = fs::read(at("dropped-part.scene.json")).unwrap();
    let (experiment, data, out) =
        (at("dropped-part.json"), at("dropped-part.csv"), at("dropped-part.scene.json"));
    let free = "scene.materials.default.friction=[0.2, 0.3]";
    let words = "a file that this command reads";
    let fit = ["fit", &experiment, "--data", &data, "--free", free, "--starts", "0", "--searches", "1"];
    refused(&vinci(&[&fit[..], &["--out", &out]].concat()), words);
    refused(&vinci(&["export", &experiment, "--to", "mjcf", "--out", &out, "--force"]), words);
    assert_eq!(fs::read(&out).unwrap(), kept);
}
