//! One site's problem, the others held: u = D p + q with its law between p and u.
//!
//! Lanes (n, t1, t2) for Coulomb's law, (–, t1, t2) for discs, 0, 1, 2 for single rows and joints; lanes that do not exist
//! hold zeros. Coulomb: open, q_n ≥ 0 → p = 0; stick, p = −D⁻¹ q ∈ K; else slip: u_n = 0 and u_t = −λ p_t, λ ≥ 0, so that with
//! p_n eliminated (S + λ I) p_t = −c, |p_t| = μ p_n, S = D_tt − D_tn D_nt/D_nn, c = q_t − D_tn q_n/D_nn: one number to find.

use vinci_sdk::core::problem::project_disc;

/// Law of the rows of a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Law {
    /// Coulomb's law with this μ.
    Coulomb(f64),
    /// Friction of at most this radius, N s.
    Disc(f64),
    /// l ≤ p ≤ u ⟂ w, one row.
    Bounds(f64, f64),
    /// w = 0, up to three rows.
    Joint,
}

pub(crate) type M3 = [[f64; 3]; 3];

/// D of a site and what is made of it once per problem.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Local {
    pub(crate) d: M3,
    /// D⁻¹, where `regular`.
    inverse: M3,
    regular: bool,
    /// Effective mass: rows/tr D, or 1 where nothing gives way.
    pub(crate) mass: f64,
}

/// λ of a site that nobody has visited.
pub(crate) const UNKNOWN: f64 = -1.0;

/// |p_t| may exceed μ p_n by this part: rounding.
const ROUNDING: f64 = 1e-14;
/// Steps of Newton's method on λ, and the relative |φ| that ends them: λ is kept from sweep to sweep, so one is the rule.
const STEPS: usize = 60;
const CLOSE: f64 = 1e-8;

impl Local {
    /// With D of `rows` rows, of which `lanes` says where they stand.
    pub(crate) fn new(d: M3, lanes: std::ops::Range<usize>) -> Self {
        let trace: f64 = lanes.clone().map(|a| d[a][a]).sum();
        let mass = if trace > 0.0 { lanes.len() as f64 / trace } else { 1.0 };
        let inverse = invert(&d, lanes);
        Self { d, inverse: inverse.unwrap_or_default(), regular: inverse.is_some(), mass }
    }

    /// D p.
    #[inline]
    pub(crate) fn own(&self, p: &[f64; 3]) -> [f64; 3] {
        std::array::from_fn(|a| self.d[a][0] * p[0] + self.d[a][1] * p[1] + self.d[a][2] * p[2])
    }

    /// p of the site's law for u = D p + q; `last`, the impulse so far, is where a law that nothing decides stays. `lambda` is
    /// kept from visit to visit.
    #[inline]
    pub(crate) fn solve(&self, law: Law, q: [f64; 3], last: [f64; 3], lambda: &mut f64) -> [f64; 3] {
        match law {
            Law::Coulomb(mu) => self.coulomb(mu, q, last, lambda),
            Law::Disc(radius) => self.disc(radius, q, last, lambda),
            Law::Bounds(lower, upper) => self.bounds(lower, upper, q[0], last[0]),
            Law::Joint if self.regular => self.stick(&q),
            Law::Joint => self.joint(q, last),
        }
    }

    #[inline]
    fn coulomb(&self, mu: f64, q: [f64; 3], last: [f64; 3], lambda: &mut f64) -> [f64; 3] {
        if q[0] >= 0.0 {
            return [0.0; 3];
        }
        if self.regular {
            let p = self.stick(&q);
            let bound = mu * p[0] * (1.0 + ROUNDING);
            if p[0] >= 0.0 && p[1] * p[1] + p[2] * p[2] <= bound * bound {
                return p;
            }
        }
        self.slip(mu, q, last, lambda).unwrap_or_else(|| self.projected(mu, q, last))
    }

    /// −D⁻¹ q.
    #[inline]
    fn stick(&self, q: &[f64; 3]) -> [f64; 3] {
        let i = &self.inverse;
        std::array::from_fn(|a| -(i[a][0] * q[0] + i[a][1] * q[1] + i[a][2] * q[2]))
    }

