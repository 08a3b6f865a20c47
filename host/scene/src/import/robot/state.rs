//! A robot being read: bodies, names, the report, and what is wrong with it.

use super::parts::Body;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan, did_you_mean};
use crate::import::extras::Extras;
use crate::import::model::{Mimic, ModelOptions};
use crate::import::names::fit;
use crate::import::report::Report;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Bodies, joints and geoms of a model, those of copies counted each time.
const MOST_PARTS: usize = 1_000_000;
/// Corners of hulls.
const MOST_CORNERS: usize = 4_000_000;
/// Unknown names for which the nearest of all is looked for.
const MOST_SUGGESTIONS: usize = 100;

/// Body and place in its list.
pub(crate) type JointIndex = (usize, usize);

/// A robot being read.
pub(crate) struct Robot<'a> {
    pub(crate) path: &'a Path,
    pub(crate) options: &'a ModelOptions,
    pub(crate) found: &'a mut Diagnostics,
    pub(crate) report: Report,
    /// Names as scenes take them by kind, and what they were.
    pub(crate) names: BTreeMap<String, String>,
    /// Geoms that are paired with others by name.
    pub(crate) paired: BTreeSet<String>,
    /// False if geoms touch nothing.
    pub(crate) has_contacts: bool,
    /// Parents stand before their children.
    pub(crate) bodies: Vec<Body>,
    /// Bodies, and joints in them, by name.
    pub(crate) body_index: BTreeMap<String, usize>,
    pub(crate) joint_index: BTreeMap<String, JointIndex>,
    pub(crate) mimics: Vec<Mimic>,
    pub(crate) extras: Extras,
    parts: usize,
    /// Names that were not found.
    unknown: usize,
    /// Corners of all hulls, each counted as often as it stands in a link.
    corners: usize,
}

impl<'a> Robot<'a> {
    pub(crate) fn new(path: &'a Path, options: &'a ModelOptions, found: &'a mut Diagnostics) -> Self {
        Self {
            path,
            options,
            found,
            report: Report { model: path.display().to_string(), ..Report::default() },
            names: BTreeMap::new(),
            paired: BTreeSet::new(),
            has_contacts: true,
            bodies: Vec::new(),
            body_index: BTreeMap::new(),
            joint_index: BTreeMap::new(),
            mimics: Vec::new(),
            extras: Extras::default(),
            parts: 0,
            unknown: 0,
            corners: 0,
        }
    }

    pub(crate) fn error(&mut self, code: Code, place: &TextSpan, message: String, help: &str) {
        self.found.push(Diagnostic::error(code, message).at(place.clone()).help(help));
    }

    /// Counts a part; false when there are too many, which is said once. `help` says what may be meant otherwise.
    pub(crate) fn count_part(&mut self, place: &TextSpan, help: &str) -> bool {
        self.parts += 1;
        if self.parts == MOST_PARTS + 1 {
            let message = format!("this model has more than {MOST_PARTS} bodies, joints and geoms");
            self.error(Code::Syntax, place, message, &format!("no robot needs that: {help}"));
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
    pub(crate) fn no_such_name<'n>(
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
    pub(crate) fn named(&mut self, what: &str, given: &str, place: &TextSpan) -> String {
        let name = fit(given);
        let key = format!("{what} {name}");
        match self.names.get(&key) {
            Some(other) => {
                let message = if other == given {
                    format!("a second {what} is named `{given}`")
                } else {
                    let all = if what == "body" { "bodies".to_owned() } else { format!("{what}s") };
                    format!("the {all} `{other}` and `{given}` would both be called `{name}`")
                };
                let help =
                    "every name is given once; characters other than letters, digits, `_` and `-` become `_`";
                self.error(Code::DuplicateName, place, message, help);
            }
            None => {
                if name != given {
                    self.report.note(format!("{what} `{given}` is called `{name}`"), place.clone());
                }
                self.names.insert(key, given.to_owned());
            }
        }
        name
    }

    /// A name that nothing of its kind has yet, made of a wish.
    pub(crate) fn free_name(&mut self, what: &str, wish: &str) -> String {
        let mut name = wish.to_owned();
        while self.names.contains_key(&format!("{what} {name}")) {
            name.push('_');
        }
        self.names.insert(format!("{what} {name}"), String::new());
        name
    }

    /// A mesh that cannot be read: an error, or left out where that is asked for, with `why` as what it means.
    pub(crate) fn mesh_fault(
        &mut self,
        place: &TextSpan,
        (code, message): (Code, String),
        help: &str,
        why: &'static str,
    ) {
        if self.options.skip_meshes {
            self.report.drop(message, place.clone(), why);
            return;
        }
        let skip = "--skip-meshes (in a scene: \"skip_meshes\": true) leaves such meshes out";
        let help = if help.is_empty() { skip.to_owned() } else { format!("{help}; {skip}") };
        self.error(code, place, message, &help);
    }

    /// Calls joints that the model does not name by their number, and makes the indices.
    pub(crate) fn name_joints(&mut self) {
        let mut number = 0;
        for i in 0..self.bodies.len() {
            self.body_index.insert(self.bodies[i].name.clone(), i);
            for j in 0..self.bodies[i].joints.len() {
                if self.bodies[i].joints[j].name.is_empty() {
                    self.bodies[i].joints[j].name = self.free_name("joint", &format!("joint_{number}"));
                }
                self.joint_index.insert(self.bodies[i].joints[j].name.clone(), (i, j));
                number += 1;
            }
        }
    }
}
