//! Errors of the search for plugins.

use vinci_abi::load::LoadError;

/// Reason why no plugin was found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// A library was named and refused.
    #[error(transparent)]
    Refused(#[from] LoadError),
    /// Nothing has this id.
    #[error("there is no {role} `{name}`{hint}; known: {known}; searched: {searched}")]
    Unknown {
        /// Name that was asked for.
        name: String,
        /// Its role.
        role: &'static str,
        /// A near miss, or empty.
        hint: String,
        /// All ids of the role that were found.
        known: String,
        /// The directories.
        searched: String,
    },
    /// Nothing that could be looked at has this id, but not everything could be.
    #[error("the {role} `{name}` was not found, and this could not be looked at: {causes}")]
    Unseen {
        /// Name that was asked for.
        name: String,
        /// Its role.
        role: &'static str,
        /// The system's messages about directories and libraries.
        causes: String,
    },
    /// A short name fits several ids.
    #[error("`{name}` fits several plugins: {ids}; write the id in full")]
    Ambiguous {
        /// Name that was asked for.
        name: String,
        /// Ids that it may mean.
        ids: String,
    },
    /// The library at a path has other roles only.
    #[error("{path} has no {role}, only {has}")]
    WrongRole {
        /// The library.
        path: String,
        /// The role asked for.
        role: &'static str,
        /// Roles that it has.
        has: String,
    },
    /// A path that stands in an experiment, and nothing else that speaks for it.
    #[error(
        "{path} is no library that was installed, lies in a folder of plugins or is allowed, and an experiment alone does not load one: \
         `--allow-plugin {path}` does, if you trust it"
    )]
    NotAllowed {
        /// The library.
        path: String,
    },
    /// The text behind `@` is no requirement.
    #[error("`{name}` asks for no version: {reason}; write id@1.2, id@^0.3 or id@=1.2.3")]
    BadVersion {
        /// Name that was asked for.
        name: String,
        /// Fault, in words.
        reason: String,
    },
    /// The id is there, in other versions.
    #[error("no {role} that was found meets `{name}`; found: {found}")]
    OtherVersions {
        /// Name that was asked for.
        name: String,
        /// Its role.
        role: &'static str,
        /// Ids with their versions.
        found: String,
    },
    /// The experiment wants a process of its own for a plugin.
    #[error(
        "a plugin cannot have a process of its own here: that takes Linux and, in a program that embeds the engine, a vinci to start"
    )]
    NoWorkers,
    /// A run that is locked asks for what its lock does not hold.
    #[error("the {role} `{name}` is not in {lock}; `{command}` writes it anew")]
    NotLocked {
        /// Name that was asked for.
        name: String,
        /// Its role.
        role: &'static str,
        /// The file.
        lock: String,
        /// Command that writes it.
        command: &'static str,
    },
    /// A library that a lock holds is not there any more, or is another one.
    #[error("{lock} holds the {role} `{name}`, which cannot be had: {causes}")]
    NotAsLocked {
        /// Name that was asked for.
        name: String,
        /// Its role.
        role: &'static str,
        /// The file.
        lock: String,
        /// Libraries that were found instead, or why none was.
        causes: String,
    },
}

impl FindError {
    /// Advice beside the sentence.
    pub fn help(&self) -> String {
        match self {
            Self::NotAllowed { path } => {
                format!(
                    "`vinci plugin install {path}` makes it known for good, `--plugin-dir` all libraries of a folder"
                )
            }
            _ => "`vinci plugin list` shows all plugins and why a library was refused".into(),
        }
    }
}
