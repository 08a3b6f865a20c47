//! Ranges of forces for programs, and what is widest of them.

use serde_json::{Value, json};

use super::{ContactWidth, Look, MOST, Spread};

/// Most contacts that are listed.
const LISTED: usize = 1000;
/// Part of the force below which a width is rounding of the programs.
const ROUNDING: f64 = 1e-6;

/// Numbers of several looks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Widths {
    /// Times that were looked at.
    pub looks: usize,
    /// Contacts with a range.
    pub contacts: usize,
    /// Contacts whose normal force the motion fixes, up to a millionth of the largest force found.
    pub unique: usize,
    /// Contacts whose normal force nothing bounds.
    pub unbounded: usize,
    /// Contacts of which no range was found.
    pub left_out: usize,
    /// Those of them that hang together with too many others.
    pub too_large: usize,
    /// The widest bounded normal force: its time, s, and the contact.
    pub widest: Option<(f64, ContactWidth)>,
}

impl Widths {
    /// Numbers of these looks.
    pub fn of(looks: &[Look]) -> Self {
        let all = || looks.iter().flat_map(|look| look.contacts.iter().map(|contact| (look.time, contact)));
        let size = all().map(|(_, contact)| contact.normal.found.abs()).fold(0.0, f64::max);
        let is_unique = |contact: &ContactWidth| contact.normal.width() <= ROUNDING * size;
        let bounded = all().filter(|(_, contact)| contact.normal.width().is_finite());
        let widest = bounded.max_by(|a, b| a.1.normal.width().total_cmp(&b.1.normal.width()));
        Self {
            looks: looks.len(),
            contacts: all().count(),
            unique: all().filter(|(_, contact)| is_unique(contact)).count(),
            unbounded: all().filter(|(_, contact)| contact.normal.width().is_infinite()).count(),
            left_out: looks.iter().map(|look| look.left_out).sum(),
            too_large: looks.iter().map(|look| look.too_large).sum(),
            widest: widest.map(|(t, contact)| (t, contact.clone())),
        }
    }

    /// Contacts of which no range was found, and why; none where there are none.
    pub fn left_out_sentence(&self) -> Option<String> {
        let unchecked = self.left_out - self.too_large;
        let why = [
            (self.too_large, format!("more than {MOST} impulses hang together at {}", self.too_large)),
            (unchecked, format!("no answer of the programs stood up to its check at {unchecked}")),
        ];
        let why: Vec<String> = why.into_iter().filter(|(n, _)| *n > 0).map(|(_, why)| why).collect();
        (self.left_out > 0)
            .then(|| format!("no range was found of {} contacts: {}", self.left_out, why.join("; ")))
    }

    /// JSON for programs, with the contacts of the looks.
    pub fn to_json(&self, looks: &[Look]) -> Value {
        let all = looks.iter().flat_map(|look| look.contacts.iter().map(|contact| (look.time, contact)));
        let listed: Vec<Value> = all.take(LISTED).map(|(t, contact)| contact.to_json(t)).collect();
        json!({
            "looks": self.looks, "contacts": self.contacts, "unique": self.unique, "unbounded": self.unbounded, "left_out": self.left_out, "left_out_because": self.left_out_sentence(),
            "widest": self.widest.as_ref().map(|(t, contact)| contact.to_json(*t)), "not_listed": self.contacts - listed.len(), "forces": listed,
        })
    }
}

impl ContactWidth {
    /// For programs: N; null where nothing bounds the force.
    fn to_json(&self, time: f64) -> Value {
        let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
        let spread = |s: &Spread| json!({ "found": finite(s.found), "least": finite(s.least), "greatest": finite(s.greatest) });
        json!({ "time": time, "bodies": self.bodies, "point": self.point, "normal": spread(&self.normal),
            "tangent": self.tangent.as_ref().map(spread) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody who read that there were no ranges knew why.
    #[test]
    fn contacts_without_a_range_have_a_reason() {
        let of = |left_out, too_large| Widths::of(&[Look { left_out, too_large, ..Look::default() }]);
        assert_eq!(of(0, 0).left_out_sentence(), None);
        let told = of(5, 3).left_out_sentence().unwrap();
        assert_eq!(
            told,
            "no range was found of 5 contacts: more than 300 impulses hang together at 3; no answer of the programs stood up to its check at 2"
        );
        assert!(!of(3, 3).left_out_sentence().unwrap().contains("check"));
    }
}
