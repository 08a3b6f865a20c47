//! Names of models as scenes take them.

/// A name with the characters that scenes take.
pub(crate) fn fit(name: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().map(keep).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { name } else { format!("_{name}") }
}
