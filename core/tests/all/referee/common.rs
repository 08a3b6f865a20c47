//! Planar discs over a static one, their step, and an answer to it: everything by hand.

use nalgebra::Vector3;
use vinci_core::CsrBuf;
use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::{
    Body, DofRole, MassProperties, Material, MaterialTable, MotionModel, Pair, PairValues, Parts, Shape,
    ShapeKind, Space, System,
};
use vinci_core::referee::{Began, Criterion, Declaration, Referee, Report};
use vinci_core::stage::{BlockKind, Rows, StepView, Supports, Update};

/// A contact: its rows over all velocities (normal, tangents), and the pair's data.
#[derive(Clone)]
pub(crate) struct Touch {
    pub(crate) rows: Vec<Vec<f64>>,
    /// Bodies; 0 is the static one.
    pub(crate) bodies: [u32; 2],
    pub(crate) gap: f64,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    /// Stiffness, damping, dissipation.
    pub(crate) soft: [f64; 3],
    pub(crate) group: u32,
}

impl Touch {
    /// Body k (from 1) of n on the static one: the normal is y, the tangent −x, both through the centre.
    pub(crate) fn floor(k: usize, n: usize) -> Self {
        let row = |at: usize, value: f64| {
            let mut row = vec![0.0; 3 * n];
            row[3 * (k - 1) + at] = value;
            row
        };
        Self {
            rows: vec![row(1, 1.0), row(0, -1.0)],
            bodies: [0, k as u32],
            gap: 0.0,
            friction: 0.5,
            restitution: 0.0,
            soft: [f64::INFINITY, 0.0, 0.0],
            group: 0,
        }
    }
}

impl Touch {
    /// Body k (from 1) of n under the next one: the normal is y, the tangent −x, both through the centres.
    pub(crate) fn stacked(k: usize, n: usize) -> Self {
        let mut touch = Self { bodies: [k as u32, k as u32 + 1], ..Self::floor(k + 1, n) };
        (touch.rows[0][3 * k - 2], touch.rows[1][3 * k - 3]) = (-1.0, 1.0);
        touch
    }
}

/// Another row: J, rate, bounds.
#[derive(Clone)]
pub(crate) struct Bar {
    pub(crate) row: Vec<f64>,
    pub(crate) rate: f64,
    pub(crate) bounds: [f64; 2],
}

/// A step.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) h: f64,
    /// Of every body: kg and kg m².
    pub(crate) mass: Vec<[f64; 2]>,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) force: Vec<f64>,
    pub(crate) role: Vec<u8>,
    pub(crate) command: Vec<f64>,
    pub(crate) touches: Vec<Touch>,
    pub(crate) bars: Vec<Bar>,
    /// Bounds of support points at the centre of body 1, N.
    pub(crate) supports: Vec<f64>,
}

impl Step {
    /// Discs of these masses with a moment of inertia of 4 kg m², at rest under gravity of 10 m/s², for a step of 0.1 s.
    pub(crate) fn of(masses: &[f64]) -> Self {
        let n = masses.len();
        Self {
            h: 0.1,
            mass: masses.iter().map(|m| [*m, 4.0]).collect(),
            q: vec![0.0; 3 * n],
            v: vec![0.0; 3 * n],
            force: masses.iter().flat_map(|m| [0.0, -10.0 * m, 0.0]).collect(),
            role: vec![0; 3 * n],
            command: vec![0.0; 3 * n],
            touches: vec![],
            bars: vec![],
            supports: vec![],
        }
    }

    /// A disc of 2 kg on the floor that slides with 1 m/s along x; μ = 0.5.
    pub(crate) fn slide() -> Self {
        let mut step = Self::of(&[2.0]);
        step.v[0] = 1.0;
        step.touches.push(Touch::floor(1, 1));
        step
    }

    fn inertia(&self, dof: usize) -> f64 {
        self.mass[dof / 3][usize::from(dof % 3 == 2)]
    }

