//! Frames by name: each is given relative to another one, and something carries it.

use nalgebra::Isometry3;
use std::collections::BTreeMap;

/// Index of a frame.
pub(super) type FrameId = usize;
/// Index of a scope.
pub(super) type ScopeId = usize;

/// The frame of the world, and the scope around all models.
pub(super) const WORLD_FRAME: FrameId = 0;
const ROOT: ScopeId = 0;

/// The body that a frame moves with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carrier {
    World,
    /// Index of a link.
    Link(usize),
    /// The carrier of another frame.
    Frame(FrameId),
}

#[derive(Debug)]
struct Frame {
    name: String,
    /// The frame that `pose` is seen from; of the world itself.
    base: FrameId,
    pose: Isometry3<f64>,
    carrier: Carrier,
    /// The scope for which no circle goes through it.
    checked: ScopeId,
    in_world: Option<Isometry3<f64>>,
}

/// Names of a model.
#[derive(Debug)]
struct Scope {
    frame: FrameId,
    names: BTreeMap<String, FrameId>,
    /// Joints may have names of links.
    joints: BTreeMap<String, FrameId>,
    nested: BTreeMap<String, ScopeId>,
}

/// All frames of a file and of what it includes.
#[derive(Debug)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    scopes: Vec<Scope>,
}

impl Frames {
    /// The world alone.
    pub(super) fn new() -> Self {
        let mut frames = Self { frames: Vec::new(), scopes: Vec::new() };
        let world = frames.add("world", Isometry3::identity());
        frames.frames[world].carrier = Carrier::World;
        frames.frames[world].in_world = Some(Isometry3::identity());
        frames.scope(world);
        frames.scopes[ROOT].names.insert("world".into(), world);
        frames
    }

    /// A frame without name in the world, until [`Frames::seen_from`] and [`Frames::carry`] say more.
    pub(super) fn add(&mut self, name: &str, pose: Isometry3<f64>) -> FrameId {
        let (carrier, checked) = (Carrier::World, usize::MAX);
        let name = name.to_owned();
        self.frames.push(Frame { name, base: WORLD_FRAME, pose, carrier, checked, in_world: None });
        self.frames.len() - 1
    }

    /// A scope whose model has a frame.
    pub(super) fn scope(&mut self, frame: FrameId) -> ScopeId {
        let (names, joints, nested) = Default::default();
        self.scopes.push(Scope { frame, names, joints, nested });
        self.scopes.len() - 1
    }

    /// Gives a frame a name; false when the name is taken.
    pub(super) fn name(&mut self, scope: ScopeId, name: &str, frame: FrameId) -> bool {
        self.scopes[scope].names.insert(name.to_owned(), frame).is_none()
    }

    /// Gives the frame of a joint a name; false when a joint has it.
    pub(super) fn name_joint(&mut self, scope: ScopeId, name: &str, frame: FrameId) -> bool {
        self.scopes[scope].joints.insert(name.to_owned(), frame).is_none()
    }

    /// Puts the scope of a model into that around it.
    pub(super) fn nest(&mut self, outer: ScopeId, name: &str, inner: ScopeId) {
        self.scopes[outer].nested.insert(name.to_owned(), inner);
    }

    /// The frame of the model of a scope.
    pub(super) fn of_model(&self, scope: ScopeId) -> FrameId {
        self.scopes[scope].frame
    }

    /// Names that a scope knows.
    pub(super) fn known(&self, scope: ScopeId) -> impl Iterator<Item = &str> {
        let Scope { names, joints, .. } = &self.scopes[scope];
        names.keys().chain(joints.keys()).map(String::as_str)
    }

    /// The frame called `name` in a scope: `NAME`, `MODEL::NAME`, `__model__`.
    pub(super) fn find(&self, mut scope: ScopeId, mut name: &str) -> Option<FrameId> {
        loop {
            let within = &self.scopes[scope];
            if let Some(frame) = within.names.get(name).or_else(|| within.joints.get(name)) {
                return Some(*frame);
            }
            if (name == "__model__" && scope != ROOT) || (name == "__root__" && scope == ROOT) {
                return Some(within.frame);
            }
            let (model, rest) = name.split_once("::")?;
            (scope, name) = (*within.nested.get(model)?, rest);
        }
    }

