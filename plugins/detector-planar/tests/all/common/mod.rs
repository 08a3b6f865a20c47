//! Small worlds for tests, and the promises every answer must keep.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use vinci_detector_planar::PlanarDetector;
use vinci_sdk::prelude::*;

/// A contact in the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    pub key: ContactKey,
    pub gap: f64,
    pub n: [f64; 2],
    pub a: [f64; 2],
    pub b: [f64; 2],
}

/// Bodies with shapes.
#[derive(Debug, Clone, Default)]
pub struct World {
    pub names: Vec<String>,
    pub is_static: Vec<u8>,
    pub shapes: Vec<(ShapeKind, u32, [f64; 3], Vec<f64>)>,
    pub ignored: Vec<u32>,
}

pub const NO_POSE: [f64; 3] = [0.0; 3];

impl World {
    pub fn body(&mut self, name: &str, shapes: &[(ShapeKind, [f64; 3], Vec<f64>)]) -> &mut Self {
        let body = self.names.len() as u32;
        self.names.push(name.into());
        self.is_static.push(0);
        self.shapes.extend(shapes.iter().map(|(k, pose, p)| (*k, body, *pose, p.clone())));
        self
    }

    pub fn fixed(&mut self) -> &mut Self {
        *self.is_static.last_mut().unwrap() = 1;
        self
    }

    pub fn one(&mut self, name: &str, shape: (ShapeKind, Vec<f64>)) -> &mut Self {
        self.body(name, &[(shape.0, NO_POSE, shape.1)])
    }

    pub fn create(&self, options: &str) -> Result<PlanarDetector, StageError> {
        self.create_in(options, Space::Planar)
    }

    pub fn create_in(&self, options: &str, space: Space) -> Result<PlanarDetector, StageError> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let shapes: Vec<ShapeView<'_>> = self
            .shapes
            .iter()
            .map(|(kind, body, pose, params)| ShapeView {
                kind: *kind as u32,
                body: *body,
                pose,
                params,
                indices: &[],
            })
            .collect();
        PlanarDetector::create(
            options,
            &SystemView {
                space,
                body_names: &names,
                is_static: &self.is_static,
                shapes: &shapes,
                ignored_pairs: &self.ignored,
                nv: 3 * names.len() as u32,
                nq: 3 * names.len() as u32,
                ..SystemView::NOTHING
            },
        )
    }

    /// Contacts at the poses with one margin for all bodies.
    pub fn at(&self, pose: &[[f64; 3]], margin: f64) -> Vec<Contact> {
        let mut detector = self.create("{}").unwrap();
        detect(&mut detector, pose, margin)
    }
}

/// Contacts, after checking what every answer promises.
pub fn detect(detector: &mut PlanarDetector, pose: &[[f64; 3]], margin: f64) -> Vec<Contact> {
    let (flat, margins) = (pose.concat(), vec![margin; pose.len()]);
    let raw = detector.detect(&DetectQuery { t: 0.0, pose: &flat, margin: &margins }).unwrap();
    let n = raw.len();
    assert_eq!(
        [raw.gap.len(), raw.normal.len(), raw.point_a.len(), raw.point_b.len()],
        [n, 3 * n, 3 * n, 3 * n]
    );
    assert!(raw.group.is_empty());
    assert!(raw.key.windows(2).all(|k| k[0] < k[1]), "keys must be sorted and unique: {:?}", raw.key);
    let take = |x: &[f64], i: usize| {
        assert_eq!(x[3 * i + 2], 0.0, "planar points and normals have z = 0");
        [x[3 * i], x[3 * i + 1]]
    };
    (0..n)
        .map(|i| {
            let c = Contact {
                key: raw.key[i],
                gap: raw.gap[i],
                n: take(raw.normal, i),
                a: take(raw.point_a, i),
                b: take(raw.point_b, i),
            };
            promise(&c, 2.0 * margin, pose);
            c
        })
        .collect()
}

