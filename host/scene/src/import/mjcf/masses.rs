//! Masses of bodies: written, or those of their geoms; bounds and the mass of the whole.

use super::reader::Reader;
use super::settings::{FromGeoms, Settings};
use crate::diagnostics::Code;
use crate::import::robot::{Geom, Mass, WORLD};
use nalgebra::{Matrix3, SymmetricEigen, Vector3};

/// Steps of the search for principal axes: a sound tensor takes a few.
const MOST_TURNS: usize = 1000;

impl Reader<'_> {
    /// Gives every body its mass.
    pub(super) fn masses(&mut self) {
        for i in 1..self.robot.bodies.len() {
            let body = &self.robot.bodies[i];
            let of_geoms = || sum(&body.geoms);
            let mass = match (&body.inertial, self.settings.from_geoms) {
                (Some(written), FromGeoms::Always) => {
                    Some(of_geoms()).filter(|m| m.mass > 0.0).unwrap_or(*written)
                }
                (Some(written), _) => *written,
                (None, FromGeoms::Never) => Mass::default(),
                (None, _) => of_geoms(),
            };
            match bounded(mass, &self.settings) {
                Ok(mass) => self.robot.bodies[i].mass = mass,
                Err([a, b, c]) => {
                    let message = format!(
                        "body `{}` has the moments of inertia {a}, {b} and {c} kg m²: one is larger than the sum of the others",
                        body.name
                    );
                    let place = body.mass_place.clone();
                    let help = "no body has them; <compiler balanceinertia=\"true\"> makes them equal";
                    self.error(Code::Unphysical, &place, message, help);
                }
            }
        }
        self.scale_to_total();
    }

    fn scale_to_total(&mut self) {
        let total: f64 = self.robot.bodies[WORLD + 1..].iter().map(|b| b.mass.mass).sum();
        if self.settings.total_mass <= 0.0 || total <= 0.0 {
            return;
        }
        let factor = self.settings.total_mass / total;
        for body in &mut self.robot.bodies {
            body.mass.mass *= factor;
            body.mass.inertia *= factor;
        }
    }
}

/// All geoms as one body.
fn sum(geoms: &[Geom]) -> Mass {
    let heavy: Vec<&Mass> = geoms.iter().map(|g| &g.mass).filter(|m| m.mass > 0.0).collect();
    let mass: f64 = heavy.iter().map(|m| m.mass).sum();
    if mass == 0.0 {
        return Mass::default();
    }
    let moment: Vector3<f64> = heavy.iter().map(|m| m.com * m.mass).sum();
    let com = moment / mass;
    let away = |m: &Mass| {
        let d = m.com - com;
        (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * m.mass
    };
    Mass { mass, com, inertia: heavy.iter().map(|m| m.inertia + away(m)).sum() }
}

/// A mass with the bounds of the compiler; moments that no body has are balanced, or returned.
fn bounded(mass: Mass, settings: &Settings) -> Result<Mass, [f64; 3]> {
    let eigen = SymmetricEigen::try_new(mass.inertia, f64::EPSILON, MOST_TURNS)
        .filter(|_| mass.inertia.iter().all(|x| x.is_finite()))
        .ok_or([mass.inertia[(0, 0)], mass.inertia[(1, 1)], mass.inertia[(2, 2)]])?;
    let moments = eigen.eigenvalues.map(|x| x.max(settings.bound_inertia));
    let [a, b, c] = [0, 1, 2].map(|i| moments[i]);
    let slack = 1e-9 * moments.amax();
    let sound = a + b >= c - slack && b + c >= a - slack && c + a >= b - slack;
    let inertia = if !sound {
        if !settings.balance {
            return Err([a, b, c]);
        }
        Matrix3::identity() * ((a + b + c) / 3.0)
    } else if moments == eigen.eigenvalues {
        mass.inertia
    } else {
        eigen.eigenvectors * Matrix3::from_diagonal(&moments) * eigen.eigenvectors.transpose()
    };
    Ok(Mass {
        mass: mass.mass.max(settings.bound_mass),
        inertia: (inertia + inertia.transpose()) / 2.0,
        ..mass
    })
}
