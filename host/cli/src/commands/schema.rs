//! `vinci schema`.

use super::files::{io_error, put_file};
use super::printing::{names, say, tell};
use super::search::registry;
use crate::cli::{Global, SchemaArgs, SchemaName};
use serde_json::json;
use std::path::{Path, PathBuf};
use vinci_compare::types::comparison_schema;
use vinci_engine::registry::Registry;
use vinci_run::exit;
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::schema::{PluginSchema, experiment_schema, scene_schema};
use vinci_sweep::types::sweep_schema;

pub(crate) fn run(global: &Global, args: &SchemaArgs) -> Result<u8, Diagnostics> {
    let wanted = match args.which {
        Some(which) => vec![which],
        None => vec![SchemaName::Scene, SchemaName::Experiment, SchemaName::Sweep, SchemaName::Comparison],
    };
    let plugins =
        if args.with_plugins { plugin_options(&registry(global, &args.search)) } else { Vec::new() };
    let mut written = Vec::new();
    for which in wanted {
        let (name, schema) = match which {
            SchemaName::Scene => ("scene", scene_schema()),
            SchemaName::Experiment => ("experiment", experiment_schema(&plugins)),
            SchemaName::Sweep => ("sweep", sweep_schema()),
            SchemaName::Comparison => ("comparison", comparison_schema()),
        };
        let text = format!("{schema:#}\n");
        match &args.out {
            None => say(&text)?,
            Some(dir) => written.push(put(dir, name, &text)?),
        }
    }
    if args.out.is_some() {
        let text = || written.iter().map(|path| format!("{}: written\n", path.display())).collect();
        tell(global, ("schema", exit::OK), text, || json!({ "files": names(&written) }))?;
    }
    Ok(exit::OK)
}

/// Writes a schema into a directory; its path.
fn put(dir: &Path, name: &str, text: &str) -> Result<PathBuf, Diagnostics> {
    std::fs::create_dir_all(dir).map_err(|e| io_error("cannot write to", dir, &e))?;
    let path = dir.join(format!("{name}.schema.json"));
    put_file(&path, text.as_bytes(), [])?;
    Ok(path)
}

/// Option schemas of all plugins, each id once.
fn plugin_options(registry: &Registry) -> Vec<PluginSchema> {
    let mut all: Vec<PluginSchema> = Vec::new();
    for found in registry.survey() {
        for m in found.manifests.iter().flatten() {
            if all.iter().all(|p| p.id != m.id) {
                all.push(PluginSchema {
                    role: m.role.name().into(),
                    id: m.id.clone(),
                    options: m.options.clone(),
                });
            }
        }
    }
    all
}
