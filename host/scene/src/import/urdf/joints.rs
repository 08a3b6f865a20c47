//! Joints, Drake's ball joints among them.

use super::super::build;
use super::super::xml::Element;
use super::reader::Reader;
use super::transmissions::Rotor;
use crate::Node;
use crate::diagnostics::{Code, TextSpan};
use crate::import::model::Mimic;
use crate::import::names::fit;
use crate::types::TreeJointKind;
use std::collections::BTreeMap;

type Entries = Vec<(&'static str, Node)>;

impl Reader<'_> {
    /// The entry of `joints` of a `<joint>` or `<drake:joint>`.
    pub(super) fn joint(&mut self, element: &Element<'_>, rotors: &BTreeMap<String, Rotor>) -> Option<Node> {
        let name = self.name("joint", element)?;
        let of = format!("joint `{name}`");
        let (kind, kind_place) = self.kind(element, &of)?;
        *self.report.joints.entry(kind.name()).or_default() += 1;
        self.report.dofs += kind.core().nv();
        let name_place = element.attribute("name")?.place;
        let mut entries = vec![
            ("name", build::text(name.as_str(), &name_place)),
            ("kind", build::text(kind.name(), &kind_place)),
        ];
        for end in ["parent", "child"] {
            let link = self.required(element, end, &of)?;
            let (link, place) = self.text(&link, "link", &of)?;
            let link = fit(link);
            entries.push((end, build::text(link, &place)));
        }
        let origin = self.origin(element, &of);
        let place = element.child("origin").map_or_else(|| element.place(), |o| o.place());
        entries.extend(origin.entries(&place));
        entries.extend(self.axis(element, kind, &of));
        entries.extend(self.limit(element, kind, &of));
        entries.extend(self.dynamics(element, kind, &of));
        let raw = element.attribute("name")?.text;
        entries.extend(rotors.get(raw).into_iter().flat_map(Rotor::entries));
        self.mimic(element, &name, &of);
        Some(build::object(entries, &element.place()))
    }

    fn kind(&mut self, element: &Element<'_>, of: &str) -> Option<(TreeJointKind, TextSpan)> {
        let (text, place) = self.text(element, "type", of)?;
        let drake = element.name() == "drake:joint";
        let kind = match (text, drake) {
            ("fixed", false) => TreeJointKind::Fixed,
            ("revolute", false) => TreeJointKind::Revolute,
            ("continuous", false) => TreeJointKind::Continuous,
            ("prismatic", false) => TreeJointKind::Prismatic,
            ("planar", _) => TreeJointKind::Planar,
            ("floating", false) => TreeJointKind::Free,
            ("ball", _) | ("spherical", false) => TreeJointKind::Ball,
            _ => {
                let known = if drake {
                    "of Drake's joints `ball` and `planar` are read"
                } else {
                    "types are fixed, revolute, continuous, prismatic, planar, floating and ball"
                };
                self.error(
                    Code::UnknownValue,
                    &place,
                    format!("{of} has the unknown type \"{text}\""),
                    known,
                );
                return None;
            }
        };
        Some((kind, place))
    }

    /// URDF's axis is x unless it says otherwise; Drake's planar joint has the normal z.
    fn axis(&mut self, element: &Element<'_>, kind: TreeJointKind, of: &str) -> Entries {
        use TreeJointKind as K;
        if !matches!(kind, K::Revolute | K::Continuous | K::Prismatic | K::Planar) {
            return vec![];
        }
        let default = if element.name() == "drake:joint" { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
        let Some(axis) = self.single(element, "axis", of) else {
            return vec![("axis", build::numbers(&default, &element.place()))];
        };
        let vector = self.vector(&axis, "xyz", of, default);
        vec![("axis", build::numbers(&vector, &axis.place()))]
    }

    fn limit(&mut self, element: &Element<'_>, kind: TreeJointKind, of: &str) -> Entries {
        let bounded = matches!(kind, TreeJointKind::Revolute | TreeJointKind::Prismatic);
        let Some(limit) = self.single(element, "limit", of) else {
            if bounded {
                self.report.note(format!("{of} gives no limits: it is unlimited"), element.place());
            }
            return vec![];
        };
        let mut entries = Vec::new();
        for (key, unbounded) in [("lower", f64::NEG_INFINITY), ("upper", f64::INFINITY)] {
            if bounded && let Some(value) = self.bound(&limit, key, unbounded, of) {
                entries.push((key, value));
            }
        }
        for key in ["velocity", "effort"] {
            if let Some(value) = self.bound(&limit, key, f64::INFINITY, of) {
                entries.push((key, value));
            }
        }
        if entries.is_empty() { vec![] } else { vec![("limits", build::object(entries, &limit.place()))] }
    }

    /// A limit: a finite number, or none where it is absent or says that there is none.
    fn bound(&mut self, limit: &Element<'_>, key: &'static str, unbounded: f64, of: &str) -> Option<Node> {
        let attribute = limit.attribute(key)?;
        if attribute.text.trim().parse() == Ok(unbounded) {
            return None;
        }
        let value = self.number(limit, key, of)?;
        Some(build::number(value, &attribute.place))
    }

    fn dynamics(&mut self, element: &Element<'_>, kind: TreeJointKind, of: &str) -> Entries {
        let Some(dynamics) = self.single(element, "dynamics", of) else { return vec![] };
        let mut entries = Vec::new();
        for key in ["damping", "friction"] {
            let Some(value) = self.number(&dynamics, key, of) else { continue };
            let Some(place) = dynamics.attribute(key).map(|a| a.place) else { continue };
            if value < 0.0 {
                self.error(
                    Code::OutOfRange,
                    &place,
                    format!("{of} has the {key} {value}"),
                    "it is at least 0",
                );
            } else if value > 0.0 && kind != TreeJointKind::Fixed {
                entries.push((key, build::number(value, &place)));
            }
        }
        self.holds_itself(element, &dynamics, of);
        entries
    }

    /// Friction that the joint's own drive cannot overcome: often a number of another unit.
    fn holds_itself(&mut self, element: &Element<'_>, dynamics: &Element<'_>, of: &str) {
        let number = |e: Option<Element<'_>>, key: &str| e?.attribute(key)?.text.trim().parse::<f64>().ok();
        let friction = number(Some(*dynamics), "friction");
        let effort = number(element.child("limit"), "effort");
        if let (Some(friction), Some(effort)) = (friction, effort)
            && friction >= effort
            && effort > 0.0
        {
            self.stuck.push((format!("{of} ({friction} ≥ {effort})"), dynamics.place()));
        }
    }

    /// One note for all of them.
    pub(super) fn note_stuck(&mut self) {
        let Some((_, place)) = self.stuck.first().cloned() else { return };
        let joints: Vec<&str> = self.stuck.iter().map(|(joint, _)| joint.as_str()).collect();
        let text = format!(
            "dry friction that the joint's own drive cannot overcome (see `joint_values`): {}",
            joints.join(", ")
        );
        self.report.note(text, place);
    }

    fn mimic(&mut self, element: &Element<'_>, joint: &str, of: &str) {
        let Some(mimic) = self.single(element, "mimic", of) else { return };
        let Some((other, place)) = self.text(&mimic, "joint", of) else { return };
        let ratio = self.number(&mimic, "multiplier", of).unwrap_or(1.0);
        let offset = self.number(&mimic, "offset", of).unwrap_or(0.0);
        self.mimics.push(Mimic { joint: joint.to_owned(), other: fit(other), ratio, offset, place });
    }
}
