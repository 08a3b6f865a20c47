//! Tables of what is read of a format, and of what it means that the rest is left out.

/// Reason for what no table knows.
const UNKNOWN: &str = "not known here";

/// Returns true if a word is among those of a list with blanks between.
pub(super) fn reads(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|w| w == word)
}

/// Consequence of leaving out an element, or an attribute `key` of it: of the first row of the table that names it, as the element's
/// name, ELEMENT@ATTRIBUTE or @ATTRIBUTE.
pub(super) fn why(table: &[(&str, &'static str)], name: &str, key: Option<&str>) -> &'static str {
    let fits = |word: &str| match (word.split_once('@'), key) {
        (Some((of, attribute)), Some(key)) => attribute == key && (of.is_empty() || of == name),
        (None, _) => word == name,
        (Some(_), None) => false,
    };
    let found = table.iter().find(|(words, _)| words.split_whitespace().any(fits));
    found.map_or(UNKNOWN, |(_, why)| *why)
}
