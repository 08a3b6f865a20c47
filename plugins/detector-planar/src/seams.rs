//! Several polygons on one body act as their union: what a sibling covers is no contact.
//!
//! Every polygon gets a flat vertex wherever a sibling's boundary meets one of its edges, so that each piece of an edge is
//! covered or free as a whole; covered pieces are marked, and the vertices at their ends turn as the union does.

use crate::boundary::{Cover, Turn};
use crate::draft::Draft;
use crate::near::passes;
use crate::vec2::V2;

/// A probe beside an edge goes this many tolerances off.
const PROBE: f64 = 100.0;
/// Rays within this angle, rad, are one.
const SAME_RAY: f64 = 1e-6;

/// Marks what siblings cover, in all polygons of all bodies. `merge` is the merge tolerance.
pub(crate) fn hide(drafts: &mut [Draft], merge: f64) {
    let original = drafts.to_vec();
    for (i, draft) in drafts.iter_mut().enumerate() {
        let tolerance = merge * draft.size();
        let siblings: Vec<(usize, &Draft)> = original
            .iter()
            .enumerate()
            .filter(|(j, d)| *j != i && d.body == draft.body && d.is_polygon() && draft.is_polygon())
            .filter(|(_, d)| touch(draft, d, tolerance))
            .collect();
        if siblings.is_empty() {
            continue;
        }
        split(draft, &siblings, tolerance);
        cover(draft, i, &siblings, tolerance);
        if draft.is_joined() {
            bend(draft, i, &siblings, tolerance);
        }
    }
}

/// Returns true if the boxes of two shapes overlap or touch.
fn touch(a: &Draft, b: &Draft, tolerance: f64) -> bool {
    let ((low_a, high_a), (low_b, high_b)) = (a.span(), b.span());
    low_a.x <= high_b.x + tolerance
        && low_b.x <= high_a.x + tolerance
        && low_a.y <= high_b.y + tolerance
        && low_b.y <= high_a.y + tolerance
}

/// Flat vertices where siblings' boundaries meet the edges.
fn split(draft: &mut Draft, siblings: &[(usize, &Draft)], tolerance: f64) {
    let whole = draft.clone();
    for v in [&mut draft.x, &mut draft.n] {
        v.clear();
    }
    draft.turn.clear();
    for e in 0..whole.x.len() {
        let (p, q) = whole.edge(e);
        let along = whole.n[e].left();
        let length = (q - p).norm();
        let mut cuts: Vec<f64> =
            siblings.iter().flat_map(|(_, s)| meetings(p, along, whole.n[e], s, tolerance)).collect();
        cuts.retain(|t| *t > PROBE * tolerance && *t < length - PROBE * tolerance);
        cuts.sort_by(f64::total_cmp);
        cuts.dedup_by(|b, a| *b - *a <= PROBE * tolerance);
        draft.x.push(p);
        draft.turn.push(whole.turn[e]);
        draft.x.extend(cuts.iter().map(|t| p + along * *t));
        draft.turn.extend(cuts.iter().map(|_| Turn::Flat));
        draft.n.resize(draft.x.len(), whole.n[e]);
    }
    draft.cover = vec![Cover::Free; draft.x.len()];
}

/// Coordinates along a line (through `p`, direction `along`, normal `n`) where edges of `s` meet it.
fn meetings<'a>(p: V2, along: V2, n: V2, s: &'a Draft, tolerance: f64) -> impl Iterator<Item = f64> + 'a {
    (0..s.x.len()).filter_map(move |j| {
        let (u, v) = s.edge(j);
        let (hu, hv) = (n.dot(u - p), n.dot(v - p));
        if hu.abs() <= tolerance {
            return Some(along.dot(u - p));
        }
        // A vertex on the line was found as such, from the edge it starts.
        let crosses = hv.abs() > tolerance && (hu < 0.0) != (hv < 0.0);
        crosses.then(|| along.dot(u + (v - u) * (hu / (hu - hv)) - p))
    })
}

/// Marks the edges with a sibling beyond them; of edges that two siblings share, the later one's.
fn cover(draft: &mut Draft, own: usize, siblings: &[(usize, &Draft)], tolerance: f64) {
    for e in 0..draft.x.len() {
        let (p, q) = draft.edge(e);
        let (middle, off) = ((p + q) * 0.5, draft.n[e] * (PROBE * tolerance));
        let behind = |s: &Draft| holds(s, middle - off) && on_boundary(s, middle, tolerance);
        draft.cover[e] = if siblings.iter().any(|(_, s)| holds(s, middle + off)) {
            Cover::Covered
        } else if siblings.iter().any(|(i, s)| *i < own && behind(s)) {
            Cover::Shared
        } else {
            Cover::Free
        };
    }
}

/// Even-odd rule.
fn holds(s: &Draft, p: V2) -> bool {
    let mut inside = false;
    for j in 0..s.x.len() {
        let (u, v) = s.edge(j);
        inside ^= passes(u, v, p);
    }
    inside
}

