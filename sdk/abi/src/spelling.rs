//! Help with misspelt words.

/// The known word that is most like `found`, where one is like it at all.
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.into_iter().map(|word| (distance(found, word), word)).min();
    near.filter(|(distance, word)| *distance <= word.len().max(found.len()) / 2).map(|(_, word)| word)
}

/// Levenshtein distance, in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn what_is_like_nothing_has_no_neighbour() {
        assert_eq!(nearest("max_sweep", ["omega", "max_sweeps"]), Some("max_sweeps"));
        assert_eq!(nearest("colour", ["omega", "max_sweeps"]), None);
        assert_eq!(nearest("x", []), None);
    }
}