    /// (S + λ I) p_t = −c with |p_t| = μ p_n; then p once more from the direction of p_t alone, so that u_n = 0 and
    /// |p_t| = μ p_n hold to rounding. None where the block has no such point.
    fn slip(&self, mu: f64, q: [f64; 3], last: [f64; 3], kept: &mut f64) -> Option<[f64; 3]> {
        let d = &self.d;
        if !(d[0][0] > 0.0) {
            return None;
        }
        if mu == 0.0 {
            return Some([-q[0] / d[0][0], 0.0, 0.0]);
        }
        let (f, g) = (d[1][0] / d[0][0], d[2][0] / d[0][0]);
        let s = schur(d, (f, g));
        let c = [q[1] - f * q[0], q[2] - g * q[0]];
        let radius = |t: [f64; 2]| -mu * (q[0] + d[0][1] * t[0] + d[0][2] * t[1]) / d[0][0];
        let slope = |t: [f64; 2]| -mu * (d[0][1] * t[0] + d[0][2] * t[1]) / d[0][0];
        let (lambda, t) = secular(s, c, self.start(*kept, &q, &last), radius, slope)?;
        *kept = lambda;
        let size = (t[0] * t[0] + t[1] * t[1]).sqrt();
        let e = [t[0] / size, t[1] / size];
        let stiffness = d[0][0] + mu * (d[0][1] * e[0] + d[0][2] * e[1]);
        let p_n = -q[0] / stiffness;
        (stiffness > 0.0 && p_n.is_finite()).then_some([p_n, mu * p_n * e[0], mu * p_n * e[1]])
    }

    /// Where the search for λ begins: its last value, else |u_t|/|p_t| of the impulse so far, else 0.
    fn start(&self, kept: f64, q: &[f64; 3], last: &[f64; 3]) -> f64 {
        if kept >= 0.0 {
            return kept;
        }
        let (own, p_t) = (self.own(last), last[1].hypot(last[2]));
        if p_t > 0.0 { (own[1] + q[1]).hypot(own[2] + q[2]) / p_t } else { 0.0 }
    }

    /// Friction on a disc: stick inside, else |p_t| = R.
    fn disc(&self, radius: f64, q: [f64; 3], last: [f64; 3], kept: &mut f64) -> [f64; 3] {
        if self.regular {
            let p = self.stick(&q);
            if p[1].hypot(p[2]) <= radius {
                return p;
            }
        }
        let d = &self.d;
        let s = schur(d, (0.0, 0.0));
        let start = self.start(*kept, &q, &last);
        if radius > 0.0
            && let Some((lambda, t)) = secular(s, [q[1], q[2]], start, |_| radius, |_| 0.0)
        {
            *kept = lambda;
            let size = t[0].hypot(t[1]);
            return [0.0, radius * t[0] / size, radius * t[1] / size];
        }
        let u = self.u(&q, &last);
        let (x, y) = project_disc((last[1] - self.mass * u[1], last[2] - self.mass * u[2]), radius);
        [0.0, x, y]
    }

    fn bounds(&self, lower: f64, upper: f64, q: f64, last: f64) -> [f64; 3] {
        let d = self.d[0][0];
        // Nothing of its own to respond with: towards the bound that w points to, by a unit step.
        let p = if d > 0.0 { -q / d } else { last - q };
        [p.clamp(lower, upper), 0.0, 0.0]
    }

    /// Rows that repeat each other, one after the other.
    fn joint(&self, q: [f64; 3], last: [f64; 3]) -> [f64; 3] {
        let mut p = last;
        for a in 0..3 {
            if self.d[a][a] > 0.0 {
                p[a] -= (self.own(&p)[a] + q[a]) / self.d[a][a];
            }
        }
        p
    }

    /// Projected step p ← P_K(p − m (u + μ |u_t| e_n)), for a D that is singular or not positive definite, where no case holds.
    fn projected(&self, mu: f64, q: [f64; 3], last: [f64; 3]) -> [f64; 3] {
        self.natural_point(Law::Coulomb(mu), &self.u(&q, &last), &last)
    }

    fn u(&self, q: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
        let own = self.own(p);
        [own[0] + q[0], own[1] + q[1], own[2] + q[2]]
    }

    /// Point that p is compared with: P_K(p − m (u + μ |u_t| e_n)), Π(p − m u), with the site's own mass m.
    pub(crate) fn natural_point(&self, law: Law, u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
        let m = self.mass;
        match law {
            Law::Coulomb(mu) => {
                let slip = (u[1] * u[1] + u[2] * u[2]).sqrt();
                project(mu, [p[0] - m * (u[0] + mu * slip), p[1] - m * u[1], p[2] - m * u[2]])
            }
            Law::Disc(radius) => {
                let (x, y) = project_disc((p[1] - m * u[1], p[2] - m * u[2]), radius);
                [0.0, x, y]
            }
            Law::Bounds(lower, upper) => [(p[0] - m * u[0]).clamp(lower, upper), 0.0, 0.0],
            Law::Joint => std::array::from_fn(|a| p[a] - m * u[a]),
        }
    }
}

