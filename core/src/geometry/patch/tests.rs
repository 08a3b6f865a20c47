use super::nodes::{GRID, MOST};
use super::*;
use crate::contact::{ContactKey, DetectedContacts};
use crate::model::{Body, Material, MaterialTable, Parts, Shape, ShapeKind};
use crate::model::{DofRole, MassProperties};
use nalgebra::Matrix3;

fn body(name: &str, is_static: bool) -> Body {
    Body {
        name: name.into(),
        mass: MassProperties { mass: 1.0, inertia: Matrix3::identity() },
        is_static,
        role: vec![DofRole::Free; 6],
        impedance: vec![0.0; 6],
        motion: None,
        drag: vec![0.0; 6],
        damping: vec![0.0; 6],
        gravity: true,
    }
}

/// Bodies of one shape each, of which only the last moves; it meets all others in patches of cells of this side.
fn system<const N: usize>(kinds: [(ShapeKind, &[f64]); N], cell: f64) -> System {
    let shape = |(body, (kind, params)): (usize, (ShapeKind, &[f64]))| Shape {
        kind,
        body: body as u32,
        material: 0,
        pose: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        params: params.to_vec(),
        indices: vec![],
    };
    let last = N as u32 - 1;
    let law = |a| PatchLaw { bodies: (a, last), cell, stiffness: 1e9, damping: 1e3 };
    let materials = MaterialTable {
        materials: vec![Material::rigid("default", 0.5)],
        patches: (0..last).map(law).collect(),
        ..MaterialTable::default()
    };
    System::new(Parts {
        bodies: (0..=last).map(|k| body(&format!("body {k}"), k < last)).collect(),
        shapes: kinds.into_iter().enumerate().map(shape).collect(),
        materials,
        initial_pose: vec![vec![0.0; 7]; N],
        initial_velocity: vec![vec![0.0; 6]; N],
        ..Parts::empty(Space::Spatial, Vector3::zeros())
    })
    .unwrap()
}

/// The nodes of the second body at a pose over the first at the origin, from one contact with the normal z.
fn nodes(system: &System, pose: [f64; 7], gap: f64, margin: f64) -> (DetectedContacts, Vec<f64>) {
    let mut poses = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    poses.extend(pose);
    let mut raw = DetectedContacts::default();
    raw.push([0, 1], [0, 0], gap, [Vector3::z(), Vector3::zeros(), Vector3::z() * gap], 0);
    let mut patches = Patches::new(system);
    let raw = raw.view();
    let (found, cell) = patches.refine(system, (&poses, &[margin, 0.0]), &[0.0; 2], &raw).unwrap();
    let mut out = DetectedContacts::default();
    out.take(&found);
    (out, cell.to_vec())
}

const LEVEL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
const QUARTER: [f64; 4] = [std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];

fn at(x: f64, y: f64, z: f64, [w, i, j, k]: [f64; 4]) -> [f64; 7] {
    [x, y, z, w, i, j, k]
}

/// A ball that is pressed in deep has nodes all over the circle: beyond half its radius they were left out, 27 % of the force at 0.3 R.
#[test]
fn a_ball_that_is_pressed_in_deep_has_all_its_nodes() {
    let (radius, cell) = (0.1, 4e-3);
    let system = system([(ShapeKind::HalfSpace, &[]), (ShapeKind::Ball, &[radius])], cell);
    for depth in [0.013, 0.016, 0.03, 0.05] {
        let (found, _) = nodes(&system, at(0.0003, 0.0002, radius - depth, LEVEL), -depth, 1e-4);
        let volume: f64 = found.view().gap.iter().map(|gap| -gap.min(0.0) * cell * cell).sum();
        let exact = std::f64::consts::PI * (radius * depth * depth - depth.powi(3) / 3.0);
        assert!((volume / exact - 1.0).abs() < 5e-3, "{depth}: {volume} of {exact}");
    }
}

