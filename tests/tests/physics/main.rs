//! Tests of physics: closed forms, the numbers of papers, orders, properties, robots.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod anitescu;
mod articulated;
mod closed_forms;
mod compliant;
mod controllers;
mod corners;
mod derivatives;
mod driven;
mod drives;
mod events;
mod gavrea;
mod grasps;
mod implicit_euler;
mod jammed;
mod joints;
mod layers_judged;
mod miqp;
mod needle_peg;
mod patches;
mod patches_seams;
mod patches_tilted;
mod plane;
mod properties;
mod springs;
mod structures;
mod studies;
mod table_one;
mod tamsi;
mod trapezoidal;
mod woodpecker;
