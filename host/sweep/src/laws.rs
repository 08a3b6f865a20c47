//! Axes and distributions: from what is written to what is meant.

use serde_json::Value as Json;

use vinci_engine::expression::{FUNCTIONS, FUNCTIONS_OF_TWO};

use super::level::Scalar;
use super::types::{Axis, Distribution};
use crate::level::scalar;

pub(super) use super::level::Law;

/// One sentence and a next step.
type Wrong = (String, &'static str);

const LAWS: &str = "one of `uniform`, `log-uniform`, `normal` with `within`, `integers`, `choice`";
const AXES: &str = "write { \"from\": 0, \"to\": 1, \"count\": 11 } or { \"values\": [1, 2, 5] }";

/// Names that rows have already.
const RESERVED: [&str; 8] = ["case", "sample", "rung", "status", "success", "steps", "t_end", "error"];

/// The fault of a name.
pub(super) fn bad_name(name: &str) -> Option<Wrong> {
    let other = "choose another name";
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !first || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        let help = "names are letters, digits and `_`, and begin with a letter";
        return Some((format!("`{name}` cannot stand in a formula"), help));
    }
    let functions = FUNCTIONS.iter().map(|f| f.0).chain(FUNCTIONS_OF_TWO.iter().map(|f| f.0));
    let words = ["t", "pi", "and", "or", "not", "count"];
    if functions.chain(words).any(|word| word == name) {
        return Some((format!("`{name}` has a meaning in formulas already"), other));
    }
    let taken = RESERVED.contains(&name) || name == "message";
    taken.then(|| (format!("`{name}` is a column of rows already"), other))
}

/// The values of an axis.
pub(super) fn axis(axis: &Axis) -> Result<Vec<Scalar>, Wrong> {
    match axis {
        Axis { from: Some(a), to: Some(b), count: Some(n), values: None } if *n > 0 => {
            let at = |k: u32| {
                if k + 1 == *n && *n > 1 {
                    *b
                } else {
                    a + (b - a) * f64::from(k) / f64::from((n - 1).max(1))
                }
            };
            Ok((0..*n).map(|k| Scalar::Number(at(k))).collect())
        }
        Axis { from: None, to: None, count: None, values: Some(values) } => scalars(values),
        _ => Err(("an axis has `from`, `to` and `count` ≥ 1, or `values`".into(), AXES)),
    }
}

/// Numbers, or texts.
fn scalars(values: &[Json]) -> Result<Vec<Scalar>, Wrong> {
    let of: Option<Vec<Scalar>> = values.iter().map(scalar).collect();
    let of = of.ok_or_else(|| {
        ("a value is neither a number nor a text".to_owned(), "write numbers, or texts in double quotes")
    })?;
    let text = |s: &Scalar| matches!(s, Scalar::Text(_));
    match of.first() {
        None => Err(("there are no values, so there would be no run".into(), "give at least one")),
        Some(first) if of.iter().any(|s| text(s) != text(first)) => {
            Err(("numbers and texts are mixed".into(), "make two parameters of them"))
        }
        Some(_) => Ok(of),
    }
}

/// The law of a distribution.
pub(super) fn law(d: &Distribution) -> Result<Law, Wrong> {
    let given = [
        d.uniform.is_some(),
        d.log_uniform.is_some(),
        d.normal.is_some(),
        d.integers.is_some(),
        d.choice.is_some(),
    ];
    if given.iter().filter(|g| **g).count() != 1 {
        return Err(("there must be exactly one distribution".into(), LAWS));
    }
    if d.within.is_some() && d.normal.is_none() {
        return Err((
            "`within` belongs to `normal`".into(),
            "the other distributions have their bounds already",
        ));
    }
    let ascending = |[a, b]: [f64; 2]| a < b && (b - a).is_finite();
    let exact = |n: i64| n.unsigned_abs() <= 1 << 53;
    match d {
        Distribution { uniform: Some(ab), .. } if ascending(*ab) => Ok(Law::Uniform(*ab)),
        Distribution { log_uniform: Some(ab), .. }
            if ascending(*ab) && ab[0] > 0.0 && (ab[1] / ab[0]).is_finite() =>
        {
            Ok(Law::LogUniform(*ab))
        }
        Distribution { log_uniform: Some(_), .. } => {
            Err(("`log-uniform` is [a, b] with 0 < a < b".into(), "a logarithm needs bounds above 0"))
        }
        Distribution { normal: Some(normal), within, .. } => bounded(*normal, *within),
        Distribution { integers: Some([a, b]), .. } if a <= b && exact(*a) && exact(*b) => {
            Ok(Law::Integers([*a, *b]))
        }
        Distribution { choice: Some(of), .. } => Ok(Law::Choice(scalars(of)?)),
        _ => Err((
            "the first bound must be below the second, and both finite and far enough apart for double precision".into(),
            "write [a, b] with a < b (integers up to 2^53); for one value alone, a choice: [a]",
        )),
    }
}

fn bounded([mean, deviation]: [f64; 2], within: Option<[f64; 2]>) -> Result<Law, Wrong> {
    let Some([a, b]) = within else {
        let help = "add \"within\": [a, b]; values outside are drawn again, so that no rare draw is an impossible value";
        return Err(("a normal distribution has no bounds".into(), help));
    };
    if !(deviation > 0.0) {
        return Err((
            "the standard deviation must be above 0".into(),
            "`normal` is [mean, standard deviation]",
        ));
    }
    let (low, high) = (a.max(mean - 3.0 * deviation), b.min(mean + 3.0 * deviation));
    if !(high - low >= 0.01 * deviation) {
        let help = "a hundredth of the deviation must lie in the bounds, within 3 deviations of the mean";
        return Err(("hardly any draw would be within the bounds".into(), help));
    }
    Ok(Law::Normal([mean, deviation], [a, b]))
}
