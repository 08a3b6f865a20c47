//! Contact patches: the face, edge or vertex of a core that looks in a direction.

use crate::feature;
use crate::polytope::Polytope;
use crate::solid::Core;
use vinci_detect::{Frame, Vec3};

/// A corner of a patch; `mute` corners and edges lie inside a flat region of a mesh and make no contacts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corner {
    pub(crate) point: Vec3,
    pub(crate) id: u32,
    pub(crate) edge: u32,
    pub(crate) mute: bool,
    pub(crate) mute_edge: bool,
}

/// A polygon (with its plane), a straight edge (two corners) or a vertex (one).
#[derive(Debug, Default)]
pub(crate) struct Patch {
    pub(crate) corners: Vec<Corner>,
    /// Outward unit normal and feature number of the plane.
    pub(crate) plane: Option<(Vec3, u32)>,
    /// Round caps: centre and radius; the corners then lie on the rim.
    pub(crate) disc: Option<(Vec3, f64)>,
    /// The rim point that reaches farthest, if the cap is tilted.
    pub(crate) lowest: Option<(Vec3, u32)>,
    /// The edge is the momentary generator of a round side.
    pub(crate) round_side: bool,
}

/// Fixed directions of rim points, (cos, sin).
#[derive(Debug, Clone)]
pub(crate) struct Rim(Vec<(f64, f64)>);

impl Rim {
    /// `n` equally spaced directions, the first along x.
    pub(crate) fn new(n: u32) -> Self {
        let angle = |i: u32| std::f64::consts::TAU * f64::from(i) / f64::from(n);
        Self((0..n).map(|i| (angle(i).cos(), angle(i).sin())).collect())
    }

    pub(crate) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    pub(crate) fn point(&self, i: u32, radius: f64, z: f64) -> Vec3 {
        let (c, s) = self.0[i as usize];
        Vec3::new(radius * c, radius * s, z)
    }
}

/// Caps count as patches while their normal is within 60° of the direction.
const CAP_COSINE: f64 = 0.5;
/// Edges within about 11° of the direction are seen end-on: only their first end counts.
const END_ON: f64 = 0.98;
/// Caps tilted more than this have a lowest rim point of their own.
pub(crate) const TILT: f64 = 1e-6;

impl Patch {
    /// The patch of `core` that looks along the unit vector `d` (both local).
    pub(crate) fn fill(&mut self, core: &Core, d: &Vec3, rim: &Rim) {
        self.corners.clear();
        (self.plane, self.disc, self.lowest, self.round_side) = (None, None, None, false);
        match *core {
            Core::Polytope(ref p) => self.fill_polytope(p, d),
            Core::Cylinder { half, radius } if d.z.abs() >= CAP_COSINE => {
                let side = u32::from(d.z < 0.0);
                self.fill_cap(d, radius, half.copysign(d.z), side, side * rim.len(), rim);
            }
            Core::Cylinder { half, radius } => {
                let u = Vec3::new(d.x, d.y, 0.0).normalize() * radius;
                let (top, bottom) = (u + Vec3::z() * half, u - Vec3::z() * half);
                self.fill_side((top, feature::ROUND), (bottom, feature::ROUND | 1), d);
            }
            Core::Cone { half, radius } if d.z <= -CAP_COSINE => self.fill_cap(d, radius, -half, 1, 1, rim),
            Core::Cone { half, radius } => {
                let u = Vec3::new(d.x, d.y, 0.0).try_normalize(1e-12).unwrap_or_else(Vec3::zeros) * radius;
                let apex = Vec3::new(0.0, 0.0, half);
                self.fill_side((apex, 0), (u - Vec3::z() * half, feature::ROUND | 1), d);
            }
        }
    }

    fn corner(&mut self, point: Vec3, id: u32, edge: u32) {
        self.corners.push(Corner { point, id, edge: feature::EDGE | edge, mute: false, mute_edge: false });
    }