#[test]
fn a_ball_has_its_height_over_every_cell_of_the_plane() {
    let (radius, cell) = (0.1, 1e-3);
    let system = system([(ShapeKind::HalfSpace, &[]), (ShapeKind::Ball, &[radius])], cell);
    let (found, side) = nodes(&system, at(0.2503, -0.1, 0.0995, LEVEL), -5e-4, 1e-4);
    let raw = found.view();
    // ρ² ≤ R² − (z − reach)².
    let most = radius * radius - (0.0995_f64 - 1e-4).powi(2);
    let expected = std::f64::consts::PI * most / (cell * cell);
    assert!((raw.len() as f64 / expected - 1.0).abs() < 0.02, "{} of {expected}", raw.len());
    for i in 0..raw.len() {
        let (a, b) = (&raw.point_a[3 * i..][..3], &raw.point_b[3 * i..][..3]);
        assert!((a[0] / cell - (a[0] / cell).round()).abs() < 1e-9 && a[2] == 0.0, "{a:?}");
        let off = Vector3::new(b[0] - 0.2503, b[1] + 0.1, b[2] - 0.0995).norm() - radius;
        assert!(off.abs() < 1e-15 && (b[2] - raw.gap[i]).abs() < 1e-15 && raw.gap[i] <= 1e-4);
        assert_eq!(side[i], cell);
    }
    // A cell keeps its identity as the ball moves on.
    let (later, _) = nodes(&system, at(0.2511, -0.1, 0.0995, LEVEL), -5e-4, 1e-4);
    let later = later.view();
    let same = |i: usize| later.key.iter().position(|k| *k == raw.key[i]);
    let kept: Vec<_> = (0..raw.len()).filter_map(|i| Some((i, same(i)?))).collect();
    assert!(kept.len() > raw.len() * 9 / 10);
    for (i, j) in kept {
        assert_eq!(raw.point_a[3 * i..][..2], later.point_a[3 * j..][..2]);
    }
}

#[test]
fn a_face_is_divided_into_equal_cells_that_have_its_area() {
    let system = system([(ShapeKind::HalfSpace, &[]), (ShapeKind::Box, &[0.05, 0.03, 0.02])], 0.011);
    let turn = (0.3_f64 / 2.0).sin_cos();
    let (found, side) = nodes(&system, at(0.1, 0.2, 0.019, [turn.1, 0.0, 0.0, turn.0]), -1e-3, 0.0);
    let raw = found.view();
    // 100 mm by 60 mm in cells of at most 11 mm: 10 by 6.
    assert_eq!(raw.len(), 60);
    let area: f64 = side.iter().map(|s| s * s).sum();
    assert!((area - 0.1 * 0.06).abs() < 1e-15, "{area}");
    assert!(raw.gap.iter().all(|gap| (gap + 1e-3).abs() < 1e-15));
    let middle =
        (0..60).map(|i| Vector3::from_column_slice(&raw.point_b[3 * i..][..3])).sum::<Vector3<f64>>() / 60.0;
    assert!((middle - Vector3::new(0.1, 0.2, -1e-3)).norm() < 1e-15, "{middle}");
}

/// A prism of a regular hexagon: its cells share the face's area, whichever of them have their centres on it.
#[test]
fn cells_of_a_hexagon_have_its_area() {
    let corner = |k: usize| (std::f64::consts::FRAC_PI_3 * k as f64).sin_cos();
    let points: Vec<f64> = (0..12)
        .flat_map(|k| [0.05 * corner(k).1, 0.05 * corner(k).0, if k < 6 { 0.01 } else { -0.01 }])
        .collect();
    let system = system([(ShapeKind::Box, &[0.5, 0.5, 0.1]), (ShapeKind::ConvexHull, &points)], 0.004);
    let (found, side) = nodes(&system, at(0.0, 0.0, 0.1099, LEVEL), -1e-4, 0.0);
    let area: f64 = side.iter().map(|s| s * s).sum();
    let hexagon = 1.5 * 3_f64.sqrt() * 0.05 * 0.05;
    assert!((area - hexagon).abs() < 1e-15 && found.len() > 300, "{area} {hexagon} {}", found.len());
    // Half of it over the edge of the box below: the other half carries.
    let (half, side) = nodes(&system, at(0.5, 0.0, 0.1099, LEVEL), -1e-4, 0.0);
    let area: f64 = side.iter().map(|s| s * s).sum();
    assert!((area / hexagon - 0.5).abs() < 0.03, "{} {area}", half.len());
}

/// Area of nodes on one face of shape b, or on all, m².
fn area(found: &DetectedContacts, side: &[f64], face: Option<u32>) -> f64 {
    let raw = found.view();
    let is_on = |k: &ContactKey| face.is_none_or(|face| k.feature_b == GRID | face);
    (0..raw.len()).filter(|i| is_on(&raw.key[*i])).map(|i| side[i] * side[i]).sum()
}

