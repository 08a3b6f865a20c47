//! A Debian package with the files of the archive: `apt-get install ./vinci_….deb`.

use std::path::Path;
use std::process::Command;

use super::files::{copy_all, entries, told};
use crate::shell::{answers, put, run};

/// Folders of the archive that go below `usr`.
const FOLDERS: [&str; 3] = ["bin", "lib", "share"];

/// Packs what `all` holds into `place`, where `dpkg-deb` is installed; a line says so where it is not.
pub(super) fn pack(all: &Path, place: &Path) -> Result<(), String> {
    if !answers(&["dpkg-deb", "--version"]) {
        eprintln!("no Debian package: dpkg-deb is not installed");
        return Ok(());
    }
    let tree = place.join("deb");
    if tree.exists() {
        std::fs::remove_dir_all(&tree).map_err(|e| told(&tree, &e))?;
    }
    for folder in FOLDERS {
        copy_all(&all.join(folder), &tree.join("usr").join(folder))?;
    }
    for file in entries(all)?.iter().filter(|path| path.is_file()) {
        let name = file.file_name().unwrap_or_default();
        copy_all(file, &tree.join("usr/share/doc/vinci").join(name))?;
    }
    put(&tree.join("DEBIAN/control"), &control(&tree)?)?;
    run(Command::new("dpkg-deb").args(["--root-owner-group", "--build"]).arg(&tree).arg(place))?;
    eprintln!("the Debian package: {}", place.join(format!("vinci_*_{}.deb", architecture()?)).display());
    Ok(())
}

/// The control file of the package.
fn control(tree: &Path) -> Result<String, String> {
    let usr = tree.join("usr");
    let mut newest = glibc(&usr.join("bin/vinci"))?;
    for library in entries(&usr.join("lib/vinci/plugins"))? {
        newest = newest.max(glibc(&library)?);
    }
    let kilobytes = size(&usr)? / 1024;
    Ok(format!(
        "Package: vinci\nVersion: {}\nArchitecture: {}\nMaintainer: The Vinci developers\nSection: science\nPriority: optional\n\
         Depends: libc6 (>= 2.{newest}), libgcc-s1\nInstalled-Size: {kilobytes}\n\
         Description: compares models of rigid bodies in frictional contact\n \
         Collision detectors, time-steppers and solvers are loaded as shared libraries; a referee\n judges every step.\n",
        env!("CARGO_PKG_VERSION"),
        architecture()?,
    ))
}

/// Debian's name of this machine's processor.
fn architecture() -> Result<String, String> {
    let said = Command::new("dpkg").arg("--print-architecture").output().map_err(|e| format!("dpkg: {e}"))?;
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

/// The n of the newest symbol `GLIBC_2.n` that a file asks for; 0 if it asks for none.
fn glibc(file: &Path) -> Result<u32, String> {
    const SYMBOL: &[u8] = b"GLIBC_2.";
    let bytes = std::fs::read(file).map_err(|e| told(file, &e))?;
    let number = |at: usize| {
        let digits = bytes[at + SYMBOL.len()..].iter().take(3).take_while(|b| b.is_ascii_digit());
        digits.fold(0, |n, digit| 10 * n + u32::from(digit - b'0'))
    };
    let places = bytes.windows(SYMBOL.len()).enumerate().filter(|(_, word)| *word == SYMBOL);
    Ok(places.map(|(at, _)| number(at)).max().unwrap_or(0))
}

/// Bytes of a folder.
fn size(folder: &Path) -> Result<u64, String> {
    let mut sum = 0;
    for path in entries(folder)? {
        sum += match path.is_dir() {
            true => size(&path)?,
            false => path.metadata().map_err(|e| told(&path, &e))?.len(),
        };
    }
    Ok(sum)
}
