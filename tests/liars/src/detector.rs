//! The lying detector: discs, balls, half-planes, half-spaces, corners of polygons over half-planes and over a polygon that is a
//! floor, and corners of boxes over half-spaces.

mod lies;

use lies::{Config, Found, Lie, rearrange};
use nalgebra::{UnitQuaternion, Vector3};
use vinci_detector_parry::Parry;
use vinci_sdk::prelude::*;

/// What a shape is made of.
enum Form {
    /// All that is below this local y (z in space).
    Half(f64),
    Round(f64),
    Corners(Vec<Vector3<f64>>),
}

struct Part {
    body: usize,
    at: Vector3<f64>,
    turn: UnitQuaternion<f64>,
    form: Form,
}

/// Keeps its answer: the host borrows it until the next call.
#[derive(Default)]
pub struct LyingDetector {
    config: Config,
    planar: bool,
    parts: Vec<Part>,
    calls: u64,
    pairs: Vec<(usize, usize)>,
    first: Vec<(ContactKey, f64)>,
    inner: Option<Parry>,
    last: Vec<Found>,
    group: Vec<u32>,
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
}

fn pose(planar: bool, p: &[f64]) -> (Vector3<f64>, UnitQuaternion<f64>) {
    if planar {
        return (Vector3::new(p[0], p[1], 0.0), UnitQuaternion::from_axis_angle(&Vector3::z_axis(), p[2]));
    }
    let q = nalgebra::Quaternion::new(p[3], p[4], p[5], p[6]);
    (Vector3::new(p[0], p[1], p[2]), UnitQuaternion::from_quaternion(q))
}

/// Corners of a box of half these lengths.
fn corners(half: &[f64]) -> Vec<Vector3<f64>> {
    let side = |k: usize, bit: usize| if k >> bit & 1 == 0 { -half[bit] } else { half[bit] };
    (0..8).map(|k| Vector3::new(side(k, 0), side(k, 1), side(k, 2))).collect()
}

impl LyingDetector {
    fn place(&self, part: &Part, poses: &[f64]) -> (Vector3<f64>, UnitQuaternion<f64>) {
        let n = if self.planar { 3 } else { 7 };
        let (at, turn) = pose(self.planar, &poses[n * part.body..n * part.body + n]);
        (at + turn * part.at, turn * part.turn)
    }

    /// Contacts by pairs of shapes, those with the least gaps first, and the distance at which they count, m.
    fn seen(&mut self, query: &DetectQuery<'_>) -> Result<Vec<(f64, Vec<Found>)>, StageError> {
        let Some(inner) = &mut self.inner else {
            let active = |k: usize| query.margin[self.parts[k].body];
            let of_pair = |&(i, j): &(usize, usize)| (active(i) + active(j), self.pair(i, j, query.pose));
            return Ok(self.pairs.iter().map(of_pair).collect());
        };
        let raw = inner.detect(query)?;
        let vector = |list: &[f64], i: usize| Vector3::from_column_slice(&list[3 * i..3 * i + 3]);
        let found = |i: usize| Found {
            key: raw.key[i],
            gap: raw.gap[i],
            normal: vector(raw.normal, i),
            a: vector(raw.point_a, i),
            b: vector(raw.point_b, i),
            group: raw.group.get(i).copied().unwrap_or(0),
        };
        let all: Vec<Found> = (0..raw.key.len()).map(found).collect();
        let pairs = all.chunk_by(|f, g| [f.key.shape_a, f.key.shape_b] == [g.key.shape_a, g.key.shape_b]);
        let sorted = |pair: &[Found]| {
            let mut pair = pair.to_vec();
            pair.sort_by(|p, q| p.gap.total_cmp(&q.gap));
            (f64::INFINITY, pair)
        };
        Ok(pairs.map(sorted).collect())
    }

    /// Contacts of a pair; a half-plane is side A.
    fn pair(&self, i: usize, j: usize, poses: &[f64]) -> Vec<Found> {
        let (a, b) = (&self.parts[i], &self.parts[j]);
        let ((pa, ra), (pb, rb)) = (self.place(a, poses), self.place(b, poses));
        let up = ra * if self.planar { Vector3::y() } else { Vector3::z() };
        let key =
            |k: usize| ContactKey { shape_a: i as u32, shape_b: j as u32, feature_a: 0, feature_b: k as u32 };
        let high = match &a.form {
            Form::Half(height) => *height,
            Form::Corners(list) => list.iter().map(|c| c.y).fold(f64::NEG_INFINITY, f64::max),
            Form::Round(_) => 0.0,
        };
        let over = |k: usize, point: Vector3<f64>| {
            let gap = up.dot(&(point - pa)) - high;
            Found { key: key(k), gap, normal: up, a: point - gap * up, b: point, group: 0 }
        };
        match (&a.form, &b.form) {
            (Form::Half(_), Form::Round(r)) => vec![over(0, pb - *r * up)],
            // The first polygon is a floor.
            (Form::Half(_) | Form::Corners(_), Form::Corners(list)) => {
                let mut all: Vec<Found> =
                    list.iter().enumerate().map(|(k, c)| over(k, pb + rb * c)).collect();
                all.sort_by(|p, q| p.gap.total_cmp(&q.gap));
                if matches!(a.form, Form::Corners(_)) {
                    all.truncate(2);
                }
                all
            }
            (Form::Round(r), Form::Round(s)) => {
                let normal = (pb - pa).normalize();
                let gap = (pb - pa).norm() - r - s;
                vec![Found { key: key(0), gap, normal, a: pa + *r * normal, b: pb - *s * normal, group: 0 }]
            }
            _ => Vec::new(),
        }
    }

