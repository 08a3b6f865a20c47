//! Springs of joints: gains towards a coordinate.

use super::parts::JointKind;
use super::state::Robot;
use crate::import::extras::{Servo, Servos};

impl Robot<'_> {
    /// Makes a controller of the springs of hinges and slides; `what` names those of other joints, which are left out.
    pub(crate) fn springs(&mut self, what: &str) {
        let mut servos = Vec::new();
        for joint in self.bodies.iter().flat_map(|b| &b.joints).filter(|j| j.stiffness > 0.0) {
            if !matches!(joint.kind, JointKind::Hinge | JointKind::Slide) {
                let why = "springs of joints act on hinges and slides";
                self.report.drop(what.into(), joint.place.clone(), why);
                continue;
            }
            servos.push(Servo {
                joint: joint.name.clone(),
                kp: joint.stiffness,
                kd: 0.0,
                target: joint.spring_reference,
                limit: None,
                place: joint.place.clone(),
            });
        }
        if !servos.is_empty() {
            self.extras.controllers.push(Servos { name: "springs".into(), rate: false, servos });
        }
    }
}
