//! Meshes: the first byte says of which kind, the rest is the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::import::{ModelOptions, read_model};

const KINDS: [&str; 4] = ["gltf", "glb", "obj", "stl"];

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, mesh)) = bytes.split_first() else { return };
    let Ok(directory) = tempfile::tempdir() else { return };
    let file = format!("mesh.{}", KINDS[usize::from(*kind) % KINDS.len()]);
    let robot = format!(
        "<robot name=\"r\"><link name=\"l\"><collision><geometry><mesh filename=\"{file}\"/></geometry></collision></link></robot>"
    );
    let at = |name: &str| directory.path().join(name);
    let buffer: Vec<u8> = (0..4096_u32).flat_map(|i| (i as f32 * 0.37).sin().to_le_bytes()).collect();
    let files = [("robot.urdf", robot.as_bytes()), (&*file, mesh), ("mesh.bin", &buffer)];
    if files.iter().any(|(name, bytes)| std::fs::write(at(name), bytes).is_err()) {
        return;
    }
    let _ = read_model(&at("robot.urdf"), None, &ModelOptions::default(), &mut Diagnostics::new());
});
