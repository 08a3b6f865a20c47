//! Sound files of every kind, from which fuzzing begins.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::shell::root;

/// Longer files make every try slow, and break on nothing that short ones do not have.
const LONGEST: usize = 32_000;

/// The kinds of meshes, by the byte that a file of the target begins with.
const MESHES: [&str; 4] = ["gltf", "glb", "obj", "stl"];

/// Seeds as they lie in a directory.
pub(super) struct Seeds {
    pub(super) directory: PathBuf,
    pub(super) count: usize,
    /// Bytes of the longest, with room for growth.
    pub(super) longest: usize,
}

/// Writes the seeds of a target.
pub(super) fn write(name: &str, directory: &Path) -> io::Result<Seeds> {
    let mut all = match name {
        "urdf" => files(&root().join("tests/data/models"), &["urdf"])?.into_iter().map(|f| f.1).collect(),
        "mjcf" => files(&root().join("tests/data/mjcf"), &["xml"])?.into_iter().map(|f| f.1).collect(),
        "sdf" => files(&root().join("tests/data/sdf"), &["sdf"])?.into_iter().map(|f| f.1).collect(),
        "gltf" => meshes()?,
        "elf" => vec![library(directory)?],
        "experiment" => experiments()?,
        _ => {
            files(&root().join("tests/fuzz/seeds").join(name), &["json"])?.into_iter().map(|f| f.1).collect()
        }
    };
    all.retain(|bytes| bytes.len() <= LONGEST);
    std::fs::create_dir_all(directory)?;
    for (k, bytes) in all.iter().enumerate() {
        std::fs::write(directory.join(format!("{k:03}")), bytes)?;
    }
    let longest = all.iter().map(Vec::len).max().unwrap_or(0) * 5 / 4;
    Ok(Seeds { directory: directory.to_owned(), count: all.len(), longest })
}

/// All files below a directory whose names end so, in order.
fn files(directory: &Path, endings: &[&str]) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let (mut found, mut open) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(place) = open.pop() {
        for entry in std::fs::read_dir(place)? {
            let path = entry?.path();
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if path.is_dir() {
                open.push(path);
            } else if endings.contains(&ending) {
                let bytes = std::fs::read(&path)?;
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A byte for the kind, then the file.
fn meshes() -> io::Result<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    for place in ["tests/fuzz/seeds/gltf", "tests/data/models"] {
        for (kind, ending) in (0_u8..).zip(MESHES) {
            let of = files(&root().join(place), &[ending])?.into_iter();
            all.extend(of.map(|(_, bytes)| [vec![kind], bytes].concat()));
        }
    }
    Ok(all)
}

/// A library of a few kilobytes with the symbol that is looked for; those that are shipped have megabytes.
fn library(directory: &Path) -> io::Result<Vec<u8>> {
    std::fs::create_dir_all(directory)?;
    let (source, library) = (directory.with_extension("c"), directory.with_extension("so"));
    std::fs::write(&source, "const unsigned int vinci_contract_version = 1;\n")?;
    let status =
        Command::new("cc").args(["-shared", "-nostdlib", "-o"]).args([&library, &source]).status()?;
    if !status.success() {
        return Err(io::Error::other(format!("cc ({status})")));
    }
    std::fs::read(library)
}

/// Shipped experiments, each with its scene inside: the target reads one file alone.
fn experiments() -> io::Result<Vec<Vec<u8>>> {
    let scenes = root().join("host/scenes");
    let mut all = Vec::new();
    for (_, bytes) in files(&scenes, &["json"])? {
        let Ok(mut experiment) = serde_json::from_slice::<Value>(&bytes) else { continue };
        if experiment["format"] != "vinci/experiment@1" {
            continue;
        }
        if let Some(name) = experiment["scene"].as_str() {
            experiment["scene"] = serde_json::from_slice(&std::fs::read(scenes.join(name))?)?;
        }
        all.push(experiment.to_string().into_bytes());
    }
    Ok(all)
}
