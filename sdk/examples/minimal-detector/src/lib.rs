//! A complete detector: discs against discs and half-planes, every pair of shapes looked at.
//!
//! The gap of two discs is |c_B − c_A| − r_A − r_B, that of a disc over a half-plane n · (c_B − a) − r_B.

use vinci_sdk::prelude::*;

/// A shape as this detector needs it; a half-plane has no radius.
struct Round {
    body: usize,
    pose: [f64; 3],
    radius: Option<f64>,
}

impl Round {
    /// Centre (or a point of the edge) and direction of local +y, world frame.
    fn place(&self, pose: &[f64]) -> ([f64; 2], [f64; 2]) {
        let (at, [x, y, turn]) = (&pose[3 * self.body..], self.pose);
        let ((sin, cos), angle) = (at[2].sin_cos(), at[2] + turn);
        ([at[0] + cos * x - sin * y, at[1] + sin * x + cos * y], [-angle.sin(), angle.cos()])
    }
}

/// Keeps its answer: the host borrows it until the next call.
#[derive(Default)]
struct Discs {
    shapes: Vec<Round>,
    pairs: Vec<(usize, usize)>,
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
}

impl Detector for Discs {
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        self.key.clear();
        for list in [&mut self.gap, &mut self.normal, &mut self.point_a, &mut self.point_b] {
            list.clear();
        }
        for &(a, b) in &self.pairs {
            let (sa, sb) = (&self.shapes[a], &self.shapes[b]);
            let ((ca, up), (cb, _)) = (sa.place(query.pose), sb.place(query.pose));
            let d = [cb[0] - ca[0], cb[1] - ca[1]];
            let n = match sa.radius {
                Some(_) if d != [0.0; 2] => d.map(|x| x / d[0].hypot(d[1])),
                _ => up,
            };
            let [ra, rb] = [sa, sb].map(|s| s.radius.unwrap_or(0.0));
            let gap = n[0] * d[0] + n[1] * d[1] - ra - rb;
            if gap <= query.margin[sa.body] + query.margin[sb.body] {
                self.key.push(ContactKey { shape_a: a as u32, shape_b: b as u32, ..ContactKey::default() });
                self.gap.push(gap);
                self.normal.extend([n[0], n[1], 0.0]);
                self.point_a.extend([cb[0] - (rb + gap) * n[0], cb[1] - (rb + gap) * n[1], 0.0]);
                self.point_b.extend([cb[0] - rb * n[0], cb[1] - rb * n[1], 0.0]);
            }
        }
        let Self { key, gap, normal, point_a, point_b, .. } = self;
        Ok(RawContacts { key, gap, normal, point_a, point_b, group: &[] })
    }
}

impl DetectorPlugin for Discs {
    fn manifest() -> Manifest {
        Manifest::new("example.detector.minimal", Role::Detector, env!("CARGO_PKG_VERSION"))
            .title("Discs and half-planes")
            .shapes(&[ShapeKind::Disc, ShapeKind::HalfPlane])
            .spaces(&[Space::Planar])
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let (NoOptions {}, mut discs) = (parse_options(options)?, Self::default());
        for (j, s) in system.shapes.iter().enumerate() {
            let radius = match (ShapeKind::from_code(s.kind), s.params) {
                (Some(ShapeKind::HalfPlane), _) => None,
                (Some(ShapeKind::Disc), &[r]) if r > 0.0 && r.is_finite() => Some(r),
                (Some(ShapeKind::Disc), p) => {
                    return Err(StageError::bad_input(format!("disc of radius {p:?}")));
                }
                _ => return Err(StageError::unsupported(format!("shape {j} is of kind {}", s.kind))),
            };
            for (i, other) in discs.shapes.iter().enumerate().filter(|(_, o)| o.radius.or(radius).is_some()) {
                if system.may_collide(other.body as u32, s.body) {
                    // A half-plane is side A, whichever comes first.
                    discs.pairs.push(if radius.is_none() { (j, i) } else { (i, j) });
                }
            }
            discs.shapes.push(Round {
                body: s.body as usize,
                pose: [s.pose[0], s.pose[1], s.pose[2]],
                radius,
            });
        }
        Ok(discs)
    }
}

vinci_sdk::export_plugin!(detector = Discs);
