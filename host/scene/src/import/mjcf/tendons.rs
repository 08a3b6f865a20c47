//! Tendons are not read: those that only measure are told apart from those that hold something.

use super::reader::Reader;
use crate::import::tag::Tag;

impl Reader<'_> {
    /// Lists all tendons, by whether something moves otherwise without them.
    pub(super) fn tendons(&mut self, root: &Tag) {
        for tag in root.named("tendon").flat_map(|t| t.children.iter()) {
            let tag = self.defaults.complete_as(tag, "tendon", self.robot.found);
            let said =
                |key: &str| tag.text(key).is_some_and(|text| text.split_whitespace().any(|w| w != "0"));
            let forces = ["stiffness", "damping", "frictionloss", "armature"].into_iter().any(said);
            let limited = tag.text("limited").map_or(self.settings.autolimits, |word| word == "true");
            let name = &tag.name;
            if forces || (limited && said("range")) {
                let why = "tendons are not read: what it holds is free";
                self.robot.report.drop(format!("tendon/{name}"), tag.place.clone(), why);
            } else {
                let why = "it has no effect";
                self.robot.report.drop(format!("tendon/{name} (that only measures)"), tag.place.clone(), why);
            }
        }
    }
}
