//! Parts of a model beside its tree: bodies that stand, materials, contacts, loops, controllers, a start.

use super::build;
use crate::Node;
use crate::diagnostics::TextSpan;
use nalgebra::{Isometry3, Point3};

/// A body of a model by the name that it has there; scenes add the name of the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum BodyName {
    /// A link of the tree: `TREE/NAME`.
    Link(String),
    /// A body that stands: `TREE_NAME`.
    Fixed(String),
}

impl BodyName {
    /// The name in a scene where the tree is called `tree`.
    pub fn of(&self, tree: &str) -> String {
        match self {
            Self::Link(name) => format!("{tree}/{name}"),
            Self::Fixed(name) => format!("{tree}_{name}"),
        }
    }
}

/// A body that stands in the world.
#[derive(Debug, Clone)]
pub struct Standing {
    /// Its name in the model.
    pub name: String,
    /// Its pose in the frame of the model.
    pub pose: Isometry3<f64>,
    /// The list `shapes`.
    pub shapes: Node,
}

/// One end of a loop: a point of a link, in its frame, or of the world, in the frame of the model, m.
#[derive(Debug, Clone)]
pub struct LoopEnd {
    /// The link; `None`: the world.
    pub link: Option<String>,
    /// The point.
    pub at: [f64; 3],
}

/// Two points that stay together.
#[derive(Debug, Clone)]
pub struct Loop {
    /// Name for messages.
    pub name: String,
    /// The points.
    pub ends: [LoopEnd; 2],
    /// Axes of the world, where not all.
    pub along: Option<Vec<&'static str>>,
    /// Where the model writes it.
    pub place: TextSpan,
}

/// Gains of one joint towards a coordinate.
#[derive(Debug, Clone)]
pub struct Servo {
    /// The joint.
    pub joint: String,
    /// Stiffness, N m/rad or N/m.
    pub kp: f64,
    /// Damping, N m s/rad or N s/m.
    pub kd: f64,
    /// Coordinate that it is drawn to, or with `rate` the velocity.
    pub target: f64,
    /// Largest effort, N m or N.
    pub limit: Option<f64>,
    /// Where the model writes it.
    pub place: TextSpan,
}

/// A controller `pd`.
#[derive(Debug, Clone)]
pub struct Servos {
    /// Its name in a scene: `TREE_NAME`.
    pub name: String,
    /// True if targets are velocities.
    pub rate: bool,
    /// One per joint.
    pub servos: Vec<Servo>,
}

/// Parts of a model that no tree holds.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    /// Bodies that stand.
    pub standing: Vec<Standing>,
    /// Materials: name and coefficient of friction.
    pub materials: Vec<(String, f64, TextSpan)>,
    /// Friction of pairs of materials.
    pub material_pairs: Vec<([String; 2], f64, TextSpan)>,
    /// Friction of pairs of bodies.
    pub body_pairs: Vec<([BodyName; 2], f64, TextSpan)>,
    /// Pairs of bodies that do not touch.
    pub ignored: Vec<([BodyName; 2], TextSpan)>,
    /// True if links of the tree touch each other.
    pub self_collision: bool,
    /// Loops.
    pub loops: Vec<Loop>,
    /// Controllers.
    pub controllers: Vec<Servos>,
    /// Coordinates at the start by joint.
    pub start: Vec<(String, Vec<f64>, TextSpan)>,
    /// Velocities at the start by joint.
    pub velocity: Vec<(String, Vec<f64>, TextSpan)>,
    /// Forces of motors by joint, N m or N.
    pub forces: Vec<(String, f64, TextSpan)>,
    /// Acceleration of gravity, m/s², where the model says it.
    pub gravity: Option<([f64; 3], TextSpan)>,
}

impl Extras {
    /// Further keys of the tree.
    pub(super) fn tree_entries(&self, place: &TextSpan) -> Vec<(&'static str, Node)> {
        let mut entries = Vec::new();
        if self.self_collision {
            entries.push(("self_collision", build::flag(true, place)));
        }
        for (key, values) in [("start", &self.start), ("velocity", &self.velocity)] {
            if !values.is_empty() {
                let of =
                    |(joint, x, place): &(String, Vec<f64>, TextSpan)| (joint.clone(), coordinates(x, place));
                entries.push((key, build::map(values.iter().map(of), place)));
            }
        }
        if !self.forces.is_empty() {
            let drive = |(joint, force, place): &(String, f64, TextSpan)| {
                (joint.clone(), build::object(vec![("force", build::number(*force, place))], place))
            };
            entries.push(("drives", build::map(self.forces.iter().map(drive), place)));
        }
        entries
    }

