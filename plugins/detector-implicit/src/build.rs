//! Shapes of the scene, checked and made ready.

use crate::config::PolytopePairs;
use crate::polytope::{convex_polygon, cuboid, hull_faces};
use crate::solid::{Convex, Core, Solid};
use vinci_detect::{Frame, Vec3};
use vinci_sdk::prelude::*;

/// Kinds of shapes that this detector knows.
pub(crate) const KINDS: [ShapeKind; 11] = [
    ShapeKind::Superellipse,
    ShapeKind::Disc,
    ShapeKind::PlanarCapsule,
    ShapeKind::Polygon,
    ShapeKind::HalfPlane,
    ShapeKind::Superellipsoid,
    ShapeKind::Ball,
    ShapeKind::Capsule,
    ShapeKind::Box,
    ShapeKind::ConvexHull,
    ShapeKind::HalfSpace,
];

/// A shape on its body.
pub(crate) struct Built {
    pub(crate) solid: Solid,
    pub(crate) body: u32,
    pub(crate) local: Frame,
}

/// All shapes of a system.
pub(crate) fn shapes(system: &SystemView<'_>, pairs: PolytopePairs) -> Result<Vec<Built>, StageError> {
    let all: Vec<Built> =
        (0..system.shapes.len()).map(|i| Context { system, index: i }.build()).collect::<Result<_, _>>()?;
    let polytopes: Vec<usize> = (0..all.len())
        .filter(|&i| matches!(&all[i].solid, Solid::Convex(c) if c.core.is_polytope()))
        .collect();
    if pairs == PolytopePairs::Refuse {
        for (k, &i) in polytopes.iter().enumerate() {
            for &j in &polytopes[k + 1..] {
                if system.may_collide(all[i].body, all[j].body) {
                    return Err(Context { system, index: j }.two_polytopes(all[i].body));
                }
            }
        }
    }
    Ok(all)
}

/// A shape under inspection.
struct Context<'a> {
    system: &'a SystemView<'a>,
    index: usize,
}

