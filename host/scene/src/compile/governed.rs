//! Tasks of the controllers of an experiment: from names of degrees of freedom to velocities, drives and references.

use std::collections::BTreeSet;

use vinci_core::model::{DofRole, System};
use vinci_engine::drives::{Drives, Led, Signal};
use vinci_engine::labels::{self, Label};

use super::super::load::Loaded;
use super::super::path::{Path, at};
use super::signals::signal;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean, list};
use crate::experiment::PluginController;

/// Task of a controller of an experiment: what it governs.
#[derive(Debug, Clone)]
pub struct Governed {
    /// Name for messages.
    pub name: String,
    /// It is asked at every n-th grid time.
    pub every: u64,
    /// Velocities along which its efforts act, m, as the experiment lists them.
    pub efforts: Vec<u32>,
    /// Velocities whose drives it leads, n, with the drives.
    pub led: Vec<(u32, Led)>,
    /// Signals that efforts and set-points are to follow, m + n.
    pub references: Vec<Option<Signal>>,
}

/// Tasks of all controllers of an experiment, in their order.
///
/// # Errors
/// Names that nothing has; forces on what is prescribed; drives that are not there or are led twice; references of what is not governed.
pub fn compile_governed(
    loaded: &Loaded,
    system: &System,
    drives: &Drives,
) -> Result<Vec<Governed>, Diagnostics> {
    let list = &loaded.experiment.controllers;
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let (labels, roles) = (labels::displacements(system), system.roles());
    let mut reader = Reader { loaded, system, drives, labels, roles, diagnostics: Diagnostics::new() };
    let governed: Vec<Governed> = list.iter().enumerate().map(|(i, c)| reader.read(i, c)).collect();
    reader.led_once(&governed);
    let diagnostics = reader.diagnostics;
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(governed) }
}

/// Resolves names in one system.
struct Reader<'a> {
    loaded: &'a Loaded,
    system: &'a System,
    drives: &'a Drives,
    labels: Vec<Label>,
    roles: Vec<u8>,
    diagnostics: Diagnostics,
}

/// Use that a controller makes of degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Effort,
    SetPoint,
}

