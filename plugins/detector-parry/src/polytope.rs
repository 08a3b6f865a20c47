//! Convex polytopes: boxes, hulls, triangles, segments, all as vertices, edges and plane faces.

use crate::math::tangents;
use std::collections::BTreeMap;
use vinci_detect::Vec3;

/// A plane face: outward unit normal n and offset, n·x = offset; its loop is counter-clockwise seen from outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Face {
    pub(crate) normal: Vec3,
    pub(crate) offset: f64,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

/// A convex polytope; a triangle has one face, a segment none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Polytope {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) faces: Vec<Face>,
    pub(crate) edges: Vec<[u32; 2]>,
    /// Vertices of all face loops; edge i of a loop runs from vertex i to vertex i + 1.
    pub(crate) loop_vertices: Vec<u32>,
    pub(crate) loop_edges: Vec<u32>,
    /// Edge directions, each line once; empty if there are more than `MANY_EDGES` edges.
    pub(crate) directions: Vec<Vec3>,
    /// Faces around every vertex.
    pub(crate) vertex_faces: Vec<Vec<u32>>,
    /// A box: the bits of a vertex's number are the signs of its coordinates.
    cuboid: bool,
}

/// Polytopes with more edges go without the separating axis test.
const MANY_EDGES: usize = 200;

impl Polytope {
    /// Vertices and face loops (counter-clockwise seen from outside) with their outward unit normals.
    pub(crate) fn new(vertices: Vec<Vec3>, loops: &[(Vec<u32>, Vec3)]) -> Self {
        let mut polytope =
            Self { vertex_faces: vec![Vec::new(); vertices.len()], vertices, ..Self::default() };
        let mut numbers = BTreeMap::new();
        for (indices, normal) in loops {
            polytope.push_face(indices, normal, &mut numbers);
        }
        polytope.collect_directions();
        polytope
    }

    fn push_face(&mut self, indices: &[u32], normal: &Vec3, numbers: &mut BTreeMap<[u32; 2], u32>) {
        let face = self.faces.len() as u32;
        let offset = indices.iter().map(|&v| normal.dot(&self.vertices[v as usize])).fold(f64::MIN, f64::max);
        let start = self.loop_vertices.len();
        self.faces.push(Face { normal: *normal, offset, start, len: indices.len() });
        for (i, &v) in indices.iter().enumerate() {
            let w = indices[(i + 1) % indices.len()];
            let next = self.edges.len() as u32;
            let edge = *numbers.entry([v.min(w), v.max(w)]).or_insert(next);
            if edge == next {
                self.edges.push([v.min(w), v.max(w)]);
            }
            self.loop_vertices.push(v);
            self.loop_edges.push(edge);
            self.vertex_faces[v as usize].push(face);
        }
    }

    fn collect_directions(&mut self) {
        self.directions.clear();
        if self.edges.len() > MANY_EDGES {
            return;
        }
        for &[v, w] in &self.edges {
            let e = (self.vertices[w as usize] - self.vertices[v as usize]).normalize();
            if !self.directions.iter().any(|d| d.cross(&e).norm_squared() < 1e-20) {
                self.directions.push(e);
            }
        }
    }

    /// Box of half sizes `h`; vertex number = bits (x, y, z), faces +x, −x, +y, −y, +z, −z.
    pub(crate) fn cuboid(h: &Vec3) -> Self {
        let sign = |bit: u32| if bit == 0 { -1.0 } else { 1.0 };
        let corner = |i: u32| Vec3::new(sign(i & 1) * h.x, sign(i & 2) * h.y, sign(i & 4) * h.z);
        let loops = [
            (vec![1, 3, 7, 5], Vec3::x()),
            (vec![0, 4, 6, 2], -Vec3::x()),
            (vec![2, 6, 7, 3], Vec3::y()),
            (vec![0, 1, 5, 4], -Vec3::y()),
            (vec![4, 5, 7, 6], Vec3::z()),
            (vec![0, 2, 3, 1], -Vec3::z()),
        ];
        Self { cuboid: true, ..Self::new((0..8).map(corner).collect(), &loops) }
    }

    /// The segment from −half ẑ (vertex 0) to +half ẑ (vertex 1).
    pub(crate) fn segment(half: f64) -> Self {
        let ends = vec![Vec3::new(0.0, 0.0, -half), Vec3::new(0.0, 0.0, half)];
        let mut polytope = Self::new(ends, &[]);
        polytope.edges.push([0, 1]);
        polytope.directions.push(Vec3::z());
        polytope
    }