    /// Further elements of the scene's lists, for a tree called `tree` that stands at `base`.
    pub(super) fn lists(&self, tree: &str, base: &Isometry3<f64>) -> Vec<(&'static str, Vec<Node>)> {
        vec![
            ("bodies", self.standing.iter().map(|s| s.node(tree, base)).collect()),
            ("pairs", self.pairs(tree)),
            ("ignore_contacts", self.ignored.iter().map(|(pair, place)| names(pair, tree, place)).collect()),
            ("joints", self.loops.iter().map(|l| l.node(tree, base)).collect()),
            ("controllers", self.controllers.iter().map(|c| c.node(tree)).collect()),
        ]
    }

    /// The entries of `materials`: their names say their values, so that those of two models agree.
    pub(super) fn material_entries(&self) -> Vec<(String, Node)> {
        let material = |(name, friction, place): &(String, f64, TextSpan)| {
            (name.clone(), build::object(vec![("friction", build::number(*friction, place))], place))
        };
        self.materials.iter().map(material).collect()
    }

    fn pairs(&self, tree: &str) -> Vec<Node> {
        let friction = |f: &f64, place: &TextSpan| ("friction", build::number(*f, place));
        let materials = self.material_pairs.iter().map(|(pair, f, place)| {
            let names = build::array(pair.iter().map(|n| build::text(n, place)).collect(), place);
            build::object(vec![("materials", names), friction(f, place)], place)
        });
        let bodies = self.body_pairs.iter().map(|(pair, f, place)| {
            build::object(vec![("bodies", names(pair, tree, place)), friction(f, place)], place)
        });
        materials.chain(bodies).collect()
    }
}

fn coordinates(values: &[f64], place: &TextSpan) -> Node {
    match values {
        [one] => build::number(*one, place),
        several => build::numbers(several, place),
    }
}

fn names(pair: &[BodyName; 2], tree: &str, place: &TextSpan) -> Node {
    build::array(pair.iter().map(|name| build::text(name.of(tree), place)).collect(), place)
}

impl Standing {
    fn node(&self, tree: &str, base: &Isometry3<f64>) -> Node {
        let place = &self.shapes.place;
        let mut entries = vec![
            ("name", build::text(BodyName::Fixed(self.name.clone()).of(tree), place)),
            ("static", build::flag(true, place)),
            ("shapes", self.shapes.clone()),
        ];
        entries.extend(build::pose(&(base * self.pose), place));
        build::object(entries, place)
    }
}

impl Loop {
    fn node(&self, tree: &str, base: &Isometry3<f64>) -> Node {
        let place = &self.place;
        let body = |end: &LoopEnd| match &end.link {
            Some(link) => build::text(format!("{tree}/{link}"), place),
            None => Node::new(crate::Value::Null, place.clone()),
        };
        let anchor = |end: &LoopEnd| match end.link {
            Some(_) => build::numbers(&end.at, place),
            None => build::numbers((base * Point3::from(end.at)).coords.as_slice(), place),
        };
        let mut entries = vec![
            ("name", build::text(format!("{tree}_{}", self.name), place)),
            ("bodies", build::array(self.ends.iter().map(body).collect(), place)),
            ("anchors", build::array(self.ends.iter().map(anchor).collect(), place)),
        ];
        if let Some(axes) = &self.along {
            entries
                .push(("along", build::array(axes.iter().map(|a| build::text(*a, place)).collect(), place)));
        }
        build::object(entries, place)
    }
}

impl Servos {
    fn node(&self, tree: &str) -> Node {
        let place = &self.servos[0].place;
        let by_joint = |value: &dyn Fn(&Servo) -> Option<Node>| {
            let entries = self.servos.iter().filter_map(|s| Some((s.joint.clone(), value(s)?)));
            build::map(entries, place)
        };
        let target = |s: &Servo| {
            if self.rate && s.target != 0.0 {
                let formula = build::text(format!("{} * t", s.target), &s.place);
                return Some(build::object(vec![("expression", formula)], &s.place));
            }
            Some(build::number(s.target, &s.place))
        };
        let mut entries = vec![
            ("type", build::text("pd", place)),
            ("name", build::text(format!("{tree}_{}", self.name), place)),
            ("tree", build::text(tree, place)),
            ("kp", by_joint(&|s| Some(build::number(s.kp, &s.place)))),
            ("kd", by_joint(&|s| Some(build::number(s.kd, &s.place)))),
            ("targets", by_joint(&target)),
        ];
        if !self.rate {
            entries.push(("follow_rate", build::flag(false, place)));
        }
        if self.servos.iter().any(|s| s.limit.is_some()) {
            entries.push(("effort_limit", by_joint(&|s| Some(build::number(s.limit?, &s.place)))));
        }
        build::object(entries, place)
    }
}
