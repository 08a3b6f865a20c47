//! Maps and histograms of rows: rectangles, lines and text as SVG, the same bytes for the same rows.

mod axes;
mod histogram;
mod map;
mod values;

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean, list};
use vinci_scene::{Node, Path};

use self::axes::Axes;
use self::histogram::Values;
use self::map::Places;
use super::plan::OutcomeFormulas;
use super::row::Row;
use super::shape::{Column, Shape};
use super::types::{Histogram, Map, Picture, is_file_of_picture};

/// Names that pictures may use.
pub(super) struct Known<'a> {
    columns: &'a [Column],
    rungs: Vec<&'a str>,
    measures: Vec<&'a str>,
}

impl<'a> Known<'a> {
    pub(super) fn new(columns: &'a [Column], rungs: Vec<&'a str>, asked: &'a OutcomeFormulas) -> Self {
        Self { columns, rungs, measures: asked.measures.iter().map(|(name, ..)| name.as_str()).collect() }
    }

    fn numbers(&self) -> Vec<&'a str> {
        self.columns.iter().filter(|c| !c.text).map(|c| c.name.as_str()).collect()
    }
}

/// Checks names and files of pictures.
pub(super) fn check(pictures: &[Picture], node: &Node, known: &Known<'_>) -> Result<(), Diagnostics> {
    let mut checker = Checker { node, known, diagnostics: Diagnostics::new() };
    for (k, picture) in pictures.iter().enumerate() {
        let path = Path::root().join("pictures").join(k);
        checker.file(&picture.file, &pictures[..k], &path.join("file"));
        if picture.map.is_some() == picture.histogram.is_some() {
            let help = "give it `map`: { `x`, `y`, `value` }, or `histogram`: { `of` }";
            let message = "a picture is either a `map` or a `histogram`".into();
            checker.wrong(&path, Code::Contradiction, message, help.into());
        }
        if let Some(map) = &picture.map {
            checker.map(map, &path.join("map"));
        }
        if let Some(histogram) = &picture.histogram {
            checker.histogram(histogram, &path.join("histogram"));
        }
    }
    checker.diagnostics.accept(|_| ())
}

struct Checker<'a> {
    node: &'a Node,
    known: &'a Known<'a>,
    diagnostics: Diagnostics,
}

impl Checker<'_> {
    fn wrong(&mut self, path: &Path, code: Code, message: String, help: String) {
        let place = self.node.place_of(path);
        let place =
            if self.node.find(path).is_some_and(|n| n.as_str().is_none()) { place.part(0, 1) } else { place };
        self.diagnostics.push(Diagnostic::error(code, message).at(place).help(help));
    }

    fn file(&mut self, file: &str, earlier: &[Picture], path: &Path) {
        if !is_file_of_picture(file) {
            let help = "pictures are written as SVG or PNG into the directory of the rows: name the file map.svg or map.png";
            self.wrong(
                path,
                Code::UnknownValue,
                format!("`{file}` is not a valid name for a picture"),
                help.into(),
            );
        } else if earlier.iter().any(|p| p.file == file) {
            let help = "give every picture a file of its own".into();
            self.wrong(path, Code::DuplicateName, format!("two pictures are written to {file}"), help);
        }
    }

    fn map(&mut self, map: &Map, path: &Path) {
        self.rung(map.rung.as_deref(), path);
        for (key, name) in [("x", &map.x), ("y", &map.y)] {
            self.name(&path.join(key), "parameter", name, self.known.numbers());
        }
        let values = std::iter::once("success").chain(self.known.measures.iter().copied()).collect();
        self.name(&path.join("value"), "measure", &map.value, values);
    }

    fn histogram(&mut self, histogram: &Histogram, path: &Path) {
        self.rung(histogram.rung.as_deref(), path);
        let names = self.known.numbers().into_iter().chain(self.known.measures.iter().copied()).collect();
        self.name(&path.join("of"), "parameter or measure", &histogram.of, names);
    }

    fn rung(&mut self, rung: Option<&str>, path: &Path) {
        if let Some(name) = rung {
            self.name(&path.join("rung"), "rung", name, self.known.rungs.clone());
        }
    }

    fn name(&mut self, path: &Path, what: &str, name: &str, names: Vec<&str>) {
        if names.contains(&name) {
            return;
        }
        let meant = did_you_mean(name, names.iter().copied()).map_or_else(String::new, |m| m + " ");
        let help = if names.is_empty() {
            "the sweep has no numbers to draw: name some under `outcome`, `measure`".to_owned()
        } else {
            format!("{meant}known here: {}", list(names))
        };
        self.wrong(path, Code::UnknownName, format!("there is no {what} `{name}`"), help);
    }
}

/// A picture whose rows come one by one, in their order, and are not held.
pub(super) struct Painter<'a> {
    shape: &'a Shape,
    map: Option<Places<'a>>,
    histogram: Option<Values<'a>>,
}

impl<'a> Painter<'a> {
    pub(super) fn of(picture: &'a Picture, shape: &'a Shape) -> Self {
        let map = picture.map.as_ref().map(|map| Places::of(map, shape));
        let histogram = picture.histogram.as_ref().map(|histogram| Values::of(histogram, shape));
        Self { shape, map, histogram }
    }

    /// Takes the next row in.
    pub(super) fn add(&mut self, row: &Row) {
        self.map.iter_mut().for_each(|map| map.add(self.shape, row));
        self.histogram.iter_mut().for_each(|histogram| histogram.add(self.shape, row));
    }

    /// The picture of all rows that came.
    pub(super) fn svg(self) -> String {
        let mut axes = Axes::new();
        self.map.into_iter().for_each(|map| map.draw(&mut axes));
        self.histogram.into_iter().for_each(|histogram| histogram.draw(&mut axes));
        axes.finish()
    }
}
