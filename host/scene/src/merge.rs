//! Laying one document over another: `extends`, and plugins exchanged by a flag.

use super::node::{Entry, Node, Value};

/// The experiment keys that hold a plugin.
pub const PLUGIN_KEYS: [&str; 3] = ["detector", "stepper", "solver"];

/// `overlay` over `base`: objects are merged key by key, everything else (arrays too) is replaced.
///
/// Where the overlay names another plugin, the options of the base stay, marked as carried over: the new plugin takes
/// those it knows and the others are dropped with a warning.
pub fn merge(base: Node, overlay: Node) -> Node {
    let Node { value: Value::Object(above), place } = overlay else { return overlay };
    let Value::Object(mut entries) = base.value else { return Node::new(Value::Object(above), place) };
    carry_options(&mut entries, above.iter().find(|e| e.key == "plugin").map(|e| &e.node));
    for entry in above {
        match entries.iter_mut().find(|e| e.key == entry.key) {
            Some(below) => {
                let under =
                    std::mem::replace(&mut below.node, Node::new(Value::Null, entry.key_place.clone()));
                *below = Entry { node: merge(under, entry.node), ..entry };
            }
            None => entries.push(entry),
        }
    }
    Node::new(Value::Object(entries), place)
}

/// Marks the options among `entries` as carried over when `plugin` is another one than theirs.
pub(crate) fn carry_options(entries: &mut [Entry], plugin: Option<&Node>) {
    let current = entries.iter().find(|e| e.key == "plugin").and_then(|e| e.node.as_str());
    let (Some(current), Some(new)) = (current, plugin.and_then(Node::as_str)) else { return };
    if same_plugin(current, new) {
        return;
    }
    let options = entries.iter_mut().find(|e| e.key == "options");
    if let Some(Value::Object(options)) = options.map(|e| &mut e.node.value) {
        options.iter_mut().for_each(|o| o.carried = true);
    }
}

/// Returns true if two plugin names can mean one plugin: equal, or one is the last part of the other.
fn same_plugin(a: &str, b: &str) -> bool {
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|head| head.ends_with('.'));
    a == b || ends(a, b) || ends(b, a)
}

/// Writes `"solver": "lemke"` as `"solver": { "plugin": "lemke" }`, in lists of further plugins too.
pub(crate) fn normalise_plugins(experiment: &mut Node) {
    let Value::Object(entries) = &mut experiment.value else { return };
    for entry in entries.iter_mut().filter(|e| PLUGIN_KEYS.contains(&e.key.as_str())) {
        normalise_plugin(&mut entry.node);
        let Value::Object(inside) = &mut entry.node.value else { continue };
        for list in inside.iter_mut().filter(|e| ["fallback", "others"].contains(&e.key.as_str())) {
            if let Value::Array(plugins) = &mut list.node.value {
                plugins.iter_mut().for_each(normalise_plugin);
            }
        }
    }
}

fn normalise_plugin(node: &mut Node) {
    if node.as_str().is_some() {
        let place = node.place.clone();
        let name = std::mem::replace(node, Node::new(Value::Null, place.clone()));
        let entry = Entry { key: "plugin".into(), key_place: place, node: name, carried: false };
        node.value = Value::Object(vec![entry]);
    }
}
