//! Finds a shared HiGHS that is not one of the system's: `VINCI_HIGHS_LIBRARY` names its directory.

fn main() {
    println!("cargo::rerun-if-env-changed=VINCI_HIGHS_LIBRARY");
    // The host loads a plugin from memory, so `$ORIGIN` would lead nowhere: the path is written in full.
    if let Ok(directory) = std::env::var("VINCI_HIGHS_LIBRARY") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{directory}");
    }
}