    /// Makes this a triangle with outward unit normal `n`, without allocating once it has been one.
    pub(crate) fn set_triangle(&mut self, corners: &[Vec3; 3], n: &Vec3) {
        if self.faces.len() != 1 {
            *self = Self::new(corners.to_vec(), &[(vec![0, 1, 2], *n)]);
            return;
        }
        self.vertices.copy_from_slice(corners);
        self.faces[0].normal = *n;
        self.faces[0].offset = n.dot(&corners[0]);
        self.collect_directions();
    }

    /// Number of the vertex farthest along `d` (the lowest number of several).
    pub(crate) fn support(&self, d: &Vec3) -> usize {
        if self.cuboid {
            return usize::from(d.x > 0.0) | usize::from(d.y > 0.0) << 1 | usize::from(d.z > 0.0) << 2;
        }
        let mut best = (0, f64::MIN);
        for (i, v) in self.vertices.iter().enumerate() {
            let height = v.dot(d);
            if height > best.1 {
                best = (i, height);
            }
        }
        best.0
    }

    /// Vertex numbers of a face.
    pub(crate) fn loop_of(&self, face: &Face) -> &[u32] {
        &self.loop_vertices[face.start..face.start + face.len]
    }

    /// Returns true if the outward direction `n` lies in the normal cone of an edge, up to `slack` (sine).
    pub(crate) fn edge_allows(&self, edge: u32, n: &Vec3, slack: f64) -> bool {
        let [v, w] = self.edges[edge as usize];
        let at = self.vertices[v as usize];
        let shared = |f: &&u32| self.vertex_faces[w as usize].contains(f);
        self.vertex_faces[v as usize].iter().filter(shared).all(|&f| {
            self.loop_of(&self.faces[f as usize]).iter().all(|&x| {
                let side = self.vertices[x as usize] - at;
                n.dot(&side) <= slack * side.norm()
            })
        })
    }

    /// The edge between two vertices, if there is one.
    pub(crate) fn edge_between(&self, v: u32, w: u32) -> Option<u32> {
        let pair = [v.min(w), v.max(w)];
        self.edges.iter().position(|e| *e == pair).map(|i| i as u32)
    }
}

/// Reason why points have no solid hull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HullFault {
    /// Fewer than four points.
    TooFew,
    /// All points in one plane, line or place.
    Flat,
    /// The hull algorithm gave up.
    Failed,
}

/// Faces closer to one plane than this fraction of the size are one face.
const COPLANAR: f64 = 1e-9;

/// The convex hull of points, coplanar triangles merged to faces, unused points dropped.
pub(crate) fn hull(points: &[Vec3]) -> Result<Polytope, HullFault> {
    if points.len() < 4 {
        return Err(HullFault::TooFew);
    }
    let size = spread(points).ok_or(HullFault::Flat)?;
    let (vertices, triangles) = crate::convert::hull_triangles(points).ok_or(HullFault::Failed)?;
    let loops = merge_coplanar(&vertices, &triangles, COPLANAR * size);
    let polytope = compact(&vertices, &loops);
    let closed = polytope.faces.len() + polytope.vertices.len() == polytope.edges.len() + 2;
    if polytope.faces.len() < 4 || !closed || !encloses(&polytope, points, 1e-7 * size) {
        return Err(HullFault::Failed);
    }
    Ok(polytope)
}

/// Extent of the points, or `None` if they are flat (thickness under 1e-9 of the extent).
fn spread(points: &[Vec3]) -> Option<f64> {
    let farthest = |f: &dyn Fn(&Vec3) -> f64| {
        points.iter().map(|p| (f(p), *p)).fold((0.0, points[0]), |a, b| if b.0 > a.0 { b } else { a })
    };
    let o = points[0];
    let (size, a) = farthest(&|p| (p - o).norm());
    let u = (a - o).try_normalize(0.0)?;
    let (width, b) = farthest(&|p| (p - o).cross(&u).norm());
    if width <= COPLANAR * size {
        return None;
    }
    let n = u.cross(&(b - o)).try_normalize(0.0)?;
    let (thickness, _) = farthest(&|p| (p - o).dot(&n).abs());
    (thickness > COPLANAR * size).then_some(size)
}

