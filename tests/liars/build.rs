//! The liar holds an honest stepper beside itself, and both export the entry points of plugins under the same names: the linker is to
//! take the liar's, which come first.
#![allow(clippy::print_stdout)] // what a build script says to cargo

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,muldefs");
}
