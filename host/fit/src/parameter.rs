//! Parameters: numbers of an experiment, named by their paths as `--set` names them.

use serde_json::Number;

use vinci_engine::suggest::did_you_mean;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, Source, TextSpan};
use vinci_scene::{Loaded, Node, Override, Path, Segment, Value};

/// A number of an experiment (`scene.…`: of its scene), and the bounds within which it is looked for.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Name as it was typed.
    pub name: String,
    /// Lowest and highest value, where they are given.
    pub bounds: Option<[f64; 2]>,
    path: Path,
    place: TextSpan,
}

impl Parameter {
    /// A path without bounds; `flag` is what it was typed behind.
    ///
    /// # Errors
    /// A text that is no path.
    pub fn of_path(flag: &str, text: &str) -> Result<Self, Diagnostics> {
        let source = Source::new(format!("{flag} {text}"), format!("{flag} {text}"));
        let place = TextSpan::new(&source, flag.len() + 1, source.text().len());
        let path = Path::parse(text.trim()).ok_or_else(|| {
            let help = "write a path as of --set: scene.materials.default.friction, scene.bodies.box.mass";
            Diagnostic::error(Code::BadSet, format!("`{text}` is not a path")).at(place.clone()).help(help)
        })?;
        Ok(Self { name: text.trim().to_owned(), bounds: None, path, place })
    }

    /// `PATH=[a, b]`.
    ///
    /// # Errors
    /// No path, no bounds, or bounds that are not two finite numbers with a < b.
    pub fn of_bounds(flag: &str, text: &str) -> Result<Self, Diagnostics> {
        let (path, bounds) = text.split_once('=').unwrap_or((text, ""));
        let parameter = Self::of_path(flag, path)?;
        let wrong = |message: String| {
            let help =
                "write --free PATH=[a, b] with a < b, for example scene.materials.default.friction=[0.1, 1]";
            Diagnostics::from(
                Diagnostic::error(Code::OutOfRange, message).at(parameter.place.clone()).help(help),
            )
        };
        let [a, b]: [f64; 2] = serde_json::from_str(bounds)
            .map_err(|_| wrong(format!("`{bounds}` are no bounds of `{}`", parameter.name)))?;
        match a < b && (b - a).is_finite() {
            true => Ok(Self { bounds: Some([a, b]), ..parameter }),
            false => {
                Err(wrong(format!("the bounds of `{}` are reversed or too far: [{a}, {b}]", parameter.name)))
            }
        }
    }

    /// The change of the experiment that gives it this value.
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn with(&self, value: f64) -> Result<Override, Diagnostics> {
        let number = Number::from_f64(value).ok_or_else(|| {
            let message = format!("`{}` would be {value}, which is no number", self.name);
            Diagnostic::error(Code::NonFinite, message).at(self.place.clone())
        })?;
        let node = Node::new(Value::Number(number), self.place.clone());
        Ok(Override::written(self.path.clone(), self.place.clone(), node))
    }

    /// Its value in an experiment.
    ///
    /// # Errors
    /// Where the experiment has none, or something else than a number.
    pub fn value(&self, loaded: &Loaded) -> Result<f64, Diagnostics> {
        let wrong = |message: String| {
            let help = self.advice(loaded);
            Diagnostics::from(Diagnostic::error(Code::BadSet, message).at(self.place.clone()).help(help))
        };
        match self.node(loaded) {
            None => Err(wrong(format!("the experiment has no value `{}`", self.name))),
            Some(node) => {
                node.as_f64().ok_or_else(|| wrong(format!("`{}` is {}", self.name, node.describe())))
            }
        }
    }

