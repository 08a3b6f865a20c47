//! Tools that the long lane, the book and the fuzzers need beyond Rust: looked for, named where one is missing, and installed.

use std::process::Command;

use crate::python;
use crate::shell::{answers, run};

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum From {
    /// A package of Debian and its descendants: what the long lane needs.
    Debian(&'static str),
    /// A crate with a program, at this version: built for some minutes, and only asked for with `--all`.
    Crate(&'static str, &'static str),
    /// The nightly toolchain: only asked for with `--all`.
    Nightly,
}

/// A tool: what shows that it is there (one of these command lines answers), where it comes from, what for.
struct Tool {
    name: &'static str,
    answers: &'static [&'static [&'static str]],
    from: From,
    purpose: &'static str,
}

const NIGHTLY: [&str; 10] = [
    "rustup",
    "toolchain",
    "install",
    "nightly",
    "--profile",
    "minimal",
    "--component",
    "miri",
    "--component",
    "rust-src",
];

/// The one tool that no lane uses.
const FUZZER: &str = "cargo-fuzz";

const TOOLS: &[Tool] = &[
    Tool {
        name: "valgrind",
        answers: &[&["valgrind", "--version"]],
        from: From::Debian("valgrind"),
        purpose: "memory errors of plugins",
    },
    Tool {
        name: "ffmpeg",
        answers: &[&["ffmpeg", "-version"]],
        from: From::Debian("ffmpeg"),
        purpose: "films of `vinci view --mp4`",
    },
    Tool {
        name: "Chromium",
        answers: &[
            &["chromium", "--version"],
            &["chromium-browser", "--version"],
            &["google-chrome", "--version"],
        ],
        from: From::Debian("chromium"),
        purpose: "tests of the page of `vinci view`",
    },
    Tool {
        name: "Python 3",
        answers: &[&["python3", "--version"]],
        from: From::Debian("python3"),
        purpose: "tests of the page, generated pages of the book, other engines, the Python package",
    },
    Tool {
        name: "Python's venv",
        answers: &[&["python3", "-c", "import ensurepip, venv"]],
        from: From::Debian("python3-venv"),
        purpose: "tests of the Python package",
    },
    Tool {
        name: "a C compiler with pkg-config",
        answers: &[&["pkg-config", "--version"]],
        from: From::Debian("pkg-config"),
        purpose: "the HiGHS plugin",
    },
    Tool {
        name: "a C++ compiler",
        answers: &[&["c++", "--version"]],
        from: From::Debian("g++"),
        purpose: "plugins in C++",
    },
    Tool {
        name: "Eigen",
        answers: &[&["test", "-d", "/usr/include/eigen3"]],
        from: From::Debian("libeigen3-dev"),
        purpose: "the example of a solver in C++",
    },
    Tool {
        name: "mdbook",
        answers: &[&["mdbook", "--version"]],
        from: From::Crate("mdbook", "0.5.4"),
        purpose: "the book as pages",
    },
    Tool {
        name: "cargo-deny",
        answers: &[&["cargo-deny", "--version"]],
        from: From::Crate("cargo-deny", "0.20.2"),
        purpose: "licences of dependencies",
    },
    Tool {
        name: FUZZER,
        answers: &[&["cargo-fuzz", "--version"]],
        from: From::Crate(FUZZER, "0.13.2"),
        purpose: "`cargo xtask fuzz`",
    },
    Tool {
        name: "a nightly toolchain with Miri",
        answers: &[&["rustup", "run", "nightly", "cargo", "miri", "--version"]],
        from: From::Nightly,
        purpose: "undefined behaviour in the contract; `cargo xtask fuzz`",
    },
];

/// Installs what is missing of the long lane's tools, with `--all` those of the book and the fuzzers too; an error names what could not be.
pub(crate) fn install(arguments: &[String]) -> Result<(), String> {
    let all = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--all"] => true,
        _ => return Err("`setup` takes `--all` and nothing else".into()),
    };
    let mut missing = missing();
    missing.retain(|tool| all || matches!(tool.from, From::Debian(_)));
    let failed: Vec<String> = steps(&missing)
        .into_iter()
        .filter_map(|(what, mut command)| run(&mut command).err().map(|why| format!("{what}: {why}")))
        .chain(python::install().err().map(|why| format!("the environment of host/python: {why}")))
        .collect();
    if failed.is_empty() {
        eprintln!("everything asked for is installed");
        return Ok(());
    }
    Err(failed.join("\n        "))
}

/// One line about what is missing and what is left out for it; nothing where all is there.
pub(crate) fn tell_missing() {
    let mut missing = missing();
    missing.retain(|tool| tool.name != FUZZER);
    if missing.is_empty() {
        return;
    }
    let all = if missing.iter().all(|tool| matches!(tool.from, From::Debian(_))) { "" } else { " --all" };
    let names: Vec<String> = missing.iter().map(|t| format!("{} ({})", t.name, t.purpose)).collect();
    eprintln!("missing, and left out: {}; `cargo xtask setup{all}` installs it", names.join(", "));
}

fn missing() -> Vec<&'static Tool> {
    TOOLS.iter().filter(|tool| !tool.answers.iter().any(|line| answers(line))).collect()
}

