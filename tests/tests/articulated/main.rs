//! Articulated systems: tumbling boxes, loops and couplers, every stepper on a tree, arms that pick bottles up.

mod four_bar;
mod four_bar_reference;
mod grippers;
mod iiwa;
mod matrix;
mod tumbling;