impl Context<'_> {
    fn view(&self) -> &ShapeView<'_> {
        &self.system.shapes[self.index]
    }

    fn body_name(&self, body: u32) -> &str {
        self.system.body_names.get(body as usize).copied().unwrap_or("?")
    }

    /// "shape 3 (ball of body `wheel`): …".
    fn refuse(&self, error: ErrorKind, kind: &str, what: &str) -> StageError {
        let body = self.body_name(self.view().body);
        StageError::new(error, format!("shape {} ({kind} of body `{body}`): {what}", self.index))
    }

    fn bad(&self, kind: &str, what: &str) -> StageError {
        self.refuse(ErrorKind::BadInput, kind, what)
    }

    fn two_polytopes(&self, other: u32) -> StageError {
        let other = self.body_name(other);
        let what = format!(
            "it may meet a shape with corners of body `{other}`, and this detector gives one contact per pair, too few for \
             a face on a face; name vinci.detector.planar (vinci.detector.parry) as the detector and this one in \
             its `others` (and where one body has both kinds of shapes, give this one the option polytope_pairs = \"leave\"), or write one of the two as a superellipse or superellipsoid"
        );
        self.refuse(ErrorKind::Unsupported, "polygon, box or hull", &what)
    }

    fn build(&self) -> Result<Built, StageError> {
        let view = self.view();
        let count = self.system.n_bodies();
        if view.body as usize >= count {
            let what = format!("its body does not exist; bodies are numbered 0 to {}", count.max(1) - 1);
            return Err(self.bad("shape", &what));
        }
        let local = Frame::from_pose(self.system.space, view.pose).ok_or_else(|| {
            let what = match self.system.space {
                Space::Planar => "its pose must be three finite numbers [x, y, angle]",
                Space::Spatial => {
                    "its pose must be seven finite numbers [x, y, z, qw, qx, qy, qz] with a non-zero quaternion"
                }
            };
            self.bad("shape", what)
        })?;
        let solid = self.solid(ShapeKind::from_code(view.kind))?;
        Ok(Built { solid, body: view.body, local })
    }

    fn solid(&self, kind: Option<ShapeKind>) -> Result<Solid, StageError> {
        match (self.system.space, kind) {
            (_, Some(ShapeKind::HalfPlane | ShapeKind::HalfSpace)) => self.half_space(kind),
            (Space::Planar, Some(kind)) => self.planar(kind).map(Solid::Convex),
            (Space::Spatial, Some(kind)) => self.spatial(kind).map(Solid::Convex),
            (_, None) => Err(self.unknown(&format!("kind {}", self.view().kind))),
        }
    }

    fn planar(&self, kind: ShapeKind) -> Result<Convex, StageError> {
        match kind {
            ShapeKind::Superellipse => {
                let [a, b, s] = self.sizes("superellipse", ["half axis a", "half axis b", "exponent"])?;
                self.convex_exponent("superellipse", s, "exponent", s >= 1.0, "at least 1")?;
                Ok(Convex::new(Core::Superellipse(Vec3::new(a, b, 0.0), s), 0.0))
            }
            ShapeKind::Disc => self.sizes("disc", ["radius"]).map(|[r]| Convex::new(Core::Point, r)),
            ShapeKind::PlanarCapsule => {
                let [half, radius] = self.capsule()?;
                Ok(Convex::new(Core::Stick(Vec3::x() * half), radius))
            }
            ShapeKind::Polygon => {
                let corners = self.points("polygon", 2)?;
                let faces = convex_polygon(&corners).map_err(|what| self.bad("polygon", what))?;
                Ok(Convex::new(Core::Polytope(corners, faces, None), 0.0))
            }
            _ => Err(self.unknown(&format!("a {kind:?} in a planar scene"))),
        }
    }

    fn spatial(&self, kind: ShapeKind) -> Result<Convex, StageError> {
        match kind {
            ShapeKind::Superellipsoid => self.superellipsoid(),
            ShapeKind::Ball => self.sizes("ball", ["radius"]).map(|[r]| Convex::new(Core::Point, r)),
            ShapeKind::Capsule => {
                let [half, radius] = self.capsule()?;
                Ok(Convex::new(Core::Stick(Vec3::z() * half), radius))
            }
            ShapeKind::Box => {
                let half = self.sizes("box", ["half x", "half y", "half z"])?;
                let half = Vec3::from(half);
                let (corners, faces) = cuboid(&half);
                Ok(Convex::new(Core::Polytope(corners, faces, Some(half)), 0.0))
            }
            ShapeKind::ConvexHull => {
                let corners = self.points("convex hull", 3)?;
                let faces = hull_faces(&corners, self.view().indices)
                    .map_err(|what| self.bad("convex hull", what))?;
                Ok(Convex::new(Core::Polytope(corners, faces, None), 0.0))
            }
            _ => Err(self.unknown(&format!("a {kind:?} in a spatial scene"))),
        }
    }

    fn superellipsoid(&self) -> Result<Convex, StageError> {
        let kind = "superellipsoid";
        let names = ["half axis a", "half axis b", "half axis c", "epsilon 1", "epsilon 2"];
        let [a, b, c, e1, e2] = self.sizes(kind, names)?;
        for (e, name) in [(e1, names[3]), (e2, names[4])] {
            self.convex_exponent(
                kind,
                e,
                name,
                e <= 2.0,
                "in (0, 2], that is an exponent 2/epsilon of at least 1",
            )?;
        }
        Ok(Convex::new(Core::Superellipsoid(Vec3::new(a, b, c), [2.0 / e1, 2.0 / e2]), 0.0))
    }

    fn convex_exponent(
        &self,
        kind: &str,
        value: f64,
        name: &str,
        is_convex: bool,
        range: &str,
    ) -> Result<(), StageError> {
        if is_convex {
            return Ok(());
        }
        let what = format!("{name} = {value} makes a shape that is not convex; it must be {range}");
        Err(self.bad(kind, &what))
    }

    fn capsule(&self) -> Result<[f64; 2], StageError> {
        let kind = "capsule";
        let [half, radius] = self.numbers(kind, ["half length", "radius"])?;
        if !(half >= 0.0 && half.is_finite()) {
            let what = format!("half length = {half} must not be negative, in metres");
            return Err(self.bad(kind, &what));
        }
        self.positive(kind, radius, "radius")?;
        Ok([half, radius])
    }

    fn unknown(&self, what: &str) -> StageError {
        let what = format!(
            "{what} is not among the shapes of vinci.detector.implicit; it takes superellipse, disc, capsule, convex \
             polygon and half-plane in the plane, superellipsoid, ball, capsule, box, convex hull and half-space in space"
        );
        self.refuse(ErrorKind::Unsupported, "shape", &what)
    }

    fn numbers<const N: usize>(&self, kind: &str, names: [&str; N]) -> Result<[f64; N], StageError> {
        let params = self.view().params;
        params.try_into().map_err(|_| {
            let what = format!("needs the parameters [{}] but has {}", names.join(", "), params.len());
            self.bad(kind, &what)
        })
    }

    fn positive(&self, kind: &str, value: f64, name: &str) -> Result<(), StageError> {
        if value > 0.0 && value.is_finite() {
            return Ok(());
        }
        Err(self.bad(kind, &format!("{name} = {value} must be positive and finite")))
    }

    /// Exactly N positive finite parameters.
    fn sizes<const N: usize>(&self, kind: &str, names: [&str; N]) -> Result<[f64; N], StageError> {
        let found = self.numbers(kind, names)?;
        for (value, name) in found.iter().zip(names) {
            self.positive(kind, *value, name)?;
        }
        Ok(found)
    }

    fn points(&self, kind: &str, dim: usize) -> Result<Vec<Vec3>, StageError> {
        let params = self.view().params;
        if !params.len().is_multiple_of(dim) {
            let what = format!("has {} coordinates, not a multiple of {dim}", params.len());
            return Err(self.bad(kind, &what));
        }
        if let Some(i) = params.iter().position(|x| !x.is_finite()) {
            let what = format!("point {} has a coordinate that is not finite", i / dim);
            return Err(self.refuse(ErrorKind::NonFinite, kind, &what));
        }
        let point = |c: &[f64]| Vec3::new(c[0], c[1], c.get(2).copied().unwrap_or(0.0));
        Ok(params.chunks_exact(dim).map(point).collect())
    }

    fn half_space(&self, kind: Option<ShapeKind>) -> Result<Solid, StageError> {
        let (name, normal) = match (kind, self.system.space) {
            (Some(ShapeKind::HalfPlane), Space::Planar) => ("half-plane", Vec3::y()),
            (Some(ShapeKind::HalfSpace), Space::Spatial) => ("half-space", Vec3::z()),
            _ => return Err(self.unknown("a half-plane in space or a half-space in the plane")),
        };
        if !self.view().params.is_empty() {
            return Err(self.bad(name, "takes no parameters; its pose places it"));
        }
        if self.system.is_static[self.view().body as usize] == 0 {
            let what = "belongs to a body that moves; make the body static, or take a large box";
            return Err(self.refuse(ErrorKind::Unsupported, name, what));
        }
        Ok(Solid::HalfSpace(normal))
    }
}
