//! Pictures a run is asked for: names of files, times, windows.

use super::super::experiment::{Experiment, Frames, Picture, is_picture};
use super::super::path::{Path, at};
use super::Lint;
use crate::diagnostics::Code;

impl Lint<'_> {
    /// Checks pictures as far as no scene is needed; formulas and bodies are looked at when it is compiled.
    pub(super) fn pictures(&mut self, experiment: &Experiment) {
        let pictures = &experiment.record.pictures;
        for (i, picture) in pictures.iter().enumerate() {
            let path = at!["record", "pictures", i];
            self.picture_file(picture, &path);
            if pictures[..i].iter().any(|p| p.file == picture.file) {
                let message = format!("two pictures are written to {}", picture.file);
                let help = "give every picture a file of its own";
                self.error(&path.join("file"), Code::DuplicateName, message, help);
            }
            if picture.frames.is_some() == picture.plot.is_some() {
                let help = "give either `frames` (drawings of the scene) or `plot` (lines over time)";
                let message = format!("{} is to show two things, or nothing", picture.file);
                self.error(&path, Code::Contradiction, message, help);
            }
            if let Some(frames) = &picture.frames {
                self.frames(frames, experiment.time.duration, &path.join("frames"));
            }
        }
    }

    fn picture_file(&mut self, picture: &Picture, path: &Path) {
        let (file, path) = (&picture.file, path.join("file"));
        if file.contains(['/', '\\', ':']) {
            let message = format!("`{file}` leads out of the directory of results");
            let help = "give the name of a file alone: pictures lie beside the results";
            self.error(&path, Code::OutOfRange, message, help);
        } else if !is_picture(file) {
            let message = format!("`{file}` is not a valid name for a picture");
            let help = "pictures are written as SVG or PNG: end the name in `.svg` or `.png`";
            self.error(&path, Code::UnknownValue, message, help);
        }
    }

    fn frames(&mut self, frames: &Frames, duration: f64, path: &Path) {
        // A run that is cut short leaves these drawings empty. No error: the run writes its shorter time into its own experiment, which must
        // be one that can be gone on with and made again.
        for (k, &t) in frames.times.iter().enumerate() {
            if t > duration * (1.0 + 1e-9) {
                let message = format!("{t} s lies behind the end of the run ({duration} s)");
                let (place, help) = (path.join("times").join(k), "draw times between 0 and `time.duration`");
                self.warning(&place, Code::OutOfRange, message, help);
            }
        }
        if let Some([x0, y0, x1, y1]) = frames.view
            && !(x0 < x1 && y0 < y1)
        {
            let message = format!("nothing lies between ({x0}, {y0}) and ({x1}, {y1})");
            let help = "write [xmin, ymin, xmax, ymax]";
            self.error(&path.join("view"), Code::OutOfRange, message, help);
        }
    }
}