/// P_K without the care of core's for numbers near the ends of their range, which costs half of a look at a residual.
#[inline]
fn project(mu: f64, x: [f64; 3]) -> [f64; 3] {
    let square = x[1] * x[1] + x[2] * x[2];
    if x[0] >= 0.0 && square <= mu * mu * x[0] * x[0] {
        return x;
    }
    let length = square.sqrt();
    if mu * length <= -x[0] {
        return [0.0; 3];
    }
    let normal = (x[0] + mu * length) / (1.0 + mu * mu);
    let share = if length > 0.0 { mu * normal / length } else { 0.0 };
    [normal, share * x[1], share * x[2]]
}

/// S = D_tt − (f, g) D_nt. A second tangent that does not exist gets the entry of the first: it stays at zero.
fn schur(d: &M3, (f, g): (f64, f64)) -> [[f64; 2]; 2] {
    let mut s =
        [[d[1][1] - f * d[0][1], d[1][2] - f * d[0][2]], [d[2][1] - g * d[0][1], d[2][2] - g * d[0][2]]];
    if d[2][2] == 0.0 {
        s[1][1] = s[0][0];
    }
    s
}

/// Newton's method on φ(λ) = 1/|t| − 1/r(t), t = −(S + λ I)⁻¹ c, which is nearly linear in λ; `slope` is the change of the
/// radius r along a change of t. λ stays between the largest value known as too small (t too long, or r not positive) and
/// the smallest known as too large. Gives λ and t; none where there is no such point.
fn secular(
    s: [[f64; 2]; 2],
    c: [f64; 2],
    start: f64,
    radius: impl Fn([f64; 2]) -> f64,
    slope: impl Fn([f64; 2]) -> f64,
) -> Option<(f64, [f64; 2])> {
    let (mut low, mut high, mut lambda) = (0.0, f64::INFINITY, start);
    for _ in 0..STEPS {
        let (a, b) = (s[0][0] + lambda, s[1][1] + lambda);
        let share = 1.0 / (a * b - s[0][1] * s[1][0]);
        let solve = |r: [f64; 2]| [(s[0][1] * r[1] - b * r[0]) * share, (s[1][0] * r[0] - a * r[1]) * share];
        let t = solve(c);
        let (square, r) = (t[0] * t[0] + t[1] * t[1], radius(t));
        let mut next = f64::NAN;
        if r > 0.0 && share > 0.0 && square > 0.0 {
            let (size, dt) = (square.sqrt(), solve(t));
            let phi = 1.0 / size - 1.0 / r;
            let rise = -(t[0] * dt[0] + t[1] * dt[1]) / (square * size) + slope(dt) / (r * r);
            next = lambda - phi / rise;
            if (phi * r).abs() <= CLOSE {
                // The next visit begins one step further: errors do not stay.
                return Some((if next >= 0.0 { next } else { lambda }, t));
            }
            if phi < 0.0 { low = lambda } else { high = lambda }
        } else {
            low = lambda;
        }
        if !(next > low && next < high) {
            let wide = 2.0 * lambda + s[0][0].abs() + s[1][1].abs();
            next = if high.is_finite() { 0.5 * (low + high) } else { wide };
        }
        lambda = next;
    }
    None
}

/// Inverse by cofactors; lanes that do not exist get zeros. None where the matrix is singular to working precision or not
/// positive on its diagonal.
fn invert(d: &M3, lanes: std::ops::Range<usize>) -> Option<M3> {
    let mut a = *d;
    (0..3).filter(|k| !lanes.contains(k)).for_each(|k| a[k][k] = 1.0);
    let cofactor = |i: usize, j: usize| {
        let (r, s) = ((i + 1) % 3, (i + 2) % 3);
        let (x, y) = ((j + 1) % 3, (j + 2) % 3);
        a[r][x] * a[s][y] - a[r][y] * a[s][x]
    };
    let det = (0..3).map(|j| a[0][j] * cofactor(0, j)).sum::<f64>();
    let size = a[0][0] * a[1][1] * a[2][2];
    let positive = (0..3).all(|k| a[k][k] > 0.0);
    if !(positive && det > 1e-13 * size) {
        return None;
    }
    let mut out: M3 = std::array::from_fn(|i| std::array::from_fn(|j| cofactor(j, i) / det));
    for k in (0..3).filter(|k| !lanes.contains(k)) {
        out[k][k] = 0.0;
    }
    Some(out)
}
