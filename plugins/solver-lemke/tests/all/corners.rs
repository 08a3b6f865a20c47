//! 10,000 random steps of a vertex at one convex corner: the branching over OR groups finds a solution every time, and every
//! solution obeys the conditions, recomputed here from v⁺ and p.

#![allow(clippy::print_stdout)] // counts are read with --nocapture

use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::contact::{ContactKey, Contacts};
use vinci_sdk::core::model::{MotionModel, PairValues, Space};
use vinci_sdk::core::rigid::{FrictionLaw, RigidStep};
use vinci_sdk::core::stage::{BlockKind, Rows};
use vinci_sdk::prelude::*;
use vinci_solver_lemke::{Config, Lemke};

const H: f64 = 0.01;
const SIZE: f64 = 0.05;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// One body of which one vertex meets one corner: alternatives k with normal n_k, linearised gap ψ_k + h n_k·u⁺, u the
/// velocity of the vertex.
struct Corner {
    space: Space,
    mass: Vec<f64>,
    v: Vec<f64>,
    force: Vec<f64>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    tangent: Vec<f64>,
    jacobian: CsrBuf,
    friction: Vec<f64>,
    none: CsrBuf,
}

type V3 = [f64; 3];

fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn unit(a: V3) -> V3 {
    let length = dot(&a, &a).sqrt();
    a.map(|x| x / length)
}

impl Corner {
    /// The vertex of a body with inertia `inertia` (spheres in space), `lever` from its centre of mass, at `at` before a
    /// corner in the origin.
    fn new(
        space: Space,
        normals: &[V3],
        at: V3,
        lever: V3,
        inertia: f64,
        speeds: (Vec<f64>, Vec<f64>),
        mu: f64,
    ) -> Self {
        let nv = space.nv();
        let linear = space.dim();
        let mut c = Self {
            space,
            mass: (0..nv * nv)
                .map(|i| {
                    if i % (nv + 1) > 0 {
                        0.0
                    } else if i / nv < linear {
                        1.0
                    } else {
                        inertia
                    }
                })
                .collect(),
            v: speeds.0,
            force: speeds.1,
            gap: Vec::new(),
            normal: Vec::new(),
            tangent: Vec::new(),
            jacobian: CsrBuf::default(),
            friction: vec![mu; normals.len()],
            none: CsrBuf::default(),
        };
        c.jacobian.clear(nv);
        c.none.clear(nv);
        for n in normals {
            c.gap.push(dot(n, &at));
            c.normal.extend(n);
            c.row(lever, *n);
            let t1 = if linear == 2 { [-n[1], n[0], 0.0] } else { unit(cross(*n, [0.36, 0.48, 0.8])) };
            c.tangent.extend(t1);
            c.row(lever, t1);
            if linear == 3 {
                c.tangent.extend(cross(*n, t1));
                c.row(lever, cross(*n, t1));
            }
        }
        c
    }

    fn row(&mut self, lever: V3, d: V3) {
        let torque = cross(lever, d);
        let planar = [d[0], d[1], torque[2]];
        let spatial = [d[0], d[1], d[2], torque[0], torque[1], torque[2]];
        let row: &[f64] = if self.space == Space::Planar { &planar } else { &spatial };
        row.iter().enumerate().for_each(|(j, x)| self.jacobian.push(j, *x));
        self.jacobian.end_row();
    }

