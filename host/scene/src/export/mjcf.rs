//! MJCF, the format of MuJoCo.
//!
//! | scene | MJCF |
//! |---|---|
//! | body in space, all free | `freejoint`; locked directions have no joint, a body that is driven as a whole is a `mocap` body |
//! | body in the plane | two `slide` joints x, y and a `hinge` about z at the origin, so that qpos is (x, y, angle) |
//! | tree | nested bodies, joints with limits, damping, dry friction and reflected inertia |
//! | friction of pairs | of the geoms where all pairs have the same, else one `pair` for every two geoms that may collide |
//! | point joint | `connect` of two sites; coupler: `joint` equality; spring: tendon between two sites |
//! | start | keyframe `start`, positions and velocities |
//!
//! MuJoCo's contacts and constraints are soft in a way of its own: stiffness, dissipation and restitution have no counterpart.

mod bodies;
mod pairs;
mod parts;
mod shapes;
mod trees;

use vinci_core::model::{MotionSource, Space};

use super::contacts::common_friction;
use super::omissions::Omissions;
use super::xml::{Xml, numbers};
use super::{Exported, Subject};

/// The model as it is written so far.
struct Writing<'a> {
    subject: Subject<'a>,
    xml: Xml,
    omissions: Omissions,
    /// Friction of all pairs, where it is one.
    friction: Option<f64>,
    /// Geoms of every shape, by shape.
    geoms: Vec<Vec<String>>,
    /// Positions and velocities of the start, in the order of the joints.
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    /// Poses of mocap bodies at the start.
    mocap: [Vec<f64>; 2],
}

impl Writing<'_> {
    /// Notes what cannot be said, once.
    fn unsaid(&mut self, what: String) {
        self.omissions.add(what);
    }

    fn is_planar(&self) -> bool {
        self.subject.system.space == Space::Planar
    }
}

/// A system as MJCF.
pub fn mjcf(subject: Subject<'_>) -> Exported {
    let mut w = Writing {
        subject,
        xml: Xml::default(),
        omissions: Omissions::default(),
        friction: common_friction(subject.system),
        geoms: vec![Vec::new(); subject.system.shapes.len()],
        qpos: Vec::new(),
        qvel: Vec::new(),
        mocap: [Vec::new(), Vec::new()],
    };
    w.xml.open("mujoco", &[("model", subject.name.to_owned())]);
    w.xml.leaf("compiler", &[("angle", "radian".into()), ("autolimits", "true".into())]);
    let gravity = subject.system.gravity;
    w.xml.leaf(
        "option",
        &[
            ("timestep", numbers(&[subject.step])),
            ("gravity", numbers(gravity.as_slice())),
            ("cone", "elliptic".into()),
        ],
    );
    w.assets();
    w.xml.open("worldbody", &[]);
    for body in 0..subject.system.bodies.len() as u32 {
        match subject.system.motion_source(body) {
            MotionSource::Fixed => w.fixed(body),
            MotionSource::Block(_) => w.moving(body),
            MotionSource::Link { .. } => {}
        }
    }
    (0..subject.system.trees.len()).for_each(|tree| w.tree(tree));
    w.world_sites();
    w.xml.close();
    w.parts();
    w.contacts();
    w.start();
    w.omissions.rest(&subject);
    Exported { text: w.xml.finish(), files: Vec::new(), unsaid: w.omissions.list }
}

impl Writing<'_> {
    /// The keyframe of the start.
    fn start(&mut self) {
        self.xml.open("keyframe", &[]);
        let mut values =
            vec![("name", "start".to_owned()), ("qpos", numbers(&self.qpos)), ("qvel", numbers(&self.qvel))];
        if !self.mocap[0].is_empty() {
            values.extend([("mpos", numbers(&self.mocap[0])), ("mquat", numbers(&self.mocap[1]))]);
        }
        self.xml.leaf("key", &values);
        self.xml.close();
    }
}
