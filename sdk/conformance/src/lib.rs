//! One shared test suite for every Vinci plugin.

pub mod fixture;