    fn view<'a>(&'a self, pass: u32, lists: &'a Lists) -> StepView<'a> {
        let n = self.gap.len();
        let n_t = self.space.n_t();
        StepView {
            step: 0,
            pass,
            attempt: 0,
            t: 0.0,
            h: H,
            space: self.space,
            tolerance: 1e-10,
            q: &lists.zero[..self.space.nq()],
            v: &self.v,
            block_start: &lists.block_start,
            q_start: &lists.q_start,
            block_kind: &lists.kind,
            quaternion: &[],
            motion: &[0],
            mass: &self.mass,
            drag: &lists.zero[..self.mass.len()],
            force: &self.force,
            bias: &lists.zero[..self.v.len()],
            stiffness: self.none.view(),
            viscosity: self.none.view(),
            role: &lists.role[..self.v.len()],
            command: &lists.zero[..self.v.len()],
            impedance: &lists.zero[..self.v.len()],
            contacts: Contacts {
                n_t,
                key: &lists.key[..n],
                body_a: &lists.bodies[..n],
                body_b: &lists.bodies[..n],
                gap: &self.gap,
                normal: &self.normal,
                tangent: &self.tangent,
                point_a: &lists.zero[..3 * n],
                point_b: &lists.zero[..3 * n],
                jacobian: self.jacobian.view(),
                pair: PairValues {
                    friction: &self.friction,
                    restitution: &lists.zero[..n],
                    stiffness: &lists.rigid[..n],
                    damping: &lists.zero[..n],
                    ..PairValues::default()
                },
                last_impulse: &lists.zero[..(1 + n_t) * n],
                age: &lists.bodies[..n],
                group: &lists.group[..n],
                cell: &[],
            },
            rows: Rows { jacobian: self.none.view(), ..Rows::default() },
            rows_middle: Default::default(),
            rows_end: Default::default(),
            supports: Default::default(),
            force_rate: &[],
            drive_speed: &[],
        }
    }

    /// Solves by the branching: v⁺, p and the number of problems, or why not.
    fn solve(&self, lemke: &mut Lemke) -> Result<(Vec<f64>, Vec<f64>, u32), String> {
        let lists = Lists::new(self.space, self.gap.len());
        let mut rigid = RigidStep::new(MotionModel::Dynamic, FrictionLaw::Pyramid(8), self.space);
        for pass in 0..1000 {
            let view = self.view(pass, &lists);
            let problem = rigid.formulate(&view, |_, i| self.gap[i] / H).unwrap();
            let solution = lemke.solve(&problem).unwrap();
            let update = match solution.status {
                Status::Converged => rigid.update(&view, &solution).unwrap(),
                _ => rigid.other_branch(&view),
            };
            match update.verdict {
                Verdict::Accept => return Ok((update.v.to_vec(), update.impulse.to_vec(), pass + 1)),
                Verdict::Again => {}
                _ => return Err(update.reason.to_string()),
            }
        }
        Err("it goes on for ever".to_string())
    }

    /// The conditions, from v⁺ and p alone.
    fn check(&self, v: &[f64], p: &[f64], what: &str) {
        const TOL: f64 = 1e-6;
        let (stride, nv, jacobian) = (1 + self.space.n_t(), self.v.len(), self.jacobian.view());
        for i in 0..nv {
            let wrench: f64 = (0..p.len())
                .flat_map(|row| jacobian.entries(row).map(move |e| (row, e)))
                .filter(|(_, e)| e.0 == i)
                .map(|(row, e)| e.1 * p[row])
                .sum();
            let m = self.mass[i * (nv + 1)];
            let off = m * (v[i] - self.v[i]) - H * self.force[i] - wrench;
            assert!(off.abs() < TOL, "{what}: balance {i} is off by {off:e}");
        }
        let gap = |k: usize| self.gap[k] / H + jacobian.row_dot(k * stride, v);
        let most = (0..self.gap.len()).map(gap).fold(f64::NEG_INFINITY, f64::max);
        assert!(most >= -TOL, "{what}: all alternatives are violated, {most:e}");
        for k in 0..self.gap.len() {
            let p_k = &p[k * stride..][..stride];
            let slip: Vec<f64> = (1..stride).map(|d| jacobian.row_dot(k * stride + d, v)).collect();
            let bound = self.friction[k] * p_k[0];
            assert!(p_k[0] >= -TOL, "{what}: p_{k} pulls");
            assert!(dot(&p_k[1..], &p_k[1..]).sqrt() <= bound + TOL, "{what}: friction cone of {k}");
            if p_k[0] <= TOL {
                continue;
            }
            assert!(gap(k).abs() < TOL && gap(k) > most - TOL, "{what}: {k} pushes at {} < {most}", gap(k));
            let (power, speed) = (dot(&p_k[1..], &slip), dot(&slip, &slip).sqrt());
            // The pyramid's: within cos(π/8) of the circle's; in the plane exact.
            let share = if self.space == Space::Planar { 1.0 } else { (std::f64::consts::PI / 8.0).cos() };
            assert!(power <= -share * bound * speed + TOL * (1.0 + speed), "{what}: friction of {k} is lazy");
        }
    }
}

