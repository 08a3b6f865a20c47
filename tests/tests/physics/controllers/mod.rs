//! Controllers and driven joints: the forces of the laws that are written down, at the ends of steps where they are wanted
//! implicit.

mod arms;
mod drives;
mod dynamics;
mod grip;
mod pd;
mod plugins;
