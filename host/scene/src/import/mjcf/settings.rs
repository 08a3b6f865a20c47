//! Settings of a whole model, from `<compiler>` and `<option>`.

use crate::diagnostics::TextSpan;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Where masses come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FromGeoms {
    /// From `<inertial>` alone.
    Never,
    /// From geoms alone.
    Always,
    /// From geoms where a body has no `<inertial>`.
    Auto,
}

/// Settings of a model.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// True if angles are written in degrees.
    pub(super) degrees: bool,
    /// Axes of Euler angles: small letters turn with the body.
    pub(super) eulerseq: [char; 3],
    /// True if a range is a limit unless `limited` says otherwise.
    pub(super) autolimits: bool,
    pub(super) from_geoms: FromGeoms,
    /// Groups of geoms that have mass.
    pub(super) inertia_groups: [i64; 2],
    pub(super) balance: bool,
    pub(super) bound_mass: f64,
    pub(super) bound_inertia: f64,
    /// Sum of all masses that they are scaled to, kg; none if not above 0.
    pub(super) total_mass: f64,
    pub(super) mesh_directory: Option<String>,
    pub(super) strip_path: bool,
    pub(super) fit_boxes: bool,
    pub(super) align_free: bool,
    /// Acceleration of gravity, m/s², where it is written.
    pub(super) gravity: Option<([f64; 3], TextSpan)>,
    /// False if gravity is switched off by a flag.
    pub(super) has_gravity: bool,
    /// False if geoms touch nothing.
    pub(super) has_contacts: bool,
    /// True if bodies do not touch their parents.
    pub(super) filters_parents: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            degrees: true,
            eulerseq: ['x', 'y', 'z'],
            autolimits: true,
            from_geoms: FromGeoms::Auto,
            inertia_groups: [0, 5],
            balance: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: -1.0,
            mesh_directory: None,
            strip_path: false,
            fit_boxes: false,
            align_free: false,
            gravity: None,
            has_gravity: true,
            has_contacts: true,
            filters_parents: true,
        }
    }
}

impl Settings {
    /// An angle in rad.
    pub(super) fn angle(&self, written: f64) -> f64 {
        if self.degrees { written / 180.0 * std::f64::consts::PI } else { written }
    }

    /// The rotation of three Euler angles.
    pub(super) fn euler(&self, angles: [f64; 3]) -> UnitQuaternion<f64> {
        let mut all = Quaternion::identity();
        for (letter, angle) in self.eulerseq.iter().zip(angles) {
            let (sin, cos) = (0.5 * self.angle(angle)).sin_cos();
            let axis = match letter.to_ascii_lowercase() {
                'x' => Vector3::x(),
                'y' => Vector3::y(),
                _ => Vector3::z(),
            };
            let one = Quaternion::from_parts(cos, axis * sin);
            all = if letter.is_ascii_lowercase() { all * one } else { one * all };
        }
        UnitQuaternion::new_normalize(all)
    }
}
