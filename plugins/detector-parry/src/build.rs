//! Shapes of the scene, checked and made ready.

use crate::mesh::{Mesh, MeshFault};
use crate::polytope::{self, HullFault, Polytope};
use crate::solid::{Convex, Core, Solid};
use vinci_detect::{Frame, Vec3};
use vinci_sdk::core::error::{ErrorKind, StageError};
use vinci_sdk::core::model::{ShapeKind, ShapeView, Space, SystemView};

/// Kinds of shapes that this detector knows.
pub(crate) const KINDS: [ShapeKind; 8] = [
    ShapeKind::Ball,
    ShapeKind::Box,
    ShapeKind::Capsule,
    ShapeKind::Cylinder,
    ShapeKind::Cone,
    ShapeKind::ConvexHull,
    ShapeKind::TriMesh,
    ShapeKind::HalfSpace,
];

/// A shape on its body.
pub(crate) struct Built {
    pub(crate) solid: Solid,
    pub(crate) body: u32,
    pub(crate) local: Frame,
}

/// All shapes of a spatial system.
pub(crate) fn shapes(system: &SystemView<'_>) -> Result<Vec<Built>, StageError> {
    if system.space != Space::Spatial {
        return Err(StageError::unsupported(
            "vinci.detector.parry detects in spatial scenes but this scene is planar; use vinci.detector.planar",
        ));
    }
    (0..system.shapes.len()).map(|i| Context { system, index: i }.build()).collect()
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

    /// "shape 3 (ball of body `wheel`)".
    fn name(&self, kind: &str) -> String {
        let body = self.view().body as usize;
        match self.system.body_names.get(body) {
            Some(name) => format!("shape {} ({kind} of body `{name}`)", self.index),
            None => format!("shape {} ({kind} of body {body})", self.index),
        }
    }

    fn refuse(&self, error: ErrorKind, kind: &str, what: &str) -> StageError {
        StageError::new(error, format!("{}: {what}", self.name(kind)))
    }

    fn build(&self) -> Result<Built, StageError> {
        let view = self.view();
        if view.body as usize >= self.system.n_bodies() {
            let what = format!(
                "its body does not exist; bodies are numbered 0 to {}",
                self.system.n_bodies().max(1) - 1
            );
            return Err(self.refuse(ErrorKind::BadInput, "shape", &what));
        }
        let local = Frame::from_pose(self.system.space, view.pose).ok_or_else(|| {
            let what =
                "its pose must be seven finite numbers [x, y, z, qw, qx, qy, qz] with a non-zero quaternion";
            self.refuse(ErrorKind::BadInput, "shape", what)
        })?;
        let kind = ShapeKind::from_code(view.kind);
        let solid = kind.map_or_else(|| Err(self.unknown()), |kind| self.solid(kind))?;
        Ok(Built { solid, body: view.body, local })
    }

    fn unknown(&self) -> StageError {
        let what = format!(
            "kind {} is unknown to vinci.detector.parry; it takes ball, box, capsule, cylinder, cone, convex hull, \
             triangle mesh and half-space",
            self.view().kind
        );
        self.refuse(ErrorKind::Unsupported, "unknown", &what)
    }

    fn solid(&self, kind: ShapeKind) -> Result<Solid, StageError> {
        let convex = |core, radius| Ok(Solid::Convex(Convex::new(core, radius)));
        match kind {
            ShapeKind::Ball => self.sizes("ball", ["radius"]).map(|[r]| Solid::Ball(r)),
            ShapeKind::Box => {
                let h = self.sizes("box", ["half x", "half y", "half z"])?;
                convex(Core::Polytope(Polytope::cuboid(&Vec3::from(h))), 0.0)
            }
            ShapeKind::Capsule => {
                let [half, radius] = self.sizes("capsule", ["half length", "radius"])?;
                convex(Core::Polytope(Polytope::segment(half)), radius)
            }
            ShapeKind::Cylinder => {
                let [half, radius] = self.sizes("cylinder", ["half height", "radius"])?;
                convex(Core::Cylinder { half, radius }, 0.0)
            }
            ShapeKind::Cone => {
                let [half, radius] = self.sizes("cone", ["half height", "radius"])?;
                convex(Core::Cone { half, radius }, 0.0)
            }
            ShapeKind::ConvexHull => convex(Core::Polytope(self.hull()?), 0.0),
            ShapeKind::TriMesh => self.mesh().map(|m| Solid::Mesh(Box::new(m))),
            ShapeKind::HalfSpace => self.half_space(),
            ShapeKind::Superellipsoid => Err(self.unsupported_superellipsoid()),
            _ => Err(self.planar(kind)),
        }
    }

    fn unsupported_superellipsoid(&self) -> StageError {
        let what = "superellipsoids are not among the shapes of vinci.detector.parry; approximate it by a convex hull \
                    of surface points, or use a detector that takes implicit shapes";
        self.refuse(ErrorKind::Unsupported, "superellipsoid", what)
    }

    fn planar(&self, kind: ShapeKind) -> StageError {
        let what = format!("{kind:?} is a planar shape in a spatial scene; use its spatial counterpart");
        self.refuse(ErrorKind::Unsupported, "planar shape", &what)
    }

    /// Exactly N positive finite parameters.
    fn sizes<const N: usize>(&self, kind: &str, names: [&str; N]) -> Result<[f64; N], StageError> {
        let found: [f64; N] = self.view().params.try_into().map_err(|_| {
            let what =
                format!("needs the parameters [{}] but has {}", names.join(", "), self.view().params.len());
            self.refuse(ErrorKind::BadInput, kind, &what)
        })?;
        for (value, name) in found.iter().zip(names) {
            if !(*value > 0.0 && value.is_finite()) {
                let what = format!("{name} = {value} must be positive and finite, in metres");
                return Err(self.refuse(ErrorKind::BadInput, kind, &what));
            }
        }
        Ok(found)
    }

    fn points(&self, kind: &str) -> Result<Vec<Vec3>, StageError> {
        let params = self.view().params;
        if !params.len().is_multiple_of(3) {
            let what = format!(
                "has {} coordinates, not a multiple of three; give x, y, z of every point",
                params.len()
            );
            return Err(self.refuse(ErrorKind::BadInput, kind, &what));
        }
        if let Some(i) = params.iter().position(|x| !x.is_finite()) {
            let what = format!("point {} has a coordinate that is not finite", i / 3);
            return Err(self.refuse(ErrorKind::NonFinite, kind, &what));
        }
        Ok(params.chunks_exact(3).map(Vec3::from_column_slice).collect())
    }

    fn hull(&self) -> Result<Polytope, StageError> {
        let kind = "convex hull";
        let points = self.points(kind)?;
        polytope::hull(&points).map_err(|fault| {
            let what = match fault {
                HullFault::TooFew => format!("has {} points; a solid needs at least four", points.len()),
                HullFault::Flat => "its points lie in one plane; give it thickness, or use a box".to_owned(),
                HullFault::Failed => {
                    "no hull was found, usually because many points nearly coincide; remove points closer than a \
                     millionth of the size"
                        .to_owned()
                }
            };
            self.refuse(ErrorKind::BadInput, kind, &what)
        })
    }

    fn mesh(&self) -> Result<Mesh, StageError> {
        let kind = "triangle mesh";
        let vertices = self.points(kind)?;
        let indices = self.view().indices;
        if !indices.len().is_multiple_of(3) {
            let what = format!("has {} vertex indices, not a multiple of three", indices.len());
            return Err(self.refuse(ErrorKind::BadInput, kind, &what));
        }
        let count = vertices.len();
        Mesh::new(vertices, indices).map_err(|fault| {
            let what = match fault {
                MeshFault::Empty => "has no triangles; give three vertex indices per triangle".to_owned(),
                MeshFault::BadIndex(t, v) => {
                    format!("triangle {t} names vertex {v} but there are {count}; indices start at 0")
                }
                MeshFault::Degenerate(t) => {
                    format!("triangle {t} has no area; remove it, or weld the mesh before export")
                }
            };
            self.refuse(ErrorKind::BadInput, kind, &what)
        })
    }

    fn half_space(&self) -> Result<Solid, StageError> {
        if !self.view().params.is_empty() {
            let what = "takes no parameters; its pose places the plane, solid is z <= 0";
            return Err(self.refuse(ErrorKind::BadInput, "half-space", what));
        }
        if self.system.is_static[self.view().body as usize] == 0 {
            let what = "belongs to a body that moves; make the body static, or use a large box";
            return Err(self.refuse(ErrorKind::Unsupported, "half-space", what));
        }
        Ok(Solid::HalfSpace)
    }
}
