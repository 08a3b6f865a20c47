//! Tests for every role: manifest, options, life and death of instances.

use serde_json::{Value, json};
use vinci_abi::shape_name;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::model::{ShapeKind, Space};
use vinci_core::problem::ProblemClass;

use crate::random::Random;
use crate::subject::{Stop, Subject, ensure};

type Run = fn(&Subject) -> Result<String, Stop>;

pub(crate) const TESTS: &[(&str, Run)] = &[
    ("manifest", manifest),
    ("option-schema", option_schema),
    ("option-defaults", option_defaults),
    ("option-unknown-key", option_unknown_key),
    ("option-wrong-types", option_wrong_types),
    ("option-fuzz", option_fuzz),
    ("instances", instances),
    ("state", state),
    ("unknown-extension", unknown_extension),
];

fn manifest(subject: &Subject) -> Result<String, Stop> {
    let m = &subject.manifest;
    let words: Vec<&str> = m.id.split('.').collect();
    let plain = |w: &&str| {
        !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    ensure!(
        words.len() >= 3 && words.iter().all(plain),
        "id {:?}: expected owner.role.method in lower case, digits and hyphens",
        m.id
    );
    if let Err(why) = semver::Version::parse(&m.version) {
        return Err(Stop::Failed(format!("version {:?} is not of the form 1.2.3: {why}", m.version)));
    }
    ensure!(!m.title.is_empty(), "there is no title");
    if let Some(class) = m.classes.iter().find(|c| ProblemClass::from_name(c).is_none()) {
        return Err(Stop::Failed(format!("{class:?} is not a problem class")));
    }
    if let Some(space) =
        m.spaces.iter().find(|s| ![Space::Planar.name(), Space::Spatial.name()].contains(&&***s))
    {
        return Err(Stop::Failed(format!("{space:?} is not a space")));
    }
    let said = match subject.manifest.role {
        vinci_abi::Role::Detector => shapes(&m.shapes),
        vinci_abi::Role::Controller => governs(&m.capabilities),
        role => {
            ensure!(!m.classes.is_empty(), "a {} must name its problem classes", role.name());
            Ok(m.classes.join(", "))
        }
    }?;
    // A later contract may know them.
    let unknown: Vec<_> = m.unknown_capabilities().map(|word| format!("{word:?}")).collect();
    Ok(if unknown.is_empty() {
        said
    } else {
        format!("{said}; unknown capabilities: {}", unknown.join(", "))
    })
}

fn governs(capabilities: &[String]) -> Result<String, Stop> {
    let known = ["efforts", "set-points"].into_iter().filter(|word| capabilities.iter().any(|c| c == word));
    let known: Vec<&str> = known.collect();
    ensure!(!known.is_empty(), "a controller must have the capability efforts or set-points, or both");
    Ok(known.join(", "))
}

fn shapes(names: &[String]) -> Result<String, Stop> {
    let known: Vec<String> = (0..1000).filter_map(ShapeKind::from_code).map(shape_name).collect();
    ensure!(!names.is_empty(), "a detector must name the shape kinds it knows");
    match names.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(Stop::Failed(format!("{name:?} is not a shape kind"))),
        None => Ok(names.join(", ")),
    }
}

/// The properties of the option schema.
fn properties(subject: &Subject) -> Vec<(String, Value)> {
    let properties = subject.manifest.options["properties"].as_object();
    properties.into_iter().flatten().map(|(name, schema)| (name.clone(), schema.clone())).collect()
}

fn option_schema(subject: &Subject) -> Result<String, Stop> {
    let schema = &subject.manifest.options;
    ensure!(schema["type"] == "object", "the schema is not one of an object");
    ensure!(
        schema["additionalProperties"] == json!(false),
        "the schema allows unknown keys; write #[serde(deny_unknown_fields)]"
    );
    let properties = properties(subject);
    for (name, property) in &properties {
        let described = property["description"].as_str().is_some_and(|text| !text.is_empty());
        ensure!(described, "option {name} has no description; write a doc comment");
    }
    Ok(format!("{} options", properties.len()))
}

fn option_defaults(subject: &Subject) -> Result<String, Stop> {
    subject.instance("")?;
    subject.instance("{}")?;
    // The defaults the schema states are themselves good options.
    let stated = properties(subject).into_iter().filter(|(_, p)| p.get("default").is_some());
    let stated: serde_json::Map<_, _> = stated.map(|(name, p)| (name, p["default"].clone())).collect();
    subject.instance(&Value::Object(stated.clone()).to_string())?;
    Ok(format!("{} stated", stated.len()))
}

