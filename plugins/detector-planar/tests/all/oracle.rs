//! Random pairs against dense oracles: exact distances of boundaries, separating axes.

use crate::common::*;

type P = [f64; 2];

fn sub(a: P, b: P) -> P {
    [a[0] - b[0], a[1] - b[1]]
}

fn point_segment(p: P, u: P, v: P) -> f64 {
    let (d, r) = (sub(v, u), sub(p, u));
    let t = (dot(r, d) / dot(d, d)).clamp(0.0, 1.0);
    (r[0] - t * d[0]).hypot(r[1] - t * d[1])
}

fn segments_cross(p: P, q: P, r: P, s: P) -> bool {
    let side = |a: P, b: P, c: P| cross(sub(b, a), sub(c, a));
    side(p, q, r) * side(p, q, s) < 0.0 && side(r, s, p) * side(r, s, q) < 0.0
}

fn holds(poly: &[P], p: P) -> bool {
    // Winding number by angles: unlike the detector's crossing count.
    let total: f64 = (0..poly.len())
        .map(|i| {
            let (u, v) = (sub(poly[i], p), sub(poly[(i + 1) % poly.len()], p));
            cross(u, v).atan2(dot(u, v))
        })
        .sum();
    total.abs() > 3.0
}

fn edges(poly: &[P]) -> impl Iterator<Item = (P, P)> + '_ {
    (0..poly.len()).map(|i| (poly[i], poly[(i + 1) % poly.len()]))
}

/// Exact distance of two closed curves (polygons, or sticks given as two points), 0 where they overlap.
fn distance(a: &[P], b: &[P]) -> f64 {
    let mut best = f64::INFINITY;
    for (p, q) in edges(a) {
        for (r, s) in edges(b) {
            if segments_cross(p, q, r, s) {
                return 0.0;
            }
            best = best.min(point_segment(p, r, s)).min(point_segment(r, p, q));
        }
    }
    if holds(a, b[0]) || holds(b, a[0]) { 0.0 } else { best }
}

/// max over the edges of both of min over the other's vertices, by brute force.
fn sat(a: &[P], b: &[P]) -> f64 {
    let one = |q: &[P], p: &[P]| {
        edges(q)
            .map(|(u, v)| {
                let d = sub(v, u);
                let n = [d[1] / d[0].hypot(d[1]), -d[0] / d[0].hypot(d[1])];
                p.iter().map(|x| dot(n, sub(*x, u))).fold(f64::INFINITY, f64::min)
            })
            .fold(f64::NEG_INFINITY, f64::max)
    };
    one(a, b).max(one(b, a))
}

fn smallest(c: &[Contact]) -> f64 {
    c.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
}

#[test]
fn convex_polygons_give_exact_distance_or_separating_depth() {
    let mut rng = Rng(1);
    let (mut apart, mut overlap) = (0, 0);
    for case in 0..4000 {
        let (x, y) = (rng.convex(), rng.convex());
        let pose = [rng.pose(1.5), rng.pose(1.5)];
        let (wx, wy) = (moved(&x, pose[0]), moved(&y, pose[1]));
        let d = distance(&wx, &wy);
        let c = pair(polygon(&x), polygon(&y)).at(&pose, 0.5);
        if d > 0.0 {
            apart += 1;
            assert_eq!(c.is_empty(), d > 1.0, "case {case}: {d} {c:?}");
            if d <= 1.0 {
                assert!((smallest(&c) - d).abs() < 1e-9, "case {case}: {d} {c:#?}");
            }
        } else {
            overlap += 1;
            let s = sat(&wx, &wy);
            let lead = c.iter().find(|c| (c.gap - s).abs() < 1e-9);
            let lead = lead.unwrap_or_else(|| panic!("case {case}: {s} {c:#?}"));
            // Others lie along the same axis, up to the rotation of a step, or are still apart.
            for c in &c {
                assert!(dot(c.n, lead.n) > 0.0, "case {case}: {c:?} against {lead:?}");
                assert!(c.gap > s / 0.5_f64.cos() - 1e-9, "case {case}");
            }
            // Moving B by the depth along the normal parts them: the normal points the right way.
            let away = pose_shifted(pose[1], lead.n, 1e-9 - s);
            assert!(sat(&wx, &moved(&y, away)) > -1e-9, "case {case}");
        }
    }
    assert!(apart > 1000 && overlap > 500, "{apart} {overlap}");
}

fn pose_shifted(p: [f64; 3], n: P, by: f64) -> [f64; 3] {
    [p[0] + n[0] * by, p[1] + n[1] * by, p[2]]
}

