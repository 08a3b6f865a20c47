//! From the world to the picture.

use nalgebra::Vector3;

/// Angle between the lower and the upper edge of a picture in space, rad.
const FIELD_OF_VIEW: f64 = 36.0 * std::f64::consts::PI / 180.0;
/// Steepest look down or up, rad.
const STEEPEST: f64 = std::f64::consts::FRAC_PI_2 - 0.001;
/// Part of the picture that stays free around what is shown.
const MARGIN: f64 = 1.06;

/// A camera that looks at a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    right: Vector3<f64>,
    up: Vector3<f64>,
    /// From the target towards the eye.
    back: Vector3<f64>,
    target: Vector3<f64>,
    /// Half of the height that is seen at the target, m.
    half_height: f64,
    /// Width of the picture by its height.
    aspect: f64,
}

impl Camera {
    /// A camera that sees balls (centre, radius) from a direction. `azimuth`: angle of the eye about z from the x axis, `elevation`: its
    /// angle above the plane of x and y, both in rad; `aspect`: width of the picture by its height.
    pub fn around(balls: &[(Vector3<f64>, f64)], azimuth: f64, elevation: f64, aspect: f64) -> Self {
        let ((sa, ca), (se, ce)) = (azimuth.sin_cos(), elevation.clamp(-STEEPEST, STEEPEST).sin_cos());
        let (back, right) = (Vector3::new(ce * ca, ce * sa, se), Vector3::new(-sa, ca, 0.0));
        let up = back.cross(&right);
        let mut camera = Self { right, up, back, target: Vector3::zeros(), half_height: 1.0, aspect };
        camera.target = [right, up, back].iter().map(|axis| axis * middle(balls, axis)).sum();
        let slope = (0.5 * FIELD_OF_VIEW).tan();
        // Half the height at the target that a ball needs; what is nearer is seen larger through a lens.
        let needed = balls.iter().map(|(centre, radius)| {
            let seen = centre - camera.target;
            let (x, y, z) = (seen.dot(&right).abs(), seen.dot(&up).abs(), seen.dot(&back));
            (y + radius).max((x + radius) / aspect) + (z + radius) * slope
        });
        camera.half_height = MARGIN * needed.fold(f64::MIN_POSITIVE, f64::max);
        camera
    }

    /// The place of the eye, m.
    pub fn eye(&self) -> Vector3<f64> {
        self.target + self.back * self.distance()
    }

    fn distance(&self) -> f64 {
        self.half_height / (0.5 * FIELD_OF_VIEW).tan()
    }

    /// A point in the picture: across and down in parts of its size, and one by its distance from the eye's plane, 1/m. `None` where
    /// it lies behind the eye or next to it.
    pub fn project(&self, point: &Vector3<f64>) -> Option<[f64; 3]> {
        let seen = point - self.target;
        let depth = self.distance() - seen.dot(&self.back);
        if depth < 1e-3 * self.distance() {
            return None;
        }
        let half = self.half_height * depth / self.distance();
        let (x, y) = (seen.dot(&self.right) / (half * self.aspect), seen.dot(&self.up) / half);
        Some([0.5 * (1.0 + x), 0.5 * (1.0 - y), 1.0 / depth])
    }

    /// The direction that light comes from: over the left shoulder.
    pub fn light(&self) -> Vector3<f64> {
        (self.back + 0.6 * self.up - 0.4 * self.right).normalize()
    }
}

/// The middle of balls along an axis, m.
fn middle(balls: &[(Vector3<f64>, f64)], axis: &Vector3<f64>) -> f64 {
    let low = balls.iter().map(|(c, r)| c.dot(axis) - r).fold(f64::INFINITY, f64::min);
    let high = balls.iter().map(|(c, r)| c.dot(axis) + r).fold(f64::NEG_INFINITY, f64::max);
    if low.is_finite() && high.is_finite() { 0.5 * (low + high) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_the_balls_is_in_the_picture() {
        let balls = [(Vector3::new(3.0, 1.0, 0.0), 0.5), (Vector3::new(-2.0, 4.0, 7.0), 1.5)];
        for (azimuth, elevation) in [(0.0, 0.0), (-1.05, 0.42), (2.0, 1.5), (0.3, -2.0)] {
            let camera = Camera::around(&balls, azimuth, elevation, 1.5);
            for (centre, radius) in balls {
                for side in [Vector3::x(), Vector3::y(), Vector3::z()].map(|v| radius * v) {
                    for point in [centre + side, centre - side] {
                        let [x, y, near] = camera.project(&point).unwrap();
                        assert!((0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) && near > 0.0);
                    }
                }
            }
        }
    }

    #[test]
    fn axes_lie_as_they_should() {
        // From −y: x to the right, z upwards, what is nearer has the larger inverse distance.
        let camera = Camera::around(&[(Vector3::zeros(), 1.0)], -std::f64::consts::FRAC_PI_2, 0.0, 1.0);
        let at = |x: f64, y: f64, z: f64| camera.project(&Vector3::new(x, y, z)).unwrap();
        let [cx, cy, near] = at(0.0, 0.0, 0.0);
        assert!((cx - 0.5).abs() < 1e-12 && (cy - 0.5).abs() < 1e-12);
        assert!(at(0.5, 0.0, 0.0)[0] > 0.5 && at(0.0, 0.0, 0.5)[1] < 0.5 && at(0.0, -0.5, 0.0)[2] > near);
        assert!(camera.project(&(2.0 * camera.eye())).is_none());
    }
}
