//! Small worlds for tests, and geometry written from the surfaces' equations alone.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use vinci_detector_implicit::{Config, Implicit};
use vinci_sdk::prelude::*;

pub type V = Vector3<f64>;

/// A shape of its own body.
#[derive(Debug, Clone)]
pub struct Solid {
    pub kind: ShapeKind,
    pub params: Vec<f64>,
    pub indices: Vec<u32>,
    pub fixed: bool,
}

pub fn solid(kind: ShapeKind, params: &[f64]) -> Solid {
    let fixed = matches!(kind, ShapeKind::HalfPlane | ShapeKind::HalfSpace);
    Solid { kind, params: params.to_vec(), indices: vec![], fixed }
}

/// Superellipsoid by its powers.
pub fn powers(a: f64, b: f64, c: f64, p1: f64, p2: f64) -> Solid {
    solid(ShapeKind::Superellipsoid, &[a, b, c, 2.0 / p1, 2.0 / p2])
}

pub fn ellipse(a: f64, b: f64, s: f64) -> Solid {
    solid(ShapeKind::Superellipse, &[a, b, s])
}

#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    pub key: ContactKey,
    pub gap: f64,
    pub n: V,
    pub a: V,
    pub b: V,
}

/// Builds the detector of bodies with one shape each.
pub fn create(space: Space, solids: &[Solid], config: &Config) -> Result<Implicit, StageError> {
    let names: Vec<String> = (0..solids.len()).map(|i| format!("body{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let still: Vec<u8> = solids.iter().map(|s| u8::from(s.fixed)).collect();
    let local: &[f64] = if space == Space::Planar { &[0.0; 3] } else { &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] };
    let view = |(i, s): (usize, &'_ Solid)| (i as u32, s.clone());
    let owned: Vec<(u32, Solid)> = solids.iter().enumerate().map(view).collect();
    let shapes: Vec<ShapeView<'_>> = owned
        .iter()
        .map(|(i, s)| ShapeView {
            kind: s.kind as u32,
            body: *i,
            pose: local,
            params: &s.params,
            indices: &s.indices,
        })
        .collect();
    let n = solids.len();
    let system = SystemView {
        space,
        body_names: &names,
        is_static: &still,
        shapes: &shapes,
        ignored_pairs: &[],
        nv: (n * space.nv()) as u32,
        nq: (n * space.nq()) as u32,
        ..SystemView::NOTHING
    };
    Implicit::new(config, &system)
}

pub fn ask(detector: &mut Implicit, pose: &[f64], margin: f64, bodies: usize) -> Vec<Contact> {
    let margins = vec![margin; bodies];
    let raw = detector.detect(&DetectQuery { t: 0.0, pose, margin: &margins }).unwrap();
    let at = |x: &[f64], i: usize| V::new(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    (0..raw.len())
        .map(|i| Contact {
            key: raw.key[i],
            gap: raw.gap[i],
            n: at(raw.normal, i),
            a: at(raw.point_a, i),
            b: at(raw.point_b, i),
        })
        .collect()
}

/// The one contact of two bodies.
pub fn only(space: Space, solids: [&Solid; 2], pose: [&[f64]; 2]) -> Contact {
    let mut detector = create(space, &solids.map(Clone::clone), &Config::default()).unwrap();
    let found = ask(&mut detector, &pose.concat(), 1e3, 2);
    assert_eq!(found.len(), 1, "{solids:?} {pose:?}");
    found[0].clone()
}

/// SplitMix64.
pub struct Dice(pub u64);

impl Dice {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn vector(&mut self) -> V {
        V::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }

    pub fn rotation(&mut self) -> UnitQuaternion<f64> {
        UnitQuaternion::new(self.vector() * 3.0)
    }

    /// 1 to 20, every size alike; one in eight exactly 1, 2 or 20.
    pub fn exponent(&mut self) -> f64 {
        match self.word() % 24 {
            0 => 1.0,
            1 => 2.0,
            2 => 20.0,
            _ => self.range(0.0, 20f64.ln()).exp(),
        }
    }
}

pub fn pose3(x: V, q: UnitQuaternion<f64>) -> [f64; 7] {
    [x.x, x.y, x.z, q.w, q.i, q.j, q.k]
}

/// Rotation and position of a pose.
pub fn place(pose: &[f64]) -> (Matrix3<f64>, V) {
    if pose.len() == 3 {
        let (s, c) = pose[2].sin_cos();
        return (Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), V::new(pose[0], pose[1], 0.0));
    }
    let q = nalgebra::Quaternion::new(pose[3], pose[4], pose[5], pose[6]);
    let q = UnitQuaternion::from_quaternion(q);
    (q.to_rotation_matrix().into_inner(), V::new(pose[0], pose[1], pose[2]))
}

fn norm(x: f64, y: f64, p: f64) -> f64 {
    let m = x.abs().max(y.abs());
    if m == 0.0 || p.is_infinite() {
        return m;
    }
    m * ((x.abs() / m).powf(p) + (y.abs() / m).powf(p)).powf(1.0 / p)
}

fn dual(p: f64) -> f64 {
    if p == 1.0 { f64::INFINITY } else { p / (p - 1.0) }
}

/// Half axes and powers [p1, p2] of either kind.
fn quadric(s: &Solid) -> (V, [f64; 2]) {
    let p = &s.params;
    match s.kind {
        ShapeKind::Superellipse => (V::new(p[0], p[1], 1.0), [2.0, p[2]]),
        _ => (V::new(p[0], p[1], p[2]), [2.0 / p[3], 2.0 / p[4]]),
    }
}

/// Support value in a local direction, by the dual norms.
pub fn height(s: &Solid, n: &V) -> f64 {
    let p = &s.params;
    match s.kind {
        ShapeKind::Disc | ShapeKind::Ball => p[0],
        ShapeKind::PlanarCapsule => p[0] * n.x.abs() + p[1],
        ShapeKind::Capsule => p[0] * n.z.abs() + p[1],
        ShapeKind::Box => p[0] * n.x.abs() + p[1] * n.y.abs() + p[2] * n.z.abs(),
        ShapeKind::Polygon => p.chunks(2).map(|c| c[0] * n.x + c[1] * n.y).fold(f64::MIN, f64::max),
        ShapeKind::ConvexHull => {
            p.chunks(3).map(|c| c[0] * n.x + c[1] * n.y + c[2] * n.z).fold(f64::MIN, f64::max)
        }
        _ => {
            let (half, [p1, p2]) = quadric(s);
            let section = norm(half.x * n.x, half.y * n.y, dual(p2));
            if s.kind == ShapeKind::Superellipse { section } else { norm(section, half.z * n.z, dual(p1)) }
        }
    }
}

/// The gauge of a local point: 1 on the surface, by the surface's equation (only superquadrics).
pub fn gauge(s: &Solid, x: &V) -> f64 {
    let (half, [p1, p2]) = quadric(s);
    let section = norm(x.x / half.x, x.y / half.y, p2);
    if s.kind == ShapeKind::Superellipse { section } else { norm(section, x.z / half.z, p1) }
}

/// f(n) = n·d − h₁(n) − h₂(−n).
pub fn slab(solids: [&Solid; 2], pose: [&[f64]; 2], n: &V) -> f64 {
    let ((r1, x1), (r2, x2)) = (place(pose[0]), place(pose[1]));
    n.dot(&(x2 - x1)) - height(solids[0], &r1.tr_mul(n)) - height(solids[1], &-r2.tr_mul(n))
}

/// How far a local point lies outside a shape: by the surface's equation, distances, half-planes; below 0 inside.
pub fn outside(s: &Solid, x: &V) -> f64 {
    let p = &s.params;
    match s.kind {
        ShapeKind::Disc | ShapeKind::Ball => x.norm() - p[0],
        ShapeKind::PlanarCapsule => (x - V::x() * x.x.clamp(-p[0], p[0])).norm() - p[1],
        ShapeKind::Capsule => (x - V::z() * x.z.clamp(-p[0], p[0])).norm() - p[1],
        ShapeKind::Box => (0..3).map(|k| x[k].abs() - p[k]).fold(f64::MIN, f64::max),
        ShapeKind::Polygon => (0..p.len() / 2)
            .map(|i| {
                let j = (i + 1) % (p.len() / 2);
                let edge = V::new(p[2 * j] - p[2 * i], p[2 * j + 1] - p[2 * i + 1], 0.0);
                V::new(edge.y, -edge.x, 0.0).normalize().dot(&(x - V::new(p[2 * i], p[2 * i + 1], 0.0)))
            })
            .fold(f64::MIN, f64::max),
        ShapeKind::ConvexHull => {
            let corner = |i: u32| V::from_column_slice(&p[3 * i as usize..3 * i as usize + 3]);
            let face = |t: &[u32]| {
                let [a, b, c] = [0, 1, 2].map(|k| corner(t[k]));
                (b - a).cross(&(c - a)).normalize().dot(&(x - a))
            };
            s.indices.chunks(3).map(face).fold(f64::MIN, f64::max)
        }
        _ => gauge(s, x) - 1.0,
    }
}

/// f of two placed shapes, by the dual norms, for many directions.
pub struct Slab<'a> {
    solids: [&'a Solid; 2],
    turned: [Matrix3<f64>; 2],
    d: V,
    planar: bool,
}

impl<'a> Slab<'a> {
    pub fn new(space: Space, solids: [&'a Solid; 2], pose: [&[f64]; 2]) -> Self {
        let ((r1, x1), (r2, x2)) = (place(pose[0]), place(pose[1]));
        Self { solids, turned: [r1, r2], d: x2 - x1, planar: space == Space::Planar }
    }

    pub fn at(&self, n: &V) -> f64 {
        let [r1, r2] = &self.turned;
        n.dot(&self.d) - height(self.solids[0], &r1.tr_mul(n)) - height(self.solids[1], &-r2.tr_mul(n))
    }

    /// Directions around n at an angle: two in the plane, `count` in space.
    fn around(&self, n: &V, angle: f64, turn: f64, count: usize) -> impl Iterator<Item = V> {
        let n = *n;
        let t1 =
            if self.planar { V::new(-n.y, n.x, 0.0) } else { n.cross(&V::ith(n.iamin(), 1.0)).normalize() };
        let t2 = if self.planar { V::zeros() } else { n.cross(&t1) };
        let count = if self.planar { 2 } else { count };
        let turn = if self.planar { 0.0 } else { turn };
        (0..count).map(move |k| {
            let a = turn + std::f64::consts::TAU * k as f64 / count as f64;
            (n + (t1 * a.cos() + t2 * a.sin()) * angle).normalize()
        })
    }

    /// The largest f on a ring around n: whether the optimum is sharp.
    pub fn ring(&self, n: &V, angle: f64) -> f64 {
        self.around(n, angle, 0.1, 12).map(|m| self.at(&m)).fold(f64::MIN, f64::max)
    }

    /// Evenly spread directions, then the best three that are apart from each other.
    fn scan(&self) -> [(f64, V); 3] {
        let count = if self.planar { 180 } else { 600 };
        let direction = |i: usize| {
            let angle = if self.planar {
                std::f64::consts::TAU * i as f64 / count as f64
            } else {
                2.399_963_229_728_653 * i as f64
            };
            let z = if self.planar { 0.0 } else { (2 * i + 1) as f64 / count as f64 - 1.0 };
            let rho = (1.0 - z * z).sqrt();
            V::new(rho * angle.cos(), rho * angle.sin(), z)
        };
        let mut all: Vec<(f64, V)> = (0..count).map(direction).map(|n| (self.at(&n), n)).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut best = [all[0]; 3];
        for k in 1..3 {
            let known = best;
            let far = |x: &&(f64, V)| known[..k].iter().all(|b| b.1.dot(&x.1) < 0.96);
            best[k] = *all.iter().find(far).expect("the sphere is larger");
        }
        best
    }

    /// Finer and finer patches of 7 by 7 directions (7 in the plane) around the best so far, down to a half width `least`.
    fn refine(&self, (mut f, mut n): (f64, V), mut width: f64, least: f64) -> (f64, V) {
        while width > least {
            let t1 = if self.planar {
                V::new(-n.y, n.x, 0.0)
            } else {
                n.cross(&V::ith(n.iamin(), 1.0)).normalize()
            };
            let (t2, centre) = (n.cross(&t1), n);
            for k in 0..if self.planar { 7 } else { 49 } {
                let (x, y) =
                    (f64::from(k % 7 - 3) / 3.0, if self.planar { 0.0 } else { f64::from(k / 7 - 3) / 3.0 });
                let m = (centre + (t1 * x + t2 * y) * width).normalize();
                let g = self.at(&m);
                if g > f {
                    (f, n) = (g, m);
                }
            }
            width *= 0.45;
        }
        (f, n)
    }

    /// The signed gap from below, on three levels: a dense scan, patches around its best, and the best of these and whatever
    /// comes near it elsewhere refined to the end.
    pub fn oracle(&self, known: &V) -> (f64, V) {
        let refined = self.scan().map(|x| self.refine(x, if self.planar { 0.02 } else { 0.08 }, 4e-3));
        let top = refined.iter().map(|x| x.0).fold(f64::MIN, f64::max);
        let fine = |x: (f64, V)| {
            let rival = top - x.0 < 1e-2 && x.1.dot(known) < 0.999;
            if x.0 == top || rival { self.refine(x, 4e-3, 1e-8) } else { x }
        };
        refined.map(fine).into_iter().fold((f64::MIN, V::zeros()), |b, x| if x.0 > b.0 { x } else { b })
    }
}