    /// The answer that the balance makes of these impulses of contacts and other rows over h (0: an impact).
    pub(crate) fn answer(&self, h: f64, contact: &[f64], row: &[f64]) -> Answer {
        let mut v = self.v.clone();
        let all = self.touches.iter().flat_map(|t| &t.rows).chain(self.bars.iter().map(|b| &b.row));
        let impulses = contact.iter().chain(row);
        let pairs: Vec<_> = all.zip(impulses).collect();
        for dof in 0..v.len() {
            let change = h * self.force[dof] + pairs.iter().map(|(row, p)| row[dof] * **p).sum::<f64>();
            v[dof] += change / self.inertia(dof);
        }
        Answer {
            v,
            q: vec![],
            impulse: contact.to_vec(),
            row_impulse: row.to_vec(),
            support_impulse: vec![0.0; 2 * self.supports.len()],
            motion: vec![MotionModel::Dynamic as u8; self.mass.len()],
            mass_scale: vec![],
            slip_rate: vec![],
        }
    }

    /// The same for the step's own h.
    pub(crate) fn solve(&self, contact: &[f64], row: &[f64]) -> Answer {
        self.answer(self.h, contact, row)
    }

    /// What a fresh referee with these words says.
    pub(crate) fn judge(&self, words: &[&str], answer: &Answer) -> Report {
        self.judge_by(&mut referee(self.mass.len(), words), answer)
    }

    /// What this referee says.
    pub(crate) fn judge_by(&self, referee: &mut Referee, answer: &Answer) -> Report {
        let began = Began { q: &self.q, evaluated: None, moving: None };
        self.view(|step| referee.judge(step, &answer.update(self), &began).unwrap())
    }

    /// What it says of an impact.
    pub(crate) fn judge_impact(&self, words: &[&str], answer: &Answer) -> Report {
        let mut referee = referee(self.mass.len(), words);
        self.view(|step| referee.judge_impact(step, &answer.update(self)).unwrap())
    }

