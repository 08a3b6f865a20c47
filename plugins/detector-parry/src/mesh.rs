//! Triangle meshes: topology, flat regions, and which normals an edge or a vertex may have.

use crate::convert::Tree;
use crate::feature;
use crate::math::Aabb;
use crate::polytope::{self, Polytope};
use std::collections::BTreeMap;
use vinci_detect::Vec3;

/// Faces that meet under less than this angle (sine, about 0.006°) are one flat region.
const FLAT: f64 = 1e-4;
/// A triangle is degenerate if its height is under this fraction of its longest side.
const SLIVER: f64 = 1e-9;

/// Hulls with more points are boxed by their local box.
const MANY_POINTS: usize = 64;

/// An edge and the directions, across it, into its triangles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) vertices: [u32; 2],
    /// One triangle, or two that are wound alike; `u32::MAX`: none.
    pub(crate) triangles: [u32; 2],
    pub(crate) inward: [Vec3; 2],
    /// Sticks out: contacts on the edge itself are possible.
    pub(crate) convex: bool,
}

/// A mesh with its topology.
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Outward unit normals.
    pub(crate) normals: Vec<Vec3>,
    /// Edges of every triangle, from corner i to corner i + 1.
    pub(crate) triangle_edges: Vec<[u32; 3]>,
    /// The flat region of every triangle: contacts keep their identity across its inner edges.
    pub(crate) region: Vec<u32>,
    pub(crate) edges: Vec<Edge>,
    /// Edges around every vertex.
    pub(crate) vertex_edges: Vec<Vec<u32>>,
    /// Tree over the triangles.
    pub(crate) tree: Tree,
    /// Convex hull, if the mesh is not flat, and the points that span it.
    pub(crate) hull: Option<Polytope>,
    pub(crate) outer: Vec<Vec3>,
    /// Points whose box in any frame holds the mesh: those that span it if they are few, else corners of its box.
    pub(crate) bounds: Vec<Vec3>,
    pub(crate) size: f64,
}

/// Reason why triangles are not a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MeshFault {
    /// No triangles.
    Empty,
    /// A triangle names a vertex that is not there.
    BadIndex(usize, u32),
    /// A triangle without area.
    Degenerate(usize),
}

impl Mesh {
    /// Builds the topology; vertices at equal places are welded.
    pub(crate) fn new(vertices: Vec<Vec3>, indices: &[u32]) -> Result<Self, MeshFault> {
        if indices.is_empty() {
            return Err(MeshFault::Empty);
        }
        let triangles = weld(&vertices, indices)?;
        let normals = normals(&vertices, &triangles)?;
        let (edges, triangle_edges) = edges(&vertices, &triangles, &normals);
        let mut vertex_edges = vec![Vec::new(); vertices.len()];
        for (i, e) in edges.iter().enumerate() {
            e.vertices.iter().for_each(|&v| vertex_edges[v as usize].push(i as u32));
        }
        let region = regions(&normals, &edges, &triangle_edges);
        let corner = |v: &u32| vertices[*v as usize];
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::around(t.iter().map(corner))).collect();
        let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let used: Vec<Vec3> = used.iter().map(corner).collect();
        let hull = polytope::hull(&used).ok();
        let outer = hull.as_ref().map_or(used, |h| h.vertices.clone());
        let local = Aabb::around(outer.iter().copied());
        let size = local.half_diagonal();
        let bounds = if outer.len() > MANY_POINTS { local.corners().to_vec() } else { outer.clone() };
        let tree = Tree::fixed(&boxes);
        Ok(Self {
            vertices,
            triangles,
            normals,
            triangle_edges,
            region,
            edges,
            vertex_edges,
            tree,
            hull,
            outer,
            bounds,
            size,
        })
    }

    /// Corners of a triangle.
    pub(crate) fn corners(&self, t: usize) -> [Vec3; 3] {
        self.triangles[t].map(|v| self.vertices[v as usize])
    }

    /// Direction from `v` along edge `e`.
    fn outgoing(&self, v: u32, e: u32) -> Vec3 {
        let [p, q] = self.edges[e as usize].vertices;
        let other = if p == v { q } else { p };
        (self.vertices[other as usize] - self.vertices[v as usize]).normalize()
    }

    /// Returns true if the outward direction `n` lies in the normal cone of an edge, up to `slack` (sine).
    pub(crate) fn edge_allows(&self, e: u32, n: &Vec3, slack: f64) -> bool {
        let edge = &self.edges[e as usize];
        let sides = edge.triangles.iter().zip(&edge.inward).filter(|(t, _)| **t != u32::MAX);
        edge.convex
            && sides.clone().all(|(_, inward)| n.dot(inward) <= slack)
            && sides.clone().any(|(t, _)| n.dot(&self.normals[*t as usize]) >= -slack)
    }

    /// Returns true if the outward direction `n` lies in the normal cone of a vertex, up to `slack` (sine).
    pub(crate) fn vertex_allows(&self, v: u32, n: &Vec3, slack: f64) -> bool {
        self.vertex_sticks_out(v)
            && self.vertex_edges[v as usize].iter().all(|&e| n.dot(&self.outgoing(v, e)) <= slack)
    }

    /// Returns true if a vertex belongs to a convex or open edge.
    pub(crate) fn vertex_sticks_out(&self, v: u32) -> bool {
        self.vertex_edges[v as usize].iter().any(|&e| self.edges[e as usize].convex)
    }

    /// Returns true if a contact on feature `id` may have the outward normal `n`.
    pub(crate) fn allows(&self, id: u32, n: &Vec3, slack: f64) -> bool {
        if id < feature::EDGE {
            self.vertex_allows(id, n, slack)
        } else if id < feature::FACE {
            self.edge_allows(id - feature::EDGE, n, slack)
        } else {
            true
        }
    }
}

