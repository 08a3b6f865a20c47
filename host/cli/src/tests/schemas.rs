//! The published schemas.

use super::*;
use vinci_compare::types::comparison_schema;
use vinci_scene::schema::{experiment_schema, scene_schema};
use vinci_sweep::types::sweep_schema;

/// The files under host/schema are what `vinci schema` prints. To renew them: `vinci schema --out host/schema`.
#[test]
fn the_published_schemas_are_up_to_date() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let (sweep, comparison) = (sweep_schema(), comparison_schema());
    let host = [("scene", scene_schema()), ("experiment", experiment_schema(&[]))];
    for (name, schema) in host.into_iter().chain([("sweep", sweep), ("comparison", comparison)]) {
        let path = directory.join(format!("{name}.schema.json"));
        let text = format!("{schema:#}\n");
        if std::env::var_os("VINCI_BLESS").is_some() {
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap();
        assert!(published == text, "{} is out of date: run `vinci schema --out host/schema`", path.display());
    }
}

#[test]
fn sweeps_that_ship_are_valid_under_the_published_schema() {
    let sweeps = jsonschema::validator_for(&sweep_schema()).unwrap();
    let scenes = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let files: Vec<_> = std::fs::read_dir(scenes).unwrap().map(|e| e.unwrap().path()).collect();
    let is_sweep = |p: &&PathBuf| p.to_string_lossy().ends_with(".sweep.json");
    assert!(files.iter().any(|p| is_sweep(&p)));
    for file in files.iter().filter(is_sweep) {
        let value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let said = sweeps.validate(&value).err().map(|e| e.to_string());
        assert!(said.is_none(), "{}: {said:?}", file.display());
    }
}
