//! A mesh against a convex core or another mesh, triangle by triangle.
//!
//! A triangle alone would push along whatever direction parts it best, sideways at inner edges ("ghost" contacts).
//! So a normal must lie in the normal cone of the mesh feature it acts on; one that does not is replaced by the
//! normal of the triangle, and then only what really lies over the triangle is a contact of it.

use crate::gjk::{Axis, Pair};
use crate::manifold::{self, Point, Scale};
use crate::math::Aabb;
use crate::mesh::Mesh;
use crate::patch::{Patch, Rim};
use crate::polytope::Polytope;
use crate::separation::{Tools, closest_features, separation};
use crate::solid::{Convex, Core, core_aabb};
use crate::{ball_mesh, feature};
use vinci_detect::{Frame, Vec3};

/// Slack (sine) when a normal is held against a normal cone: for the leading normal, for single contacts.
const CONE: f64 = 1e-3;
const CONTACT_CONE: f64 = 0.1;

/// Buffers of the mesh routines.
pub(crate) struct Workspace {
    pub(crate) tools: Tools,
    pub(crate) patch_a: Patch,
    pub(crate) patch_b: Patch,
    triangle_a: Core,
    triangle_b: Core,
    pub(crate) near_a: Vec<u32>,
    near_b: Vec<u32>,
    /// Triangles whose plane holds back the body in hand, and its gap to that plane.
    ways: Vec<(u32, f64)>,
    /// Alternatives at corners; OR groups of the query so far.
    pub(crate) corners: crate::corner::CornerScratch,
}

impl Workspace {
    pub(crate) fn new(rim: Rim) -> Self {
        Self {
            tools: Tools::new(rim),
            patch_a: Patch::default(),
            patch_b: Patch::default(),
            triangle_a: Core::Polytope(Polytope::default()),
            triangle_b: Core::Polytope(Polytope::default()),
            near_a: Vec::new(),
            near_b: Vec::new(),
            ways: Vec::new(),
            corners: crate::corner::CornerScratch::default(),
        }
    }
}

fn set_triangle(core: &mut Core, mesh: &Mesh, t: u32) {
    if let Core::Polytope(p) = core {
        p.set_triangle(&mesh.corners(t as usize), &mesh.normals[t as usize]);
    }
}

/// Triangles of the mesh near a box (in its frame), in ascending order.
pub(crate) fn triangles_near(mesh: &Mesh, query: &Aabb, found: &mut Vec<u32>) {
    found.clear();
    mesh.tree.meeting(query, found);
    found.sort_unstable();
    found.dedup();
}

/// Appends the contacts of a convex shape placed in the frame of the mesh (the mesh is A).
pub(crate) fn convex_contacts(
    mesh: &Mesh,
    b: &Convex,
    b_in_a: &Frame,
    scale: &Scale,
    ws: &mut Workspace,
    out: &mut Vec<Point>,
) {
    let reach = scale.margin + b.radius;
    let query = core_aabb(&b.core, b_in_a).grown(reach.max(0.0));
    triangles_near(mesh, &query, &mut ws.near_a);
    let centre = b_in_a.point(&b.core.centre());
    if let Some(closest) = ball_mesh::nearest(mesh, &ws.near_a, &centre)
        && closest.height < 0.0
    {
        push_out(mesh, closest.triangle, b, b_in_a, out);
        return;
    }
    ws.ways.clear();
    for i in 0..ws.near_a.len() {
        triangle_contacts(mesh, ws.near_a[i], b, b_in_a, scale, ws, out);
    }
    manifold::drop_from(0, out, |p| long_way_out(mesh, &ws.ways, p, scale.merge));
}

/// Appends the contacts of one triangle with a convex shape.
fn triangle_contacts(
    mesh: &Mesh,
    t: u32,
    b: &Convex,
    b_in_a: &Frame,
    scale: &Scale,
    ws: &mut Workspace,
    out: &mut Vec<Point>,
) {
    let reach = scale.margin + b.radius;
    set_triangle(&mut ws.triangle_a, mesh, t);
    let pair = Pair::new(&ws.triangle_a, &b.core, *b_in_a);
    let Some(axis) = separation(&pair, scale.size, reach, &mut ws.tools) else { return };
    let Some((axis, free)) = admissible(mesh, t, &pair, axis, reach) else { return };
    if !free {
        ws.ways.push((t, axis.sigma - b.radius));
    }
    let first = out.len();
    ws.patch_b.fill(&b.core, &b_in_a.dir_back(&-axis.n), &ws.tools.rim);
    ws.patch_b.place(b_in_a);
    triangle_patch(&mut ws.patch_a, &ws.triangle_a, mesh, t, &axis.n, &ws.tools.rim);
    let shown = manifold::contacts(&axis, &ws.patch_a, &ws.patch_b, scale, reach, out);
    if free && !shown {
        out.push(closest(mesh, t, &pair, &axis, scale.size));
    }
    manifold::thicken(first, [0.0, b.radius], out);
    manifold::drop_from(first, out, |p| {
        !mesh.allows(p.feature_a, &p.normal, CONTACT_CONE) || misses(p, b, b_in_a)
    });
}

