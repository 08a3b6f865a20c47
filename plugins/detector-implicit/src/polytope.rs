//! Corners and faces of polygons, boxes and hulls.

use crate::solid::Face;
use vinci_detect::Vec3;

/// Edges of a convex polygon given counter-clockwise; else what is wrong with it.
pub(crate) fn convex_polygon(corners: &[Vec3]) -> Result<Vec<Face>, &'static str> {
    let n = corners.len();
    if n < 3 {
        return Err("has fewer than three corners");
    }
    let edge = |i: usize| corners[(i + 1) % n] - corners[i];
    let mut faces = Vec::with_capacity(n);
    let mut turned = 0.0;
    for i in 0..n {
        let (e, next) = (edge(i), edge((i + 1) % n));
        if e.norm() == 0.0 {
            return Err("has two corners at the same place; give every corner once");
        }
        let cross = e.x * next.y - e.y * next.x;
        if cross < -1e-12 * e.norm() * next.norm() {
            return Err(
                "is not convex, or clockwise; split it into convex parts, or use vinci.detector.planar",
            );
        }
        turned += cross.atan2(e.dot(&next));
        let normal = Vec3::new(e.y, -e.x, 0.0) / e.norm();
        faces.push(Face { offset: normal.dot(&corners[i]), normal });
    }
    // A star turns twice.
    if turned > 7.0 {
        return Err("crosses itself; give the corners in order around it");
    }
    Ok(faces)
}

/// A box.
pub(crate) fn cuboid(half: &Vec3) -> (Vec<Vec3>, Vec<Face>) {
    let sign = |i: usize, k: usize| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
    let corner = |i: usize| half.component_mul(&Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2)));
    let face = |i: usize| {
        let mut normal = Vec3::zeros();
        normal[i / 2] = sign(i, 0);
        Face { normal, offset: half[i / 2] }
    };
    ((0..8).map(corner).collect(), (0..6).map(face).collect())
}

/// Faces of a hull from its boundary triangles; none where there are no triangles. Else what is wrong with it.
pub(crate) fn hull_faces(corners: &[Vec3], triangles: &[u32]) -> Result<Vec<Face>, &'static str> {
    if corners.len() < 4 {
        return Err("has fewer than four points; a solid needs at least four");
    }
    let flat = |n: &Vec3, c: &Vec3, size: f64| corners.iter().all(|x| n.dot(&(x - c)).abs() <= 1e-12 * size);
    let size = corners.iter().map(|x| (x - corners[0]).norm()).fold(0.0, f64::max);
    let (far, _) = corners.iter().fold((corners[0], 0.0), |best, x| {
        let distance = (x - corners[0]).norm();
        if distance > best.1 { (*x, distance) } else { best }
    });
    let along = far - corners[0];
    let wide = corners
        .iter()
        .map(|x| along.cross(&(x - corners[0])))
        .fold(Vec3::zeros(), |best, n| if n.norm() > best.norm() { n } else { best });
    if wide.norm() <= 1e-12 * size * size || flat(&wide.normalize(), &corners[0], size) {
        return Err("its points lie in one plane; give it thickness, or use a box");
    }
    if triangles.iter().any(|i| *i as usize >= corners.len()) {
        return Err("a triangle refers to a point that does not exist");
    }
    let face = |t: &[u32]| {
        let [a, b, c] = [0, 1, 2].map(|k| corners[t[k] as usize]);
        let normal = (b - a).cross(&(c - a));
        (normal.norm() > 0.0).then(|| Face { offset: normal.normalize().dot(&a), normal: normal.normalize() })
    };
    let mut faces: Vec<Face> = Vec::new();
    for new in triangles.chunks_exact(3).filter_map(face) {
        if !faces.iter().any(|f| f.normal.dot(&new.normal) > 1.0 - 1e-14) {
            faces.push(new);
        }
    }
    Ok(faces)
}
