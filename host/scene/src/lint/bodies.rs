//! Masses, inertias and motions of bodies.

use super::super::compile::{core_shapes, mass_properties, properties};
use super::super::path::Path;
use super::super::types::{AngularVelocity, Body, Inertia, Orientation};
use super::Lint;
use crate::compile::core_space;
use crate::diagnostics::Code;
use crate::types::SpaceName;
use vinci_core::model::{MassProperties, Shape, check_inertia};

/// How far the centroid of uniform shapes may lie from the origin, as a part of the body's size.
const CENTROID_TOLERANCE: f64 = 1e-6;

impl Lint<'_> {
    /// `shapes_fine`: the shapes have no fault of their own, so that masses can be computed from them.
    pub(super) fn body(&mut self, body: &Body, path: &Path, space: SpaceName, shapes_fine: bool) {
        if let Some(turned) = &body.orientation {
            self.orientation(turned, &path.join("orientation"));
        }
        if body.is_static {
            self.static_body(body, path);
            return;
        }
        self.locked_velocities(body, path, space);
        self.mass_given(body, path);
        if shapes_fine {
            let shapes = core_shapes(body, 0, core_space(space), &|_| 0);
            self.mass_usable(body, path, space, &shapes);
        }
    }

    fn static_body(&mut self, body: &Body, path: &Path) {
        let still = |v: &[f64]| v.iter().all(|x| *x == 0.0);
        let turns = match &body.angular_velocity {
            Some(AngularVelocity::Planar(omega)) => *omega != 0.0,
            Some(AngularVelocity::Spatial(omega)) => !still(omega),
            None => false,
        };
        let help = "remove it, or drop `static` and prescribe the motion with \"dofs\": { \"x\": { \"position\": … }, … }";
        let mut refuse = |key: &str| {
            let message = format!("body `{}` is static, but has `{key}`", body.name);
            self.error(&path.join(key), Code::Contradiction, message, help);
        };
        if body.velocity.as_deref().is_some_and(|v| !still(v)) {
            refuse("velocity");
        }
        if turns {
            refuse("angular_velocity");
        }
        if body.dofs != super::super::types::Dofs::default() {
            refuse("dofs");
        }
        if body.supports.is_some() {
            let message = format!("body `{}` is static, but has `supports`", body.name);
            let help = "what never moves needs no support points: remove them, or `static`";
            self.error(&path.join("supports"), Code::Contradiction, message, help);
        }
    }

    fn mass_given(&mut self, body: &Body, path: &Path) {
        let written = |key: &str| self.written(&path.join(key));
        match (written("mass"), written("density")) {
            (true, true) => {
                let message = format!("body `{}` has both `mass` and `density`", body.name);
                self.error(&path.join("density"), Code::Contradiction, message, "give one of them");
            }
            (false, false) => {
                let message = format!("body `{}` can move but has no mass", body.name);
                let help = "give `mass` (kg) or `density`; a body that never moves has \"static\": true";
                self.error(path, Code::Unphysical, message, help);
            }
            _ => {}
        }
    }

    fn mass_usable(&mut self, body: &Body, path: &Path, space: SpaceName, shapes: &[Shape]) {
        if body.mass.is_none_or(|m| m <= 0.0) && body.density.is_none_or(|d| d <= 0.0) {
            return;
        }
        let lump = properties(shapes, core_space(space));
        let (measure, unit) =
            if space == SpaceName::Planar { ("area", "kg/m²") } else { ("volume", "kg/m³") };
        if body.mass.is_none() && lump.measure <= 0.0 {
            let message = format!("body `{}` has a density ({unit}) but no shapes with {measure}", body.name);
            self.error(&path.join("density"), Code::Unphysical, message, "give `mass` and `inertia` instead");
            return;
        }
        if body.inertia.is_none() && lump.measure <= 0.0 {
            if !self.written(&path.join("inertia")) {
                let message =
                    format!("body `{}` has no shapes with {measure} to compute its inertia from", body.name);
                let help = match space {
                    SpaceName::Planar => "give `inertia` (kg m²) as a number",
                    SpaceName::Spatial => "give `inertia` (kg m²) as [ixx, iyy, izz]",
                };
                self.error(path, Code::Unphysical, message, help);
            }
            return;
        }
        self.inertia_possible(body, path, space, &mass_properties(body, shapes, core_space(space)));
        let size = shapes.iter().map(Shape::reach).filter(|r| r.is_finite()).fold(0.0, f64::max);
        if lump.measure > 0.0 && lump.centroid.norm() > CENTROID_TOLERANCE * size {
            let c: Vec<String> =
                lump.centroid.iter().take(super::dimension(space)).map(|x| format!("{x:.6}")).collect();
            let message = format!(
                "the shapes of body `{}` have their uniform centroid at [{}], not at the origin of the body",
                body.name,
                c.join(", ")
            );
            let help = "the origin is taken as centre of mass; move the shapes if it should be theirs";
            self.warning(&path.join("shapes"), Code::Unphysical, message, help);
        }
    }

    fn inertia_possible(&mut self, body: &Body, path: &Path, space: SpaceName, mass: &MassProperties) {
        let at = path.join("inertia");
        if !(mass.mass.is_finite() && mass.inertia.iter().all(|x| x.is_finite())) {
            let message = format!("the mass or inertia of body `{}` is not finite", body.name);
            self.error(path, Code::NonFinite, message, "check the sizes of its shapes and its density");
        } else if space == SpaceName::Spatial
            && let Err(reason) = check_inertia(&mass.inertia)
        {
            let from = if body.inertia.is_some() { "" } else { " (computed from its shapes)" };
            let message = format!("body `{}`{from}: {reason}", body.name);
            let help =
                "the moments of any real body are positive and none is larger than the sum of the others";
            self.error(&at, Code::Unphysical, message, help);
        } else if space == SpaceName::Planar
            && mass.moment() == 0.0
            && !matches!(body.inertia, Some(Inertia::Moment(_)))
        {
            let message = format!("the inertia of body `{}` is too small for double precision", body.name);
            self.error(path, Code::Unphysical, message, "check the sizes of its shapes and its density");
        }
    }

    /// Quaternions and axes that are zero, or not of unit length.
    pub(super) fn orientation(&mut self, turned: &Orientation, path: &Path) {
        match turned {
            Orientation::Quaternion { quaternion } => {
                let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
                let at = path.join("quaternion");
                if quaternion.iter().all(|x| *x == 0.0) {
                    let help = "the identity is [1, 0, 0, 0] (w first)";
                    self.error(&at, Code::Unphysical, "a quaternion of length zero is no rotation", help);
                } else if !((norm - 1.0).abs() <= 1e-3) {
                    let message = format!("this quaternion has length {norm:.6}; it is normalised");
                    self.warning(&at, Code::Unphysical, message, "check its entries: w comes first");
                }
            }
            Orientation::AxisAngle { axis, .. } if axis.iter().all(|x| *x == 0.0) => {
                let help = "give a direction, for example [0, 0, 1]";
                self.error(
                    &path.join("axis"),
                    Code::Unphysical,
                    "an axis of length zero has no direction",
                    help,
                );
            }
            _ => {}
        }
    }
}
