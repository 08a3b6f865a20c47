//! Values given on the command line.

use super::merge::{PLUGIN_KEYS, carry_options};
use super::node::{Node, Value};
use super::parse::parse_text;
use super::path::{Path, Segment};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Source, TextSpan, did_you_mean, list};
use std::sync::Arc;

/// One value that a flag puts into the experiment (`scene.…`: into its scene).
#[derive(Debug, Clone)]
pub struct Override {
    path: Path,
    path_place: TextSpan,
    value: Node,
}

impl Override {
    /// `--set path=value`. The value is JSON; anything that is not is taken as a string, so that
    /// `--set solver.plugin=lemke` needs no quotes. Elements of arrays are addressed by number or by their `name`.
    ///
    /// # Errors
    /// No `=`, an empty path, or a value that begins like JSON and is not.
    pub fn set(argument: &str) -> Result<Self, Diagnostics> {
        const FLAG: usize = "--set ".len();
        let text = format!("--set {argument}");
        let source = Source::new(text.clone(), text);
        let (path, value) = argument.split_once('=').unwrap_or((argument, ""));
        let bad = |message: String, from, to| {
            let help = "write --set path=value, for example --set time.step=0.001";
            Diagnostics::from(
                Diagnostic::error(Code::BadSet, message)
                    .at(TextSpan::new(&source, FLAG + from, FLAG + to))
                    .help(help),
            )
        };
        let end = argument.len();
        if value.is_empty() {
            return Err(bad(format!("`--set {argument}` gives no value"), end, end));
        }
        let Some(parsed) = Path::parse(path.trim()) else {
            return Err(bad(format!("`{path}` is not a path"), 0, path.len()));
        };
        let path_place = TextSpan::new(&source, FLAG, FLAG + path.len());
        Ok(Self { path: parsed, path_place, value: value_of(&source, FLAG + path.len() + 1)? })
    }

    /// The value of a flag of its own, as `--step 0.001` for `time.step`.
    ///
    /// # Errors
    /// A value that begins like JSON and is not.
    pub fn flag(flag: &str, path: Path, value: &str) -> Result<Self, Diagnostics> {
        let (source, place) = own_flag(flag, value);
        Ok(Self { path, value: value_of(&source, place.start)?, path_place: place })
    }

    /// The string of a flag of its own, as `--solver lemke` for `solver.plugin`.
    pub fn word(flag: &str, path: Path, value: &str) -> Self {
        let (_, place) = own_flag(flag, value);
        let node = Node::new(Value::String(value.to_owned()), place.clone());
        Self { path, path_place: place, value: node }
    }

    /// A value that a file puts at a path, written there at `path_place`.
    pub fn written(path: Path, path_place: TextSpan, value: Node) -> Self {
        Self { path, path_place, value }
    }

    /// Where the value goes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the path is written.
    pub fn path_place(&self) -> &TextSpan {
        &self.path_place
    }

    /// The flag that asks for this, if it is one.
    pub(super) fn asked_by(&self) -> Option<&str> {
        Some(self.path_place.source.name()).filter(|name| name.starts_with("--"))
    }

    /// The path in a document (of the scene, for paths that begin with `scene`): elements by their numbers, however they are written,
    /// and the name of a plugin as `plugin`.
    pub(super) fn target(&self, root: Option<&Node>) -> Vec<String> {
        let mut words = Vec::with_capacity(self.path.segments().len() + 1);
        let mut node = root;
        for (k, segment) in self.path.segments().iter().enumerate() {
            let word = match segment {
                Segment::Key(key) => match node.map(|n| &n.value) {
                    Some(Value::Array(elements)) => element_named(elements, key).map(|i| i.to_string()),
                    _ => None,
                }
                .unwrap_or_else(|| key.clone()),
                Segment::Index(i) => i.to_string(),
            };
            if k > 0 || !self.is_for_scene() {
                node = node.and_then(|n| part(n, &word));
            }
            words.push(word);
        }
        let names_plugin = self.value.as_str().is_some();
        if names_plugin && matches!(words.as_slice(), [key] if PLUGIN_KEYS.contains(&key.as_str())) {
            words.push("plugin".to_owned());
        }
        words
    }

    /// Returns true if this takes effect in the place of an earlier one: it goes to the same place or around it, or into the earlier one's value
    /// where that says something already. (A scene as a whole comes before all changes to it.)
    pub(super) fn overrules(&self, earlier: &Self, root: Option<&Node>) -> bool {
        let (here, there) = (self.target(root), earlier.target(root));
        if self.scene_value().is_some() {
            return here == there;
        }
        let within = here.strip_prefix(there.as_slice());
        let is_said =
            |rest: &[String]| rest.iter().try_fold(&earlier.value, |node, key| node.get(key)).is_some();
        there.starts_with(&here) || within.is_some_and(is_said)
    }

    /// The value.
    pub fn value(&self) -> &Node {
        &self.value
    }

    /// Returns true if it goes into the scene, not the experiment.
    pub fn is_for_scene(&self) -> bool {
        self.path.segments().len() > 1 && self.path.segments()[0] == "scene".into()
    }

    /// Returns true if the scene stays as it is.
    pub(crate) fn leaves_scene(&self) -> bool {
        self.path.segments().first() != Some(&"scene".into())
    }

    /// The new scene, when this exchanges the whole scene.
    pub(crate) fn scene_value(&self) -> Option<Node> {
        (self.path.segments() == ["scene".into()]).then(|| self.value.clone())
    }

