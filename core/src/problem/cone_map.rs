//! Natural maps of cones: |p − Π(p − u)|, with Π the nearest point of the cone.
//!
//! Where p is many times larger than u the difference p − u is p, and the map, computed as it is written, is 0 for any u: two walls that
//! close on a body were in balance under impulses of 1e10. Here u stands by itself. With x = p − u outside the cone and its polar, d the
//! nearest ray of the rim and ν the unit vector across it, p − Π(x) = u + (ν·x) ν, whose part along d is d·u, along ν is ν·p, and across
//! both is u's.

/// |p − Π(p − u)| for {|p_t| ≤ μ p_n}; p and u are (normal, tangential).
#[inline]
pub(super) fn of_cone((p_n, p_t): Local, (u_n, u_t): Local, mu: f64) -> f64 {
    let (n, t) = (p_n - u_n, (p_t.0 - u_t.0, p_t.1 - u_t.1));
    let length = t.0.hypot(t.1);
    if n >= 0.0 && length <= mu * n {
        return u_n.hypot(u_t.0.hypot(u_t.1));
    }
    if mu * length <= -n {
        return p_n.hypot(p_t.0.hypot(p_t.1));
    }
    let e = (t.0 / length, t.1 / length);
    let along = u_n + mu * dot(e, u_t);
    let across = dot(e, p_t) - mu * p_n;
    (along.hypot(across) / 1.0_f64.hypot(mu)).hypot(e.0 * u_t.1 - e.1 * u_t.0)
}

/// A vector at a contact: its normal part, and its two tangential ones.
type Local = (f64, (f64, f64));

fn dot(a: (f64, f64), b: (f64, f64)) -> f64 {
    a.0 * b.0 + a.1 * b.1
}

/// |p − Π(p − u)| for the disc {|p| ≤ radius}.
#[inline]
pub(super) fn of_disc(p: (f64, f64), u: (f64, f64), radius: f64) -> f64 {
    let x = (p.0 - u.0, p.1 - u.1);
    let length = x.0.hypot(x.1);
    if length <= radius {
        return u.0.hypot(u.1);
    }
    let e = (x.0 / length, x.1 / length);
    (dot(e, p) - radius).hypot(e.0 * u.1 - e.1 * u.0)
}

/// |s − Π(s − y)| for {s_0 ≥ |s_r|} of any dimension, from (s_i, y_i) row by row.
pub(super) fn of_second_order(rows: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let mut rest = rows;
    let Some((s, y)) = rest.next() else { return 0.0 };
    let size = |terms: &mut dyn Iterator<Item = f64>| terms.map(|x| x * x).sum::<f64>().sqrt();
    let head = s - y;
    let length = size(&mut rest.clone().map(|(s, y)| s - y));
    if length <= head {
        return y.hypot(size(&mut rest.map(|(_, y)| y)));
    }
    if length <= -head {
        return s.hypot(size(&mut rest.map(|(s, _)| s)));
    }
    let e = |(s, y): (f64, f64)| (s - y) / length;
    let [s_e, y_e] =
        rest.clone().fold([0.0; 2], |sum, row| [sum[0] + e(row) * row.0, sum[1] + e(row) * row.1]);
    let beside = size(&mut rest.map(|row| row.1 - y_e * e(row)));
    ((y + y_e).hypot(s_e - s) / 2.0_f64.sqrt()).hypot(beside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{project_cone, project_disc, project_second_order};

    /// As it is written: right where nothing is lost.
    fn written((p_n, p_t): Local, (u_n, u_t): Local, mu: f64) -> f64 {
        let (n, t) = project_cone(p_n - u_n, (p_t.0 - u_t.0, p_t.1 - u_t.1), mu);
        (p_n - n).hypot((p_t.0 - t.0).hypot(p_t.1 - t.1))
    }

    fn numbers() -> impl Iterator<Item = [f64; 6]> {
        let mut state = 7_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        (0..3000).map(move |_| std::array::from_fn(|_| next()))
    }

    #[test]
    fn maps_are_what_is_written() {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-14;
        for [a, b, c, d, e, f] in numbers() {
            for mu in [0.0, 0.3, 1.0, 5.0] {
                let (p, u) = ((a, (b, c)), (d, (e, f)));
                assert!(near(of_cone(p, u, mu), written(p, u, mu)), "{p:?} {u:?} {mu}");
            }
            let (x, y) = project_disc((a - c, b - d), 0.7);
            assert!(near(of_disc((a, b), (c, d), 0.7), (a - x).hypot(b - y)));
            let (head, shrink) = project_second_order(a - d, (b - e).hypot(c - f));
            let (x, y) = (b - shrink * (b - e), c - shrink * (c - f));
            let of = of_second_order([(a, d), (b, e), (c, f)].into_iter());
            assert!(near(of, (a - head).hypot(x.hypot(y))), "{a} {b} {c} {d} {e} {f}");
        }
    }

    /// Impulses of 1e10 in front of a velocity of 1e-6: the map was 0, and two walls that close on a body "in balance".
    #[test]
    fn large_impulses_hide_no_velocity() {
        for size in [1e8, 1e10, 1e16] {
            let closes = (-1e-6, (0.0, 0.0));
            assert_eq!(of_cone((size, (0.0, 0.0)), closes, 0.5), 1e-6);
            assert_eq!(of_cone((size, (0.25 * size, 0.0)), closes, 0.5), 1e-6);
            let on_rim = of_cone((size, (0.5 * size, 0.0)), closes, 0.5);
            assert!(on_rim > 0.5e-6 && on_rim < 2e-6, "{on_rim}");
            assert_eq!(of_disc((0.5 * size, 0.0), (0.0, 1e-6), size), 1e-6);
            assert_eq!(of_second_order([(size, -1e-6), (0.0, 0.0), (0.0, 0.0)].into_iter()), 1e-6);
        }
    }
}