    /// The face around the farthest vertex that looks best along `d`.
    fn fill_polytope(&mut self, p: &Polytope, d: &Vec3) {
        let v = p.support(d);
        let mut best: Option<u32> = None;
        for &f in &p.vertex_faces[v] {
            let better = |b: u32| p.faces[f as usize].normal.dot(d) > p.faces[b as usize].normal.dot(d);
            if best.is_none_or(better) {
                best = Some(f);
            }
        }
        if let Some(f) = best {
            let face = &p.faces[f as usize];
            self.plane = Some((face.normal, feature::FACE | f));
            for i in face.start..face.start + face.len {
                let v = p.loop_vertices[i];
                self.corner(p.vertices[v as usize], v, p.loop_edges[i]);
            }
        } else {
            self.fill_segment(p, v, d);
        }
    }

    fn fill_segment(&mut self, p: &Polytope, first: usize, d: &Vec3) {
        self.corner(p.vertices[first], first as u32, 0);
        let second = 1 - first;
        let along = (p.vertices[second] - p.vertices[first]).normalize();
        if along.dot(d).abs() < END_ON {
            self.corner(p.vertices[second], second as u32, 0);
        }
    }

    fn fill_cap(&mut self, d: &Vec3, radius: f64, z: f64, side: u32, first_id: u32, rim: &Rim) {
        let n = rim.len();
        for k in 0..n {
            let i = if z > 0.0 { k } else { n - 1 - k };
            self.corner(rim.point(i, radius, z), first_id + i, side * n + k);
        }
        let normal = Vec3::new(0.0, 0.0, 1.0f64.copysign(z));
        self.plane = Some((normal, feature::FACE | side));
        self.disc = Some((Vec3::new(0.0, 0.0, z), radius));
        let rho = d.x.hypot(d.y);
        if rho > TILT {
            let lowest = Vec3::new(d.x / rho * radius, d.y / rho * radius, z);
            self.lowest = Some((lowest, feature::ROUND | side));
        }
    }

    fn fill_side(&mut self, p: (Vec3, u32), q: (Vec3, u32), d: &Vec3) {
        let along = (q.0 - p.0).normalize().dot(d);
        let (near, far) = if along > 0.0 { (q, p) } else { (p, q) };
        self.corner(near.0, near.1, u32::MAX >> 3);
        if along.abs() < END_ON {
            self.corner(far.0, far.1, u32::MAX >> 3);
        }
        self.round_side = true;
    }

    /// Moves the patch to an outer frame.
    pub(crate) fn place(&mut self, frame: &Frame) {
        self.corners.iter_mut().for_each(|c| c.point = frame.point(&c.point));
        if let Some((n, _)) = &mut self.plane {
            *n = frame.dir(n);
        }
        if let Some((c, _)) = &mut self.disc {
            *c = frame.point(c);
        }
        if let Some((p, _)) = &mut self.lowest {
            *p = frame.point(p);
        }
    }

    /// Edges as (start, end, number, mute): a loop, a single edge or none.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (Vec3, Vec3, u32, bool)> + '_ {
        let n = self.corners.len();
        let count = if n > 2 { n } else { n.saturating_sub(1) };
        (0..count).map(move |i| {
            let c = &self.corners[i];
            (c.point, self.corners[(i + 1) % n].point, c.edge, c.mute_edge)
        })
    }

    /// Returns true if the projection of `x` lies on the face, up to `slack`.
    pub(crate) fn covers(&self, x: &Vec3, slack: f64) -> bool {
        let Some((normal, _)) = self.plane else { return false };
        if let Some((centre, radius)) = self.disc {
            let r = x - centre;
            return (r - normal * r.dot(&normal)).norm() <= radius + slack;
        }
        self.edges().all(|(p, q, _, _)| {
            let inward = normal.cross(&(q - p));
            (x - p).dot(&inward) >= -slack * inward.norm()
        })
    }
}
