//! Numbers and words of attributes and elements, strictly.

use super::state::Robot;
use crate::diagnostics::{Code, TextSpan, did_you_mean, list};
use crate::import::tag::Attribute;

impl Robot<'_> {
    fn finite(&mut self, word: &str, place: &TextSpan, what: &str) -> Option<f64> {
        let (code, found) = match word.parse::<f64>() {
            Ok(value) if value.is_finite() => return Some(value),
            Ok(_) => (Code::NonFinite, "a number that is not finite"),
            Err(_) => (Code::WrongType, "no number"),
        };
        self.error(code, place, format!("{what} holds \"{word}\": {found}"), "");
        None
    }

    /// From `least` to `most` finite numbers; `None` when they were refused.
    pub(crate) fn numbers(
        &mut self,
        written: &Attribute,
        what: &str,
        (least, most): (usize, usize),
    ) -> Option<Vec<f64>> {
        let Attribute { text, place, .. } = written;
        let count = text.split_whitespace().count();
        if count < least || count > most {
            let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let message = format!("{what} takes {wanted} numbers, found {count}");
            self.error(Code::WrongType, place, message, "");
            return None;
        }
        let mut all = Vec::with_capacity(count);
        for word in text.split_whitespace() {
            all.push(self.finite(word, place, what)?);
        }
        Some(all)
    }

    /// One of several words, `None` when it was refused; `what` says whose and which.
    pub(crate) fn word<'w>(
        &mut self,
        written: &Attribute,
        (of, what): (&str, &str),
        words: &[&'w str],
    ) -> Option<&'w str> {
        let Attribute { text, place, .. } = written;
        if let Some(word) = words.iter().find(|w| *w == text) {
            return Some(word);
        }
        let meant = did_you_mean(text, words.iter().copied()).map_or_else(String::new, |m| m + " ");
        let message = format!("{of} has the unknown {what} \"{text}\"");
        let help = format!("{meant}known are {}", list(words.iter().copied()));
        self.error(Code::UnknownValue, place, message, &help);
        None
    }
}
