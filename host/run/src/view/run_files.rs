//! The directory of a run, read back.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vinci_core::model::{Space, System};
use vinci_core::referee::Mode;

use vinci_engine::labels;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::experiment::TableFormat;
use vinci_scene::{compile, load_running};

use super::thinned::{CONTACTS, STATES, SUPPORTS, Thinned};
use crate::results::{damaged_in, refusal_of, summary_of};
use crate::summary::Summary;
use crate::table::file_name;
use crate::table_file::TableFile;

/// Status of a run that has no summary.
pub const INTERRUPTED: &str = "interrupted";

/// Status of a run that came to its end, and that the referee does not accept.
pub const REFUSED: &str = "refused";

/// The scene and the tables of a run.
pub struct RunFiles {
    pub(super) directory: PathBuf,
    /// The system of the run.
    pub system: System,
    pub(super) summary: Value,
    /// The states that are read, where they are not all.
    pub(super) thinned: Option<Thinned>,
}

/// A recorded state.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Generalised coordinates.
    pub q: Vec<f64>,
    /// Generalised velocities.
    pub v: Vec<f64>,
}

/// A row of `contacts.csv`, vectors in world axes; planar ones have z = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactRow {
    /// Time at the end of the step, s.
    pub t: f64,
    /// Name of the first body.
    pub body_a: String,
    /// Name of the second body.
    pub body_b: String,
    /// Gap, m.
    pub gap: f64,
    /// Point, m.
    pub point: [f64; 3],
    /// Normal from the first body to the second.
    pub normal: [f64; 3],
    /// Mean force of the step on the second body, N.
    pub force: [f64; 3],
    /// Coefficient of friction.
    pub friction: f64,
    /// Open 0, stick 1, slip 2.
    pub mode: u8,
}

/// Friction and slip of all support points of a scene, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct SupportRow {
    /// Time at the end of the step, s.
    pub t: f64,
    /// Mean force of the step on the part, N.
    pub force: Vec<[f64; 2]>,
    /// Speed of the part there, m/s.
    pub slip: Vec<f64>,
}

impl RunFiles {
    /// Reads experiment and summary; tables are read when they are asked for.
    ///
    /// # Errors
    /// A directory that is not one of a run, a scene that cannot be read, a summary that is damaged or of another version.
    pub fn open(directory: &Path) -> Result<Self, Diagnostics> {
        let experiment = directory.join("experiment.json");
        if !experiment.is_file() {
            let message =
                format!("{} is not the directory of a run: it has no experiment.json", directory.display());
            let help = "name the directory that `vinci run` wrote (its last line says which)";
            return Err(Diagnostic::error(Code::Io, message).help(help).into());
        }
        Self::with_summary(directory, summary_of(directory)?.unwrap_or_default())
    }

    /// A run whose tables are written, and whose summary is not yet.
    pub(crate) fn of_ended(directory: &Path, summary: &Summary) -> Result<Self, Diagnostics> {
        let told = serde_json::to_value(summary).map_err(|e| Diagnostic::error(Code::Io, e.to_string()))?;
        Self::with_summary(directory, told)
    }

    fn with_summary(directory: &Path, summary: Value) -> Result<Self, Diagnostics> {
        let loaded = load_running(&directory.join("experiment.json"), &[])?;
        let (system, _) = compile(&loaded.scene, &loaded.scene_node)?;
        Ok(Self { directory: directory.to_owned(), system, summary, thinned: None })
    }

