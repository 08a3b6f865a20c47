//! A URDF file being read: names, and what is wrong with it.

use crate::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan};
use crate::import::model::{Mimic, ModelOptions};
use crate::import::names::fit;
use crate::import::report::Report;
use crate::import::xml::Element;
use std::collections::BTreeMap;
use std::path::Path;

/// A URDF file being read.
pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    pub(super) options: &'a ModelOptions,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) report: Report,
    /// Names as scenes take them, and what they were.
    pub(super) names: BTreeMap<String, String>,
    pub(super) mimics: Vec<Mimic>,
    /// Joints whose drive cannot overcome their friction.
    pub(super) stuck: Vec<(String, TextSpan)>,
}

impl Reader<'_> {
    pub(super) fn error(&mut self, code: Code, place: &TextSpan, message: String, help: &str) {
        self.diagnostics.push(Diagnostic::error(code, message).at(place.clone()).help(help));
    }

    /// The name of a link or joint as scenes take it; two names that become one are an error.
    pub(super) fn name(&mut self, what: &str, element: &Element<'_>) -> Option<String> {
        let Some(given) = element.attribute("name") else {
            let message = format!("a {what} has no name");
            self.error(Code::MissingKey, &element.place(), message, "write name=\"…\"");
            return None;
        };
        let name = self.fitting(what, given.text, &given.place);
        Some(name)
    }

    pub(super) fn fitting(&mut self, what: &str, given: &str, place: &TextSpan) -> String {
        let name = fit(given);
        let key = format!("{what} {name}");
        match self.names.get(&key) {
            Some(other) if other != given => {
                let message = format!("the {what}s `{other}` and `{given}` would both be called `{name}`");
                let help = "names have letters, digits, `_` and `-`, others become `_`: rename one of them";
                self.error(Code::DuplicateName, place, message, help);
            }
            Some(_) => {}
            None => {
                if name != given {
                    self.report.note(format!("{what} `{given}` is called `{name}`"), place.clone());
                }
                self.names.insert(key, given.to_owned());
            }
        }
        name
    }
}
