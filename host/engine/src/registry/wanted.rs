//! A plugin's name as an experiment writes it: an id or the last words of one, and behind `@` the versions that will do.

use semver::{Version, VersionReq};
use vinci_abi::{Manifest, Role};

use super::error::FindError;

/// A plugin that is asked for by name.
#[derive(Debug, Clone)]
pub(super) struct Wanted<'a> {
    /// Name as it was written.
    pub(super) name: &'a str,
    /// Without the version.
    pub(super) id: &'a str,
    pub(super) role: Role,
    version: Option<VersionReq>,
}

impl<'a> Wanted<'a> {
    /// Reads `id` or `id@REQUIREMENT`, the requirement as cargo reads it: `1.2` is `^1.2`.
    pub(super) fn parse(name: &'a str, role: Role) -> Result<Self, FindError> {
        let Some((id, version)) = name.split_once('@') else {
            return Ok(Self { name, id: name, role, version: None });
        };
        let bad = |e: semver::Error| FindError::BadVersion { name: name.into(), reason: e.to_string() };
        Ok(Self { name, id, role, version: Some(VersionReq::parse(version).map_err(bad)?) })
    }

    /// Returns true if a plugin has this role and answers to the id, in whatever version.
    pub(super) fn is_named(&self, manifest: &Manifest) -> bool {
        let answers = manifest.id == self.id || manifest.id.ends_with(&format!(".{}", self.id));
        manifest.role == self.role && answers
    }

    /// Returns true if a plugin is one that is asked for.
    pub(super) fn is(&self, manifest: &Manifest) -> bool {
        let will_do = |wanted: &VersionReq| version_of(manifest).is_some_and(|v| wanted.matches(&v));
        self.is_named(manifest) && self.version.as_ref().is_none_or(will_do)
    }
}

/// The version of a plugin, if it is one.
pub(super) fn version_of(manifest: &Manifest) -> Option<Version> {
    Version::parse(&manifest.version).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_last_words_and_versions_are_told_apart() {
        let manifest = Manifest::new("a.solver.b-c", Role::Solver, "0.2.7");
        let is = |name: &str, role| Wanted::parse(name, role).unwrap().is(&manifest);
        for name in
            ["a.solver.b-c", "b-c", "solver.b-c", "b-c@^0.2", "b-c@0.2.1", "b-c@=0.2.7", "b-c@>=0.1, <1"]
        {
            assert!(is(name, Role::Solver), "{name}");
            assert!(!is(name, Role::Stepper), "{name}");
        }
        for name in ["c", "a.solver", "b-c@^0.3", "b-c@0.2.8", "b-c@=0.2", "x@*"] {
            assert_eq!(is(name, Role::Solver), name == "b-c@=0.2", "{name}");
        }
        let error = Wanted::parse("b-c@latest", Role::Solver).unwrap_err().to_string();
        assert!(error.starts_with("`b-c@latest` asks for no version: "), "{error}");
    }
}