    /// `planar` or `spatial`.
    pub fn space(&self) -> &'static str {
        if self.system.space == Space::Planar { "planar" } else { "spatial" }
    }

    /// Stepper and solver as the summary names them, else the directory.
    pub fn name(&self) -> String {
        let short = |stage: &str| {
            let id = self.summary[stage]["id"].as_str()?;
            Some(id.rsplit('.').next().unwrap_or(id).to_owned())
        };
        match (short("stepper"), short("solver")) {
            (Some(stepper), Some(solver)) => format!("{stepper} + {solver}"),
            _ => self.directory_name(),
        }
    }

    /// Last part of its directory's path.
    pub(super) fn directory_name(&self) -> String {
        self.directory.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Failure that ended the run, as its summary has it; null where there is none.
    pub(super) fn failure(&self) -> &Value {
        &self.summary["failure"]
    }

    /// The status of its summary; [`REFUSED`] where nothing but the referee is against it.
    pub(super) fn status(&self) -> &str {
        match self.refusal() {
            Some(_) if self.failure().is_null() => REFUSED,
            _ => self.summary["status"].as_str().unwrap_or(INTERRUPTED),
        }
    }

    /// The referee's first refusal, in words; none where it accepts the run.
    pub fn refusal(&self) -> Option<String> {
        refusal_of(&self.summary)
    }

    /// A file that is not what it should be.
    pub(super) fn damaged(&self, file: &str, why: &str) -> Diagnostics {
        let path =
            self.path_of(file).map_or_else(|| self.directory.join(self.written(file)), |(path, _)| path);
        Diagnostic::error(Code::Io, format!("{}: {why}", path.display()))
            .help(damaged_in(&self.directory))
            .into()
    }

    /// Name of a file that the run wrote, or would have written, of a table's name without ending.
    fn written(&self, name: &str) -> String {
        let parquet = file_name(TableFormat::Parquet, name);
        match Path::new(name).extension() {
            Some(_) => name.to_owned(),
            None if self.summary["files"].get(&parquet).is_some() => parquet,
            None => file_name(TableFormat::Csv, name),
        }
    }

    pub(super) fn body(&self, name: &str) -> Result<u32, Diagnostics> {
        let at = self.system.bodies.iter().position(|body| body.name == name);
        at.map(|at| at as u32).ok_or_else(|| self.damaged(CONTACTS, &format!("there is no body `{name}`")))
    }

    /// All recorded states.
    ///
    /// # Errors
    /// A trajectory that is missing or not of this scene.
    pub fn states(&self) -> Result<Vec<State>, Diagnostics> {
        let table = self.table(STATES)?.ok_or_else(|| self.damaged(STATES, "it is missing"))?;
        if table.names.is_empty() {
            return Err(self.damaged(STATES, "it is empty: the run ended before any of it came to the disk"));
        }
        let names = (0..self.system.n_blocks()).flat_map(|b| labels::block(&self.system, b)).flatten();
        let expected = std::iter::once("time".to_owned()).chain(names.map(|label| label.to_string()));
        if !expected.eq(table.names.iter().cloned()) {
            return Err(self.damaged(STATES, "its columns are not those of the scene in experiment.json"));
        }
        let states: Vec<State> = (0..table.rows()).map(|row| self.state(&table, row)).collect();
        let sound = |s: &State| s.t.is_finite() && s.q.iter().chain(&s.v).all(|x| x.is_finite());
        match states.iter().all(sound) && !states.is_empty() {
            true => Ok(states),
            false => {
                Err(self.damaged(STATES, "a row holds something that is not a number, or there are no rows"))
            }
        }
    }

    /// The state in a row of a trajectory: time, then coordinates and velocities block by block.
    fn state(&self, trajectory: &TableFile, row: usize) -> State {
        let (layout, numbers) = (self.system.layout(), &trajectory.numbers);
        let mut numbers = numbers.iter().map(|column| column.get(row).copied().unwrap_or(f64::NAN));
        let t = numbers.next().unwrap_or(f64::NAN);
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for b in 0..self.system.n_blocks() {
            q.extend(numbers.by_ref().take((layout.q_start[b + 1] - layout.q_start[b]) as usize));
            v.extend(numbers.by_ref().take((layout.block_start[b + 1] - layout.block_start[b]) as usize));
        }
        State { t, q, v }
    }

    /// All recorded contacts; none where the run recorded none.
    ///
    /// # Errors
    /// A table without the columns of places, as older versions wrote it.
    pub fn contact_rows(&self) -> Result<Vec<ContactRow>, Diagnostics> {
        let Some(table) = self.table(CONTACTS)? else { return Ok(Vec::new()) };
        if table.at("nx").is_none() {
            return Err(self.damaged(CONTACTS, "it has no points and normals"));
        }
        let [point, normal, force] = [["x", "y", "z"], ["nx", "ny", "nz"], ["fx", "fy", "fz"]]
            .map(|v| v.map(|name| table.column(name)));
        let [t, gap, friction] = ["time", "gap", "friction"].map(|name| table.column(name));
        let [body_a, body_b, mode] = ["body_a", "body_b", "mode"].map(|name| table.words_of(name));
        let row = |k: usize| {
            let number =
                |of: Option<&[f64]>| of.and_then(|column| column.get(k)).copied().unwrap_or(f64::NAN);
            let three = |of: [Option<&[f64]>; 3]| of.map(|at| if at.is_some() { number(at) } else { 0.0 });
            let word = |of: &[String]| of.get(k).cloned().unwrap_or_default();
            ContactRow {
                t: number(t),
                body_a: word(body_a),
                body_b: word(body_b),
                gap: number(gap),
                point: three(point),
                normal: three(normal),
                force: three(force),
                friction: number(friction),
                mode: Mode::of_name(&word(mode)).unwrap_or(Mode::Open) as u8,
            }
        };
        let rows: Vec<ContactRow> = (0..table.rows()).map(row).collect();
        let vectors = |row: &ContactRow| [row.point, row.normal, row.force].concat();
        let sound = |row: &ContactRow| {
            [row.t, row.friction, row.gap].iter().chain(&vectors(row)).all(|x| x.is_finite())
        };
        match rows.iter().all(sound) {
            true => Ok(rows),
            false => Err(self.damaged(CONTACTS, "a row holds something that is not a number")),
        }
    }

    /// Friction and slip of all support points, step by step. None where the scene has none, or where they were not recorded.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn support_rows(&self) -> Result<Option<Vec<SupportRow>>, Diagnostics> {
        let n = self.system.supports.len();
        let Some(table) = self.table(SUPPORTS)?.filter(|_| n > 0) else { return Ok(None) };
        let [time, fx, fy, slip] =
            ["time", "fx", "fy", "slip"].map(|name| table.column(name).unwrap_or_default());
        let forces: Vec<[f64; 2]> = fx.iter().zip(fy).map(|(x, y)| [*x, *y]).collect();
        let rows = time
            .chunks_exact(n)
            .zip(forces.chunks_exact(n).zip(slip.chunks_exact(n)))
            .map(|(t, (force, slip))| SupportRow { t: t[0], force: force.to_vec(), slip: slip.to_vec() });
        Ok(Some(rows.collect()))
    }

    /// Impacts, contacts and changes, and what ended the run.
    pub(super) fn events(&self) -> Result<Vec<Value>, Diagnostics> {
        let mut out = Vec::new();
        if let Some(table) = self.table("events")? {
            let [kind, bodies] = ["kind", "bodies"].map(|name| table.words_of(name));
            let times = table.column("time").unwrap_or_default();
            let word = |of: &[String], k: usize| of.get(k).cloned().unwrap_or_default();
            out.extend(
                times
                    .iter()
                    .enumerate()
                    .map(|(k, time)| json!({ "time": time, "kind": word(kind, k), "text": word(bodies, k) })),
            );
        }
        if let Some(message) = self.summary["failure"]["message"].as_str() {
            let time = self.summary["failure"]["time"].as_f64().or(self.summary["time_end"].as_f64());
            out.push(json!({ "time": time.unwrap_or(0.0), "kind": "failure", "text": message }));
        }
        Ok(out)
    }
}