    /// Puts the value into the document (of the scene, for paths that begin with `scene`).
    pub fn apply(&self, root: &mut Node) -> Result<(), Diagnostic> {
        let mut segments = self.path.segments().to_vec();
        if self.is_for_scene() {
            segments.remove(0);
        }
        if let [Segment::Key(key)] = segments.as_slice()
            && PLUGIN_KEYS.contains(&key.as_str())
            && self.value.as_str().is_some()
        {
            segments.push("plugin".into());
        }
        self.descend(root, &segments, &Path::root())
    }

    fn descend(&self, node: &mut Node, segments: &[Segment], at: &Path) -> Result<(), Diagnostic> {
        let Some((segment, rest)) = segments.split_first() else {
            *node = self.value.clone();
            return Ok(());
        };
        if matches!(node.value, Value::Null) {
            node.value = match segment {
                Segment::Key(_) => Value::Object(Vec::new()),
                Segment::Index(_) => Value::Array(Vec::new()),
            };
        }
        let grows = begun_by_a_path(node);
        match &mut node.value {
            Value::Array(elements) => {
                if grows && *segment == Segment::Index(elements.len()) {
                    elements.push(Node::new(Value::Null, self.path_place.clone()));
                }
                let i = self.index(elements, segment, at)?;
                self.descend(&mut elements[i], rest, &at.join(i))
            }
            Value::Object(_) => self.descend_entry(node, segment, rest, at),
            _ => Err(self.error(format!("`{at}` is {}, it has no parts", node.describe()), String::new())),
        }
    }

    /// Down into an object, with a new entry where there is none.
    fn descend_entry(
        &self,
        node: &mut Node,
        segment: &Segment,
        rest: &[Segment],
        at: &Path,
    ) -> Result<(), Diagnostic> {
        let key = match segment {
            Segment::Key(key) => key.clone(),
            Segment::Index(i) => i.to_string(),
        };
        if let Value::Object(entries) = &mut node.value
            && key == "plugin"
            && rest.is_empty()
        {
            carry_options(entries, Some(&self.value));
        }
        let Some(entry) = node.entry_mut(&key, &self.path_place) else { return Ok(()) };
        if rest.is_empty() {
            entry.key_place = self.path_place.clone();
        }
        entry.carried = false;
        self.descend(&mut entry.node, rest, &at.join(key.as_str()))
    }

    fn index(&self, elements: &[Node], segment: &Segment, at: &Path) -> Result<usize, Diagnostic> {
        let names: Vec<&str> = elements.iter().filter_map(|e| e.get("name").and_then(Node::as_str)).collect();
        match segment {
            Segment::Index(i) if *i < elements.len() => Ok(*i),
            Segment::Index(i) => {
                let (message, help) = match elements.len() {
                    0 => (
                        format!("`{at}` has no entries yet, there is no [{i}]"),
                        "set [0] first, then the next ones in order, or all of it at once, as in `=[1, 2]`",
                    ),
                    1 => (format!("`{at}` has 1 entry, there is no [{i}]"), "numbers begin at 0"),
                    n => (format!("`{at}` has {n} entries, there is no [{i}]"), "numbers begin at 0"),
                };
                Err(self.error(message, help.into()))
            }
            Segment::Key(name) => element_named(elements, name).ok_or_else(|| {
                let meant = did_you_mean(name, names.iter().copied()).map_or_else(String::new, |m| m + " ");
                let help = match names.as_slice() {
                    [] => "address the entries by number, from 0".to_owned(),
                    names => format!("{meant}known names: {}", list(names.iter().copied())),
                };
                self.error(format!("`{at}` has no entry named `{name}`"), help)
            }),
        }
    }

    fn error(&self, message: String, help: String) -> Diagnostic {
        Diagnostic::error(Code::BadSet, message).at(self.path_place.clone()).help(help)
    }
}

/// The number of the element of an array that has this name.
fn element_named(elements: &[Node], name: &str) -> Option<usize> {
    elements.iter().position(|e| e.get("name").and_then(Node::as_str) == Some(name))
}

/// The entry of an object, or the element of an array by its number.
fn part<'n>(node: &'n Node, word: &str) -> Option<&'n Node> {
    match &node.value {
        Value::Array(elements) => elements.get(word.parse::<usize>().ok()?),
        _ => node.get(word),
    }
}

/// Returns true if a path to one of its elements made this array, so that the next path may add the next one. An array that is written as a
/// whole keeps its length: a number behind its end is more likely a slip.
fn begun_by_a_path(node: &Node) -> bool {
    let written = node.place.source.text().as_bytes().get(node.place.start);
    matches!(node.value, Value::Array(_)) && written != Some(&b'[')
}

/// The text of a flag of its own, and the place of its value.
fn own_flag(flag: &str, value: &str) -> (Arc<Source>, TextSpan) {
    let text = format!("{flag} {value}");
    let source = Source::new(text.clone(), text);
    let place = TextSpan::new(&source, flag.len() + 1, source.text().len());
    (source, place)
}

/// The value in the text of a flag from byte `from` on.
fn value_of(source: &Arc<Source>, from: usize) -> Result<Node, Diagnostics> {
    // Blanks in place of what stands before the value keep all places right.
    let padded = " ".repeat(from) + &source.text()[from..];
    let text = padded.trim();
    let place = TextSpan::new(source, from, source.text().len());
    let mut diagnostics = Diagnostics::new();
    let node = parse_text(&padded, source, &mut diagnostics);
    match node {
        Some(node) if diagnostics.is_empty() => return Ok(node),
        Some(_) => return Err(diagnostics),
        None => {}
    }
    if text.starts_with(['{', '[', '"']) {
        return Err(diagnostics);
    }
    // Numbers that JSON writes otherwise: +1, .5, 5.
    let number = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
    Ok(Node::new(number.map_or_else(|| Value::String(text.to_owned()), Value::Number), place))
}
