//! `vinci view --mp4`: pictures go into ffmpeg, and come out as a film or not at all.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, ground, planar};
use vinci_tests::house;
use vinci_tests::program::{output_text, vinci};

/// A run of 0.2 s in which a disc falls, in a directory of its own.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let disc = json!({ "name": "disc", "mass": 1, "position": [0, 0.5], "velocity": [1, 0],
                           "shapes": [{ "type": "disc", "radius": 0.1 }] });
        let falls: Value = experiment(planar(0.2, 0.0, json!([ground("planar"), disc])), 0.01, 0.2);
        std::fs::write(place.path("e.json"), falls.to_string()).unwrap();
        let output = vinci(&["run", &place.text("e.json"), "--out", &place.text("run"), "--quiet"]);
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// `view --mp4` with programs of these directories.
    fn film(&self, path: &std::ffi::OsStr, more: &[&str]) -> Output {
        let mut command = Command::new(house::program());
        command.args(["view", "--force", &self.text("run"), "--mp4", &self.text("film.mp4")]).args(more);
        command.env("PATH", path).output().unwrap()
    }

    /// A program called ffmpeg in the place of the real one.
    #[cfg(unix)]
    fn stub(&self, script: &str) -> std::ffi::OsString {
        use std::os::unix::fs::PermissionsExt;
        let bin = self.path("bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::write(bin.join("ffmpeg"), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(bin.join("ffmpeg"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let system = std::env::var_os("PATH").unwrap();
        std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&system))).unwrap()
    }
}

fn sizes(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// 0.2 s at 50 pictures in a second, the start too.
#[cfg(unix)]
#[test]
fn an_encoder_gets_every_pixel_of_every_picture() {
    let place = Place::new();
    let path = place.stub("for last; do :; done\necho \"$@\" > \"$0.said\"\ncat > \"${last#file:}\"");
    let output = place.film(&path, &["--fps", "50", "--size", "321x200"]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    assert!(output_text(&output).contains("film.mp4: written (11 pictures)"), "{}", output_text(&output));
    let said = std::fs::read_to_string(place.path("bin/ffmpeg.said")).unwrap();
    let word = |flag: &str| {
        let mut words = said.split_whitespace().skip_while(|word| *word != flag);
        words.nth(1).unwrap().to_owned()
    };
    let size = word("-video_size");
    let [width, height] = [0, 1].map(|k| size.split('x').nth(k).unwrap().parse::<usize>().unwrap());
    assert_eq!((width, word("-framerate")), (321, "50".to_owned()));
    let film = std::fs::read(place.path("film.mp4")).unwrap();
    assert_eq!(film.len(), 11 * width * height * 4);
    let picture = |k: usize| &film[k * width * height * 4..][..width * height * 4];
    assert!(picture(0) != picture(10), "the disc falls");
    assert!(picture(0).chunks_exact(4).all(|pixel| pixel[3] == 255), "pixels are solid");
}

/// What stood there stays, and nothing is left beside it.
#[cfg(unix)]
#[test]
fn an_encoder_that_fails_is_told_and_leaves_no_film() {
    let place = Place::new();
    std::fs::write(place.path("film.mp4"), "before").unwrap();
    let early = "echo 'Unknown encoder' >&2\nexit 3";
    let late = "cat > /dev/null\necho 'No space left on device' >&2\nexit 1";
    for (script, words) in [(early, "Unknown encoder"), (late, "No space left on device")] {
        let path = place.stub(script);
        let before = sizes(place.0.path());
        let output = place.film(&path, &[]);
        assert_eq!(output.status.code(), Some(7), "{}", output_text(&output));
        assert!(output_text(&output).contains(words), "{}", output_text(&output));
        assert_eq!(sizes(place.0.path()), before);
        assert_eq!(std::fs::read_to_string(place.path("film.mp4")).unwrap(), "before");
    }
}

#[test]
fn without_an_encoder_there_is_advice() {
    let place = Place::new();
    let output = place.film(place.path("empty").as_os_str(), &[]);
    assert_eq!(output.status.code(), Some(2), "{}", output_text(&output));
    let text = output_text(&output);
    assert!(text.contains("there is no ffmpeg on the PATH") && text.contains("--gif"), "{text}");
    assert!(!place.path("film.mp4").exists());
    let output = place.film(place.path("empty").as_os_str(), &["--fps", "0"]);
    assert!(output_text(&output).contains("`--fps` goes up to 240"), "{}", output_text(&output));
}

/// Sides that are odd become even, and a name like a flag is a name.
#[test]
fn ffmpeg_itself_makes_a_film_of_all_pictures() {
    let has =
        |program: &str| Command::new(program).arg("-version").output().is_ok_and(|out| out.status.success());
    if !has("ffmpeg") || !has("ffprobe") {
        println!("left out: ffmpeg is missing; `cargo xtask setup` installs it");
        return;
    }
    let place = Place::new();
    let mut command = Command::new(house::program());
    command.args(["view", "run", "--mp4=-a b.mp4", "--fps", "50", "--size", "321x201"]);
    let output = command.current_dir(place.0.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let mut probe = Command::new("ffprobe");
    probe.args(["-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries"]);
    probe
        .args(["stream=nb_read_frames,r_frame_rate,width,height,pix_fmt", "-of", "json"])
        .arg(place.path("-a b.mp4"));
    let found: Value = serde_json::from_slice(&probe.output().unwrap().stdout).unwrap();
    let stream = &found["streams"][0];
    assert_eq!(
        (stream["nb_read_frames"].as_str(), stream["r_frame_rate"].as_str()),
        (Some("11"), Some("50/1"))
    );
    assert_eq!((stream["width"].as_u64(), stream["pix_fmt"].as_str()), (Some(322), Some("yuv420p")));
    assert!(stream["height"].as_u64().unwrap().is_multiple_of(2), "{stream}");
}
