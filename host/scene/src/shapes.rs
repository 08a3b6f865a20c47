//! Shapes of the scene format.

use super::types::Orientation;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

/// A shape fixed to a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Kind of the shape.
    #[serde(flatten)]
    pub kind: ShapeKind,
    /// Where it is and what it is made of.
    #[serde(flatten)]
    pub placement: Placement,
}

/// Where a shape is in the body frame, and its material.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Placement {
    /// Position in the body frame, m; default the origin.
    #[schemars(extend("x-length" = "vector"))]
    pub position: Option<Vec<f64>>,
    /// Angle in the body frame, rad; default 0.
    #[schemars(extend("x-space" = "planar"))]
    pub angle: Option<f64>,
    /// Orientation in the body frame; default that of the body.
    #[schemars(extend("x-space" = "spatial"))]
    pub orientation: Option<Orientation>,
    /// Material; default that of the body.
    pub material: Option<String>,
}

/// Kinds of shapes. Lengths in m; bodies are solid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ShapeKind {
    /// All points within a radius of the origin.
    #[schemars(extend("x-space" = "planar"))]
    Disc {
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// Rectangle (planar) or box (spatial) about the origin.
    Box {
        /// Whole side lengths, m.
        #[schemars(extend("x-length" = "vector", "x-items-positive" = true))]
        size: Vec<f64>,
    },
    /// All points within a radius of an axis: along x (planar) or z (spatial), about the origin.
    Capsule {
        /// Length of the axis between the end centres, m.
        #[schemars(range(min = 0))]
        length: f64,
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// Simple polygon, convex or not.
    #[schemars(extend("x-space" = "planar"))]
    Polygon {
        /// Corners in order, either way round, m.
        #[schemars(length(min = 3))]
        vertices: Vec<[f64; 2]>,
    },
    /// Ellipse about the origin, axes along x and y.
    #[schemars(extend("x-space" = "planar"))]
    Ellipse {
        /// Half axes along x and y, m.
        #[schemars(extend("x-items-positive" = true))]
        radii: [f64; 2],
    },
    /// All points with |x/a|^s + |y/b|^s ≤ 1.
    #[schemars(extend("x-space" = "planar"))]
    Superellipse {
        /// Half axes a and b, m.
        #[schemars(extend("x-items-positive" = true))]
        radii: [f64; 2],
        /// s, at least 1: 1 is a diamond, 2 an ellipse, large ones come near a rectangle.
        exponent: f64,
    },
    /// Everything below a line; static bodies only.
    #[schemars(extend("x-space" = "planar"))]
    HalfPlane {
        /// Outward normal of any length but zero; default [0, 1].
        normal: Option<[f64; 2]>,
        /// Distance of the line from the origin along the normal, m; default 0.
        offset: Option<f64>,
    },
    /// Line segment without thickness that blocks from both sides.
    #[schemars(extend("x-space" = "planar"))]
    Segment {
        /// First end, m.
        from: [f64; 2],
        /// Second end, m.
        to: [f64; 2],
    },
    /// All points within a radius of the origin.
    #[schemars(extend("x-space" = "spatial"))]
    Ball {
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// Cylinder along z about the origin.
    #[schemars(extend("x-space" = "spatial"))]
    Cylinder {
        /// Whole height, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        height: f64,
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// Cone along z, its apex at +height/2, its base at -height/2.
    #[schemars(extend("x-space" = "spatial"))]
    Cone {
        /// Whole height, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        height: f64,
        /// Radius of the base, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// Convex hull of points.
    #[schemars(extend("x-space" = "spatial"))]
    ConvexHull {
        /// Points, not all in one plane, m.
        #[schemars(length(min = 4))]
        points: Vec<[f64; 3]>,
    },
    /// Closed or open surface of triangles.
    #[schemars(extend("x-space" = "spatial"))]
    Mesh {
        /// Corners, m.
        #[schemars(length(min = 3))]
        vertices: Vec<[f64; 3]>,
        /// Triples of vertex numbers (from 0), counter-clockwise seen from outside.
        #[schemars(length(min = 1))]
        triangles: Vec<[u32; 3]>,
    },
    /// Ellipsoid about the origin, axes along x, y and z.
    #[schemars(extend("x-space" = "spatial"))]
    Ellipsoid {
        /// Half axes along x, y and z, m.
        #[schemars(extend("x-items-positive" = true))]
        radii: [f64; 3],
    },
    /// All points with (|x/a|^p2 + |y/b|^p2)^(p1/p2) + |z/c|^p1 ≤ 1.
    #[schemars(extend("x-space" = "spatial"))]
    Superellipsoid {
        /// Half axes a, b and c, m.
        #[schemars(extend("x-items-positive" = true))]
        radii: [f64; 3],
        /// Powers p ≥ 1: one for both, or [p1, p2].
        exponents: Exponents,
    },
    /// Everything below a plane; static bodies only.
    #[schemars(extend("x-space" = "spatial"))]
    HalfSpace {
        /// Outward normal of any length but zero; default [0, 0, 1].
        normal: Option<[f64; 3]>,
        /// Distance of the plane from the origin along the normal, m; default 0.
        offset: Option<f64>,
    },
    /// Several shapes as one.
    Compound {
        /// The parts, placed in the frame of the compound.
        #[schemars(length(min = 1))]
        shapes: Vec<Shape>,
    },
}

/// Powers of a superellipsoid, p = 2/ε of the literature's ε.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Exponents {
    /// One exponent everywhere: |x/a|^p + |y/b|^p + |z/c|^p ≤ 1.
    One(f64),
    /// [p1, p2]: p1 rounds the outline seen from the side (towards z), p2 the section across z.
    Two([f64; 2]),
}

impl Exponents {
    /// [p1, p2].
    pub fn pair(self) -> [f64; 2] {
        match self {
            Self::One(p) => [p, p],
            Self::Two(pair) => pair,
        }
    }
}

/// The alternatives of [`ShapeKind`], each with the keys of [`Placement`], closed to other keys.
impl JsonSchema for Shape {
    fn schema_name() -> Cow<'static, str> {
        "Shape".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = ShapeKind::json_schema(generator);
        let placement = Placement::json_schema(generator);
        let placement = placement.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let variants = schema.get_mut("oneOf").and_then(Value::as_array_mut);
        for variant in variants.into_iter().flatten() {
            if let Some(properties) = variant.get_mut("properties").and_then(Value::as_object_mut) {
                properties.extend(placement.clone());
            }
            variant["additionalProperties"] = json!(false);
        }
        schema
    }
}
