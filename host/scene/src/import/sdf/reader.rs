//! An SDF file being read: frames, links and joints beside the robot that they become.

use super::frames::{FrameId, Frames, ScopeId};
use crate::diagnostics::{Diagnostics, TextSpan};
use crate::import::document::Loader;
use crate::import::model::ModelOptions;
use crate::import::robot::{Body, Robot};
use crate::import::tag::{Attribute, Tag};
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A link with what its model says of it.
pub(super) struct Link {
    pub(super) body: Body,
    pub(super) frame: FrameId,
    /// The model below the world that it is in.
    pub(super) top: usize,
    pub(super) is_static: bool,
    /// True if it touches other links of its model.
    pub(super) self_collide: bool,
}

/// Kinds of joints that a scene can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Fixed,
    Hinge,
    Slide,
    Ball,
    /// Two hinges through one point.
    TwoHinges,
    /// A slide and a hinge that go together.
    Screw,
}

/// An axis of a joint with its values.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub(super) place: TextSpan,
    pub(super) xyz: Vector3<f64>,
    /// The frame in which `xyz` is written.
    pub(super) frame: FrameId,
    pub(super) limits: Option<[f64; 2]>,
    pub(super) effort: Option<f64>,
    pub(super) velocity: Option<f64>,
    pub(super) damping: f64,
    pub(super) friction: f64,
    /// Stiffness, and the coordinate without force.
    pub(super) springs: (f64, f64),
}

/// A joint between what carries two frames.
pub(super) struct Joint {
    /// Name as scenes write it.
    pub(super) name: String,
    pub(super) place: TextSpan,
    pub(super) kind: Kind,
    /// `None`: the world.
    pub(super) parent: Option<FrameId>,
    pub(super) child: FrameId,
    pub(super) frame: FrameId,
    pub(super) axes: Vec<Axis>,
    /// Inertia of the rotor at the joint, kg m².
    pub(super) armature: f64,
    /// Way along the axis per angle, m/rad, of screws.
    pub(super) lead: f64,
}

/// A joint that follows another one, by the names that the model gives them.
pub(super) struct Follower {
    pub(super) scope: ScopeId,
    pub(super) joint: String,
    pub(super) other: Attribute,
    pub(super) ratio: f64,
    pub(super) offset: f64,
}

/// A collision that is placed in a frame other than that of its link.
pub(super) struct Elsewhere {
    pub(super) scope: ScopeId,
    pub(super) name: Attribute,
    pub(super) link: usize,
    /// Index among the geoms of the link.
    pub(super) number: usize,
}

/// Where an element stands.
#[derive(Clone)]
pub(super) struct Context {
    pub(super) scope: ScopeId,
    /// Names of the models around it, each with `__` behind.
    pub(super) prefix: String,
    pub(super) file: Rc<Path>,
    /// Files around it, itself too.
    pub(super) files: Vec<PathBuf>,
    /// n of version 1.n of the format.
    pub(super) minor: u32,
    /// Elements around it.
    pub(super) depth: usize,
    /// The model below the world that it is in.
    pub(super) top: Option<usize>,
    pub(super) is_static: bool,
    pub(super) self_collide: bool,
}

impl Context {
    /// The root of a file.
    pub(super) fn of(path: &Path, minor: u32) -> Self {
        Self {
            scope: 0,
            prefix: String::new(),
            file: path.into(),
            files: vec![crate::import::document::real(path)],
            minor,
            depth: 1,
            top: None,
            is_static: false,
            self_collide: false,
        }
    }
}

/// Corners of hulls by file that names the mesh, its name and its scale.
pub(super) type Hulls = BTreeMap<(PathBuf, String, [u64; 3]), Option<Rc<Vec<Vector3<f64>>>>>;

/// An SDF file being read.
pub(super) struct Reader<'a> {
    pub(super) robot: Robot<'a>,
    pub(super) loader: Loader,
    /// Roots of files that were read; none where that failed.
    pub(super) roots: BTreeMap<PathBuf, Option<Rc<Tag>>>,
    /// Where uris lead, by the file that they stand in; none where that was refused.
    pub(super) places: BTreeMap<(PathBuf, String), Option<PathBuf>>,
    /// Includes, each counted as often as it stands in the model.
    pub(super) includes: usize,
    pub(super) frames: Frames,
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
    pub(super) followers: Vec<Follower>,
    pub(super) elsewhere: Vec<Elsewhere>,
    pub(super) hulls: Hulls,
    /// Pairs of links that do not touch, by number of the link.
    pub(super) apart: Vec<[usize; 2]>,
    /// Models that stand in the world, counted.
    pub(super) tops: usize,
    /// Links by number of the body.
    pub(super) link_of: Vec<Option<usize>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(path: &'a Path, options: &'a ModelOptions, found: &'a mut Diagnostics) -> Self {
        Self {
            robot: Robot::new(path, options, found),
            loader: Loader::default(),
            roots: BTreeMap::new(),
            places: BTreeMap::new(),
            includes: 0,
            frames: Frames::new(),
            links: Vec::new(),
            joints: Vec::new(),
            followers: Vec::new(),
            elsewhere: Vec::new(),
            hulls: BTreeMap::new(),
            apart: Vec::new(),
            tops: 0,
            link_of: Vec::new(),
        }
    }

    /// Counts a part; false when there are too many, which is said once.
    pub(super) fn count_part(&mut self, place: &TextSpan) -> bool {
        self.robot.count_part(place, "does a file include others again and again?")
    }
}
