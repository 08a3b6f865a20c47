//! Shapes for tests, and a generator of numbers.
#![allow(unreachable_pub)]

use nalgebra::{UnitQuaternion, Vector3};
use vinci_core::geometry::{Frame, Shapes, Solid};
use vinci_core::model::{ShapeKind, ShapeView, Space, SystemView};

pub type V = Vector3<f64>;

pub struct Shape {
    pub kind: ShapeKind,
    pub body: u32,
    pub params: Vec<f64>,
    pub indices: Vec<u32>,
    pub pose: Vec<f64>,
}

pub fn shape(kind: ShapeKind, params: &[f64]) -> Shape {
    let planar = (kind as u32) < 100;
    let pose = if planar { vec![0.0; 3] } else { vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] };
    Shape { kind, body: 0, params: params.to_vec(), indices: vec![], pose }
}

impl Shape {
    pub fn of(mut self, body: u32) -> Self {
        self.body = body;
        self
    }

    pub fn view(&self) -> ShapeView<'_> {
        ShapeView {
            kind: self.kind as u32,
            body: self.body,
            pose: &self.pose,
            params: &self.params,
            indices: &self.indices,
        }
    }

    pub fn solid(&self) -> Solid {
        let space = if self.pose.len() == 3 { Space::Planar } else { Space::Spatial };
        Solid::new(space, &self.view()).unwrap()
    }
}

/// Shapes of bodies, body 0 static.
pub fn shapes(space: Space, list: &[Shape]) -> Shapes {
    let views: Vec<ShapeView<'_>> = list.iter().map(Shape::view).collect();
    let n = list.iter().map(|s| s.body + 1).max().unwrap();
    let is_static: Vec<u8> = (0..n).map(|b| u8::from(b == 0)).collect();
    Shapes::of_view(&SystemView {
        space,
        body_names: &[],
        is_static: &is_static,
        shapes: &views,
        ignored_pairs: &[],
        nv: 0,
        nq: 0,
        ..SystemView::NOTHING
    })
}

pub fn rect(a: f64, b: f64) -> Shape {
    shape(ShapeKind::Polygon, &[-a, -b, a, -b, a, b, -a, b])
}

/// A closed box as a mesh.
pub fn box_mesh(half: [f64; 3]) -> Shape {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] });
    let params: Vec<f64> = (0..8).flat_map(corner).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let indices = quads.iter().flat_map(|q: &[u32; 4]| [q[0], q[1], q[2], q[0], q[2], q[3]]).collect();
    Shape { indices, ..shape(ShapeKind::TriMesh, &params) }
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

    pub fn unit(&mut self) -> V {
        loop {
            let v = self.vector();
            if v.norm() > 0.1 && v.norm() <= 1.0 {
                return v.normalize();
            }
        }
    }

    pub fn turn(&mut self) -> UnitQuaternion<f64> {
        UnitQuaternion::new(self.unit() * self.range(-3.0, 3.0))
    }

    pub fn frame(&mut self, space: Space, span: f64) -> Frame {
        let x = self.vector() * span;
        match space {
            Space::Planar => Frame::of_pose(space, &[x.x, x.y, self.range(-3.0, 3.0)]),
            Space::Spatial => Frame { at: x, turn: self.turn().to_rotation_matrix().into_inner() },
        }
    }
}

pub fn pose3(x: V, q: UnitQuaternion<f64>) -> [f64; 7] {
    [x.x, x.y, x.z, q.w, q.i, q.j, q.k]
}

/// One of every convex bounded kind of the plane.
pub fn planar_convex() -> Vec<Shape> {
    vec![
        shape(ShapeKind::Disc, &[0.4]),
        shape(ShapeKind::PlanarCapsule, &[0.5, 0.2]),
        shape(ShapeKind::Segment, &[-0.5, 0.1, 0.6, 0.3]),
        shape(ShapeKind::Superellipse, &[0.6, 0.3, 4.0]),
        shape(ShapeKind::Superellipse, &[0.6, 0.4, 1.3]),
        rect(0.5, 0.2),
        shape(ShapeKind::Polygon, &[0.0, 0.0, 0.7, 0.1, 0.4, 0.6]),
    ]
}

/// One of every convex bounded kind of space.
pub fn spatial_convex() -> Vec<Shape> {
    let hull = [0.5, 0.0, 0.0, -0.4, 0.1, 0.0, 0.0, 0.6, 0.1, 0.1, -0.3, 0.2, 0.0, 0.1, 0.7, 0.1, 0.0, -0.4];
    vec![
        shape(ShapeKind::Ball, &[0.4]),
        shape(ShapeKind::Box, &[0.5, 0.2, 0.3]),
        shape(ShapeKind::Capsule, &[0.5, 0.2]),
        shape(ShapeKind::Cylinder, &[0.3, 0.4]),
        shape(ShapeKind::Cone, &[0.5, 0.4]),
        shape(ShapeKind::ConvexHull, &hull),
        shape(ShapeKind::Superellipsoid, &[0.5, 0.3, 0.4, 0.5, 1.0]),
        shape(ShapeKind::Superellipsoid, &[0.5, 0.3, 0.4, 1.5, 1.8]),
    ]
}

pub fn scaled(shape: &Shape, k: f64) -> Shape {
    let lengths = match shape.kind {
        ShapeKind::Superellipse => 2,
        ShapeKind::Superellipsoid => 3,
        _ => shape.params.len(),
    };
    let size = |(i, x): (usize, &f64)| if i < lengths { x * k } else { *x };
    let params = shape.params.iter().enumerate().map(size).collect();
    Shape { params, pose: shape.pose.clone(), indices: shape.indices.clone(), ..*shape }
}