    /// Shows the view of the step.
    pub(crate) fn view<T>(&self, look: impl FnOnce(&StepView<'_>) -> T) -> T {
        let (n, nv, lists) = (self.mass.len(), self.v.len(), Lists::of(self));
        let starts: Vec<u32> = (0..=n as u32).map(|b| 3 * b).collect();
        let mass: Vec<f64> =
            self.mass.iter().flat_map(|[m, i]| [*m, 0.0, 0.0, 0.0, *m, 0.0, 0.0, 0.0, *i]).collect();
        let (zeros, none) = (vec![0.0; nv.max(9 * n)], CsrBuf::from_triplets(0, nv, &[]));
        let supports = lists.supports.view();
        look(&StepView {
            step: 0,
            pass: 0,
            attempt: 0,
            t: 0.0,
            h: self.h,
            space: Space::Planar,
            tolerance: 1e-12,
            q: &self.q,
            v: &self.v,
            block_start: &starts,
            q_start: &starts,
            block_kind: &vec![BlockKind::Planar as u8; n],
            quaternion: &[],
            motion: &vec![0; n],
            mass: &mass,
            drag: &zeros[..9 * n],
            force: &self.force,
            bias: &zeros[..nv],
            stiffness: none.view(),
            viscosity: none.view(),
            role: &self.role,
            command: &self.command,
            impedance: &zeros[..nv],
            contacts: lists.contacts(),
            rows: Rows {
                jacobian: lists.rows.view(),
                rate: &lists.row_rate,
                lower: &lists.lower,
                upper: &lists.upper,
            },
            supports: Supports {
                body: &vec![1; self.supports.len()],
                point: &vec![0.0; 2 * self.supports.len()],
                jacobian: supports,
                load: &self.supports,
                bound: &self.supports,
                last_impulse: &vec![0.0; 2 * self.supports.len()],
            },
            force_rate: &[],
            drive_speed: &[],
            rows_middle: Default::default(),
            rows_end: Default::default(),
        })
    }

    /// Shows the contacts alone.
    pub(crate) fn contacts<T>(&self, look: impl FnOnce(&Contacts<'_>) -> T) -> T {
        look(&Lists::of(self).contacts())
    }
}

/// The data of contacts and rows as lists.
struct Lists {
    n_t: usize,
    key: Vec<ContactKey>,
    bodies: [Vec<u32>; 2],
    gap: Vec<f64>,
    last_impulse: Vec<f64>,
    pair: PairValues<Vec<f64>>,
    group: Vec<u32>,
    normal: Vec<f64>,
    tangent: Vec<f64>,
    points: Vec<f64>,
    age: Vec<u32>,
    jacobian: CsrBuf,
    rows: CsrBuf,
    row_rate: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    supports: CsrBuf,
}

impl Lists {
    fn of(step: &Step) -> Self {
        let (touches, nv, n) = (&step.touches, step.v.len(), step.touches.len());
        let of = |f: &dyn Fn(&Touch) -> f64| touches.iter().map(f).collect::<Vec<f64>>();
        let grouped = touches.iter().any(|t| t.group != 0);
        let n_t = touches.first().map_or(1, |t| t.rows.len() - 1);
        let mut pair = Pair::NEUTRAL.map(|value| vec![value; n]);
        (pair.friction, pair.restitution) = (of(&|t| t.friction), of(&|t| t.restitution));
        (pair.stiffness, pair.damping) = (of(&|t| t.soft[0]), of(&|t| t.soft[1]));
        pair.dissipation = of(&|t| t.soft[2]);
        let points: Vec<Vec<f64>> = (0..2 * step.supports.len()).map(|k| unit(nv, k % 2)).collect();
        Self {
            n_t,
            key: (0..n).map(|i| key(&touches[i], i)).collect(),
            bodies: [0, 1].map(|side| touches.iter().map(|t| t.bodies[side]).collect()),
            gap: of(&|t| t.gap),
            last_impulse: vec![0.0; n * (1 + n_t)],
            pair,
            group: if grouped { touches.iter().map(|t| t.group).collect() } else { vec![] },
            normal: [0.0, 1.0, 0.0].repeat(n),
            tangent: [-1.0, 0.0, 0.0].repeat(n * n_t),
            points: vec![0.0; 3 * n],
            age: vec![0; n],
            jacobian: sparse(nv, touches.iter().flat_map(|t| &t.rows)),
            rows: sparse(nv, step.bars.iter().map(|b| &b.row)),
            row_rate: step.bars.iter().map(|b| b.rate).collect(),
            lower: step.bars.iter().map(|b| b.bounds[0]).collect(),
            upper: step.bars.iter().map(|b| b.bounds[1]).collect(),
            supports: sparse(nv, points.iter()),
        }
    }

    fn contacts(&self) -> Contacts<'_> {
        Contacts {
            n_t: self.n_t,
            key: &self.key,
            body_a: &self.bodies[0],
            body_b: &self.bodies[1],
            gap: &self.gap,
            normal: &self.normal,
            tangent: &self.tangent,
            point_a: &self.points,
            point_b: &self.points,
            jacobian: self.jacobian.view(),
            pair: self.pair.as_ref().map(Vec::as_slice),
            last_impulse: &self.last_impulse,
            age: &self.age,
            group: &self.group,
            cell: &[],
        }
    }
}

fn key(touch: &Touch, i: usize) -> ContactKey {
    let [shape_a, shape_b] = touch.bodies;
    ContactKey { shape_a, shape_b, feature_a: i as u32, feature_b: 0 }
}

fn unit(nv: usize, at: usize) -> Vec<f64> {
    let mut row = vec![0.0; nv];
    row[at] = 1.0;
    row
}

/// Rows with the columns of the bodies that they move.
fn sparse<'a>(nv: usize, rows: impl Iterator<Item = &'a Vec<f64>>) -> CsrBuf {
    let mut m = CsrBuf::default();
    m.clear(nv);
    for row in rows {
        let is_of = |j: usize| row[3 * (j / 3)..][..3].iter().any(|x| *x != 0.0);
        row.iter().enumerate().filter(|(j, _)| is_of(*j)).for_each(|(j, x)| m.push(j, *x));
        m.end_row();
    }
    m
}

