//! The nearest known name.

/// The known name nearest to `found`, if one is near enough to be meant.
///
/// Near enough: at most a third of the longer name's letters differ (Damerau–Levenshtein, ignoring case, with `-` and
/// `_` alike), or one name is the start of the other. Of dotted names (`vinci.solver.lemke`) the last part counts as well.
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = fold(found);
    let distance = |name: &'a str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        [name, last].into_iter().filter_map(|n| distance(&wanted, &fold(n))).min()
    };
    let near = known.into_iter().filter_map(|name| Some((distance(name)?, name)));
    near.min_by_key(|(d, _)| *d).map(|(_, name)| name)
}

/// Thousandths of the letters that differ, if the names are near enough.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    let longest = name.chars().count().max(wanted.chars().count());
    let differing = strsim::damerau_levenshtein(wanted, name);
    let is_start =
        wanted.len().min(name.len()) >= 2 && (name.starts_with(wanted) || wanted.starts_with(name));
    let near = differing < longest && (differing * 3 <= longest.max(3) || is_start);
    near.then(|| 1000 * differing / longest)
}

fn fold(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

/// "did you mean `x`?" when a known name is near.
pub fn did_you_mean<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(found, known).map(|name| format!("did you mean `{name}`?"))
}

/// Words of other programs and their counterparts here: the first that is known is meant.
const CALLED_OTHERWISE: [(&str, &[&str]); 12] = [
    ("plane", &["half-space", "half-plane"]),
    ("ground", &["half-space", "half-plane"]),
    ("halfspace", &["half-space", "half-plane"]),
    ("sphere", &["ball", "disc"]),
    ("circle", &["disc", "ball"]),
    ("cube", &["box"]),
    ("cuboid", &["box"]),
    ("rectangle", &["box"]),
    ("square", &["box"]),
    ("line", &["segment"]),
    ("edge", &["segment"]),
    ("hull", &["convex-hull", "polygon"]),
];

/// The known name of what is called `found` elsewhere.
pub fn called_here<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    let (_, names) = CALLED_OTHERWISE.iter().find(|(word, _)| *word == fold(found))?;
    names.iter().find_map(|name| known.iter().copied().find(|k| k == name))
}

/// Names in back quotes, separated by commas; a long list is cut after `MOST` names.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 24;
    let names: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    if names.len() <= MOST {
        return names.join(", ");
    }
    format!("{} and {} more", names[..MOST].join(", "), names.len() - MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = ["friction", "restitution", "stiffness", "damping"];
        assert_eq!(nearest("frction", known), Some("friction"));
        assert_eq!(nearest("Friction", known), Some("friction"));
        assert_eq!(nearest("firction", known), Some("friction"));
        assert_eq!(nearest("stiff", known), Some("stiffness"));
        assert_eq!(nearest("mu", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("q", ["x", "y"]), None);
        assert_eq!(nearest("lemk", ["vinci.solver.pgs", "vinci.solver.lemke"]), Some("vinci.solver.lemke"));
        assert_eq!(nearest("rest_length", ["rest-length"]), Some("rest-length"));
    }

    #[test]
    fn things_are_found_under_the_names_that_other_programs_give_them() {
        let (planar, spatial) = (["disc", "box", "half-plane"], ["ball", "box", "half-space"]);
        assert_eq!(called_here("plane", &spatial), Some("half-space"));
        assert_eq!(called_here("Plane", &planar), Some("half-plane"));
        assert_eq!(called_here("sphere", &spatial), Some("ball"));
        assert_eq!(called_here("circle", &planar), Some("disc"));
        assert_eq!(called_here("cuboid", &spatial), Some("box"));
        assert_eq!(called_here("torus", &spatial), None);
    }

    #[test]
    fn lists_are_quoted_and_cut() {
        assert_eq!(list(["a", "b"]), "`a`, `b`");
        let many: Vec<String> = (0..30).map(|i| i.to_string()).collect();
        assert!(list(many.iter().map(String::as_str)).ends_with("`23` and 6 more"));
    }
}
