//! A half-space against everything: exact, since the gap of a point is its height.
//!
//! A vertex can only become the first to touch if it lies on the lower hull of the body, that is, on a face that looks
//! down. In the momentum balance the other vertices' rows are implied by these, so they are left out.

use crate::feature;
use crate::manifold::Point;
use crate::patch::{Rim, TILT};
use crate::polytope::Polytope;
use crate::solid::{Convex, Core, Solid};
use vinci_detect::{Frame, Vec3};

/// Faces that look down by more than about 6° count for the lower hull.
const DOWN: f64 = -0.1;
/// Axes within about 11° of the vertical: only the lower end counts.
const UPRIGHT: f64 = 0.98;
/// Caps within 60° of looking straight down show their fixed rim points.
const CAP_DOWN: f64 = 0.5;

/// Heights of the points of one shape over the plane z = 0 of the half-space.
struct Heights<'a> {
    frame: &'a Frame,
    /// Thickness around the core, m.
    radius: f64,
    out: &'a mut Vec<Point>,
}

impl Heights<'_> {
    /// A point of the core (local) whose lower neighbour at `radius` is a contact.
    fn push(&mut self, local: &Vec3, id: u32) {
        let x = self.frame.point(local) - Vec3::z() * self.radius;
        let on_a = Vec3::new(x.x, x.y, 0.0);
        self.out.push(Point {
            feature_a: 0,
            feature_b: id,
            gap: x.z,
            normal: Vec3::z(),
            on_a,
            on_b: x,
            group: 0,
        });
    }

    fn up(&self, local: &Vec3) -> f64 {
        self.frame.rot.row(2).transpose().dot(local)
    }
}

/// Appends all points of `solid`, placed in the frame of the half-space, that can be the first to touch.
pub(crate) fn contacts(solid: &Solid, frame: &Frame, rim: &Rim, out: &mut Vec<Point>) {
    let mut heights = Heights { frame, radius: 0.0, out };
    match solid {
        Solid::HalfSpace => {}
        Solid::Ball(r) => {
            heights.radius = *r;
            heights.push(&Vec3::zeros(), 0);
        }
        Solid::Convex(Convex { core, radius, .. }) => {
            heights.radius = *radius;
            match *core {
                Core::Polytope(ref p) => lower_hull(&mut heights, p),
                Core::Cylinder { half, radius } => cylinder(&mut heights, half, radius, rim),
                Core::Cone { half, radius } => cone(&mut heights, half, radius, rim),
            }
        }
        Solid::Mesh(m) => match &m.hull {
            Some(hull) => lower_hull(&mut heights, hull),
            None => m.outer.iter().enumerate().for_each(|(i, v)| heights.push(v, i as u32)),
        },
    }
}

fn lower_hull(heights: &mut Heights<'_>, p: &Polytope) {
    let down = -heights.frame.rot.row(2).transpose();
    let lowest = p.support(&down);
    let end_on = p.faces.is_empty() && heights.up(&p.directions[0]).abs() >= UPRIGHT;
    for (i, v) in p.vertices.iter().enumerate() {
        let looks_down = p.vertex_faces[i].iter().any(|&f| heights.up(&p.faces[f as usize].normal) < DOWN);
        if i == lowest || looks_down || (p.faces.is_empty() && !end_on) {
            heights.push(v, i as u32);
        }
    }
}

/// Unit vector, in the plane of the caps, to the lowest rim point; `None` while the caps are level.
fn lowest_azimuth(heights: &Heights<'_>) -> Option<Vec3> {
    let (x, y) = (-heights.up(&Vec3::x()), -heights.up(&Vec3::y()));
    let rho = x.hypot(y);
    (rho > TILT).then(|| Vec3::new(x / rho, y / rho, 0.0))
}

fn cylinder(heights: &mut Heights<'_>, half: f64, radius: f64, rim: &Rim) {
    let axis = heights.up(&Vec3::z());
    for (side, z, looks_down) in [(0, half, -axis), (1, -half, axis)] {
        if looks_down >= CAP_DOWN {
            (0..rim.len()).for_each(|i| heights.push(&rim.point(i, radius, z), side * rim.len() + i));
        }
        if let Some(u) = lowest_azimuth(heights)
            && looks_down > -UPRIGHT
        {
            heights.push(&(u * radius + Vec3::z() * z), feature::ROUND | side);
        }
    }
}

fn cone(heights: &mut Heights<'_>, half: f64, radius: f64, rim: &Rim) {
    let axis = heights.up(&Vec3::z());
    if axis >= CAP_DOWN {
        (0..rim.len()).for_each(|i| heights.push(&rim.point(i, radius, -half), 1 + i));
    }
    if let Some(u) = lowest_azimuth(heights)
        && axis > -UPRIGHT
    {
        heights.push(&(u * radius - Vec3::z() * half), feature::ROUND | 1);
    }
    if axis < UPRIGHT {
        heights.push(&Vec3::new(0.0, 0.0, half), 0);
    }
}