fn weld(vertices: &[Vec3], indices: &[u32]) -> Result<Vec<[u32; 3]>, MeshFault> {
    let mut first = BTreeMap::new();
    // Adding 0 turns −0 into +0, so that both are one place.
    let bits = |v: &Vec3| [(v.x + 0.0).to_bits(), (v.y + 0.0).to_bits(), (v.z + 0.0).to_bits()];
    let number: Vec<u32> =
        vertices.iter().enumerate().map(|(i, v)| *first.entry(bits(v)).or_insert(i as u32)).collect();
    let mut triangles = Vec::with_capacity(indices.len() / 3);
    for (t, c) in indices.chunks_exact(3).enumerate() {
        let mut corners = [0; 3];
        for (k, &v) in c.iter().enumerate() {
            corners[k] = *number.get(v as usize).ok_or(MeshFault::BadIndex(t, v))?;
        }
        triangles.push(corners);
    }
    Ok(triangles)
}

fn normals(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<Vec3>, MeshFault> {
    let normal = |(t, c): (usize, &[u32; 3])| {
        let [p, q, r] = c.map(|v| vertices[v as usize]);
        let longest = (q - p).norm().max((r - q).norm()).max((p - r).norm());
        let area = (q - p).cross(&(r - p));
        area.try_normalize(SLIVER * longest * longest).ok_or(MeshFault::Degenerate(t))
    };
    triangles.iter().enumerate().map(normal).collect()
}

/// Edges and the three edges of every triangle. An edge of three or more triangles, or of two wound against each
/// other, is split into open ones.
fn edges(vertices: &[Vec3], triangles: &[[u32; 3]], normals: &[Vec3]) -> (Vec<Edge>, Vec<[u32; 3]>) {
    let mut users: BTreeMap<[u32; 2], Vec<(u32, usize)>> = BTreeMap::new();
    for (t, c) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (v, w) = (c[k], c[(k + 1) % 3]);
            users.entry([v.min(w), v.max(w)]).or_default().push((t as u32, k));
        }
    }
    let mut edges = Vec::new();
    let mut triangle_edges = vec![[0; 3]; triangles.len()];
    for (pair, users) in &users {
        let start = |&(t, k): &(u32, usize)| triangles[t as usize][k];
        let proper = users.len() == 2 && start(&users[0]) != start(&users[1]);
        for group in users.chunks(if proper { 2 } else { 1 }) {
            for &(t, k) in group {
                triangle_edges[t as usize][k] = edges.len() as u32;
            }
            edges.push(edge(vertices, triangles, normals, *pair, group));
        }
    }
    (edges, triangle_edges)
}

fn edge(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    normals: &[Vec3],
    pair: [u32; 2],
    group: &[(u32, usize)],
) -> Edge {
    let mut edge =
        Edge { vertices: pair, triangles: [u32::MAX; 2], inward: [Vec3::zeros(); 2], convex: true };
    for (i, &(t, k)) in group.iter().enumerate() {
        let c = triangles[t as usize];
        let along = vertices[c[(k + 1) % 3] as usize] - vertices[c[k] as usize];
        edge.triangles[i] = t;
        edge.inward[i] = normals[t as usize].cross(&along).normalize();
    }
    if let [(t, _), _] = *group {
        edge.convex = normals[t as usize].dot(&edge.inward[1]) < -FLAT;
    }
    edge
}

/// Numbers the flat regions: triangles joined by flat edges, none turned from the first by more than `FLAT`.
fn regions(normals: &[Vec3], edges: &[Edge], triangle_edges: &[[u32; 3]]) -> Vec<u32> {
    let mut region = vec![u32::MAX; normals.len()];
    let mut stack = Vec::new();
    for seed in 0..normals.len() {
        if region[seed] != u32::MAX {
            continue;
        }
        region[seed] = seed as u32;
        stack.push(seed);
        while let Some(t) = stack.pop() {
            for e in triangle_edges[t].map(|e| &edges[e as usize]) {
                for &next in e.triangles.iter().filter(|n| **n != u32::MAX) {
                    let same = normals[next as usize].cross(&normals[seed]).norm() <= FLAT
                        && normals[next as usize].dot(&normals[seed]) > 0.0;
                    if same && region[next as usize] == u32::MAX {
                        region[next as usize] = seed as u32;
                        stack.push(next as usize);
                    }
                }
            }
        }
    }
    region
}