fn encloses(polytope: &Polytope, points: &[Vec3], slack: f64) -> bool {
    polytope.faces.iter().all(|f| points.iter().all(|p| f.normal.dot(p) <= f.offset + slack))
}

/// Groups triangles around the largest free one, from neighbour to neighbour, by distance to its plane (slivers have
/// unreliable normals).
fn merge_coplanar(vertices: &[Vec3], triangles: &[[u32; 3]], slack: f64) -> Vec<(Vec<u32>, Vec3)> {
    let at = |v: u32| vertices[v as usize];
    let area = |t: &[u32; 3]| (at(t[1]) - at(t[0])).cross(&(at(t[2]) - at(t[0])));
    let mut order: Vec<(f64, usize)> = triangles.iter().map(|t| area(t).norm()).zip(0..).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let neighbours = neighbours(triangles);
    let mut free = vec![true; triangles.len()];
    let mut loops = Vec::new();
    for &(_, seed) in &order {
        let Some(n) = area(&triangles[seed]).try_normalize(0.0) else { continue };
        if !std::mem::take(&mut free[seed]) {
            continue;
        }
        let level = n.dot(&at(triangles[seed][0]));
        let flat = |t: &[u32; 3]| t.iter().all(|&v| (n.dot(&at(v)) - level).abs() <= slack);
        let (mut members, mut stack) = (Vec::new(), vec![seed]);
        while let Some(i) = stack.pop() {
            members.extend_from_slice(&triangles[i]);
            for &k in &neighbours[i] {
                if free[k] && area(&triangles[k]).dot(&n) >= 0.0 && flat(&triangles[k]) {
                    free[k] = false;
                    stack.push(k);
                }
            }
        }
        loops.push((outline(vertices, &members, &n), n));
    }
    loops
}

/// Triangles that share an edge with each triangle.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<Vec<usize>> {
    let mut users: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    let edges = |t: &[u32; 3]| [0, 1, 2].map(|k| [t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3])]);
    for (i, t) in triangles.iter().enumerate() {
        edges(t).into_iter().for_each(|e| users.entry(e).or_default().push(i));
    }
    let around = |(i, t): (usize, &[u32; 3])| {
        edges(t).iter().flat_map(|e| &users[e]).copied().filter(|&k| k != i).collect()
    };
    triangles.iter().enumerate().map(around).collect()
}

/// Counter-clockwise outline (monotone chain) of coplanar vertices seen against `n`.
fn outline(vertices: &[Vec3], members: &[u32], n: &Vec3) -> Vec<u32> {
    let (t, b) = tangents(n);
    let flat = |v: u32| (vertices[v as usize].dot(&t), vertices[v as usize].dot(&b));
    let mut order = members.to_vec();
    order.sort_by(|&i, &j| {
        flat(i).0.total_cmp(&flat(j).0).then(flat(i).1.total_cmp(&flat(j).1)).then(i.cmp(&j))
    });
    order.dedup();
    let half = |order: &mut dyn Iterator<Item = u32>| {
        let mut chain: Vec<u32> = Vec::new();
        for v in order {
            while chain.len() >= 2
                && !turns_left(flat(chain[chain.len() - 2]), flat(chain[chain.len() - 1]), flat(v))
            {
                chain.pop();
            }
            chain.push(v);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut order.iter().copied());
    let upper = half(&mut order.iter().rev().copied());
    lower.extend(upper);
    lower
}

fn turns_left(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> bool {
    let (u, v) = ((b.0 - a.0, b.1 - a.1), (c.0 - b.0, c.1 - b.1));
    u.0 * v.1 - u.1 * v.0 > 1e-9 * u.0.hypot(u.1) * v.0.hypot(v.1)
}

fn compact(vertices: &[Vec3], loops: &[(Vec<u32>, Vec3)]) -> Polytope {
    let mut number = vec![u32::MAX; vertices.len()];
    loops.iter().flat_map(|l| &l.0).for_each(|&v| number[v as usize] = 0);
    let mut kept = Vec::new();
    for (v, n) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
        *n = kept.len() as u32;
        kept.push(vertices[v]);
    }
    let renumbered: Vec<_> =
        loops.iter().map(|(l, n)| (l.iter().map(|&v| number[v as usize]).collect(), *n)).collect();
    Polytope::new(kept, &renumbered)
}
