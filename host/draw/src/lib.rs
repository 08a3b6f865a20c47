//! Motions of runs as files: PNG, GIF and glTF, drawn in software. The same run gives the same bytes.
//!
//! - [`Motion`]: the bodies of a recorded run, and where they are at every time;
//! - [`Mesh`]: a shape as triangles;
//! - [`Camera`], [`Canvas`]: from the world to pixels, the nearest surface first;
//! - [`still`], [`moving`], [`drawn`]: one picture, a GIF, and pictures one after the other;
//! - [`glb`]: the motion as a binary glTF file, which Blender and web viewers open;
//! - `mcap`, with the feature of this name: the motion as a log, which Foxglove opens.

mod camera;
mod canvas;
#[cfg(feature = "mcap")]
mod foxglove;
mod glb;
mod glb_buffer;
mod jam;
mod mesh;
mod motion;
mod paint;
mod picture;
mod planar;
mod shapes;
mod solids;
mod surface;

pub use camera::Camera;
pub use canvas::Canvas;
#[cfg(feature = "mcap")]
pub use foxglove::mcap;
pub use glb::glb;
pub use mesh::Mesh;
pub use motion::Motion;
pub use picture::{Look, Pictures, Pixels, drawn, moving, still};