    /// Falsifies a contact; whether it is reported.
    fn tell(&mut self, f: &mut Found) -> bool {
        let size = self.config.size;
        let axis = if self.planar { Vector3::z_axis() } else { Vector3::x_axis() };
        let turn = UnitQuaternion::from_axis_angle(&axis, size.to_radians());
        let side = if self.planar { Vector3::new(-f.normal.y, f.normal.x, 0.0) } else { Vector3::x() };
        match self.config.lie {
            Lie::TiltedNormal => f.normal = turn * f.normal,
            Lie::TiltedFrame => {
                f.normal = turn * f.normal;
                f.a = f.b - f.gap * f.normal;
            }
            Lie::ShiftedGap => f.gap += size,
            Lie::ShiftedSurface => {
                f.gap += size;
                f.b += size * f.normal;
            }
            Lie::ScaledSurface => {
                f.b += (size - 1.0) * f.gap * f.normal;
                f.gap *= size;
            }
            Lie::SwappedSides => {
                f.normal = -f.normal;
                std::mem::swap(&mut f.a, &mut f.b);
            }
            Lie::FlippedGap => f.gap = -f.gap,
            Lie::PointsAside => {
                f.a += size * side;
                f.b += size * side;
            }
            Lie::FrozenGap => match self.first.iter().find(|(key, _)| *key == f.key) {
                Some((_, gap)) => f.gap = *gap,
                None => self.first.push((f.key, f.gap)),
            },
            Lie::Missing => return false,
            Lie::Blinking => return self.calls % 4 == 1,
            Lie::MissingCorner => return !(f.key.feature_b == 0 && f.gap < size),
            Lie::MissingWhenNear => return f.gap > size,
            Lie::TrueTilt | Lie::GroupedTilt | Lie::JointTilt => f.tilt(&turn),
            _ => {}
        }
        true
    }

    fn push(&mut self, f: &Found) {
        self.key.push(f.key);
        self.gap.push(f.gap);
        self.normal.extend(f.normal.iter());
        self.point_a.extend(f.a.iter());
        self.point_b.extend(f.b.iter());
    }
}

impl Detector for LyingDetector {
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        self.key.clear();
        for list in [&mut self.gap, &mut self.normal, &mut self.point_a, &mut self.point_b] {
            list.clear();
        }
        let lies = (self.config.from..self.config.until).contains(&query.t);
        self.calls += 1;
        let mut reported = Vec::new();
        for (active, mut all) in self.seen(query)? {
            if lies {
                rearrange(&self.config, self.calls, &mut all);
            }
            for mut found in all {
                let near = found.gap <= active;
                if lies && self.config.lie == Lie::Invented {
                    // Something invisible carries whatever is about to come.
                    found.gap = found.gap.min(0.0);
                    found.a = found.b - found.gap * found.normal;
                    reported.push(found);
                } else if near && (!lies || self.tell(&mut found)) {
                    reported.push(found);
                }
            }
        }
        if lies && self.config.lie == Lie::Late && self.calls > 1 {
            std::mem::swap(&mut self.last, &mut reported);
        } else {
            self.last.clone_from(&reported);
        }
        reported.iter().for_each(|found| self.push(found));
        self.group.clear();
        match self.config.lie {
            Lie::GroupedTilt if lies => self.group.extend(1..=self.key.len() as u32),
            Lie::JointTilt if lies => self.group.resize(self.key.len(), 1),
            _ if self.inner.is_some() => self.group.extend(reported.iter().map(|found| found.group)),
            _ => {}
        }
        let Self { key, gap, normal, point_a, point_b, group, .. } = self;
        Ok(RawContacts { key, gap, normal, point_a, point_b, group })
    }
}

impl DetectorPlugin for LyingDetector {
    fn manifest() -> Manifest {
        Manifest::new("test.detector.liar", Role::Detector, env!("CARGO_PKG_VERSION"))
            .title("Lies on demand")
            .shapes(&[
                ShapeKind::Disc,
                ShapeKind::Ball,
                ShapeKind::HalfPlane,
                ShapeKind::HalfSpace,
                ShapeKind::Polygon,
                ShapeKind::Box,
                ShapeKind::TriMesh,
                ShapeKind::ConvexHull,
                ShapeKind::Capsule,
                ShapeKind::Cylinder,
            ])
            .spaces(&[Space::Planar, Space::Spatial])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let planar = system.space == Space::Planar;
        let mut out = Self { config: parse_options(options)?, planar, ..Self::default() };
        if out.config.parry {
            out.inner = Some(<Parry as DetectorPlugin>::create("{}", system)?);
            return Ok(out);
        }
        for s in system.shapes.iter() {
            let form = match ShapeKind::from_code(s.kind) {
                Some(ShapeKind::HalfPlane | ShapeKind::HalfSpace) => Form::Half(0.0),
                Some(ShapeKind::Disc | ShapeKind::Ball) => Form::Round(s.params[0]),
                Some(ShapeKind::Polygon) => {
                    Form::Corners(s.params.chunks(2).map(|c| Vector3::new(c[0], c[1], 0.0)).collect())
                }
                Some(ShapeKind::Box) => Form::Corners(corners(s.params)),
                _ => return Err(StageError::unsupported(format!("a shape of kind {}", s.kind))),
            };
            let (at, turn) = pose(planar, s.pose);
            out.parts.push(Part { body: s.body as usize, at, turn, form });
        }
        for j in 0..out.parts.len() {
            for i in 0..j {
                let (a, b) = (&out.parts[i], &out.parts[j]);
                let may = system.may_collide(a.body as u32, b.body as u32);
                if may || out.config.lie == Lie::Excluded {
                    let swap = matches!(b.form, Form::Half(_));
                    out.pairs.push(if swap { (j, i) } else { (i, j) });
                }
            }
        }
        Ok(out)
    }
}
