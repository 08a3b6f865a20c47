//! Support points of 2.5D parts.

use super::super::compile::{core_shapes, core_supports, mass_properties};
use super::super::path::{Path, at};
use super::super::types::{Body, Scene, SupportFriction};
use super::Lint;
use crate::compile::core_space;
use crate::diagnostics::Code;
use vinci_core::model::LoadError;

impl Lint<'_> {
    /// `shapes_fine`: the shapes have no fault of their own, so that a mass can be computed from them.
    pub(super) fn supports(&mut self, scene: &Scene, body: &Body, path: &Path, shapes_fine: bool) {
        let Some(supports) = body.supports.as_ref().filter(|_| !body.is_static) else { return };
        let path = path.join("supports");
        if let SupportFriction::Each(list) = &supports.friction
            && list.len() != supports.points.len()
        {
            let (found, points) = (list.len(), supports.points.len());
            let message = format!("body `{}` has {points} support points, but {found} frictions", body.name);
            let help = "give one number for all points, or one per point";
            self.error(&path.join("friction"), Code::Contradiction, message, help);
        }
        let space = core_space(scene.space);
        let shapes = if shapes_fine { core_shapes(body, 0, space, &|_| 0) } else { Vec::new() };
        let mass = mass_properties(body, &shapes, space).mass;
        // Without a usable mass there is no load point; the mass itself has been reported.
        if mass > 0.0
            && let Err(error) = core_supports(scene, body, 0, mass)
        {
            self.cannot_stand(body, &error, &path);
        }
    }

    fn cannot_stand(&mut self, body: &Body, error: &LoadError, path: &Path) {
        let (key, help) = match error {
            LoadError::TooFew { .. } => ("points", "give at least three points that are not on one line"),
            LoadError::Collinear | LoadError::NotSettled => {
                ("points", "put at least one point aside, so that they span a triangle")
            }
            LoadError::NotPressed { .. } if self.written(&path.join("load")) => {
                ("load", "`load.force` is positive towards the plane; the plane cannot pull")
            }
            LoadError::NotPressed { .. } => (
                "points",
                "give a positive `support_gravity`, or a `load` that presses the part on the plane",
            ),
            LoadError::Tips { .. } if self.written(&path.join("load")) => {
                ("load", "move the load or the points: it must lie in the polygon they span")
            }
            LoadError::Tips { .. } => (
                "points",
                "the centre of mass (the origin of the body) must lie in the polygon the points span",
            ),
        };
        let message = format!("body `{}`: {error}", body.name);
        self.error(&path.join(key), Code::Unphysical, message, help);
    }

    /// A part that lies on the plane of the scene is rarely meant to fall along it.
    pub(super) fn gravity_of_supports(&mut self, scene: &Scene) {
        let Some(i) = scene.bodies.iter().position(|b| b.supports.is_some()) else { return };
        if !self.written(&at!["gravity"]) {
            let message =
                "the scene has support points and no `gravity`, so 9.81 m/s² pulls within the plane as well";
            let help = "write \"gravity\": [0, 0] for a horizontal plane; `support_gravity` acts across it";
            self.warning(&at!["bodies", i, "supports"], Code::Unphysical, message, help);
        }
    }
}
