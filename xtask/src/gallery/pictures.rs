//! The picture and the moving picture of an experiment as it ships.

use std::path::Path;

use super::list::Entry;
use super::studio::Studio;
use crate::shell::{json, run};

/// Seconds that a moving picture lasts, its pictures in a second, and the pixels of one: sixty of them are part of the book.
const LASTS: f64 = 4.0;
const FRAMES: &str = "5";
const PIXELS: f64 = 24_000.0;
/// The shortest side that `vinci view` draws, px.
const SIDE: f64 = 64.0;

/// Runs an experiment as it ships and draws its end and its motion.
pub(crate) fn draw(studio: &Studio, entry: &Entry) -> Result<(), String> {
    let place = studio.results.join(format!("{}.own", entry.name));
    let end = run_as_shipped(studio, entry, &place)?;
    let picture = |ending: &str| studio.book.join(format!("{}.{ending}", entry.name));
    std::fs::create_dir_all(&studio.book).map_err(|e| format!("{}: {e}", studio.book.display()))?;
    let view = |flag: &str, ending: &str, size: &str| {
        let mut command = studio.vinci();
        command.arg("view").arg(&place).arg(flag).arg(picture(ending));
        command.args(["--size", size, "--quiet", "--force"]).args(&entry.view);
        command
    };
    run(&mut view("--png", "png", "480x360"))?;
    let (width, height) = size(&picture("png"))?;
    let small = (PIXELS * width / height).sqrt();
    // No side may be shorter; the height of planar pictures follows from what they show.
    let frame = format!("{:.0}x{:.0}", small.max(SIDE), (small * height / width).max(SIDE));
    let speed = (end / LASTS).max(1e-9).to_string();
    run(view("--gif", "gif", &frame).args(["--fps", FRAMES, "--speed", &speed]))
}

/// Runs an experiment and tells when it ended. Some are refused or end early on purpose: what there is is drawn.
fn run_as_shipped(studio: &Studio, entry: &Entry, place: &Path) -> Result<f64, String> {
    let mut command = studio.vinci();
    command.arg("run").arg(entry.experiment()).args(["--quiet", "--force", "--out"]).arg(place);
    command.output().map_err(|e| format!("{}: {e}", studio.program.display()))?;
    let summary: serde_json::Value = json(&place.join("summary.json"))?;
    summary["time_end"].as_f64().ok_or_else(|| format!("{}: its own run has no time of its end", entry.name))
}

/// Width and height of a PNG file, px: big-endian numbers behind the name of its first block.
fn size(png: &Path) -> Result<(f64, f64), String> {
    let bytes = std::fs::read(png).map_err(|e| format!("{}: {e}", png.display()))?;
    let number = |at: usize| Some(f64::from(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?)));
    number(16).zip(number(20)).ok_or_else(|| format!("{}: no PNG file", png.display()))
}