/// Requires a proper refusal of options; anything else fails the test.
fn refused(subject: &Subject, options: &str) -> Result<String, Stop> {
    let shown: String = options.chars().take(60).collect();
    match subject.instance(options) {
        Ok(_) => Err(Stop::Failed(format!("options {shown} are accepted"))),
        Err(StageError { kind: ErrorKind::BadOption, message, .. }) => Ok(message),
        Err(error) => Err(Stop::Failed(format!(
            "options {shown}: a refusal of kind BadOption is expected, not {:?}: {}",
            error.kind, error.message
        ))),
    }
}

fn option_unknown_key(subject: &Subject) -> Result<String, Stop> {
    let message = refused(subject, r#"{"no_such_option_exists": 1}"#)?;
    ensure!(message.contains("no_such_option_exists"), "the refusal does not name the key: {message}");
    let Some((name, _)) = properties(subject).into_iter().find(|(name, _)| name.len() > 3) else {
        return Ok(String::new());
    };
    let misspelt = json!({ format!("{name}x"): 1 }).to_string();
    let message = refused(subject, &misspelt)?;
    ensure!(message.contains(&format!("`{name}`")), "no advice for {name}x: {message}");
    Ok(message)
}

fn option_wrong_types(subject: &Subject) -> Result<String, Stop> {
    for text in ["{", "[]", "7", "\"x\"", "null", "{\"a\": }", "\u{0}"] {
        refused(subject, text)?;
    }
    for (name, _) in properties(subject) {
        // No option is a list of objects holding a list: wrong for every type that options have.
        refused(subject, &json!({ name: [{ "wrong": [] }] }).to_string())?;
    }
    Ok(String::new())
}

fn option_fuzz(subject: &Subject) -> Result<String, Stop> {
    let mut random = Random::new(subject.seed);
    let properties = properties(subject);
    let mut accepted = 0;
    let rounds = if properties.is_empty() { 0 } else { 200 };
    for _ in 0..rounds {
        let options: serde_json::Map<_, _> = (0..1 + random.below(3))
            .map(|_| (properties[random.below(properties.len())].0.clone(), value(&mut random)))
            .collect();
        let text = Value::Object(options).to_string();
        match subject.instance(&text) {
            Ok(_) => accepted += 1,
            Err(error) if error.kind == ErrorKind::BadOption => {}
            Err(error) => {
                let reason = format!("options {text}: {} ({:?}, not BadOption)", error.message, error.kind);
                return Err(Stop::Failed(reason));
            }
        }
    }
    Ok(format!("{accepted} of {rounds} accepted"))
}

fn value(random: &mut Random) -> Value {
    match random.below(10) {
        0 => json!(null),
        1 => json!(random.bits() & 1 == 0),
        2 => json!("x"),
        3 => json!([random.between(-1.0, 1.0)]),
        4 => json!({}),
        5 => json!(-1),
        6 => json!(0),
        7 => json!(10_f64.powf(random.between(-30.0, 30.0))),
        8 => json!(random.below(100)),
        _ => json!(random.between(0.0, 2.0)),
    }
}

fn instances(subject: &Subject) -> Result<String, Stop> {
    let mut alive = Vec::new();
    for _ in 0..20 {
        alive.push(subject.instance("")?);
        subject.instance("")?.end()?;
    }
    while !alive.is_empty() {
        alive.remove(alive.len() / 2).end()?;
    }
    Ok("40 made and ended".into())
}

fn state(subject: &Subject) -> Result<String, Stop> {
    let first = subject.instance("")?;
    let (mut bytes, mut again) = (Vec::new(), Vec::new());
    first.save(&mut bytes)?;
    let mut second = subject.instance("")?;
    second.load(&bytes)?;
    second.save(&mut again)?;
    ensure!(
        bytes == again,
        "state loaded and saved again differs ({} and {} bytes)",
        bytes.len(),
        again.len()
    );
    // A plugin must refuse truncated or foreign state, without a panic.
    let cut = &bytes[..bytes.len().saturating_sub(1)];
    for foreign in [b"not a state of this plugin".as_slice(), &[0xff; 64], cut] {
        match subject.instance("")?.load(foreign) {
            Err(error) if error.kind.is_fault() => return Err(error.into()),
            Err(_) => {}
            Ok(()) => ensure!(foreign.is_empty(), "{} foreign bytes are accepted as state", foreign.len()),
        }
    }
    Ok(format!("{} bytes", bytes.len()))
}

fn unknown_extension(subject: &Subject) -> Result<String, Stop> {
    match subject.instance("")?.extension("conformance.no-such-extension") {
        Err(error) if error.kind == ErrorKind::Unsupported => Ok(String::new()),
        Err(error) => Err(error.into()),
        Ok(()) => Err(Stop::Failed("an extension nobody defined is answered".into())),
    }
}