/// A point of B inside the solid lies behind several faces. Where these meet in a convex edge B only has to pass the
/// nearest: the foot of the point on a deeper face is then itself behind the nearer one. In a valley it has to pass both.
/// `ways` are the triangles in the way and how far B has gone past them.
fn long_way_out(mesh: &Mesh, ways: &[(u32, f64)], p: &Point, merge: f64) -> bool {
    p.gap < -merge
        && p.feature_b & feature::ROUND != feature::EDGE
        && ways.iter().any(|&(t, gap)| {
            let normal = mesh.normals[t as usize];
            let corners = mesh.corners(t as usize);
            gap > p.gap + merge
                && normal.dot(&(p.on_a - corners[0])) < -merge
                && ball_mesh::over_triangle(&corners, &normal, &p.on_b)
        })
}

/// Returns true if a contact claims that an edge of B has gone past an edge of the mesh along a direction that edge of B does
/// not look in: B passes beside the mesh edge, and other triangles keep it out.
fn misses(p: &Point, b: &Convex, b_in_a: &Frame) -> bool {
    let Core::Polytope(polytope) = &b.core else { return false };
    let is_edge = p.feature_b & feature::ROUND == feature::EDGE;
    let looks =
        || polytope.edge_allows(p.feature_b - feature::EDGE, &b_in_a.dir_back(&-p.normal), CONTACT_CONE);
    p.gap < 0.0 && is_edge && !looks()
}

/// Appends the contacts of two meshes.
pub(crate) fn mesh_contacts(
    a: &Mesh,
    b: &Mesh,
    b_in_a: &Frame,
    scale: &Scale,
    ws: &mut Workspace,
    out: &mut Vec<Point>,
) {
    let a_in_b = b_in_a.inverse();
    let query = Aabb::around(b.bounds.iter().map(|v| b_in_a.point(v))).grown(scale.margin.max(0.0));
    triangles_near(a, &query, &mut ws.near_a);
    for i in 0..ws.near_a.len() {
        let t = ws.near_a[i];
        set_triangle(&mut ws.triangle_a, a, t);
        let query = core_aabb(&ws.triangle_a, &a_in_b).grown(scale.margin.max(0.0));
        triangles_near(b, &query, &mut ws.near_b);
        for j in 0..ws.near_b.len() {
            let u = ws.near_b[j];
            set_triangle(&mut ws.triangle_b, b, u);
            triangle_pair((a, t), (b, u), b_in_a, scale, ws, out);
        }
    }
}

fn triangle_pair(
    (a, t): (&Mesh, u32),
    (b, u): (&Mesh, u32),
    b_in_a: &Frame,
    scale: &Scale,
    ws: &mut Workspace,
    out: &mut Vec<Point>,
) {
    let pair = Pair::new(&ws.triangle_a, &ws.triangle_b, *b_in_a);
    let Some(axis) = separation(&pair, scale.size, scale.margin, &mut ws.tools) else { return };
    let Some((mut axis, mut free)) = admissible(a, t, &pair, axis, scale.margin) else { return };
    let back = b_in_a.dir_back(&-axis.n);
    if !permits(b, u, &back) {
        let n = -b_in_a.dir(&b.normals[u as usize]);
        if !permits(a, t, &n) || behind(&pair, &n, scale.size) {
            return;
        }
        (axis, free) = (along(&pair, n), false);
    }
    let first = out.len();
    triangle_patch(&mut ws.patch_b, &ws.triangle_b, b, u, &b_in_a.dir_back(&-axis.n), &ws.tools.rim);
    ws.patch_b.place(b_in_a);
    triangle_patch(&mut ws.patch_a, &ws.triangle_a, a, t, &axis.n, &ws.tools.rim);
    let shown = manifold::contacts(&axis, &ws.patch_a, &ws.patch_b, scale, scale.margin, out);
    if free && !shown {
        out.push(closest(a, t, &pair, &axis, scale.size));
    }
    manifold::drop_from(first, out, |p| {
        !a.allows(p.feature_a, &p.normal, CONTACT_CONE)
            || !b.allows(p.feature_b, &b_in_a.dir_back(&-p.normal), CONTACT_CONE)
    });
}