fn on_boundary(s: &Draft, p: V2, tolerance: f64) -> bool {
    (0..s.x.len()).any(|j| on_edge(s, j, p, tolerance))
}

fn on_edge(s: &Draft, j: usize, p: V2, tolerance: f64) -> bool {
    let (u, v) = s.edge(j);
    let t = s.n[j].left().dot(p - u);
    s.n[j].dot(p - u).abs() <= 2.0 * tolerance
        && t >= -2.0 * tolerance
        && t <= (v - u).norm() + 2.0 * tolerance
}

/// Turns of the vertices as those of the union.
fn bend(draft: &mut Draft, own: usize, siblings: &[(usize, &Draft)], tolerance: f64) {
    let k = draft.x.len();
    for i in 0..k {
        let (last, next) = ((i + k - 1) % k, i);
        let p = draft.x[i];
        let free = match (draft.cover[last] != Cover::Free, draft.cover[next] != Cover::Free) {
            (false, false) => continue,
            (true, true) => {
                draft.turn[i] = Turn::Flat;
                continue;
            }
            // Clockwise from the edge that leaves, counter-clockwise from the one that arrives: through free space.
            (true, false) => free_angle(siblings, p, draft.n[next].left(), -1.0, tolerance),
            (false, true) => free_angle(siblings, p, -draft.n[last].left(), 1.0, tolerance),
        };
        let shared =
            siblings.iter().any(|(j, s)| *j < own && s.x.iter().any(|v| (*v - p).norm() <= 2.0 * tolerance));
        draft.turn[i] = match free - std::f64::consts::PI {
            d if d < -SAME_RAY => Turn::Reflex,
            // A corner of the union that a sibling reports.
            d if d > SAME_RAY && !shared => Turn::Convex,
            _ => Turn::Flat,
        };
    }
}

/// Angle at `p` from the direction `from`, turning by the sign of `sense`, to the first edge of a sibling.
fn free_angle(siblings: &[(usize, &Draft)], p: V2, from: V2, sense: f64, tolerance: f64) -> f64 {
    let full = std::f64::consts::TAU;
    let mut smallest = full;
    for (_, s) in siblings {
        for j in (0..s.x.len()).filter(|j| on_edge(s, *j, p, tolerance)) {
            let (u, v) = s.edge(j);
            for ray in [u - p, v - p].into_iter().filter(|r| r.norm() > 4.0 * tolerance) {
                let angle = (sense * from.cross(ray).atan2(from.dot(ray))).rem_euclid(full);
                if angle > SAME_RAY && full - angle > SAME_RAY {
                    smallest = smallest.min(angle);
                }
            }
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Sort;
    use crate::polygon::check;

    fn rect(x0: f64, y0: f64, x1: f64, y1: f64) -> Draft {
        let p = check(&[x0, y0, x1, y0, x1, y1, x0, y1], 1e-9).unwrap();
        Draft::new(0, Sort::Convex, 0.0, p.x, p.n, p.turn)
    }

    #[test]
    fn a_wall_on_a_floor_splits_and_covers_the_floor() {
        let mut parts = [rect(0.0, 0.0, 3.0, 1.0), rect(1.0, 1.0, 2.0, 3.0)];
        hide(&mut parts, 1e-9);
        let [floor, wall] = &parts;
        // Corners 0 1 2, then the top from right to left: cuts at x = 2 and x = 1.
        assert_eq!(floor.x[3..5], [V2::new(2.0, 1.0), V2::new(1.0, 1.0)]);
        let free = Cover::Free;
        assert_eq!(floor.cover, [free, free, free, Cover::Covered, free, free]);
        assert_eq!(floor.turn[3..5], [Turn::Reflex; 2]);
        assert_eq!(wall.cover, [Cover::Covered, free, free, free]);
        assert_eq!(wall.turn, [Turn::Reflex, Turn::Reflex, Turn::Convex, Turn::Convex]);
    }

    #[test]
    fn tiles_have_no_corners_at_their_seams_but_steps_do() {
        let mut parts = [rect(0.0, 0.0, 1.0, 1.0), rect(1.0, 0.0, 2.0, 1.0), rect(2.0, 0.0, 3.0, 0.9)];
        hide(&mut parts, 1e-9);
        let (c, f, r) = (Turn::Convex, Turn::Flat, Turn::Reflex);
        assert_eq!(parts[0].turn, [c, f, f, c]);
        // The second tile: its right side is cut where the step begins.
        assert_eq!(parts[1].turn, [f, f, r, c, f]);
        assert_eq!(parts[2].turn, [f, c, c, r]);
        assert_eq!(parts[2].cover[3], Cover::Covered);
    }

    #[test]
    fn other_bodies_and_distant_parts_change_nothing() {
        let mut parts = [rect(0.0, 0.0, 1.0, 1.0), rect(1.0, 0.0, 2.0, 1.0), rect(5.0, 0.0, 6.0, 1.0)];
        parts[1].body = 1;
        hide(&mut parts, 1e-9);
        assert!(parts.iter().all(|p| !p.is_joined() && p.turn == [Turn::Convex; 4]));
    }
}
