//! From the shapes of a scene to checked cores, or a refusal that names body and shape.

use vinci_sdk::prelude::*;
use vinci_sdk::shape_name;

use crate::boundary::{Sort, Turn};
use crate::draft::Draft;
use crate::store::Store;
use crate::vec2::{Motion, V2};
use crate::{polygon, seams};

/// Kinds of shapes this detector knows.
pub(crate) const KINDS: [ShapeKind; 5] =
    [ShapeKind::Disc, ShapeKind::PlanarCapsule, ShapeKind::Polygon, ShapeKind::HalfPlane, ShapeKind::Segment];

/// All shapes of a scene.
pub(crate) fn build(system: &SystemView<'_>, merge_tolerance: f64) -> Result<Store, StageError> {
    if system.space != Space::Planar {
        return Err(StageError::unsupported(
            "the planar detector works in planar scenes only, this one is spatial: choose a spatial detector",
        ));
    }
    let mut drafts = Vec::with_capacity(system.shapes.len());
    let mut seen = vec![0_usize; system.n_bodies()];
    for shape in system.shapes {
        let body = shape.body as usize;
        let Some(number) = seen.get_mut(body) else {
            return Err(StageError::bad_input(format!("a shape belongs to body {body}, which is not there")));
        };
        let name = system.body_names.get(body).copied().unwrap_or("?");
        let label = ShapeLabel { body: name, number: *number, kind: shape.kind };
        *number += 1;
        drafts.push(draft(shape, &label, merge_tolerance)?);
    }
    seams::hide(&mut drafts, merge_tolerance);
    let mut store = Store::new(system.n_bodies());
    drafts.iter().for_each(|d| store.push(d));
    Ok(store)
}

/// Where a shape stands in the scene, for messages.
pub(crate) struct ShapeLabel<'a> {
    body: &'a str,
    number: usize,
    kind: u32,
}

impl ShapeLabel<'_> {
    /// The shape contradicts itself.
    pub(crate) fn refuse(&self, what: impl std::fmt::Display) -> StageError {
        let Self { body, number, kind } = self;
        let kind = ShapeKind::from_code(*kind).map_or_else(|| "unknown".into(), shape_name);
        StageError::bad_input(format!("body `{body}`, shape {number} ({kind}): {what}"))
    }
}

/// One shape, checked.
fn draft(shape: &ShapeView<'_>, label: &ShapeLabel<'_>, merge: f64) -> Result<Draft, StageError> {
    let kind = known(shape.kind, label)?;
    if shape.pose.len() != 3 {
        return Err(label.refuse(format!("its pose has {} numbers; give x, y, angle", shape.pose.len())));
    }
    if !shape.pose.iter().chain(shape.params).all(|x| x.is_finite()) {
        return Err(label.refuse("a number is not finite; check its pose and measures"));
    }
    let (body, motion, p) = (shape.body, Motion::new(shape.pose), shape.params);
    match kind {
        ShapeKind::Disc => {
            let [r] = measures(p, label, "radius")?;
            Ok(point(body, positive(r, "radius", label)?, &motion))
        }
        ShapeKind::PlanarCapsule => {
            let [half, r] = measures(p, label, "half length, radius")?;
            let r = positive(r, "radius", label)?;
            // A capsule without length is a disc.
            if half == 0.0 {
                return Ok(point(body, r, &motion));
            }
            let half = positive(half, "half length", label)?;
            Ok(stick(body, r, [V2::new(-half, 0.0), V2::new(half, 0.0)], &motion))
        }
        ShapeKind::Segment => {
            let [x0, y0, x1, y1] = measures(p, label, "x0, y0, x1, y1")?;
            let ends = [V2::new(x0, y0), V2::new(x1, y1)];
            if (ends[1] - ends[0]).norm() <= f64::MIN_POSITIVE {
                return Err(label.refuse("its two ends coincide; move one of them, or use a disc"));
            }
            Ok(stick(body, 0.0, ends, &motion))
        }
        ShapeKind::HalfPlane if p.is_empty() => {
            let (x, n) = (vec![motion.apply(V2::default())], vec![motion.turn(V2::UP)]);
            Ok(Draft::new(body, Sort::Plane, 0.0, x, n, vec![Turn::Flat]))
        }
        ShapeKind::HalfPlane => {
            Err(label.refuse("it takes no measures; place it by its pose (solid below its local x axis)"))
        }
        _ => {
            let local = polygon::check(p, merge).map_err(|what| label.refuse(what))?;
            let x = local.x.iter().map(|v| motion.apply(*v)).collect();
            let n = local.n.iter().map(|v| motion.turn(*v)).collect();
            let sort = if local.turn.contains(&Turn::Reflex) { Sort::Concave } else { Sort::Convex };
            Ok(Draft::new(body, sort, 0.0, x, n, local.turn))
        }
    }
}

/// The kind, if it is one of this detector's.
fn known(code: u32, label: &ShapeLabel<'_>) -> Result<ShapeKind, StageError> {
    let kind = ShapeKind::from_code(code);
    if let Some(kind) = kind.filter(|k| KINDS.contains(k)) {
        return Ok(kind);
    }
    let ShapeLabel { body, number, .. } = label;
    let what = kind.map_or_else(|| format!("kind {code}"), shape_name);
    let supported = KINDS.map(shape_name).join(", ");
    Err(StageError::unsupported(format!(
        "body `{body}`, shape {number} is a {what}, the planar detector supports {supported}: choose another detector or shape"
    )))
}

fn measures<const N: usize>(p: &[f64], label: &ShapeLabel<'_>, names: &str) -> Result<[f64; N], StageError> {
    p.try_into().map_err(|_| label.refuse(format!("it has {} measures; give {N}: {names}", p.len())))
}

fn positive(x: f64, name: &str, label: &ShapeLabel<'_>) -> Result<f64, StageError> {
    if x > 0.0 { Ok(x) } else { Err(label.refuse(format!("its {name} is {x}; give a length above 0"))) }
}

fn point(body: u32, radius: f64, motion: &Motion) -> Draft {
    let centre = motion.apply(V2::default());
    Draft::new(body, Sort::Point, radius, vec![centre], vec![V2::default()], vec![Turn::Convex])
}

fn stick(body: u32, radius: f64, ends: [V2; 2], motion: &Motion) -> Draft {
    let d = ends[1] - ends[0];
    let n = motion.turn(d.right() * (1.0 / d.norm()));
    let x = ends.map(|e| motion.apply(e)).to_vec();
    Draft::new(body, Sort::Stick, radius, x, vec![n, -n], vec![Turn::Convex; 2])
}