/// Command lines that install tools, packages of the system first and in one go.
fn steps(missing: &[&Tool]) -> Vec<(String, Command)> {
    let packages: Vec<&str> = missing
        .iter()
        .filter_map(|tool| if let From::Debian(package) = tool.from { Some(package) } else { None })
        .collect();
    let mut steps = Vec::new();
    if !packages.is_empty() {
        steps.push((
            "lists of packages".to_owned(),
            apt(&["update", "-qq", "-o", "Acquire::http::Timeout=20"]),
        ));
        let words = [&["install", "-y", "-qq", "--no-install-recommends"], &packages[..]].concat();
        steps.push((packages.join(", "), apt(&words)));
    }
    for tool in missing {
        let line: Vec<&str> = match tool.from {
            From::Debian(_) => continue,
            From::Crate(name, version) => vec!["cargo", "install", "--locked", name, "--version", version],
            From::Nightly => NIGHTLY.to_vec(),
        };
        steps.push((tool.name.to_owned(), command(&line)));
    }
    steps
}

/// apt-get, through sudo where that is there.
fn apt(words: &[&str]) -> Command {
    let sudo: &[&str] = if answers(&["sudo", "-n", "true"]) { &["sudo", "-n"] } else { &[] };
    let mut command = command(&[sudo, &["apt-get"], words].concat());
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn command(line: &[&str]) -> Command {
    let mut command = Command::new(line[0]);
    command.args(&line[1..]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(tools: &[&Tool]) -> Vec<String> {
        let text = |c: &Command| {
            let words = std::iter::once(c.get_program()).chain(c.get_args());
            words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        steps(tools).iter().map(|(_, c)| text(c).replace("sudo -n ", "")).collect()
    }

    #[test]
    fn packages_of_the_system_are_installed_in_one_go_and_crates_at_their_version() {
        let of = |name: &str| TOOLS.iter().find(|t| t.name == name).unwrap();
        assert_eq!(
            lines(&[of("mdbook"), of("valgrind"), of("Chromium"), of("a nightly toolchain with Miri")]),
            [
                "apt-get update -qq -o Acquire::http::Timeout=20",
                "apt-get install -y -qq --no-install-recommends valgrind chromium",
                "cargo install --locked mdbook --version 0.5.4",
                "rustup toolchain install nightly --profile minimal --component miri --component rust-src",
            ]
        );
    }

    #[test]
    fn nothing_is_run_where_nothing_is_missing() {
        assert!(lines(&[]).is_empty());
    }

    #[test]
    fn a_program_that_is_not_there_does_not_answer() {
        assert!(!answers(&["no-such-program-as-this", "--version"]));
        assert!(answers(&["cargo", "--version"]));
    }
}
