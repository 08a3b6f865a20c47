//! Classes of defaults: attributes that elements have unless they write them.

use crate::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::import::tag::{Attribute, Tag};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The class of everything that names none.
pub(super) const MAIN: &str = "main";

/// Classes of a model.
const MOST_CLASSES: usize = 1000;
/// Attributes that a class gives to elements of one kind.
const MOST_ATTRIBUTES: usize = 64;

/// Attributes by kind of element.
type Class = BTreeMap<String, Rc<Vec<Attribute>>>;

/// All classes by name, each with what it takes over from the class around it.
#[derive(Debug, Default)]
pub(super) struct Defaults {
    classes: BTreeMap<String, Class>,
}

/// Keys that say the same in different ways: one that is written takes the place of all that are not.
const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

impl Defaults {
    /// The classes of a model.
    pub(super) fn of(root: &Tag, diagnostics: &mut Diagnostics) -> Self {
        let mut defaults = Self { classes: BTreeMap::from([(MAIN.to_owned(), Class::new())]) };
        for tag in root.named("default") {
            defaults.add(tag, MAIN, true, diagnostics);
        }
        defaults
    }

    fn add(&mut self, tag: &Tag, around: &str, outermost: bool, diagnostics: &mut Diagnostics) {
        let name = match tag.text("class") {
            Some(name) => name.to_owned(),
            None if outermost => MAIN.to_owned(),
            None => {
                let message = "a <default> inside another has no `class`";
                let help = "give it a name: class=\"…\"";
                diagnostics
                    .push(Diagnostic::error(Code::MissingKey, message).at(tag.place.clone()).help(help));
                return;
            }
        };
        // The outermost class is `main` by whatever name.
        let own = if outermost { MAIN.to_owned() } else { name.clone() };
        if !outermost && self.classes.contains_key(&own) {
            let message = format!("a second <default> is of the class `{name}`");
            let help = "every class has one <default>";
            diagnostics
                .push(Diagnostic::error(Code::DuplicateName, message).at(tag.place_of("class")).help(help));
            return;
        }
        let class = self.class(tag, around);
        if self.classes.len() > MOST_CLASSES || too_large(&class) {
            let message = format!(
                "a model has at most {MOST_CLASSES} classes, each with {MOST_ATTRIBUTES} kinds of elements of {MOST_ATTRIBUTES} attributes"
            );
            diagnostics.push(Diagnostic::error(Code::Syntax, message).at(tag.place.clone()));
            return;
        }
        if outermost && name != MAIN {
            self.classes.insert(name, class.clone());
        }
        self.classes.insert(own.clone(), class);
        for inner in tag.named("default") {
            self.add(inner, &own, false, diagnostics);
        }
    }

    /// Attributes that a `<default>` sets, and those it takes over.
    fn class(&self, tag: &Tag, around: &str) -> Class {
        let mut class = self.classes.get(around).cloned().unwrap_or_default();
        for child in tag.children.iter().filter(|c| c.name != "default") {
            let known = class.entry(kind_of(&child.name).to_owned()).or_default();
            *known = Rc::new(merged(&child.attributes, known));
            if too_large(&class) {
                break;
            }
        }
        class
    }

    /// Refuses a class that is not there.
    pub(super) fn check(&self, tag: &Tag, key: &str, diagnostics: &mut Diagnostics) {
        let Some(attribute) = tag.attribute(key) else { return };
        if self.classes.contains_key(&attribute.text) {
            return;
        }
        let meant =
            did_you_mean(&attribute.text, self.classes.keys().map(String::as_str)).unwrap_or_default();
        let message = format!("there is no default class `{}`", attribute.text);
        let help = format!("{meant} classes are made by <default class=\"…\">");
        let error = Diagnostic::error(Code::UnknownName, message).at(attribute.place.clone());
        diagnostics.push(error.help(help.trim_start()));
    }

    /// An element with the attributes of its class beside its own; `around` is the class of the elements around it.
    pub(super) fn complete(&self, tag: &Rc<Tag>, around: &str, diagnostics: &mut Diagnostics) -> Rc<Tag> {
        self.completed(tag, kind_of(&tag.name), around, diagnostics)
    }

    /// An element of a section whose elements share one kind of defaults.
    pub(super) fn complete_as(&self, tag: &Rc<Tag>, kind: &str, diagnostics: &mut Diagnostics) -> Rc<Tag> {
        self.completed(tag, kind, MAIN, diagnostics)
    }

    fn completed(&self, tag: &Rc<Tag>, kind: &str, around: &str, diagnostics: &mut Diagnostics) -> Rc<Tag> {
        self.check(tag, "class", diagnostics);
        let class = tag.text("class").unwrap_or(around);
        let Some(known) = self.classes.get(class).and_then(|c| c.get(kind)) else {
            return tag.clone();
        };
        let attributes = merged(&tag.attributes, known);
        Rc::new(Tag { attributes, ..Tag::clone(tag) })
    }
}

fn too_large(class: &Class) -> bool {
    class.len() > MOST_ATTRIBUTES || class.values().any(|kind| kind.len() > MOST_ATTRIBUTES)
}

/// All actuators share their defaults.
fn kind_of(name: &str) -> &str {
    match name {
        "motor" | "position" | "velocity" | "intvelocity" | "damper" | "cylinder" | "muscle" | "adhesion"
        | "dcmotor" | "pid" | "orientation" | "plugin" => "general",
        other => other,
    }
}

/// Own attributes, then those of the others that say something else.
fn merged(own: &[Attribute], others: &[Attribute]) -> Vec<Attribute> {
    let turned = own.iter().any(|a| ORIENTATIONS.contains(&a.key.as_str()));
    let says = |key: &str| own.iter().any(|a| a.key == key) || (turned && ORIENTATIONS.contains(&key));
    own.iter().chain(others.iter().filter(|a| !says(&a.key))).cloned().collect()
}
