//! Articulated systems: tumbling boxes, loops and couplers, every stepper on a tree, arms that pick bottles up.

// Numbers seen, for `--nocapture`; judges that print are no tests themselves.
#![allow(clippy::print_stdout)]

mod four_bar;
mod four_bar_reference;
mod grippers;
mod iiwa;
mod iiwa_lift;
mod matrix;
mod tumbling;
