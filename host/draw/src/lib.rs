//! Motions of runs as files: PNG, GIF and glTF, drawn in software. The same run gives the same bytes.
//!
//! - [`Motion`]: the bodies of a recorded run, and where they are at every time;
//! - [`Mesh`]: a shape as triangles;
//! - [`Camera`], [`Canvas`]: from the world to pixels, the nearest surface first;
//! - [`still`], [`moving`]: one picture, and many;
//! - [`glb`]: the motion as a binary glTF file, which Blender and web viewers open.

mod camera;
mod canvas;
mod glb;
mod glb_buffer;
mod mesh;
mod motion;
mod paint;
mod picture;
mod planar;
mod shapes;
mod solids;

pub use camera::Camera;
pub use canvas::Canvas;
pub use glb::glb;
pub use mesh::Mesh;
pub use motion::Motion;
pub use picture::{Look, Pixels, moving, still};
