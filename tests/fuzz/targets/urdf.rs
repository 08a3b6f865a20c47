//! Robot models in URDF.
#![no_main]

mod robot;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| robot::read(bytes, "robot.urdf"));
