//! Parameters of scenes as a stepper takes them: read, ignored, read in another sense, refused.

use serde::{Deserialize, Serialize};
use vinci_core::pair_parameters;

/// Contact friction and that of support points.
pub const FRICTION: &str = "friction";
/// Restitution coefficients.
pub const RESTITUTION: &str = "restitution";
/// Dry friction of the joints of trees.
pub const JOINT_FRICTION: &str = "joint-friction";
/// Limits of the joints of trees.
pub const JOINT_LIMITS: &str = "joint-limits";

macro_rules! vocabulary {
    ($($name:ident { $($told:tt)* })+) => {
        /// The parameters of scenes that manifests speak of: those of contacts, then those of joints.
        pub const PARAMETERS: [&str; 2 + [$(stringify!($name)),+].len()] =
            [$(stringify!($name),)+ JOINT_FRICTION, JOINT_LIMITS];
    };
}

pair_parameters!(vocabulary);

/// How a plugin treats the parameters of a scene ([`PARAMETERS`]).
///
/// An entry is `name`, or `name where OPTION=value` for an option that has this value, or `name where OPTION` for an option
/// that is given. In `reinterprets` the sense follows, `name: sense` or `name where …: sense`; `{OPTION}` in it stands for
/// the option's value. Of several entries of one name the first whose condition holds counts: in `refuses`, then in
/// `reinterprets`, `ignores`, `reads`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameters {
    /// Taken as the scene means them.
    pub reads: Vec<String>,
    /// Ignored; the host warns where a scene sets them.
    pub ignores: Vec<String>,
    /// Taken in another sense: "name: sense".
    pub reinterprets: Vec<String>,
    /// Steps with them end the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refuses: Vec<String>,
}

/// How one parameter is treated under the options in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// The plugin reads it as the scene means it.
    Read,
    /// Without effect.
    Ignored,
    /// In another sense, told here.
    Reinterpreted(String),
    /// A step with it ends the run.
    Refused,
    /// The manifest does not speak of it.
    Unsaid,
}

impl Parameters {
    /// How a parameter is treated. `option` gives the value of an option in force, if there is such an option and it is
    /// neither null nor false.
    pub fn reading(&self, parameter: &str, option: impl Fn(&str) -> Option<String>) -> Reading {
        let entry = |list: &[String]| list.iter().find_map(|text| sense(text, parameter, &option));
        if entry(&self.refuses).is_some() {
            return Reading::Refused;
        }
        if let Some(sense) = entry(&self.reinterprets) {
            return Reading::Reinterpreted(sense);
        }
        match (entry(&self.ignores), entry(&self.reads)) {
            (Some(_), _) => Reading::Ignored,
            (None, Some(_)) => Reading::Read,
            (None, None) => Reading::Unsaid,
        }
    }
}

/// The sense of an entry, perhaps empty, where it is about `parameter` and its condition holds.
fn sense(entry: &str, parameter: &str, option: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let (head, sense) = entry.split_once(':').unwrap_or((entry, ""));
    let (name, condition) = head.split_once(" where ").unwrap_or((head, ""));
    let holds = match condition.trim().split_once('=') {
        None if condition.trim().is_empty() => true,
        None => option(condition.trim()).is_some(),
        Some((key, value)) => option(key.trim()).is_some_and(|found| found == value.trim()),
    };
    (name.trim() == parameter && holds).then(|| filled(sense.trim(), option))
}

/// A text with the values of options in the place of their names in braces; braces around anything else stay.
fn filled(text: &str, option: &impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        match after.split_once('}').and_then(|(key, more)| Some((option(key)?, more))) {
            Some((value, more)) => {
                out.push_str(&value);
                rest = more;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Parameters {
        let list = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        Parameters {
            reads: list(&["friction", "stiffness"]),
            ignores: list(&["restitution", "stiffness where squeeze=none"]),
            reinterprets: list(&[
                "friction where repair=none: hovers",
                "friction where smoothing: acts at a distance, kappa {smoothing}",
                "damping: below {v_s} m/s {unknown}",
            ]),
            refuses: list(&["joint-friction"]),
        }
    }

    fn reading(parameter: &str, options: &[(&str, &str)]) -> Reading {
        let option = |key: &str| options.iter().find(|o| o.0 == key).map(|o| o.1.to_owned());
        parameters().reading(parameter, option)
    }

    #[test]
    fn an_entry_counts_where_its_condition_holds() {
        assert_eq!(reading("friction", &[]), Reading::Read);
        assert_eq!(reading("friction", &[("repair", "iterated")]), Reading::Read);
        assert_eq!(reading("friction", &[("repair", "none")]), Reading::Reinterpreted("hovers".into()));
        assert_eq!(reading("stiffness", &[("squeeze", "current")]), Reading::Read);
        assert_eq!(reading("stiffness", &[("squeeze", "none")]), Reading::Ignored);
        assert_eq!(reading("restitution", &[]), Reading::Ignored);
        assert_eq!(reading("joint-friction", &[]), Reading::Refused);
        assert_eq!(reading("dissipation", &[]), Reading::Unsaid);
    }

    #[test]
    fn the_sense_has_the_values_of_options() {
        let smooth = Reading::Reinterpreted("acts at a distance, kappa 100".into());
        assert_eq!(reading("friction", &[("smoothing", "100")]), smooth);
        let slow = Reading::Reinterpreted("below 1e-4 m/s {unknown}".into());
        assert_eq!(reading("damping", &[("v_s", "1e-4")]), slow);
    }

    #[test]
    fn manifests_of_earlier_plugins_refuse_nothing() {
        let old: Parameters = serde_json::from_str(r#"{"reads": ["friction"], "ignores": []}"#).unwrap();
        assert!(old.refuses.is_empty());
        assert!(!serde_json::to_string(&old).unwrap().contains("refuses"));
    }
}
