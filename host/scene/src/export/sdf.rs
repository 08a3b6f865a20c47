//! SDF, the format of Gazebo that Drake reads too: a world of models.
//!
//! | scene | SDF |
//! |---|---|
//! | body that stands | static model; body that moves: model of one link |
//! | tree | model; its links with their frames, joints with limits, damping, dry friction and reflected inertia (as Drake writes it) |
//! | link without mass that is fixed to another | frame on that link, which takes its shapes |
//! | two hinges through one point | `universal` or `revolute2` |
//! | coupler | `mimic` |
//! | hulls and meshes | OBJ files beside the model |
//!
//! Models stand where the coordinates of their joints are 0; free ones as at the start.

mod joints;
mod links;
mod shapes;
mod trees;

use vinci_core::model::{MotionSource, Space};

use super::contacts::{common_friction, pairs};
use super::omissions::Omissions;
use super::xml::{Xml, numbers};
use super::{Exported, Subject};

/// Version of the format that is written: the first with `mimic`.
const VERSION: &str = "1.11";

/// Acceleration of gravity in a new plant of Drake, m/s².
const GRAVITY_OF_DRAKE: [f64; 3] = [0.0, 0.0, -9.81];

/// The model as it is written so far.
struct Writing<'a> {
    subject: Subject<'a>,
    xml: Xml,
    omissions: Omissions,
    files: Vec<(String, String)>,
    /// Friction of all pairs, where it is one.
    friction: Option<f64>,
}

/// A system as SDF.
pub fn sdf(subject: Subject<'_>) -> Exported {
    let system = subject.system;
    let mut w = Writing {
        subject,
        xml: Xml::default(),
        omissions: Omissions::default(),
        files: Vec::new(),
        friction: common_friction(system),
    };
    if system.space == Space::Planar {
        w.omissions.add("the plane: bodies are free in space, and nothing holds them in it".into());
    }
    w.xml.open("sdf", &[("version", VERSION.into()), ("xmlns:drake", "http://drake.mit.edu".into())]);
    w.xml.open("world", &[("name", subject.name.to_owned())]);
    w.xml.text("gravity", &[], &numbers(system.gravity.as_slice()));
    for body in 0..system.bodies.len() as u32 {
        match system.motion_source(body) {
            MotionSource::Fixed => w.body(body, true),
            MotionSource::Block(_) => w.body(body, false),
            MotionSource::Link { .. } => {}
        }
    }
    (0..system.trees.len()).for_each(|tree| w.tree(tree));
    w.rest();
    Exported { text: w.xml.finish(), files: w.files, unsaid: w.omissions.list }
}

impl Writing<'_> {
    /// Lists what SDF does not say.
    fn rest(&mut self) {
        let system = self.subject.system;
        let counted = [
            (system.springs.len(), "springs"),
            (system.joints.len(), "joints between points"),
            (self.unwritten_couplers(), "couplers of joints of different trees or several coordinates"),
            (self.unheld_pairs(), "pairs of bodies that do not touch"),
        ];
        for (count, what) in counted.into_iter().filter(|(count, _)| *count > 0) {
            self.omissions.add(format!("{count} {what}"));
        }
        if system.initial_velocity.iter().chain(system.trees.iter().flat_map(|t| &t.v)).any(|v| *v != 0.0) {
            self.omissions.add("velocities at the start: all is at rest".into());
        }
        if self.friction.is_none() && pairs(system).next().is_some() {
            let what =
                "friction of pairs: surfaces have it, and every simulator makes one of two in its own way";
            self.omissions.add(what.into());
        }
        let values: Vec<_> = pairs(system).map(|(.., pair)| pair).collect();
        if values.iter().any(|pair| pair.restitution != 0.0) {
            self.omissions.add("restitution".into());
        }
        if values.iter().any(|pair| pair.stiffness.is_finite()) {
            self.omissions.add("stiffness and dissipation of contacts".into());
        }
        self.weight_in_drake();
        self.omissions.rest(&self.subject);
    }

    /// Tells what Drake makes of weight: it reads `gravity` neither of worlds nor of links.
    fn weight_in_drake(&mut self) {
        let system = self.subject.system;
        let gravity = system.gravity.as_slice();
        if gravity != GRAVITY_OF_DRAKE {
            self.omissions.add(format!(
                "to Drake, gravity: it does not read `gravity` of worlds and has (0, 0, −9.81) m/s²; set ({}) there \
                 (`plant.mutable_gravity_field().set_gravity_vector`)",
                numbers(gravity)
            ));
        }
        let alone = (0..system.bodies.len() as u32)
            .filter(|b| matches!(system.motion_source(*b), MotionSource::Block(_)))
            .filter(|b| !system.bodies[*b as usize].gravity);
        let links = system.trees.iter().filter(|part| !part.gravity).map(|part| part.bodies.len());
        let light = alone.count() + links.sum::<usize>();
        if light > 0 && gravity.iter().any(|g| *g != 0.0) {
            self.omissions.add(format!(
                "to Drake, that {light} bodies and links have no weight: it does not read `gravity` of links; switch it off there \
                 (`plant.set_gravity_enabled`)"
            ));
        }
    }
}
