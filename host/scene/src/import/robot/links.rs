//! Links and joints of a scene: bodies with several joints become chains of links, all but the last without mass.

use super::groups::Part;
use super::parts::{Body, Joint, JointKind, Mass, WORLD};
use super::shapes::Solid;
use super::state::Robot;
use crate::Node;
use crate::diagnostics::{Code, TextSpan};
use crate::import::build;
use crate::import::extras::Standing;
use crate::import::model::Model;
use crate::import::names::fit;
use crate::types::TreeJointKind;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Links and joints of a tree.
#[derive(Default)]
pub(crate) struct Chain {
    pub(crate) links: Vec<Node>,
    pub(crate) joints: Vec<Node>,
}

impl Robot<'_> {
    /// Where the frame of a body's last link stands in the frame of the body: at its last joint.
    pub(crate) fn link_origin(&self, body: usize) -> Vector3<f64> {
        self.bodies[body].joints.last().map_or_else(Vector3::zeros, |joint| joint.at)
    }

    /// Pose of a body in the world where no joint has moved.
    pub(crate) fn world_pose(&self, body: usize) -> Isometry3<f64> {
        let (mut at, mut pose) = (body, Isometry3::identity());
        while at != WORLD {
            pose = self.bodies[at].frame * pose;
            at = self.bodies[at].parent;
        }
        pose
    }

    /// The tree of all bodies that move, and the bodies that stand.
    pub(crate) fn links(&mut self, parts: &[Part]) -> Chain {
        let mut chain = Chain::default();
        // Parts stand in the order of their bodies.
        let mut waiting = parts.iter().peekable();
        for i in 0..self.bodies.len() {
            let moves = self.bodies[i].weld != WORLD;
            if moves {
                self.chain_of(i, &mut chain);
            }
            while let Some(part) = waiting.next_if(|p| p.body == i) {
                if moves {
                    self.part_of_link(part, &mut chain);
                }
            }
        }
        for part in parts {
            if self.bodies[part.body].weld != WORLD {
                continue;
            }
            let place = self.bodies[part.body].place.clone();
            let shapes = self.shapes(part, Vector3::zeros(), &place);
            let pose = self.world_pose(part.body);
            let name = part.name.clone();
            self.extras.standing.push(Standing { name, pose, shapes });
        }
        chain
    }

    /// The model that a scene takes, of a robot `called` so that stands at `place` in its file.
    pub(crate) fn into_model(mut self, called: &str, chain: Chain, place: &TextSpan) -> Model {
        self.report.robot = called.to_owned();
        Model {
            name: fit(called),
            links: build::array(chain.links, place),
            joints: build::array(chain.joints, place),
            mimics: self.mimics,
            extras: self.extras,
            report: self.report,
        }
    }

    /// Appends the joints of a body, each with the link it moves.
    fn chain_of(&mut self, index: usize, chain: &mut Chain) {
        let body = self.bodies[index].clone();
        let fixed = self.bodies[body.parent].weld == WORLD;
        let mut parent = (!fixed).then(|| self.bodies[body.parent].name.clone());
        let mut frame = if fixed {
            self.world_pose(index)
        } else {
            Translation3::from(-self.link_origin(body.parent)) * body.frame
        };
        if body.joints.is_empty() {
            let name = body.fixture.clone().unwrap_or_else(|| format!("{}_fixed", body.name));
            chain.joints.push(fixed_joint(&name, &body.name, parent.as_deref(), &frame, &body.place));
            *self.report.joints.entry("fixed").or_default() += 1;
        }
        let (mut last, count) = (Vector3::zeros(), body.joints.len());
        for (j, joint) in body.joints.iter().enumerate() {
            let child = match j + 1 == count {
                true => body.name.clone(),
                false => self.free_name("body", &format!("{}_{}", body.name, joint.name)),
            };
            frame *= Translation3::from(joint.at - last);
            chain.joints.push(self.tree_joint(joint, parent.as_deref(), &child, &frame));
            if j + 1 < count {
                chain.links.push(build::object(
                    vec![("name", build::text(child.as_str(), &joint.place))],
                    &joint.place,
                ));
                self.report.links = (self.report.links.0 + 1, self.report.links.1 + 1);
            }
            (parent, frame, last) = (Some(child), Isometry3::identity(), joint.at);
        }
        chain.links.push(self.link(&body, last));
    }

    fn link(&mut self, body: &Body, origin: Vector3<f64>) -> Node {
        let mut entries = vec![("name", build::text(body.name.as_str(), &body.place))];
        let Mass { mass, com, inertia } = body.mass;
        self.report.links.0 += 1;
        self.report.mass += mass;
        if mass > 0.0 {
            let place = &body.mass_place;
            entries.push(("mass", build::number(mass, place)));
            entries.push(("com", build::numbers((com - origin).as_slice(), place)));
            let row = |i: usize| build::numbers(&[inertia[(i, 0)], inertia[(i, 1)], inertia[(i, 2)]], place);
            entries.push(("inertia", build::array((0..3).map(row).collect(), place)));
        } else {
            self.report.links.1 += 1;
        }
        build::object(entries, &body.place)
    }

    /// Shapes of a link: those of the first part stand in the link of the body, others in links that are fixed to it.
    fn part_of_link(&mut self, part: &Part, chain: &mut Chain) {
        let place = self.bodies[part.body].place.clone();
        let shapes = self.shapes(part, self.link_origin(part.body), &place);
        if part.is_own {
            let last = chain.links.len() - 1;
            if let crate::Value::Object(entries) = &mut chain.links[last].value {
                entries.push(build::entry("shapes", shapes));
            }
            return;
        }
        let parent = self.bodies[part.body].name.clone();
        let joint = format!("{}_fixed", part.name);
        chain.joints.push(fixed_joint(&joint, &part.name, Some(&parent), &Isometry3::identity(), &place));
        let name = build::text(part.name.as_str(), &place);
        chain
            .links
            .insert(chain.links.len() - 1, build::object(vec![("name", name), ("shapes", shapes)], &place));
        *self.report.joints.entry("fixed").or_default() += 1;
        self.report.links = (self.report.links.0 + 1, self.report.links.1 + 1);
    }

    fn shapes(&mut self, part: &Part, origin: Vector3<f64>, place: &TextSpan) -> Node {
        let mut shapes = Vec::new();
        let moves = self.bodies[part.body].weld != WORLD;
        for g in &part.geoms {
            let geom = self.bodies[part.body].geoms[*g].clone();
            let Some(solid) = &geom.solid else { continue };
            if *solid == Solid::Plane && moves {
                let message = "a plane stands in a body that moves".to_owned();
                self.error(Code::BadShape, &geom.place, message, "planes stand in the world");
                continue;
            }
            if let Solid::Hull(points) = solid
                && !self.count_corners(points.len(), &geom.place)
            {
                continue;
            }
            *self.report.shapes.entry(solid.name()).or_default() += 1;
            let mut entries = vec![("type", build::text(solid.name(), &geom.place))];
            entries.extend(solid.entries(&geom.place));
            entries.extend(build::pose(&(Translation3::from(-origin) * geom.pose), &geom.place));
            entries.push(("material", build::text(self.material_name(&geom.touch), &geom.place)));
            shapes.push(build::object(entries, &geom.place));
        }
        build::array(shapes, place)
    }

    fn tree_joint(
        &mut self,
        joint: &Joint,
        parent: Option<&str>,
        child: &str,
        frame: &Isometry3<f64>,
    ) -> Node {
        let (place, kind) = (&joint.place, kind_of(joint));
        *self.report.joints.entry(kind.name()).or_default() += 1;
        self.report.dofs += kind.core().nv();
        let frame = match joint.kind {
            JointKind::Free => self.start_free(joint, frame),
            _ => frame * before_reference(joint),
        };
        if joint.reference != 0.0 {
            self.extras.start.push((joint.name.clone(), vec![joint.reference], place.clone()));
        }
        let mut entries = vec![
            ("name", build::text(joint.name.as_str(), place)),
            ("kind", build::text(kind.name(), place)),
        ];
        entries.extend(parent.map(|parent| ("parent", build::text(parent, place))));
        entries.push(("child", build::text(child, place)));
        entries.extend(build::pose(&frame, place));
        if matches!(joint.kind, JointKind::Hinge | JointKind::Slide) {
            entries.push(("axis", build::numbers(joint.axis.as_slice(), place)));
        }
        entries.extend(limits(joint));
        entries.extend(resistance(joint));
        build::object(entries, place)
    }

    /// A free joint moves from the origin of the world, as its coordinates in MuJoCo do.
    fn start_free(&mut self, joint: &Joint, frame: &Isometry3<f64>) -> Isometry3<f64> {
        let (p, q) = (frame.translation.vector, frame.rotation);
        let at = vec![p.x, p.y, p.z, q.w, q.i, q.j, q.k];
        self.extras.start.push((joint.name.clone(), at, joint.place.clone()));
        Isometry3::identity()
    }
}