/// What a stepper says.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) v: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) impulse: Vec<f64>,
    pub(crate) row_impulse: Vec<f64>,
    pub(crate) support_impulse: Vec<f64>,
    pub(crate) motion: Vec<u8>,
    pub(crate) mass_scale: Vec<f64>,
    pub(crate) slip_rate: Vec<f64>,
}

impl Answer {
    pub(crate) fn update<'a>(&'a self, step: &'a Step) -> Update<'a> {
        const ZEROS: [f64; 16] = [0.0; 16];
        Update {
            h_used: step.h,
            v: &self.v,
            q: &self.q,
            impulse: &self.impulse,
            row_impulse: &self.row_impulse,
            support_impulse: &self.support_impulse,
            normal_rate: &ZEROS[..step.touches.len()],
            slip_rate: &self.slip_rate,
            motion: &self.motion,
            mass_scale: &self.mass_scale,
            ..Update::default()
        }
    }
}

/// A referee for n moving discs of radius 0.5 m over a static one of 2 m.
pub(crate) fn referee(n: usize, words: &[&str]) -> Referee {
    let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
    let declared = Declaration::read(&words, |_| None);
    assert!(declared.unknown.is_empty(), "{:?}", declared.unknown);
    Referee::new(&system(n), declared)
}

fn system(n: usize) -> System {
    let body = |k: usize| Body {
        name: format!("{k}"),
        mass: MassProperties::planar(2.0, 4.0),
        is_static: k == 0,
        role: vec![DofRole::Free; 3],
        impedance: vec![0.0; 3],
        motion: None,
        drag: vec![0.0; 3],
        damping: vec![0.0; 3],
        gravity: true,
    };
    let disc = |k: usize| Shape {
        kind: ShapeKind::Disc,
        body: k as u32,
        material: 0,
        pose: vec![0.0; 3],
        params: vec![if k == 0 { 2.0 } else { 0.5 }],
        indices: vec![],
    };
    let material = Material::rigid("m", 0.5);
    System::new(Parts {
        bodies: (0..=n).map(body).collect(),
        shapes: (0..=n).map(disc).collect(),
        materials: MaterialTable { materials: vec![material], ..MaterialTable::default() },
        initial_pose: vec![vec![0.0; 3]; n + 1],
        initial_velocity: vec![vec![0.0; 3]; n + 1],
        ..Parts::empty(Space::Planar, Vector3::zeros())
    })
    .unwrap()
}

/// The value of a criterion.
pub(crate) fn of(report: &Report, criterion: Criterion) -> f64 {
    report.findings.of(criterion).value
}

/// Asserts that no criterion is above rounding.
pub(crate) fn is_clean(report: &Report) {
    for criterion in Criterion::ALL {
        assert!(of(report, criterion) < 1e-9, "{criterion:?}: {}", of(report, criterion));
    }
}

/// Asserts that this criterion has this value, and that no other is above rounding.
pub(crate) fn has_only(report: &Report, wanted: Criterion, value: f64) {
    has(report, wanted, value);
    for criterion in Criterion::ALL.into_iter().filter(|c| *c != wanted) {
        assert!(of(report, criterion) < 1e-9, "{criterion:?}: {}", of(report, criterion));
    }
}

/// Asserts that this criterion has this value, to a hundredth of it: terms below that are left out of the numbers in the tests.
pub(crate) fn has(report: &Report, wanted: Criterion, value: f64) {
    let found = of(report, wanted);
    assert!((found - value).abs() <= 1e-2 * value.abs(), "{wanted:?}: {found} is not {value}");
}