/// A box that stands on an edge has the nodes of both faces that look downwards, with the areas that the ground sees.
#[test]
fn tilted_faces_have_nodes_with_the_areas_that_the_ground_sees() {
    let system = system([(ShapeKind::HalfSpace, &[]), (ShapeKind::Box, &[0.05, 0.05, 0.05])], 0.01);
    let turn = |angle: f64| [(angle / 2.0).cos(), (angle / 2.0).sin(), 0.0, 0.0];
    for tilt in [0.0, 0.05, 0.2, 0.78, 1.3] {
        let (sin, cos) = f64::sin_cos(tilt);
        let pose = at(0.0, 0.0, 0.05 * (cos + sin), turn(tilt));
        // The lowest row is there in any case, half a cell up its face.
        let (found, _) = nodes(&system, pose, 0.0, 0.0);
        let lowest = 0.005 * sin.min(if tilt > 0.0 { cos } else { 0.0 });
        assert_eq!(found.len(), if tilt > 0.0 { 10 } else { 100 }, "{tilt}");
        found.view().gap.iter().for_each(|gap| assert!((gap - lowest).abs() < 1e-15, "{tilt}: {gap}"));
        let (found, side) = nodes(&system, pose, 0.0, 1.0);
        let seen = area(&found, &side, None);
        assert!((seen - 0.01 * (cos + sin)).abs() < 1e-15, "{tilt}: {seen}");
    }
}

/// A blade that stands on its edge: its sides are tilted by 83°.
#[test]
fn a_blade_has_the_area_that_the_ground_sees() {
    let corners = [[0.0, -0.1], [0.0125, 0.0], [-0.0125, 0.0]];
    let points: Vec<f64> =
        corners.iter().flat_map(|[x, z]| [[*x, -0.05, *z], [*x, 0.05, *z]]).flatten().collect();
    let system = system([(ShapeKind::HalfSpace, &[]), (ShapeKind::ConvexHull, &points)], 0.01);
    let (found, side) = nodes(&system, at(0.0, 0.0, 0.1, LEVEL), 0.0, 1.0);
    let seen = area(&found, &side, None);
    assert!((seen - 0.025 * 0.1).abs() < 1e-15, "{seen}");
}

/// Corners that were rounded leave one face: triangles of one face took all nodes each.
#[test]
fn a_hull_with_rounded_corners_has_the_faces_that_it_had() {
    for noise in [0.0, 1e-9, 1e-7] {
        let corner = |k: usize| (std::f64::consts::FRAC_PI_6 * (k % 12) as f64).sin_cos();
        let off = |k: usize| noise * ((7 * k + 3) as f64).sin();
        let points: Vec<f64> = (0..24)
            .flat_map(|k| {
                let z = if k < 12 { 0.02 } else { -0.02 };
                [0.05 * corner(k).1 + off(k), 0.05 * corner(k).0 + off(k + 50), z + off(k + 100)]
            })
            .collect();
        let system = system([(ShapeKind::HalfSpace, &[]), (ShapeKind::ConvexHull, &points)], 0.005);
        let (found, side) = nodes(&system, at(0.0, 0.0, 0.019, LEVEL), -1e-3, 0.0);
        let polygon = 3.0 * 0.05 * 0.05;
        let seen = area(&found, &side, None);
        assert!((seen / polygon - 1.0).abs() < 1e-5 && found.len() > 250, "{noise}: {seen} {}", found.len());
    }
}

/// A box over the seam of two boxes has each of its cells on one of them: rows of cells above the seam counted twice.
#[test]
fn a_face_over_a_seam_has_its_area_once() {
    for (cell, turned) in [(0.02, LEVEL), (0.0334, LEVEL), (0.1, LEVEL), (0.02, QUARTER)] {
        let side: (ShapeKind, &[f64]) = (ShapeKind::Box, &[0.5, 0.5, 0.1]);
        let system = system([side, side, (ShapeKind::Box, &[0.05, 0.05, 0.05])], cell);
        let level = |x: f64, z: f64| [x, 0.0, z, 1.0, 0.0, 0.0, 0.0];
        let right = [0.5, 0.0, -0.1, turned[0], turned[1], turned[2], turned[3]];
        let poses = [level(-0.5, -0.1), right, level(0.0, 0.049)].concat();
        let mut raw = DetectedContacts::default();
        for side in [0, 1] {
            raw.push([side, 2], [0, 0], -1e-3, [Vector3::z(), Vector3::zeros(), -Vector3::z() * 1e-3], 0);
        }
        let raw = raw.view();
        let mut patches = Patches::new(&system);
        let (found, side) = patches.refine(&system, (&poses, &[0.0; 3]), &[0.0; 3], &raw).unwrap();
        let area: f64 = found.key.iter().zip(side).map(|(_, s)| s * s).sum();
        assert!((area - 0.01).abs() < 1e-15, "{cell}: {area}");
    }
}

