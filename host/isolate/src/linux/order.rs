//! Messages: a word that says what it is, and what belongs to it. What steps do are views; everything else is small, and packed by postcard.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use vinci_abi::Role;
use vinci_abi::codes::{kind_code, kind_from_code};
use vinci_abi::fault::Flaw;
use vinci_core::StageError;
use vinci_core::model::{ShapeView, Space, SystemView};

use super::words::{Flat, Reader};
use crate::limits::Limits;

/// First words of messages.
pub(crate) mod code {
    /// To the worker: an [`super::Order`].
    pub(crate) const ORDER: u64 = 1;
    /// To the worker: instance, query.
    pub(crate) const DETECT: u64 = 2;
    /// To the worker: instance, step.
    pub(crate) const FORMULATE: u64 = 3;
    /// To the worker: instance, step, solution.
    pub(crate) const UPDATE: u64 = 4;
    /// To the worker: instance, problem.
    pub(crate) const SOLVE: u64 = 5;
    /// To the worker: instance, view.
    pub(crate) const CONTROL: u64 = 6;
    /// To the worker: instance of a stepper, function of its last problem, length of the output, input.
    pub(crate) const EVALUATE: u64 = 7;
    /// To the worker: the output of what it called back.
    pub(crate) const RETURN: u64 = 8;
    /// To the worker: the [`super::Refusal`] of what it called back.
    pub(crate) const RETURN_REFUSED: u64 = 9;
    /// To the host: the answer.
    pub(crate) const DONE: u64 = 16;
    /// To the host: a [`super::Refusal`].
    pub(crate) const REFUSED: u64 = 17;
    /// To the host, in the middle of a call: function of the problem, length of the output, input.
    pub(crate) const ASK: u64 = 18;
}

/// A path, whatever bytes it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PathBytes(Vec<u8>);

impl From<&Path> for PathBytes {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<PathBytes> for PathBuf {
    fn from(path: PathBytes) -> Self {
        OsString::from_vec(path.0).into()
    }
}

/// A library: the file, and the SHA-256 that it must have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LibraryFile {
    pub(crate) path: PathBytes,
    pub(crate) digest: String,
}

/// Requests that are not part of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Order {
    /// First of all: limits, and files and directories that may be read. Answer: a list of text, what the system lacks.
    Begin { limits: Limits, readable: Vec<PathBytes> },
    /// Answer: [`Description`].
    Describe(LibraryFile),
    /// Makes an instance under a number. No answer beyond that it is done, here and where none is named.
    Create { library: LibraryFile, role: Role, options: String, system: Box<OwnSystem>, instance: u64 },
    /// Answer: bytes.
    Save(u64),
    /// Takes state back.
    Load(u64, Vec<u8>),
    /// Answer: bytes.
    Extension(u64, String, Vec<u8>),
    /// Ends an instance.
    Destroy(u64),
    /// Ends the worker.
    Bye,
}

/// Self-description of a library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Description {
    /// Its manifests as JSON, because the schemas of options in them are JSON.
    pub(crate) manifests: String,
    pub(crate) warnings: Vec<String>,
}

/// A [`StageError`] that crosses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Refusal {
    kind: u32,
    message: String,
}

impl From<&StageError> for Refusal {
    fn from(error: &StageError) -> Self {
        Self { kind: kind_code(error.kind), message: error.message.clone() }
    }
}

impl From<Refusal> for StageError {
    fn from(refusal: Refusal) -> Self {
        StageError::new(kind_from_code(refusal.kind), refusal.message)
    }
}

/// Writes a message of a code and something packed.
pub(crate) fn pack(code: u64, value: &impl Serialize, to: &mut Vec<u64>) -> Result<(), StageError> {
    let bytes = postcard::to_allocvec(value);
    let bytes = bytes.map_err(|e| StageError::bad_input(format!("a message cannot be packed: {e}")))?;
    to.clear();
    to.push(code);
    bytes.as_slice().write(to);
    Ok(())
}

/// Reads what was packed, from behind the code.
pub(crate) fn unpack<T: DeserializeOwned>(words: &[u64]) -> Result<T, Flaw> {
    let bytes: &[u8] = Reader::new(words).last()?;
    postcard::from_bytes(bytes).map_err(|e| Flaw::output(format!("nothing that was packed: {e}")))
}

/// A shape of [`OwnSystem`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OwnShape {
    kind: u32,
    body: u32,
    pose: Vec<f64>,
    params: Vec<f64>,
    indices: Vec<u32>,
}

/// A [`SystemView`] that owns what it shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OwnSystem {
    space: u32,
    body_names: Vec<String>,
    is_static: Vec<u8>,
    shapes: Vec<OwnShape>,
    ignored_pairs: Vec<u32>,
    nv: u32,
    nq: u32,
    accepted: u32,
    driven: Vec<u32>,
    dof_names: Vec<String>,
    dof_coordinate: Vec<u32>,
    efforts: Vec<u32>,
    set_points: Vec<u32>,
}

impl From<&SystemView<'_>> for OwnSystem {
    fn from(system: &SystemView<'_>) -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let shape = |s: &ShapeView<'_>| OwnShape {
            kind: s.kind,
            body: s.body,
            pose: s.pose.to_vec(),
            params: s.params.to_vec(),
            indices: s.indices.to_vec(),
        };
        Self {
            space: system.space as u32,
            body_names: names(system.body_names),
            is_static: system.is_static.to_vec(),
            shapes: system.shapes.iter().map(shape).collect(),
            ignored_pairs: system.ignored_pairs.to_vec(),
            nv: system.nv,
            nq: system.nq,
            accepted: system.accepted,
            driven: system.driven.to_vec(),
            dof_names: names(system.dof_names),
            dof_coordinate: system.dof_coordinate.to_vec(),
            efforts: system.efforts.to_vec(),
            set_points: system.set_points.to_vec(),
        }
    }
}

impl OwnSystem {
    /// Calls `with` with the view.
    pub(crate) fn shown<T>(&self, with: impl FnOnce(&SystemView<'_>) -> T) -> Result<T, StageError> {
        let unknown = || StageError::bad_input(format!("{} is not the code of a space", self.space));
        let space = Space::from_code(self.space).ok_or_else(unknown)?;
        let names: Vec<&str> = self.body_names.iter().map(String::as_str).collect();
        let dofs: Vec<&str> = self.dof_names.iter().map(String::as_str).collect();
        let shapes: Vec<ShapeView<'_>> = self.shapes.iter().map(OwnShape::view).collect();
        Ok(with(&SystemView {
            space,
            body_names: &names,
            is_static: &self.is_static,
            shapes: &shapes,
            ignored_pairs: &self.ignored_pairs,
            nv: self.nv,
            nq: self.nq,
            accepted: self.accepted,
            driven: &self.driven,
            dof_names: &dofs,
            dof_coordinate: &self.dof_coordinate,
            efforts: &self.efforts,
            set_points: &self.set_points,
        }))
    }
}

impl OwnShape {
    fn view(&self) -> ShapeView<'_> {
        let Self { kind, body, pose, params, indices } = self;
        ShapeView { kind: *kind, body: *body, pose, params, indices }
    }
}
