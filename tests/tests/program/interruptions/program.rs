//! The program, started and interrupted, and the files that a run left in its directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use vinci_tests::house;

/// All files of a directory by their relative names; of summaries without what the clock says.
pub(crate) fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(place) = open.pop() {
        for entry in std::fs::read_dir(&place).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let is_summary = ["summary.json", "compare.json"].iter().any(|name| path.ends_with(name));
            let bytes = if is_summary { timeless(&bytes, directory) } else { bytes };
            all.insert(path.strip_prefix(directory).unwrap().to_owned(), bytes);
        }
    }
    all
}

/// JSON without `timing`, and with names of the directory itself left out.
fn timeless(bytes: &[u8], directory: &Path) -> Vec<u8> {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.remove("timing");
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value: Value = serde_json::from_slice(bytes).unwrap();
    strip(&mut value);
    value.to_string().replace(directory.to_str().unwrap(), "DIR").into_bytes()
}

/// Both directories hold the same files with the same bytes.
#[track_caller]
pub(crate) fn same(what: &str, a: &Path, b: &Path) {
    let (a, b) = (contents(a), contents(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in &a {
        let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]).into_owned();
        assert!(*bytes == b[name], "{what}: {}\n{}\n{}", name.display(), text(bytes), text(&b[name]));
    }
}

pub(crate) fn vinci(arguments: &[&str]) -> Command {
    let mut command = Command::new(house::program());
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}

/// Sends a signal by its name.
pub(crate) fn send(child: &Child, signal: &str) {
    let status = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Waits until something is so. The ten minutes end a test that would hang; on a busy machine they decide nothing.
#[track_caller]
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(600);
    while !is_so() {
        assert!(Instant::now() < end, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(crate) fn scene(name: &str) -> String {
    house::root().join("host/scenes").join(format!("{name}.json")).display().to_string()
}
