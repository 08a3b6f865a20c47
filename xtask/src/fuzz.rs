//! Coverage-guided fuzzing of everything strangers may hand in: the targets of `tests/fuzz`, each for some minutes.
//!
//! Seeds are what this repository ships; what a run finds worth keeping is added to `target/fuzz/corpus`, where the next run
//! takes it up. An input that breaks something is kept in `target/fuzz/artifacts`.

mod seeds;

use std::path::PathBuf;
use std::process::Command;

use crate::shell::{answers, root, run, target};

const TARGETS: [&str; 7] = ["urdf", "mjcf", "sdf", "gltf", "manifest", "elf", "experiment"];
/// Minutes of every target, unless others are asked for.
const MINUTES: u32 = 10;
/// Longest time of one input in s, and most memory in MB: what the program promises for damaged input.
const LIMITS: [&str; 2] = ["-timeout=20", "-rss_limit_mb=2048"];

/// `[TARGET…] [--minutes N]`.
#[derive(Debug, PartialEq)]
struct Ask<'a> {
    targets: Vec<&'a str>,
    minutes: u32,
}

/// Runs the targets one after another, all if none is named.
pub(crate) fn check(arguments: &[String]) -> Result<(), String> {
    let ask = asked(arguments)?;
    installed()?;
    let found: Vec<String> = ask.targets.iter().filter_map(|name| fuzz(name, ask.minutes).err()).collect();
    if found.is_empty() { Ok(()) } else { Err(found.join("\n        ")) }
}

fn asked(arguments: &[String]) -> Result<Ask<'_>, String> {
    let mut ask = Ask { targets: Vec::new(), minutes: MINUTES };
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == "--minutes" {
            let number = words.next().and_then(|n| n.parse().ok()).filter(|n| (1..=1440).contains(n));
            ask.minutes = number.ok_or("--minutes wants a whole number from 1 to 1440")?;
        } else if TARGETS.contains(&word) {
            ask.targets.push(word);
        } else {
            return Err(format!("there is no target {word}; known: {}", TARGETS.join(", ")));
        }
    }
    if ask.targets.is_empty() {
        ask.targets = TARGETS.to_vec();
    }
    Ok(ask)
}

/// Checks that the tools are there which no stable toolchain brings, or says in one sentence what is missing.
fn installed() -> Result<(), String> {
    if !answers(&["cargo-fuzz", "--version"]) {
        return Err("cargo-fuzz is not installed (cargo install cargo-fuzz)".into());
    }
    if !answers(&["rustup", "run", "nightly", "rustc", "--version"]) {
        return Err(
            "there is no nightly toolchain, which the instrumentation needs (rustup install nightly)".into(),
        );
    }
    Ok(())
}

/// Where everything of fuzzing is built and kept.
fn place() -> PathBuf {
    target().join("fuzz")
}

fn fuzz(name: &str, minutes: u32) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("seeds of {name}: {e}");
    let corpus = place().join("corpus").join(name);
    let seeds = seeds::write(name, &place().join("seeds").join(name)).map_err(failed)?;
    let artifacts = place().join("artifacts").join(name);
    for directory in [&corpus, &artifacts] {
        std::fs::create_dir_all(directory).map_err(failed)?;
    }
    eprintln!("{name}: {minutes} min, {} seeds", seeds.count);
    let mut command = Command::new("rustup");
    command.current_dir(root()).args(["run", "nightly", "cargo", "fuzz", "run", "--fuzz-dir", "tests/fuzz"]);
    command.env("CARGO_TARGET_DIR", place()).arg(name).args([&corpus, &seeds.directory]);
    command.arg("--").arg(format!("-max_total_time={}", 60 * minutes)).args(LIMITS);
    command.arg(format!("-max_len={}", seeds.longest)).arg("-print_final_stats=1");
    // A prefix with its slash at the end: a directory.
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_minutes_are_read() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let ask = |targets: &[&'static str], minutes| Ok(Ask { targets: targets.to_vec(), minutes });
        assert_eq!(asked(&words("")), ask(&TARGETS, MINUTES));
        assert_eq!(asked(&words("elf --minutes 3 urdf")), ask(&["elf", "urdf"], 3));
        for wrong in ["--minutes", "--minutes 0", "--minutes x", "--minutes 9999"] {
            assert!(asked(&words(wrong)).unwrap_err().contains("whole number"), "{wrong}");
        }
        assert!(asked(&words("ulf")).unwrap_err().contains("known: urdf, mjcf, sdf, gltf"));
    }

    #[test]
    fn every_target_is_known_and_has_seeds() {
        let manifest = std::fs::read_to_string(root().join("tests/fuzz/Cargo.toml")).unwrap();
        assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
        let directory = std::env::temp_dir().join(format!("vinci-seeds-{}", std::process::id()));
        for name in TARGETS {
            assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
            let seeds = seeds::write(name, &directory.join(name)).unwrap();
            assert!(seeds.count > 0 && seeds.longest > 64, "{name}");
        }
        std::fs::remove_dir_all(directory).unwrap();
    }
}
