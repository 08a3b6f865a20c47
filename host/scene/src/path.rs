//! Paths into a document: `bodies[2].mass`.

use std::fmt;

/// One step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Into an object.
    Key(String),
    /// Into an array.
    Index(usize),
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Segment {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// Where a value is in its document, from the root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path(Vec<Segment>);

impl Path {
    /// The document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// The steps.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// The path of a part of this value.
    #[must_use]
    pub fn join(&self, segment: impl Into<Segment>) -> Self {
        let mut longer = self.clone();
        longer.0.push(segment.into());
        longer
    }

    /// The path of the enclosing value (the root encloses itself).
    #[must_use]
    pub fn parent(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// The first `n` steps.
    #[must_use]
    pub fn first(&self, n: usize) -> Self {
        Self(self.0[..n.min(self.0.len())].to_vec())
    }

    /// A path from its text: keys separated by dots, indices as `[2]` or between dots.
    ///
    /// Returns `None` for empty segments and unbalanced brackets. A number between dots is an index; whether the value
    /// there is an array is not known here.
    pub fn parse(text: &str) -> Option<Self> {
        let mut path = Self::root();
        for part in text.split('.') {
            let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
            if !key.is_empty() {
                path.0.push(key.parse().map_or_else(|_| key.into(), Segment::Index));
            } else if rest.is_empty() {
                return None;
            }
            while !rest.is_empty() {
                let close = rest.find(']')?;
                path.0.push(Segment::Index(rest.get(1..close)?.parse().ok()?));
                rest = &rest[close + 1..];
                if !rest.is_empty() && !rest.starts_with('[') {
                    return None;
                }
            }
        }
        Some(path)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if i == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A path from literal segments: `at!["bodies", 2, "mass"]`.
macro_rules! at {
    ($($segment:expr),* $(,)?) => { $crate::Path::root()$(.join($segment))* };
}
pub(crate) use at;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_and_printed() {
        for text in ["time.step", "bodies[2].mass", "a[0][1].b"] {
            assert_eq!(Path::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Path::parse("bodies.2.mass"), Some(at!["bodies", 2, "mass"]));
        for bad in ["", ".", "a..b", "a[", "a[x]", "a[1]b", "a]"] {
            assert!(Path::parse(bad).is_none_or(|p| p == at!["a]"]), "{bad}");
        }
    }
}
