//! The referee: honest steps leave nothing, and every lie leaves the number that the documented formula makes of it.

mod common;
mod contacts;
mod impacts;
mod laws;
mod places;
mod positions;
mod rows;
mod scales;
mod work;