/// Every planar mode of two contacts (open, stick, slip either way) as linear equations: an oracle of its own.
impl Corner {
    /// Returns true if any mode is a solution.
    fn any_mode(&self) -> bool {
        let (j, nv) = (self.jacobian.view(), self.v.len());
        let mass = |i: usize| self.mass[i * (nv + 1)];
        let free: Vec<f64> = (0..nv).map(|i| self.v[i] + H * self.force[i] / mass(i)).collect();
        let product = |a: usize, b: usize| -> f64 {
            let of_b = |i: usize| j.entries(b).find(|e| e.0 == i).map_or(0.0, |e| e.1);
            j.entries(a).map(|(i, x)| x * of_b(i) / mass(i)).sum()
        };
        let w: Vec<Vec<f64>> = (0..4).map(|a| (0..4).map(|b| product(a, b)).collect()).collect();
        let q: Vec<f64> = (0..4)
            .map(|a| j.row_dot(a, &free) + if a % 2 == 0 { self.gap[a / 2] / H } else { 0.0 })
            .collect();
        (0..16).any(|mode| self.is_solution([mode % 4, mode / 4], &w, &q))
    }

    /// Mode of every contact: 0 open, 1 stick, 2 and 3 slip against −t and +t.
    fn is_solution(&self, mode: [usize; 2], w: &[Vec<f64>], q: &[f64]) -> bool {
        const TOL: f64 = 1e-9;
        let mut m = vec![vec![0.0; 5]; 4];
        for k in 0..2 {
            let (n, t, mu) = (2 * k, 2 * k + 1, self.friction[k]);
            let rate = |row: usize| [w[row][0], w[row][1], w[row][2], w[row][3], -q[row]].to_vec();
            m[n] = rate(n);
            m[t] = vec![0.0; 5];
            match mode[k] {
                0 => {
                    m[n] = vec![0.0; 5];
                    (m[n][n], m[t][t]) = (1.0, 1.0);
                }
                1 => m[t] = rate(t),
                slip => (m[t][t], m[t][n]) = (1.0, if slip == 2 { -mu } else { mu }),
            }
        }
        let Some(p) = eliminate(m) else { return false };
        let rate = |row: usize| q[row] + (0..4).map(|c| w[row][c] * p[c]).sum::<f64>();
        let most = rate(0).max(rate(2));
        let lawful = |k: usize| {
            let (n, t, mu) = (2 * k, 2 * k + 1, self.friction[k]);
            let friction = match mode[k] {
                0 => return true,
                1 => p[t].abs() <= mu * p[n] + TOL,
                2 => rate(t) <= TOL,
                _ => rate(t) >= -TOL,
            };
            p[n] >= -TOL && friction && rate(n) >= most - TOL
        };
        most >= -TOL && lawful(0) && lawful(1)
    }
}

/// Solves a system of rows [a | b]; none where it is singular.
fn eliminate(mut m: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = m.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|a, b| m[*a][c].abs().total_cmp(&m[*b][c].abs()))?;
        m.swap(c, pivot);
        if m[c][c].abs() < 1e-12 {
            return None;
        }
        for r in (0..n).filter(|r| *r != c) {
            let f = m[r][c] / m[c][c];
            (0..=n).for_each(|k| m[r][k] -= f * m[c][k]);
        }
    }
    Some((0..n).map(|r| m[r][n] / m[r][r]).collect())
}

/// Lists that are the same for all.
struct Lists {
    zero: [f64; 64],
    rigid: [f64; 8],
    role: [u8; 8],
    bodies: [u32; 8],
    group: [u32; 8],
    key: Vec<ContactKey>,
    block_start: [u32; 2],
    q_start: [u32; 2],
    kind: [u8; 1],
}

