//! Bodies, shapes and poses in the form of the page.

use nalgebra::Vector3;
use serde_json::{Value, json};
use vinci_core::geometry::convex_hull;
use vinci_core::model::{Anchor, Frames, MotionSource, Shape, ShapeKind, System};

use super::run_files::{RunFiles, State};
use super::{Block, rods};

/// Beyond this distance from the world's origin positions are told from another origin, m: singles have seven digits.
const FAR: f64 = 1e3;

/// Numbers of a shape that stand in the header; longer lists go to the block.
const SHORT: usize = 16;

/// Where everything stands in the frames that are kept.
pub(super) struct Shown {
    pub(super) origin: [f64; 3],
    pub(super) bodies: Vec<Value>,
    pub(super) lines: Vec<Value>,
    pub(super) pose: Vec<f64>,
}

/// Poses of the moving bodies, frame by frame.
pub(super) fn frames(run: &RunFiles, states: &[State], kept: &[usize]) -> Shown {
    let system = &run.system;
    let mut frames = Frames::default();
    let moving: Vec<u32> =
        (0..system.bodies.len() as u32).filter(|b| system.motion_source(*b) != MotionSource::Fixed).collect();
    let mut pose = Vec::new();
    let mut origin = [0.0; 3];
    for (at, &k) in kept.iter().enumerate() {
        system.place(&states[k].q, &mut frames);
        if at == 0 {
            origin = origin_of(&moving, &frames);
        }
        moving.iter().for_each(|&body| pose.extend(relative(system, frames.pose(body), &origin)));
    }
    let bodies =
        (0..system.bodies.len() as u32).map(|body| told(system, body, &moving, &frames, &origin)).collect();
    Shown { bodies, lines: lines(system, &origin), pose, origin }
}

/// The middle of the moving bodies in whole metres where it is far, else the world's origin.
fn origin_of(moving: &[u32], frames: &Frames) -> [f64; 3] {
    let sum: Vector3<f64> = moving.iter().map(|&body| frames.centre(body)).sum();
    let middle = sum / moving.len().max(1) as f64;
    std::array::from_fn(|k| if middle[k].abs() > FAR { middle[k].round() } else { 0.0 })
}

fn relative<'a>(system: &System, pose: &'a [f64], origin: &[f64; 3]) -> impl Iterator<Item = f64> + use<'a> {
    let (dim, origin) = (system.space.dim(), *origin);
    pose.iter().enumerate().map(move |(k, x)| if k < dim { x - origin[k] } else { *x })
}

fn told(system: &System, body: u32, moving: &[u32], frames: &Frames, origin: &[f64; 3]) -> Value {
    let own = &system.bodies[body as usize];
    match moving.iter().position(|b| *b == body) {
        Some(slot) if own.is_held() => json!({ "name": own.name, "slot": slot, "held": true }),
        Some(slot) if matches!(system.motion_source(body), MotionSource::Link { .. }) => {
            json!({ "name": own.name, "slot": slot, "link": true })
        }
        Some(slot) => json!({ "name": own.name, "slot": slot }),
        None => {
            let pose: Vec<f64> = relative(system, frames.pose(body), origin).collect();
            json!({ "name": own.name, "pose": pose })
        }
    }
}

fn lines(system: &System, origin: &[f64; 3]) -> Vec<Value> {
    let end = |anchor: Anchor| match anchor {
        Anchor::Body(body, point) => (json!(body), [point.x, point.y, point.z]),
        Anchor::World(p) => (Value::Null, std::array::from_fn(|k| p[k] - origin[k])),
    };
    let line = |ends: [Anchor; 2]| {
        let [(a, p), (b, q)] = ends.map(end);
        json!({ "bodies": [a, b], "points": [p, q] })
    };
    rods(system).into_iter().map(line).collect()
}

/// All shapes.
pub(super) fn shapes(run: &RunFiles, block: &mut Block) -> Vec<Value> {
    run.system.shapes.iter().map(|shape| of_shape(shape, block)).collect()
}

fn of_shape(shape: &Shape, block: &mut Block) -> Value {
    let hull = || {
        let points: Vec<_> = shape.params.chunks_exact(3).map(Vector3::from_column_slice).collect();
        convex_hull(&points).unwrap_or_default().concat()
    };
    let indices = if shape.kind == ShapeKind::ConvexHull { hull() } else { shape.indices.clone() };
    let long = |block: &mut Block, numbers: &[f64]| match numbers.len() {
        0..=SHORT => json!(numbers),
        _ => block.f32(numbers),
    };
    let params = long(block, &shape.params);
    let indices = if indices.len() <= SHORT { json!(indices) } else { block.u32(&indices) };
    json!({ "body": shape.body, "kind": name(shape.kind), "pose": shape.pose, "params": params, "indices": indices })
}

/// Name of a kind as the page knows it.
fn name(kind: ShapeKind) -> &'static str {
    match kind {
        ShapeKind::Disc => "disc",
        ShapeKind::PlanarCapsule => "planar-capsule",
        ShapeKind::Polygon => "polygon",
        ShapeKind::HalfPlane => "half-plane",
        ShapeKind::Segment => "segment",
        ShapeKind::Superellipse => "superellipse",
        ShapeKind::Ball => "ball",
        ShapeKind::Box => "box",
        ShapeKind::Capsule => "capsule",
        ShapeKind::Cylinder => "cylinder",
        ShapeKind::Cone => "cone",
        ShapeKind::ConvexHull => "convex-hull",
        ShapeKind::TriMesh => "tri-mesh",
        ShapeKind::HalfSpace => "half-space",
        ShapeKind::Superellipsoid => "superellipsoid",
        // The page tells of kinds that it cannot draw.
        _ => "unknown",
    }
}
