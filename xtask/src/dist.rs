//! `cargo xtask dist`: an archive that runs where it is unpacked, and a Debian package.
//!
//! ```text
//! vinci-VERSION-SYSTEM/bin/vinci                       the program
//!                      lib/vinci/plugins/*.so          its plugins, each with the note that lists read
//!                      share/vinci/scenes              scenes and experiments
//!                      share/vinci/sdk, core           what `vinci plugin new` builds against
//!                      share/man/man1                  pages of the manual
//!                      share/bash-completion, …        completions of shells
//! ```

mod deb;
mod files;

use std::path::Path;
use std::process::Command;

use crate::shell::{self, cargo, root, run, target};
use files::{copy, copy_all, told};

/// Shells, where each looks for completions below `share`, and what it calls them.
const SHELLS: [(&str, &str, &str); 3] = [
    ("bash", "bash-completion/completions", "vinci"),
    ("zsh", "zsh/site-functions", "_vinci"),
    ("fish", "fish/vendor_completions.d", "vinci.fish"),
];

/// Builds, puts everything into one directory, and packs it.
pub(crate) fn build() -> Result<(), String> {
    run(cargo().args(["build", "--release"]))?;
    let name =
        format!("vinci-{}-{}-{}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS);
    let place = target().join("dist");
    let all = place.join(&name);
    if all.exists() {
        std::fs::remove_dir_all(&all).map_err(|e| told(&all, &e))?;
    }
    let built = shell::program("release");
    let program = all.join("bin").join(built.file_name().unwrap_or_default());
    copy(&built, &program)?;
    plugins(&all, &program)?;
    shared(&all.join("share"), &program)?;
    for file in ["README.md", "SECURITY.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&root().join(file), &all.join(file))?;
    }
    // It works where it lies now, or it is not packed.
    run(Command::new(&program).args(["check"]).arg(all.join("share/vinci/scenes/sliding-block.json")))?;
    let archive = format!("{name}.tar.gz");
    run(Command::new("tar").current_dir(&place).args([
        "--sort=name",
        "--owner=0",
        "--group=0",
        "-czf",
        &archive,
        &name,
    ]))?;
    eprintln!("the archive: {}", place.join(archive).display());
    deb::pack(&all, &place)
}

/// The plugins of the house, with their notes.
fn plugins(all: &Path, program: &Path) -> Result<(), String> {
    let mut note = Command::new(program);
    note.args(["plugin", "note"]);
    for plugin in shell::plugins()? {
        let file = shell::library(&plugin);
        let library = target().join("release").join(&file);
        if library.is_file() {
            let to = all.join("lib/vinci/plugins").join(file);
            copy(&library, &to)?;
            note.arg(to);
        } else {
            eprintln!("{} is not built and stays out", root().join("plugins").join(plugin).display());
        }
    }
    run(&mut note)
}

fn shared(share: &Path, program: &Path) -> Result<(), String> {
    let ours = share.join("vinci");
    for (from, to) in
        [("host/scenes", "scenes"), ("sdk", "sdk"), ("core", "core"), ("Cargo.toml", "Cargo.toml")]
    {
        copy_all(&root().join(from), &ours.join(to))?;
    }
    let man = share.join("man/man1");
    std::fs::create_dir_all(&man).map_err(|e| told(&man, &e))?;
    run(Command::new(program).arg("man").arg("--out").arg(&man))?;
    for (shell, folder, file) in SHELLS {
        let output = Command::new(program).args(["completions", shell]).output();
        let output = output.map_err(|e| told(program, &e))?;
        let place = share.join(folder);
        std::fs::create_dir_all(&place).map_err(|e| told(&place, &e))?;
        std::fs::write(place.join(file), output.stdout).map_err(|e| told(&place, &e))?;
    }
    Ok(())
}