    /// The scope and the last part of a name.
    pub(super) fn scope_of<'n>(&self, mut scope: ScopeId, mut name: &'n str) -> (ScopeId, &'n str) {
        while let Some((model, rest)) = name.split_once("::")
            && let Some(inner) = self.scopes[scope].nested.get(model)
        {
            (scope, name) = (*inner, rest);
        }
        (scope, name)
    }

    /// Says which frame the pose of another one is seen from.
    pub(super) fn seen_from(&mut self, frame: FrameId, base: FrameId) {
        self.frames[frame].base = base;
    }

    pub(super) fn carry(&mut self, frame: FrameId, carrier: Carrier) {
        self.frames[frame].carrier = carrier;
    }

    /// A circle that frames of a model go through when each is seen from (or with `carried` carried by) the next; it is cut.
    pub(super) fn circle(&mut self, scope: ScopeId, of: &[FrameId], carried: bool) -> Option<Vec<FrameId>> {
        let root = self.scopes[scope].frame;
        let mark = 2 * scope + usize::from(carried);
        for &start in of {
            let (mut way, mut at): (Vec<FrameId>, FrameId) = (Vec::new(), start);
            let mut on_way: BTreeMap<FrameId, usize> = BTreeMap::new();
            while at != root && at != WORLD_FRAME && self.frames[at].checked != mark {
                if let Some(first) = on_way.insert(at, way.len()) {
                    self.seen_from(at, root);
                    self.carry(at, Carrier::World);
                    return Some(way.split_off(first));
                }
                way.push(at);
                at = match (carried, self.frames[at].carrier) {
                    (false, _) => self.frames[at].base,
                    (true, Carrier::Frame(next)) => next,
                    (true, _) => root,
                };
            }
            way.into_iter().for_each(|frame| self.frames[frame].checked = mark);
        }
        None
    }

    /// Pose of a frame in that of its model; both are free of circles.
    fn in_model(&self, frame: FrameId, model: FrameId) -> Isometry3<f64> {
        let (mut at, mut pose) = (frame, Isometry3::identity());
        while at != model && at != WORLD_FRAME {
            pose = self.frames[at].pose * pose;
            at = self.frames[at].base;
        }
        pose
    }

    /// Moves the frame of a model so that `placed`, a frame in it, stands where the model's frame stood.
    pub(super) fn place_by(&mut self, scope: ScopeId, placed: FrameId) {
        let model = self.scopes[scope].frame;
        let inside = self.in_model(placed, model);
        self.frames[model].pose *= inside.inverse();
    }

    /// Pose of a frame in the world.
    pub(super) fn pose(&mut self, frame: FrameId) -> Isometry3<f64> {
        let (mut way, mut at) = (Vec::new(), frame);
        let mut pose = loop {
            match self.frames[at].in_world {
                Some(known) => break known,
                None => way.push(at),
            }
            at = self.frames[at].base;
        };
        for frame in way.into_iter().rev() {
            pose *= self.frames[frame].pose;
            self.frames[frame].in_world = Some(pose);
        }
        pose
    }

    /// The name of a frame.
    pub(super) fn called(&self, frame: FrameId) -> &str {
        &self.frames[frame].name
    }

    /// The link whose own frame it is.
    pub(super) fn link_of(&self, frame: FrameId) -> Option<usize> {
        match self.frames[frame].carrier {
            Carrier::Link(link) => Some(link),
            Carrier::World | Carrier::Frame(_) => None,
        }
    }

    /// The link that carries a frame; `None`: the world.
    pub(super) fn link(&self, frame: FrameId) -> Option<usize> {
        let mut at = frame;
        loop {
            match self.frames[at].carrier {
                Carrier::World => return None,
                Carrier::Link(link) => return Some(link),
                Carrier::Frame(next) => at = next,
            }
        }
    }
}
