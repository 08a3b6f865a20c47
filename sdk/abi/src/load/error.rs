//! Reasons why a file was not taken as a plugin: one sentence each, with what was found, what was expected, what to do.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::elf::ElfFlaw;
use crate::codes;

/// Symbols that make a library a plugin: the entry of Rust or that of C.
pub(super) const ENTRIES: &str = "vinci_contract_version or vinci_plugin_v1";

/// A plugin file was refused. Nothing of it is in use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// No such file.
    #[error("there is no plugin at {path}; build it first, or correct the path")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A directory or a device.
    #[error("{path} is not a file; give the path of the plugin's shared library itself")]
    NotAFile {
        /// The file.
        path: PathBuf,
    },
    /// The system refuses to read or copy it.
    #[error("{path} cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// Another kind of file.
    #[error("{path} is {found}, not a shared library; give the {suffix} file that the plugin's build makes", suffix = std::env::consts::DLL_SUFFIX)]
    NotALibrary {
        /// The file.
        path: PathBuf,
        /// The kind of file that it looks like.
        found: &'static str,
    },
    /// Built for another machine.
    #[error("{path} is for a {found}, not for this {expected}; build the plugin on or for this machine", expected = std::env::consts::ARCH)]
    WrongMachine {
        /// The file.
        path: PathBuf,
        /// Its machine.
        found: String,
    },
    /// Shorter than its headers promise.
    #[error(
        "{path} is cut off: {found} bytes where its headers promise at least {expected}; copy or build it again"
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// The length its headers promise.
        expected: u64,
    },
    /// The loader of the system refuses it.
    #[error("{path} cannot be loaded: {reason}; check that all libraries it needs are installed")]
    OpenFailed {
        /// The file.
        path: PathBuf,
        /// The loader's message.
        reason: String,
    },
    /// A library, but not one of ours.
    #[error(
        "{path} is a shared library but not a Vinci plugin: it does not export {symbol}; plugins are made with vinci_sdk::export_plugin! or, in C, with vinci_plugin.h"
    )]
    NotAPlugin {
        /// The file.
        path: PathBuf,
        /// Symbol that is missing.
        symbol: &'static str,
    },
    /// Made for another major version of the contract.
    #[error("{path} was made for contract {}, this host speaks {}; {}", version(*.found), codes::CONTRACT, advice(*.found))]
    ContractVersion {
        /// The file.
        path: PathBuf,
        /// Its version, major << 16 | minor.
        found: u32,
    },
    /// The manifest cannot be used.
    #[error("the manifest of {path} cannot be used: {reason}; correct the plugin's manifest()")]
    BadManifest {
        /// The file.
        path: PathBuf,
        /// Fault, in words.
        reason: String,
    },
    /// The description of a program cannot be used.
    #[error("{path} describes no plugin: {reason}")]
    BadDescription {
        /// The file.
        path: PathBuf,
        /// Fault and advice, in words.
        reason: String,
    },
    /// A table of a plugin in C cannot be used.
    #[error("{table} of {path} cannot be used: {reason}")]
    BadTable {
        /// The file.
        path: PathBuf,
        /// Which one.
        table: &'static str,
        /// Found, expected, and advice.
        reason: String,
    },
    /// A panic in it would end the host.
    #[error(
        "{id} at {path} was built with panic = \"abort\", so that a panic in it would end the host; build it with panic = \"unwind\""
    )]
    PanicAbort {
        /// The file.
        path: PathBuf,
        /// Id of the plugin.
        id: String,
    },
    /// Its structs differ from ours.
    #[error(
        "{id} at {path} lays out the structs of contract {found} differently from this host ({expected}); build it again with the released vinci-sdk of that version"
    )]
    Layout {
        /// The file.
        path: PathBuf,
        /// Id of the plugin.
        id: String,
        /// Version of its vinci-abi.
        found: String,
        /// Version of ours.
        expected: String,
    },
    /// Another file than the one that is meant.
    #[error("{path} (SHA-256 {found}) is not the file that {by}; {advice}")]
    Changed {
        /// The file.
        path: PathBuf,
        /// Its digest.
        found: String,
        /// Owner of another digest, with a verb: "vinci.lock holds".
        by: String,
        /// Advice.
        advice: String,
    },
    /// The process that loads it refuses it, or ended.
    #[error("{why}")]
    Apart {
        /// The file.
        path: PathBuf,
        /// Its refusal or its end, a sentence that names the file.
        why: String,
    },
    /// It forked the process while it was loaded.
    #[error(
        "{path} forked the process while it was loaded; a library may start other programs with posix_spawn or system, not with fork"
    )]
    Forked {
        /// The file.
        path: PathBuf,
    },
    /// Its initialisation failed.
    #[error("{id} at {path} failed while it was being initialised: {reason}; report this to its author")]
    InitFailed {
        /// The file.
        path: PathBuf,
        /// Id of the plugin.
        id: String,
        /// Fault, in words.
        reason: String,
    },
}

impl LoadError {
    /// The file that was refused.
    pub fn path(&self) -> &Path {
        match self {
            Self::Missing { path }
            | Self::NotAFile { path }
            | Self::Unreadable { path, .. }
            | Self::NotALibrary { path, .. }
            | Self::WrongMachine { path, .. }
            | Self::Truncated { path, .. }
            | Self::OpenFailed { path, .. }
            | Self::NotAPlugin { path, .. }
            | Self::ContractVersion { path, .. }
            | Self::BadManifest { path, .. }
            | Self::BadDescription { path, .. }
            | Self::BadTable { path, .. }
            | Self::PanicAbort { path, .. }
            | Self::Layout { path, .. }
            | Self::Changed { path, .. }
            | Self::Apart { path, .. }
            | Self::Forked { path }
            | Self::InitFailed { path, .. } => path,
        }
    }

    pub(super) fn from_elf(path: &Path, flaw: ElfFlaw) -> Self {
        let path = path.to_owned();
        match flaw {
            ElfFlaw::NotElf(found) => Self::NotALibrary { path, found },
            ElfFlaw::NotShared => Self::NotALibrary { path, found: "an executable or object file" },
            ElfFlaw::Machine(found) => Self::WrongMachine { path, found },
            ElfFlaw::Truncated(found, expected) => Self::Truncated { path, found, expected },
        }
    }
}

fn version(code: u32) -> String {
    format!("{}.{}", code >> 16, code & 0xffff)
}

fn advice(found: u32) -> &'static str {
    if found >> 16 > codes::CONTRACT_VERSION >> 16 {
        "update the host, or use a build of the plugin for the older contract"
    } else {
        "build the plugin again with a current vinci-sdk"
    }
}
