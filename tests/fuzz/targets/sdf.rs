//! Robot models in SDF.
#![no_main]

mod robot;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| robot::read(bytes, "model.sdf"));