#[test]
fn sticks_and_rounded_shapes_give_exact_distance() {
    let mut rng = Rng(2);
    for case in 0..3000 {
        let stick = |rng: &mut Rng| {
            let half = rng.within(0.1, 1.0);
            (vec![[-half, 0.0], [half, 0.0]], half)
        };
        let (core_x, half) = stick(&mut rng);
        let r = rng.within(0.01, 0.4);
        let a = capsule(half, r);
        let (b, core_y, rb) = match case % 3 {
            0 => {
                let p = rng.convex();
                (polygon(&p), p, 0.0)
            }
            1 => {
                let (s, half) = stick(&mut rng);
                (segment([-half, 0.0], [half, 0.0]), s, 0.0)
            }
            _ => (disc(0.3), vec![[0.0, 0.0], [1e-9, 0.0]], 0.3),
        };
        let pose = [rng.pose(1.5), rng.pose(1.5)];
        let d = distance(&moved(&core_x, pose[0]), &moved(&core_y, pose[1]));
        if d == 0.0 {
            continue;
        }
        let c = pair(a, b).at(&pose, 0.5);
        let gap = d - r - rb;
        assert_eq!(c.is_empty(), gap > 1.0, "case {case}: {gap}");
        assert!(c.is_empty() || (smallest(&c) - gap).abs() < 2e-9, "case {case}: {gap} {c:#?}");
    }
}

#[test]
fn non_convex_polygons_apart_give_exact_distance() {
    let mut rng = Rng(3);
    let mut close = 0;
    for case in 0..6000 {
        let x = rng.star();
        let y = if case % 2 == 0 { rng.star() } else { rng.convex() };
        let pose = [rng.pose(1.3), rng.pose(1.3)];
        let d = distance(&moved(&x, pose[0]), &moved(&y, pose[1]));
        if d == 0.0 {
            continue;
        }
        let c = pair(polygon(&x), polygon(&y)).at(&pose, 0.25);
        assert_eq!(c.is_empty(), d > 0.5, "case {case}: {d} {c:?}");
        if d <= 0.5 {
            close += 1;
            assert!((smallest(&c) - d).abs() < 1e-9, "case {case}: {d} {c:#?}");
        }
    }
    assert!(close > 1000, "{close}");
}

#[test]
fn discs_against_non_convex_polygons() {
    let mut rng = Rng(4);
    for case in 0..4000 {
        let x = rng.star();
        let r = rng.within(0.01, 0.5);
        let (pose, at) = (rng.pose(0.5), rng.pose(1.5));
        let world = moved(&x, pose);
        let p = [at[0], at[1]];
        let away = edges(&world).map(|(u, v)| point_segment(p, u, v)).fold(f64::INFINITY, f64::min);
        let gap = if holds(&world, p) { -away } else { away } - r;
        let c = pair(polygon(&x), disc(r)).at(&[pose, at], 0.1);
        assert_eq!(c.is_empty(), gap > 0.2, "case {case}: {gap}");
        if gap <= 0.2 {
            // Deepest in a notch is one of its lines, which end farther away than they reach: only then a gap is smaller.
            let nearest = c.iter().any(|c| (c.gap - gap).abs() < 1e-9);
            assert!(nearest || (holds(&world, p) && smallest(&c) <= 0.0), "case {case}: {gap} {c:#?}");
            assert!(holds(&world, p) || (smallest(&c) - gap).abs() < 1e-9, "case {case}: {gap} {c:#?}");
        }
    }
}

#[test]
fn overlapping_non_convex_polygons_always_have_a_penetrating_contact() {
    let mut rng = Rng(5);
    let mut seen = 0;
    for case in 0..6000 {
        let x = rng.star();
        let y = if case % 2 == 0 { rng.star() } else { rng.convex() };
        let pose = [rng.pose(1.0), rng.pose(1.0)];
        if distance(&moved(&x, pose[0]), &moved(&y, pose[1])) > 0.0 {
            continue;
        }
        seen += 1;
        let c = pair(polygon(&x), polygon(&y)).at(&pose, 0.0);
        assert!(c.iter().any(|c| c.gap < 0.0), "case {case}: {c:#?}");
    }
    assert!(seen > 2000, "{seen}");
}

#[test]
fn every_vertex_that_stands_before_a_convex_polygon_is_reported() {
    // Completeness beyond the closest pair: a flat face over a face, all vertices within reach and within the end points.
    let mut rng = Rng(6);
    for _ in 0..500 {
        let (half, tilt) = (rng.within(0.1, 1.0), rng.within(-0.3, 0.3));
        let low = [-half, half].map(|x| x * tilt.sin() - 0.1 * tilt.cos());
        let height = rng.within(0.0, 0.05) - low[0].min(low[1]);
        let c = pair(rect(3.0, 1.0), rect(half, 0.1)).at(&[NO_POSE, [0.0, 1.0 + height, tilt]], 0.1);
        let mut expected: Vec<f64> = low.iter().map(|l| l + height).filter(|g| *g <= 0.2).collect();
        let mut found: Vec<f64> = c.iter().map(|c| c.gap).collect();
        expected.sort_by(f64::total_cmp);
        found.sort_by(f64::total_cmp);
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(&expected).all(|(f, e)| (f - e).abs() < 1e-12));
        assert!(c.iter().all(|c| c.n == [0.0, 1.0]));
    }
}