/// Overlap this deep, in sizes, along a replaced normal means the other body is really on the far side.
fn behind(pair: &Pair<'_>, n: &Vec3, size: f64) -> bool {
    pair.separation_along(n) < -size
}

/// The separation with a normal the mesh feature can have; false: the normal is the triangle's own, and the closest
/// points of the two bodies are no contact by themselves. `None` if the centre of B is behind the triangle.
fn admissible(mesh: &Mesh, t: u32, pair: &Pair<'_>, axis: Axis, limit: f64) -> Option<(Axis, bool)> {
    let face = mesh.normals[t as usize];
    // B mostly behind the plane: seen from inside the solid, or a thin plate that pushes the other way. An edge or a
    // vertex that B really meets belongs to another triangle, too, that B is in front of.
    let height = face.dot(&(pair.b_in_a.point(&pair.b.centre()) - mesh.corners(t as usize)[0]));
    let front = height > 0.0;
    let flat = axis.n.dot(&face) >= 1.0 - 1e-9;
    if !flat && (front || axis.sigma > 0.0) && permits(mesh, t, &axis.n) {
        return Some((axis, true));
    }
    let axis = along(pair, face);
    (axis.sigma <= limit && front).then_some((axis, false))
}

/// The closest points as a contact; it belongs to the feature of the mesh on which it lies.
fn closest(mesh: &Mesh, t: u32, pair: &Pair<'_>, axis: &Axis, size: f64) -> Point {
    let (on_a, on_b, id) = closest_features(pair, axis, size);
    let t = t as usize;
    let feature_a = match id {
        v if v < 3 => mesh.triangles[t][v as usize],
        e if e & feature::ROUND == feature::EDGE => {
            feature::EDGE | mesh.triangle_edges[t][(e - feature::EDGE) as usize % 3]
        }
        _ => feature::FACE | mesh.region[t],
    };
    Point { feature_a, feature_b: feature::CLOSEST, gap: axis.sigma, normal: axis.n, on_a, on_b, group: 0 }
}

/// Returns true if the part of the triangle farthest along `n` may push along `n`.
fn permits(mesh: &Mesh, t: u32, n: &Vec3) -> bool {
    if n.dot(&mesh.normals[t as usize]) >= 1.0 - 1e-9 {
        return true;
    }
    let corners = mesh.corners(t as usize);
    let height = corners.map(|c| n.dot(&c));
    let top = height.iter().fold(f64::MIN, |a, b| a.max(*b));
    let longest = (0..3).map(|k| (corners[k] - corners[(k + 1) % 3]).norm()).fold(0.0, f64::max);
    let high = height.map(|h| h >= top - 1e-6 * longest);
    for k in 0..3 {
        let next = (k + 1) % 3;
        match (high[k], high[next], high[(k + 2) % 3]) {
            (true, true, true) => return false,
            (true, true, false) => return mesh.edge_allows(mesh.triangle_edges[t as usize][k], n, CONE),
            (true, false, false) => return mesh.vertex_allows(mesh.triangles[t as usize][k], n, CONE),
            _ => {}
        }
    }
    false
}

fn along(pair: &Pair<'_>, n: Vec3) -> Axis {
    Axis { n, sigma: pair.separation_along(&n) }
}

fn triangle_patch(patch: &mut Patch, core: &Core, mesh: &Mesh, t: u32, d: &Vec3, rim: &Rim) {
    patch.fill(core, d, rim);
    let t = t as usize;
    for (k, c) in patch.corners.iter_mut().enumerate() {
        let (v, e) = (mesh.triangles[t][k], mesh.triangle_edges[t][k]);
        (c.id, c.edge) = (v, feature::EDGE | e);
        c.mute = !mesh.vertex_sticks_out(v);
        c.mute_edge = !mesh.edges[e as usize].convex;
    }
    if let Some((_, id)) = &mut patch.plane {
        *id = feature::FACE | mesh.region[t];
    }
}

/// The centre of B is inside the solid: one contact that pushes the whole of B out of the nearest triangle.
fn push_out(mesh: &Mesh, t: u32, b: &Convex, b_in_a: &Frame, out: &mut Vec<Point>) {
    let normal = mesh.normals[t as usize];
    let (deepest, _) = b.core.support(&b_in_a.dir_back(&-normal));
    let on_b = b_in_a.point(&deepest) - normal * b.radius;
    let gap = normal.dot(&(on_b - mesh.corners(t as usize)[0]));
    let feature_a = feature::FACE | mesh.region[t as usize];
    out.push(Point {
        feature_a,
        feature_b: feature::CLOSEST,
        gap,
        normal,
        on_a: on_b - normal * gap,
        on_b,
        group: 0,
    });
}