    /// Next step where the experiment has no number at the path: the nearest name beside the first one that it does not know; a list that has to
    /// be written whole; or a value that can be set.
    fn advice(&self, loaded: &Loaded) -> String {
        let segments = self.path.segments();
        let known = (1..=segments.len()).rev().find(|k| node_at(loaded, &segments[..*k]).is_some());
        let known = known.unwrap_or(usize::from(segments.first() == Some(&Segment::from("scene"))));
        let parent = node_at(loaded, &segments[..known]);
        if let (Some(Segment::Key(key)), Some(parent)) = (segments.get(known), parent)
            && let Some(meant) = did_you_mean(key, names(parent))
        {
            return meant;
        }
        if known == segments.len() && matches!(parent.map(|node| &node.value), Some(Value::Array(_))) {
            return format!("it is a list: name one of its numbers, as in `{}.0`", self.name);
        }
        match segments {
            [.., Segment::Index(_)] if known + 1 < segments.len() => {
                let list = self.name.rsplit_once(['.', '[']).map_or("", |(list, _)| list);
                format!("write the whole list first: --set '{list}=[…]'")
            }
            _ => format!("`--set {}=NUMBER` gives it one; paths lead to numbers", self.name),
        }
    }

    /// Where it was typed.
    pub fn place(&self) -> &TextSpan {
        &self.place
    }

    /// The times between which it acts, s, if it is the value of a keyframe and acts at no other time.
    pub(crate) fn span(&self, loaded: &Loaded) -> Option<[f64; 2]> {
        let (drive, last) = self.path.segments().split_last_chunk::<3>()?;
        let [list, Segment::Index(k), Segment::Index(1)] = last else { return None };
        if *list != Segment::from("keyframes") {
            return None;
        }
        let drive = node_at(loaded, drive)?;
        // Pieces whose slopes look at the neighbours act one keyframe farther.
        let reach = match drive.get("interpolation").map(Node::as_str) {
            None | Some(Some("linear")) => 1,
            Some(Some("cubic")) => 2,
            Some(_) => return None,
        };
        let times = drive.get("keyframes")?.elements().iter().map(|pair| pair.elements().first()?.as_f64());
        let times = times.collect::<Option<Vec<f64>>>()?;
        let from = times.get(..=*k)?.iter().rev().nth(reach)?;
        Some([*from, times.get(k + reach).copied().unwrap_or(f64::INFINITY)])
    }

    fn node<'l>(&self, loaded: &'l Loaded) -> Option<&'l Node> {
        node_at(loaded, self.path.segments())
    }
}

/// The value at a path; elements of arrays by number or by their `name`.
fn node_at<'l>(loaded: &'l Loaded, segments: &[Segment]) -> Option<&'l Node> {
    let is_scene = segments.first() == Some(&Segment::from("scene"));
    let (root, rest) = match is_scene {
        true => (&loaded.scene_node, &segments[1..]),
        false => (&loaded.experiment_node, segments),
    };
    let named = |node: &'l Node, name: &str| {
        node.elements().iter().find(|e| e.get("name").and_then(Node::as_str) == Some(name))
    };
    rest.iter().try_fold(root, |node, segment| match segment {
        Segment::Key(key) => node.get(key).or_else(|| named(node, key)),
        Segment::Index(i) => node.elements().get(*i),
    })
}

/// Names below a value: keys of an object, `name`s of the elements of a list.
fn names(node: &Node) -> impl Iterator<Item = &str> {
    let keys = node.entries().iter().map(|entry| entry.key.as_str());
    keys.chain(node.elements().iter().filter_map(|e| e.get("name").and_then(Node::as_str)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_two_numbers_in_order() {
        let good = Parameter::of_bounds("--free", "a.b=[0.1, 2]").unwrap();
        assert_eq!((good.name.as_str(), good.bounds), ("a.b", Some([0.1, 2.0])));
        for bad in ["a", "a=", "a=[1]", "a=[2, 1]", "a=[1, 1]", "a=[1, 1e400]", "=[0, 1]", "a=[0, x]"] {
            assert!(Parameter::of_bounds("--free", bad).is_err(), "{bad}");
        }
    }
}
