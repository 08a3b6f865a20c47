//! A small scene builder and readers of the answer.
#![allow(dead_code, unreachable_pub)]

use nalgebra::{UnitQuaternion, Vector3};
use vinci_detector_parry::{Config, Parry};
use vinci_sdk::core::contact::ContactKey;
use vinci_sdk::core::error::StageError;
use vinci_sdk::core::model::{ShapeKind, ShapeView, Space, SystemView};
use vinci_sdk::core::stage::{DetectQuery, Detector};

pub type V = Vector3<f64>;
pub const IDENTITY: [f64; 7] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

#[derive(Clone, Debug)]
pub struct Shape {
    pub kind: u32,
    pub body: u32,
    pub pose: Vec<f64>,
    pub params: Vec<f64>,
    pub indices: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub names: Vec<String>,
    pub is_static: Vec<u8>,
    pub shapes: Vec<Shape>,
    pub ignored: Vec<u32>,
    pub planar: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    pub key: ContactKey,
    pub gap: f64,
    pub n: V,
    pub a: V,
    pub b: V,
}

impl Scene {
    /// A body with one shape at its origin.
    pub fn body(mut self, name: &str, is_static: bool, kind: ShapeKind, params: &[f64]) -> Self {
        self.names.push(name.to_owned());
        self.is_static.push(u8::from(is_static));
        let body = self.names.len() as u32 - 1;
        self.shapes.push(Shape {
            kind: kind as u32,
            body,
            pose: IDENTITY.to_vec(),
            params: params.to_vec(),
            indices: vec![],
        });
        self
    }

    pub fn mesh(self, name: &str, is_static: bool, params: &[f64], indices: &[u32]) -> Self {
        let mut s = self.body(name, is_static, ShapeKind::TriMesh, params);
        s.shapes.last_mut().unwrap().indices = indices.to_vec();
        s
    }

    /// Pose of the last shape in its body.
    pub fn at(mut self, pose: [f64; 7]) -> Self {
        self.shapes.last_mut().unwrap().pose = pose.to_vec();
        self
    }

    pub fn detector(&self) -> Result<Parry, StageError> {
        self.detector_with(&Config::default())
    }

    pub fn detector_with(&self, config: &Config) -> Result<Parry, StageError> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let shapes: Vec<ShapeView<'_>> = self
            .shapes
            .iter()
            .map(|s| ShapeView {
                kind: s.kind,
                body: s.body,
                pose: &s.pose,
                params: &s.params,
                indices: &s.indices,
            })
            .collect();
        let n = self.names.len() as u32;
        Parry::new(
            config,
            &SystemView {
                space: if self.planar { Space::Planar } else { Space::Spatial },
                body_names: &names,
                is_static: &self.is_static,
                shapes: &shapes,
                ignored_pairs: &self.ignored,
                nv: 6 * n,
                nq: 7 * n,
                ..SystemView::NOTHING
            },
        )
    }

    /// Contacts at poses with one margin for all bodies.
    pub fn contacts(&self, poses: &[[f64; 7]], margin: f64) -> Vec<Contact> {
        ask(&mut self.detector().unwrap(), poses, margin)
    }
}

pub fn ask(detector: &mut Parry, poses: &[[f64; 7]], margin: f64) -> Vec<Contact> {
    let pose = poses.concat();
    let margin = vec![margin; poses.len()];
    let raw = detector.detect(&DetectQuery { t: 0.0, pose: &pose, margin: &margin }).unwrap();
    let v = |s: &[f64], i: usize| V::new(s[3 * i], s[3 * i + 1], s[3 * i + 2]);
    let all: Vec<Contact> = (0..raw.len())
        .map(|i| Contact {
            key: raw.key[i],
            gap: raw.gap[i],
            n: v(raw.normal, i),
            a: v(raw.point_a, i),
            b: v(raw.point_b, i),
        })
        .collect();
    check(&all);
    all
}

/// What holds for every answer: unit normals, the definition of the gap, points along the normal, sorted unique keys.
pub fn check(all: &[Contact]) {
    for c in all {
        assert!((c.n.norm() - 1.0).abs() < 1e-12, "normal {:?}", c);
        assert!((c.n.dot(&(c.b - c.a)) - c.gap).abs() < 1e-12 * (1.0 + c.a.norm()), "gap {:?}", c);
        assert!(c.key.shape_a < c.key.shape_b);
    }
    assert!(all.windows(2).all(|w| w[0].key < w[1].key), "keys not sorted and unique: {all:?}");
}

pub fn shift(x: f64, y: f64, z: f64) -> [f64; 7] {
    [x, y, z, 1.0, 0.0, 0.0, 0.0]
}

pub fn pose(p: V, q: UnitQuaternion<f64>) -> [f64; 7] {
    [p.x, p.y, p.z, q.w, q.i, q.j, q.k]
}

pub fn turn(axis: V, angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::new(axis.normalize() * angle)
}

pub fn parts(p: &[f64; 7]) -> (V, UnitQuaternion<f64>) {
    let q = nalgebra::Quaternion::new(p[3], p[4], p[5], p[6]);
    (V::new(p[0], p[1], p[2]), UnitQuaternion::new_normalize(q))
}

/// Moved by velocity (v, ω) in world axes for a time h.
pub fn moved(p: &[f64; 7], v: &V, w: &V, h: f64) -> [f64; 7] {
    let (x, q) = parts(p);
    pose(x + v * h, UnitQuaternion::new(w * h) * q)
}

/// A small deterministic generator (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.next()
    }

    pub fn vector(&mut self) -> V {
        V::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }

    pub fn rotation(&mut self) -> UnitQuaternion<f64> {
        UnitQuaternion::new(self.vector() * 3.0)
    }
}

/// Support function of a shape in its own frame, written out again independently of the detector.
pub fn support(kind: ShapeKind, p: &[f64], d: &V) -> V {
    let rho = d.x.hypot(d.y).max(1e-300);
    let rim = |r: f64, z: f64| V::new(d.x / rho * r, d.y / rho * r, z);
    match kind {
        ShapeKind::Ball => d.normalize() * p[0],
        ShapeKind::Box => V::new(p[0].copysign(d.x), p[1].copysign(d.y), p[2].copysign(d.z)),
        ShapeKind::Capsule => V::z() * p[0].copysign(d.z) + d.normalize() * p[1],
        ShapeKind::Cylinder => rim(p[1], p[0].copysign(d.z)),
        ShapeKind::Cone => {
            let (apex, base) = (V::z() * p[0], rim(p[1], -p[0]));
            if apex.dot(d) > base.dot(d) { apex } else { base }
        }
        ShapeKind::ConvexHull => p
            .chunks_exact(3)
            .map(V::from_column_slice)
            .fold(V::zeros(), |b, q| if b == V::zeros() || q.dot(d) > b.dot(d) { q } else { b }),
        _ => unreachable!(),
    }
}
