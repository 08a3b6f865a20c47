//! Help with misspelt words.

/// The known word that is most like `found`, where one is like it at all.
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.into_iter().map(|word| (strsim::levenshtein(found, word), word)).min();
    near.filter(|(distance, word)| *distance <= word.len().max(found.len()) / 2).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_like_nothing_has_no_neighbour() {
        assert_eq!(nearest("max_sweep", ["omega", "max_sweeps"]), Some("max_sweeps"));
        assert_eq!(nearest("colour", ["omega", "max_sweeps"]), None);
        assert_eq!(nearest("x", []), None);
    }
}