impl Reader<'_> {
    fn error(&mut self, path: &Path, code: Code, message: String, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, message).help(help).at(self.loaded.place(path)));
    }

    fn read(&mut self, i: usize, controller: &PluginController) -> Governed {
        let (name, path) = (controller.called(i), at!["controllers", i]);
        let efforts = self.dofs(&name, &controller.efforts, Use::Effort, &path.join("efforts"));
        let set_points = self.dofs(&name, &controller.set_points, Use::SetPoint, &path.join("set_points"));
        let led = set_points.iter().filter_map(|dof| Some((*dof, self.drives.led(self.system, *dof)?)));
        let led: Vec<(u32, Led)> = led.collect();
        let governed: Vec<u32> = efforts.iter().chain(&set_points).copied().collect();
        let mut references = vec![None; governed.len()];
        for (key, drive) in &controller.reference {
            let path = path.join("reference").join(key.as_str());
            let Some(k) = self.channel(&name, key, &governed, &path) else { continue };
            match signal(drive, &[]) {
                Ok(signal) => references[k] = Some(signal),
                Err(why) => self.error(&path, Code::BadExpression, why, ""),
            }
        }
        Governed { name, every: controller.every, efforts, led, references }
    }

    /// Velocities that names mean, each once.
    fn dofs(&mut self, controller: &str, names: &[String], used: Use, path: &Path) -> Vec<u32> {
        let mut all: Vec<u32> = Vec::new();
        let mut seen = BTreeSet::new();
        for (k, name) in names.iter().enumerate() {
            let path = path.join(k);
            let meant = self.meant(name);
            if meant.is_empty() {
                self.unknown(name, &path);
                continue;
            }
            let fitting: Vec<u32> = meant.iter().copied().filter(|dof| self.fits(*dof, used)).collect();
            if fitting.is_empty() {
                self.unfit(controller, name, used, &path);
            }
            for dof in fitting {
                if !seen.insert(dof) {
                    let label = self.labels[dof as usize].to_string();
                    let message = format!("controller `{controller}` names `{label}` twice");
                    self.error(&path, Code::DuplicateName, message, "name every degree of freedom once");
                }
                all.push(dof);
            }
        }
        all
    }

    /// Velocities that a name means: one, or all of a body, a tree or a joint.
    fn meant(&self, name: &str) -> Vec<u32> {
        let tree = format!("{name}.");
        let is_tree = self.system.trees.iter().any(|part| part.tree.name() == name);
        let is = |label: &Label| {
            label.owner == name
                || (is_tree && label.owner.starts_with(&tree))
                || name.strip_suffix(label.name).and_then(|rest| rest.strip_suffix('.'))
                    == Some(&*label.owner)
        };
        (0..).zip(&self.labels).filter(|(_, label)| is(label)).map(|(dof, _)| dof).collect()
    }

    fn fits(&self, dof: u32, used: Use) -> bool {
        match used {
            Use::Effort => DofRole::from_code(self.roles[dof as usize]) != DofRole::Prescribed,
            Use::SetPoint => self.drives.led(self.system, dof).is_some(),
        }
    }

    fn unknown(&mut self, name: &str, path: &Path) {
        let labels: Vec<String> = self.labels.iter().map(ToString::to_string).collect();
        let mut owners: Vec<&str> = self.labels.iter().map(|label| label.owner.as_str()).collect();
        owners.dedup();
        let known = || labels.iter().map(String::as_str).chain(owners.iter().copied());
        let meant = did_you_mean(name, known()).map_or_else(String::new, |m| m + " ");
        let help = format!("{meant}what moves in this scene: {}", list(owners.iter().copied()));
        self.error(path, Code::UnknownName, format!("there is no degree of freedom `{name}`"), help);
    }

    fn unfit(&mut self, controller: &str, name: &str, used: Use, path: &Path) {
        let (message, help) = match used {
            Use::Effort => (
                format!(
                    "`{name}` is locked or prescribed by its drive, and controller `{controller}` puts a force on it"
                ),
                "what is prescribed feels no force: free it in the scene, or lead its drive with `set_points`",
            ),
            Use::SetPoint => (
                format!("no drive acts on `{name}`, and controller `{controller}` leads it"),
                "give it a drive in the scene (`position`, `velocity`, `force` or `impedance`), or put forces on it with `efforts`",
            ),
        };
        self.error(path, Code::Contradiction, message, help);
    }

    /// Which of the governed velocities a name means.
    fn channel(&mut self, controller: &str, name: &str, governed: &[u32], path: &Path) -> Option<usize> {
        let meant = self.meant(name);
        if meant.is_empty() {
            self.unknown(name, path);
            return None;
        }
        match *meant.iter().filter(|dof| governed.contains(dof)).collect::<Vec<_>>() {
            [dof] => governed.iter().position(|of| of == dof),
            ref several => {
                let several = several.len();
                let message = format!(
                    "`{name}` is {several} of the degrees of freedom that controller `{controller}` governs"
                );
                let help = "a reference belongs to one of those in `efforts` and `set_points`";
                self.error(path, Code::Contradiction, message, help);
                None
            }
        }
    }

    /// A drive has one leader.
    fn led_once(&mut self, all: &[Governed]) {
        let mut leaders: Vec<(u32, usize)> = Vec::new();
        for (i, governed) in all.iter().enumerate() {
            for (dof, _) in &governed.led {
                match leaders.iter().find(|(of, _)| of == dof) {
                    Some((_, first)) if *first != i => {
                        let (label, first) = (&self.labels[*dof as usize], &all[*first].name);
                        let message = format!(
                            "controllers `{first}` and `{}` both lead the drive of `{label}`",
                            governed.name
                        );
                        self.error(
                            &at!["controllers", i, "set_points"],
                            Code::Contradiction,
                            message,
                            "let one of them lead it",
                        );
                    }
                    _ => leaders.push((*dof, i)),
                }
            }
        }
    }
}
