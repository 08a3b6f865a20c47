//! The referee: honest steps leave nothing, and every lie leaves the number that the documented formula makes of it.
#![allow(clippy::unwrap_used)]

#[path = "referee/common.rs"]
mod common;
#[path = "referee/contacts.rs"]
mod contacts;
#[path = "referee/impacts.rs"]
mod impacts;
#[path = "referee/laws.rs"]
mod laws;
#[path = "referee/places.rs"]
mod places;
#[path = "referee/positions.rs"]
mod positions;
#[path = "referee/rows.rs"]
mod rows;
#[path = "referee/scales.rs"]
mod scales;
#[path = "referee/work.rs"]
mod work;
