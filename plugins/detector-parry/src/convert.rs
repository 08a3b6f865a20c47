//! The only place that names parry: its BVH, its convex hull, its EPA.

use crate::math::Aabb;
use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::math::{Mat3, Pose, Rot3, Vector};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhWorkspace};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;
use parry3d_f64::transformation::try_convex_hull;
use vinci_detect::{Frame, Vec3};

fn to_parry(v: &Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn from_parry(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

fn parry_aabb(b: &Aabb) -> ParryAabb {
    ParryAabb::new(to_parry(&b.min), to_parry(&b.max))
}

fn parry_pose(frame: &Frame) -> Pose {
    let column = |i: usize| Vector::new(frame.rot[(0, i)], frame.rot[(1, i)], frame.rot[(2, i)]);
    let rotation = Rot3::from_mat3(&Mat3::from_cols(column(0), column(1), column(2)));
    Pose::from_parts(to_parry(&frame.pos), rotation)
}

/// Vertices and outward triangles of the convex hull; `None` where parry finds none.
pub(crate) fn hull_triangles(points: &[Vec3]) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
    let points: Vec<Vector> = points.iter().map(to_parry).collect();
    let (vertices, triangles) = try_convex_hull(&points).ok()?;
    Some((vertices.into_iter().map(from_parry).collect(), triangles))
}

/// A tree of boxes.
#[derive(Default)]
pub(crate) struct Tree {
    bvh: Bvh,
    workspace: BvhWorkspace,
}

impl Tree {
    /// A tree over fixed boxes.
    pub(crate) fn fixed(boxes: &[Aabb]) -> Self {
        let boxes: Vec<ParryAabb> = boxes.iter().map(parry_aabb).collect();
        Self { bvh: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes), ..Self::default() }
    }

    /// Moves the leaves (inserting them the first time). Leaves are kept fatter by `slack` so that most calls
    /// change nothing; the tree's form depends on the history, what it encloses does not.
    pub(crate) fn update(&mut self, boxes: &[Aabb], slack: &[f64]) {
        let mut changed = false;
        for (i, b) in boxes.iter().enumerate() {
            let status = self.bvh.insert_or_update_partially(parry_aabb(b), i as u32, slack[i]);
            changed |= !matches!(status, BvhLeafUpdateStatus::Unchanged);
        }
        if changed {
            self.bvh.refit(&mut self.workspace);
            self.bvh.optimize_incremental(&mut self.workspace);
        }
    }

    /// Calls `found` for a superset of the meeting pairs, in any order.
    pub(crate) fn pairs(&mut self, mut found: impl FnMut(u32, u32)) {
        self.bvh.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut found);
    }

    /// Appends the leaves that meet `query`, in any order.
    pub(crate) fn meeting(&self, query: &Aabb, leaves: &mut Vec<u32>) {
        leaves.extend(self.bvh.intersect_aabb(&parry_aabb(query)));
    }
}

/// A support function in units of `size`: parry's tolerances are absolute and meant for bodies of about one unit.
struct Support<F> {
    farthest: F,
    size: f64,
}

impl<F: Fn(&Vec3) -> Vec3> SupportMap for Support<F> {
    fn local_support_point(&self, dir: Vector) -> Vector {
        to_parry(&((self.farthest)(&from_parry(dir)) / self.size))
    }
}

/// Reused buffers of parry's expanding polytope algorithm.
#[derive(Default)]
pub(crate) struct Expander {
    simplex: VoronoiSimplex,
    epa: EPA,
}

impl Expander {
    /// Direction (A to B, frame of A) of the least translation that parts two overlapping bodies, as EPA sees it. They are
    /// given by their support functions, points farthest along a direction in own axes.
    /// A hint only: `None` when parry finds no overlap or gives up.
    pub(crate) fn direction(
        &mut self,
        farthest: [impl Fn(&Vec3) -> Vec3; 2],
        b_in_a: &Frame,
        size: f64,
        start: &Vec3,
    ) -> Option<Vec3> {
        let pose = parry_pose(&Frame { pos: b_in_a.pos / size, ..*b_in_a });
        let [a, b] = farthest.map(|farthest| Support { farthest, size });
        self.simplex.reset(CsoPoint::from_shapes(&pose, &a, &b, to_parry(start)));
        match gjk::closest_points(&pose, &a, &b, f64::MAX, true, &mut self.simplex) {
            GJKResult::Intersection => {}
            GJKResult::ClosestPoints(_, _, n) => return finite_unit(n),
            _ => return None,
        }
        let (_, _, n) = self.epa.closest_points(&pose, &a, &b, &self.simplex)?;
        finite_unit(n)
    }
}

fn finite_unit(n: Vector) -> Option<Vec3> {
    let n = from_parry(n);
    if n.iter().all(|x| x.is_finite()) { n.try_normalize(0.5) } else { None }
}
