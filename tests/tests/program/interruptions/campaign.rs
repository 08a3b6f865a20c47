//! Kills and pairs at arbitrary times. When something happens is the machine's; what comes of it is not. `VINCI_KILLS` and `VINCI_PAIRS` make
//! more of them.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::program::{contents, said, same, scene, send, vinci};

fn run(out: &Path) -> Command {
    let experiment = scene("bouncing-ball-backup");
    let mut command = vinci(&["run", &experiment, "--out", out.to_str().unwrap(), "--step", "0.0005"]);
    command.args(["--duration", "1", "--set", "record.states=[0.25,0.5,0.75]", "--checkpoint-every", "5ms"]);
    command
}

fn count(name: &str, few: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(few)
}

/// Milliseconds of a whole run.
fn whole(out: &Path) -> u64 {
    // The program may have to be built first.
    let mut command = run(out);
    let started = std::time::Instant::now();
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    started.elapsed().as_millis() as u64
}

#[test]
#[ignore = "long"]
fn runs_that_are_killed_again_and_again_end_with_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let reference = dir.path().join("whole");
    let length = whole(&reference);
    let (mut taken_up, mut stopped) = (0, 0);
    for k in 0..count("VINCI_KILLS", 6) {
        let (out, signal) = (dir.path().join(k.to_string()), ["INT", "TERM", "KILL"][k as usize % 3]);
        for attempt in 0.. {
            let goes_on = out.join("checkpoint.cbor").exists();
            let mut command = match goes_on {
                true => vinci(&["run", "--resume", out.to_str().unwrap(), "--checkpoint-every", "5ms"]),
                false => run(&out),
            };
            taken_up += u32::from(goes_on);
            let child = command.spawn().unwrap();
            // Twice at most: then it comes to its end.
            if attempt < 2 {
                std::thread::sleep(Duration::from_millis((k * 7919 + attempt * 104_729) % length.max(1)));
                send(&child, signal);
            }
            let output = child.wait_with_output().unwrap();
            match output.status.code() {
                Some(0) => break,
                // Before it listens a signal ends it, as SIGKILL always does.
                None => assert!(attempt < 2),
                Some(8) => stopped += 1,
                code => panic!("{signal}: {code:?} {}", said(&output)),
            }
        }
        same(&format!("{signal}, {k}"), &reference, &out);
        std::fs::remove_dir_all(&out).unwrap();
    }
    eprintln!("{taken_up} taken up from checkpoints, {stopped} stopped with exit code 8");
}

#[test]
#[ignore = "long"]
fn pairs_of_runs_into_one_directory_leave_the_results_of_one() {
    let dir = tempfile::tempdir().unwrap();
    let reference = dir.path().join("whole");
    whole(&reference);
    let mut refused = 0;
    for k in 0..count("VINCI_PAIRS", 2) {
        let out = dir.path().join(k.to_string());
        let pair = [run(&out).spawn().unwrap(), run(&out).spawn().unwrap()];
        let ended = pair.map(|child| child.wait_with_output().unwrap());
        let mut codes = ended.each_ref().map(|output| output.status.code());
        codes.sort();
        // Both succeed where one began after the other had ended.
        assert!([[Some(0), Some(7)], [Some(0), Some(0)]].contains(&codes), "{codes:?}");
        for output in ended.iter().filter(|output| output.status.code() == Some(7)) {
            assert!(said(output).contains("another run or sweep is writing there"), "{}", said(output));
            refused += 1;
        }
        same(&k.to_string(), &reference, &out);
        assert!(!contents(&out).contains_key(Path::new(".vinci-lock")));
    }
    eprintln!("{refused} refused");
}