impl Lists {
    fn new(space: Space, n: usize) -> Self {
        let key = |i: usize| ContactKey { shape_a: 0, shape_b: 1, feature_a: i as u32, feature_b: 0 };
        Self {
            zero: [0.0; 64],
            rigid: [f64::INFINITY; 8],
            role: [0; 8],
            bodies: [0; 8],
            group: [1; 8],
            key: (0..n).map(key).collect(),
            block_start: [0, space.nv() as u32],
            q_start: [0, space.nq() as u32],
            kind: [if space == Space::Planar { BlockKind::Planar } else { BlockKind::Spatial } as u8],
        }
    }
}

/// A random start outside the corner, fast enough to pass it within the step.
fn random(r: &mut Random, space: Space, turns: bool, mu: f64) -> Corner {
    let reach = |r: &mut Random| r.next(-1.0, 1.0);
    let normals: Vec<V3> = if space == Space::Planar {
        let (a, bend) = (r.next(-3.0, 3.0), r.next(0.2, 2.9));
        vec![[a.cos(), a.sin(), 0.0], [(a + bend).cos(), (a + bend).sin(), 0.0]]
    } else {
        // Three faces of a corner, each within a cone around a common axis, so that the solid is there.
        let n = |r: &mut Random, k: f64| {
            let (a, tilt) = (2.094 * k + r.next(-0.4, 0.4), r.next(0.5, 1.2));
            [tilt.sin() * a.cos(), tilt.sin() * a.sin(), tilt.cos()]
        };
        (0..3).map(|k| n(r, f64::from(k))).collect()
    };
    let flat = if space == Space::Planar { 0.0 } else { 1.0 };
    let at = loop {
        let at = [SIZE * reach(r), SIZE * reach(r), flat * SIZE * reach(r)];
        if normals.iter().any(|n| dot(n, &at) >= 0.0) {
            break at;
        }
    };
    let arm = if turns { 0.3 } else { 0.0 };
    let lever = [arm * reach(r), arm * reach(r), flat * arm * reach(r)];
    let inertia = if turns { r.next(0.01, 0.1) } else { 1.0 };
    let mut list = |size: f64| -> Vec<f64> { (0..space.nv()).map(|_| size * r.next(-1.0, 1.0)).collect() };
    let speeds = (list(2.0 * SIZE / H), list(10.0));
    Corner::new(space, &normals, at, lever, inertia, speeds, mu)
}

/// How many of `n` problems needed more than one branch, and the unsolved ones with whether the oracle finds a solution. What
/// is solved is checked.
fn many(n: u64, space: Space, turns: bool, friction: bool) -> (u32, Vec<(u64, bool)>) {
    let (mut branched, mut longest) = (0, 0);
    let mut failed = Vec::new();
    for seed in 0..n {
        let mut r = Random(seed.wrapping_mul(0x1234_5677) + 77);
        let mu = if friction { r.next(0.05, 1.5) } else { 0.0 };
        let corner = random(&mut r, space, turns, mu);
        let mut lemke = Lemke::new(Config::default()).unwrap();
        let what = format!("{space:?}, turns {turns}, friction {mu}, seed {seed}");
        match corner.solve(&mut lemke) {
            Ok((v, p, problems)) => {
                corner.check(&v, &p, &what);
                branched += u32::from(problems > 1);
                longest = longest.max(problems);
            }
            Err(why) => {
                assert!(why.contains("no choice among the alternatives"), "{what}: {why}");
                failed.push((seed, space == Space::Planar && corner.any_mode()));
            }
        }
    }
    assert!(longest <= 8, "{space:?}, turns {turns}, friction {friction}: {longest} problems for one corner");
    (branched, failed)
}

#[test]
fn point_masses_at_a_corner_always_find_a_way() {
    for friction in [false, true] {
        let (branched, failed) = many(2500, Space::Planar, false, friction);
        assert!(branched > 100);
        assert_eq!(failed, []);
    }
}

#[test]
fn bodies_that_turn_at_a_corner_always_find_a_way() {
    for friction in [false, true] {
        assert_eq!(many(1250, Space::Planar, true, friction).1, []);
    }
}

#[test]
fn corners_of_three_faces_always_let_find_a_way() {
    for (turns, friction) in [(false, false), (true, false), (false, true), (true, true)] {
        assert_eq!(many(625, Space::Spatial, turns, friction).1, []);
    }
}
