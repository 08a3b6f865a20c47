//! Libraries, looked into before the loader of the system sees them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let _ = vinci_abi::load::contract_version(Path::new("plugin.so"), bytes);
});
