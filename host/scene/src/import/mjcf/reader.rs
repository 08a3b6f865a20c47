//! An MJCF file being read: names, numbers, and what is wrong with it.

use super::defaults::Defaults;
use super::mesh_state::MeshAsset;
use super::parts::{Body, Site};
use super::settings::Settings;
use super::tag::Tag;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan, did_you_mean};
use crate::import::extras::Extras;
use crate::import::model::{Mimic, ModelOptions};
use crate::import::names::fit;
use crate::import::report::Report;
use nalgebra::Vector3;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

/// Bodies, joints and geoms of a model, those of replicates counted each time.
const MOST_PARTS: usize = 1_000_000;
/// Corners of hulls.
const MOST_CORNERS: usize = 4_000_000;
/// Unknown names for which the nearest of all is looked for.
const MOST_SUGGESTIONS: usize = 100;

/// An MJCF file being read.
pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    pub(super) options: &'a ModelOptions,
    pub(super) found: &'a mut Diagnostics,
    pub(super) report: Report,
    pub(super) settings: Settings,
    pub(super) defaults: Defaults,
    /// Names as scenes take them by kind, and what they were.
    pub(super) names: BTreeMap<String, String>,
    pub(super) meshes: BTreeMap<String, MeshAsset>,
    /// Corners of the hulls of meshes; `None` where there is none, which was said.
    pub(super) hulls: BTreeMap<String, Option<Rc<Vec<Vector3<f64>>>>>,
    /// Geoms that `<pair>` names.
    pub(super) paired: BTreeSet<String>,
    pub(super) bodies: Vec<Body>,
    /// Bodies, and joints in them, by name.
    pub(super) body_index: BTreeMap<String, usize>,
    pub(super) joint_index: BTreeMap<String, (usize, usize)>,
    pub(super) sites: BTreeMap<String, Site>,
    pub(super) mimics: Vec<Mimic>,
    pub(super) extras: Extras,
    parts: usize,
    /// Names that were not found.
    unknown: usize,
    /// Corners of all hulls, each counted as often as it stands in a link.
    corners: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(path: &'a Path, options: &'a ModelOptions, found: &'a mut Diagnostics) -> Self {
        Self {
            path,
            options,
            found,
            report: Report { model: path.display().to_string(), ..Report::default() },
            settings: Settings::default(),
            defaults: Defaults::default(),
            names: BTreeMap::new(),
            meshes: BTreeMap::new(),
            hulls: BTreeMap::new(),
            paired: BTreeSet::new(),
            bodies: Vec::new(),
            body_index: BTreeMap::new(),
            joint_index: BTreeMap::new(),
            unknown: 0,
            corners: 0,
            sites: BTreeMap::new(),
            mimics: Vec::new(),
            extras: Extras::default(),
            parts: 0,
        }
    }

    pub(super) fn error(&mut self, code: Code, place: &TextSpan, message: String, help: &str) {
        self.found.push(Diagnostic::error(code, message).at(place.clone()).help(help));
    }

    /// Counts a part; false when there are too many, which is said once.
    pub(super) fn count_part(&mut self, place: &TextSpan) -> bool {
        self.parts += 1;
        if self.parts == MOST_PARTS + 1 {
            let message = format!("this model has more than {MOST_PARTS} bodies, joints and geoms");
            self.error(Code::Syntax, place, message, "no robot needs that: is a <replicate> meant so?");
        }
        self.parts <= MOST_PARTS
    }

    /// Counts the corners of a shape; false when there are too many, which is said once.
    pub(super) fn count_corners(&mut self, count: usize, place: &TextSpan) -> bool {
        let before = self.corners <= MOST_CORNERS;
        self.corners += count;
        let fits = self.corners <= MOST_CORNERS;
        if before && !fits {
            let message = format!("the hulls of this model have more than {MOST_CORNERS} corners in all");
            self.error(Code::Syntax, place, message, "use simpler meshes for collisions");
        }
        fits
    }

    /// An error about a name that is not among those of a model; the nearest of all is looked for a few times.
    pub(super) fn no_such_name<'n>(
        &mut self,
        place: &TextSpan,
        message: String,
        name: &str,
        known: impl Iterator<Item = &'n str>,
    ) {
        self.unknown += 1;
        let meant = (self.unknown <= MOST_SUGGESTIONS).then(|| did_you_mean(name, known)).flatten();
        self.error(Code::UnknownName, place, message, &meant.unwrap_or_default());
    }

    /// The name of an element as scenes take it; names given twice, or that become one, are errors.
    pub(super) fn named(&mut self, what: &str, tag: &Tag, suffix: &str) -> Option<String> {
        let given = tag.text("name")?;
        let given = format!("{given}{suffix}");
        let (name, place) = (fit(&given), tag.place_of("name"));
        let key = format!("{what} {name}");
        match self.names.get(&key) {
            Some(other) => {
                let message = if *other == given {
                    format!("a second {what} is named `{given}`")
                } else {
                    format!("the {what}s `{other}` and `{given}` would both be called `{name}`")
                };
                let help =
                    "every name is given once; characters other than letters, digits, `_` and `-` become `_`";
                self.error(Code::DuplicateName, &place, message, help);
            }
            None => {
                if name != given {
                    self.report.note(format!("{what} `{given}` is called `{name}`"), place);
                }
                self.names.insert(key, given);
            }
        }
        Some(name)
    }

    /// A name that nothing of its kind has yet, made of a wish.
    pub(super) fn free_name(&mut self, what: &str, wish: &str) -> String {
        let mut name = wish.to_owned();
        while self.names.contains_key(&format!("{what} {name}")) {
            name.push('_');
        }
        self.names.insert(format!("{what} {name}"), String::new());
        name
    }
}