fn kind_of(joint: &Joint) -> TreeJointKind {
    match (joint.kind, &joint.limits) {
        (JointKind::Free, _) => TreeJointKind::Free,
        (JointKind::Ball, _) => TreeJointKind::Ball,
        (JointKind::Slide, _) => TreeJointKind::Prismatic,
        (JointKind::Hinge, Some(_)) => TreeJointKind::Revolute,
        (JointKind::Hinge, None) => TreeJointKind::Continuous,
    }
}

/// Damping, friction and rotor of a joint, where there are any.
fn resistance(joint: &Joint) -> impl Iterator<Item = (&'static str, Node)> {
    let numbers =
        [("damping", joint.damping), ("friction", joint.friction), ("rotor_inertia", joint.armature)];
    let there = numbers.into_iter().filter(|(_, x)| *x > 0.0);
    there.map(|(key, x)| (key, build::number(x, &joint.place)))
}

/// Where a joint stands when its coordinate is 0, seen from where it is written.
fn before_reference(joint: &Joint) -> Isometry3<f64> {
    let back = joint.axis * -joint.reference;
    match joint.kind {
        JointKind::Slide => Isometry3::from_parts(back.into(), UnitQuaternion::identity()),
        _ => Isometry3::from_parts(Vector3::zeros().into(), UnitQuaternion::from_scaled_axis(back)),
    }
}

fn limits(joint: &Joint) -> Option<(&'static str, Node)> {
    let place = &joint.place;
    let mut entries = Vec::new();
    if let Some([lower, upper]) = joint.limits {
        let ends = [("lower", lower), ("upper", upper)].into_iter().filter(|(_, end)| end.is_finite());
        entries.extend(ends.map(|(key, end)| (key, build::number(end, place))));
    }
    // A spring is a controller here: the limit of actuators must not hold for it.
    if let Some(effort) = joint.effort.filter(|_| joint.stiffness == 0.0) {
        entries.push(("effort", build::number(effort, place)));
    }
    entries.extend(joint.velocity.map(|velocity| ("velocity", build::number(velocity, place))));
    (!entries.is_empty()).then(|| ("limits", build::object(entries, place)))
}

fn fixed_joint(
    name: &str,
    child: &str,
    parent: Option<&str>,
    frame: &Isometry3<f64>,
    place: &TextSpan,
) -> Node {
    let mut entries = vec![("name", build::text(name, place)), ("kind", build::text("fixed", place))];
    entries.extend(parent.map(|parent| ("parent", build::text(parent, place))));
    entries.push(("child", build::text(child, place)));
    entries.extend(build::pose(frame, place));
    build::object(entries, place)
}