/// A cube that stands on an edge beside the seam of two boxes, which may overlap: the detector's way out of the left one is through its flank, that
/// of the right one over the cube's face. All nodes have the normal of the surface, and each cell is there once.
#[test]
fn at_a_seam_the_ground_is_the_surface() {
    let side: (ShapeKind, &[f64]) = (ShapeKind::Box, &[0.5, 0.5, 0.1]);
    let system = system([side, side, (ShapeKind::Box, &[0.05, 0.05, 0.05])], 0.01);
    let (deep, angle) = (4e-3, 0.78_f64);
    let (sin, cos) = angle.sin_cos();
    let found = |overlap: f64, normals: [Vector3<f64>; 2]| {
        let level = |x: f64, z: f64| [x, 0.0, z, 1.0, 0.0, 0.0, 0.0];
        let up = 0.05 * (sin + cos) - deep;
        let cube = [2e-4, 0.0, up, (angle / 2.0).cos(), 0.0, (angle / 2.0).sin(), 0.0];
        let poses = [level(-0.5 + overlap, -0.1), level(0.5, -0.1), cube].concat();
        let mut raw = DetectedContacts::default();
        for (side, normal) in [(0, normals[0]), (1, normals[1])] {
            let at = Vector3::new(0.0, 0.0, -1e-3 * f64::from(1 - side));
            raw.push([side, 2], [0, 0], -2e-4, [normal, at, at], 0);
        }
        let raw = raw.view();
        let mut patches = Patches::new(&system);
        let (found, side) = patches.refine(&system, (&poses, &[1.0; 3]), &[0.0; 3], &raw).unwrap();
        let z = (0..found.len()).map(|i| found.normal[3 * i + 2]).fold(1.0, f64::min);
        (z, side.iter().map(|s| s * s).sum::<f64>())
    };
    let (flank, face) = (Vector3::x(), Vector3::new(sin, 0.0, cos));
    for overlap in [0.0, 0.3] {
        for normals in [[Vector3::z(); 2], [flank, face], [flank, Vector3::z()], [face, -flank]] {
            let (z, area) = found(overlap, normals);
            assert!(z > 1.0 - 1e-12, "{overlap} {normals:?}: {z}");
            assert!((area - 0.01 * (sin + cos)).abs() < 1e-15, "{overlap} {normals:?}: {area}");
        }
    }
}

/// A ball over the seam of two flush boxes has the nodes of one bed, half on each; over a step it has those of the side below its centre.
#[test]
fn a_ball_over_a_seam_has_nodes_on_both_sides() {
    let (radius, deep) = (0.1, 1e-3);
    let over = |lower: f64, x: f64| {
        let side: (ShapeKind, &[f64]) = (ShapeKind::Box, &[0.5, 0.5, 0.1]);
        let system = system([side, side, (ShapeKind::Ball, &[radius])], 0.002);
        let level = |x: f64, z: f64| [x, 0.0, z, 1.0, 0.0, 0.0, 0.0];
        let poses = [level(-0.5, -0.1), level(0.5, -0.1 - lower), level(x, radius - deep)].concat();
        let mut raw = DetectedContacts::default();
        for side in [0, 1] {
            raw.push([side, 2], [0, 0], -deep, [Vector3::z(), Vector3::zeros(), -Vector3::z() * deep], 0);
        }
        let raw = raw.view();
        let mut patches = Patches::new(&system);
        let (found, _) = patches.refine(&system, (&poses, &[0.0; 3]), &[0.0; 3], &raw).unwrap();
        [0, 1].map(|side| found.key.iter().filter(|k| k.shape_a == side).count())
    };
    let [left, right] = over(0.0, 0.0);
    assert!(left == right && left > 20, "{left} {right}");
    // A cell farther a row of nodes is on the other side.
    let [fewer, more] = over(0.0, 0.002);
    assert!(fewer < left && more > right, "{fewer} {more}");
    // Not flush, by half of the depth: one side has nodes, the other its contact.
    assert_eq!(over(5e-4, -0.0005)[1], 1);
    // A step of a tenth of the depth is none.
    for step in [5e-6, 1e-4] {
        let [left, right] = over(step, 0.0);
        assert!(left > 20 && right > 20, "{left} {right}");
    }
}

#[test]
fn a_grid_that_is_too_fine_is_refused() {
    let system = system([(ShapeKind::HalfSpace, &[]), (ShapeKind::Ball, &[0.1])], 1e-9);
    let mut raw = DetectedContacts::default();
    raw.push([0, 1], [0, 0], -1e-3, [Vector3::z(), Vector3::zeros(), -Vector3::z() * 1e-3], 0);
    let poses = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.099, 1.0, 0.0, 0.0, 0.0];
    let error = Patches::new(&system)
        .refine(&system, (&poses, &[0.0, 0.0]), &[0.0; 2], &raw.view())
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, ContactError::TooManyNodes { most: MOST, .. }), "{error}");
}