fn promise(c: &Contact, reach: f64, pose: &[[f64; 3]]) {
    let scale = 1.0 + pose.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(c.key.shape_a < c.key.shape_b, "{c:?}");
    assert!((c.n[0].hypot(c.n[1]) - 1.0).abs() < 1e-14, "{c:?}");
    assert!((dot(c.n, [c.b[0] - c.a[0], c.b[1] - c.a[1]]) - c.gap).abs() < 1e-13 * scale, "{c:?}");
    // Points lie opposite each other: nothing of β − α is tangential.
    assert!(cross(c.n, [c.b[0] - c.a[0], c.b[1] - c.a[1]]).abs() < 1e-12 * scale, "{c:?}");
    assert!(c.gap <= reach, "{c:?}");
}

pub fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

pub fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

pub fn disc(r: f64) -> (ShapeKind, Vec<f64>) {
    (ShapeKind::Disc, vec![r])
}

pub fn capsule(half: f64, r: f64) -> (ShapeKind, Vec<f64>) {
    (ShapeKind::PlanarCapsule, vec![half, r])
}

pub fn half_plane() -> (ShapeKind, Vec<f64>) {
    (ShapeKind::HalfPlane, vec![])
}

pub fn segment(p: [f64; 2], q: [f64; 2]) -> (ShapeKind, Vec<f64>) {
    (ShapeKind::Segment, vec![p[0], p[1], q[0], q[1]])
}

/// Box with half sides a, b; corners from the lower left on, so edges: bottom 1, right 3, top 5, left 7.
pub fn rect(a: f64, b: f64) -> (ShapeKind, Vec<f64>) {
    (ShapeKind::Polygon, vec![-a, -b, a, -b, a, b, -a, b])
}

pub fn polygon(x: &[[f64; 2]]) -> (ShapeKind, Vec<f64>) {
    (ShapeKind::Polygon, x.concat())
}

/// An L: floor [0, 3] × [0, 1], wall [0, 1] × [0, 3]; the notch is corner 3 at (1, 1), edge 5 its floor, edge 7 its wall.
pub fn ell() -> (ShapeKind, Vec<f64>) {
    polygon(&[[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]])
}

/// Two bodies with one shape each.
pub fn pair(a: (ShapeKind, Vec<f64>), b: (ShapeKind, Vec<f64>)) -> World {
    let mut w = World::default();
    w.one("a", a).one("b", b);
    w
}

/// SplitMix64: numbers for tests, the same on every machine.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn pose(&mut self, span: f64) -> [f64; 3] {
        [self.within(-span, span), self.within(-span, span), self.within(-3.2, 3.2)]
    }

    /// Corners of a convex polygon: sorted angles on a squeezed circle.
    pub fn convex(&mut self) -> Vec<[f64; 2]> {
        let k = 3 + self.below(6);
        let squeeze = self.within(0.15, 1.0);
        loop {
            let mut angle: Vec<f64> = (0..k).map(|_| self.within(0.0, std::f64::consts::TAU)).collect();
            angle.sort_by(f64::total_cmp);
            let gaps = (0..k).map(|i| (angle[(i + 1) % k] - angle[i]).rem_euclid(std::f64::consts::TAU));
            if gaps.fold(f64::INFINITY, f64::min) > 0.1 {
                return angle.iter().map(|a| [a.cos(), squeeze * a.sin()]).collect();
            }
        }
    }

    /// Corners of a star-shaped polygon with notches.
    pub fn star(&mut self) -> Vec<[f64; 2]> {
        let k = 5 + self.below(8);
        (0..k)
            .map(|i| {
                let a = std::f64::consts::TAU * i as f64 / k as f64;
                let r = self.within(0.25, 1.0);
                [r * a.cos(), r * a.sin()]
            })
            .collect()
    }
}

/// Points moved by a pose (x, y, θ).
pub fn moved(x: &[[f64; 2]], pose: [f64; 3]) -> Vec<[f64; 2]> {
    let (s, c) = pose[2].sin_cos();
    x.iter().map(|p| [c * p[0] - s * p[1] + pose[0], s * p[0] + c * p[1] + pose[1]]).collect()
}
