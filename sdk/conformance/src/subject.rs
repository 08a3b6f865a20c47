//! The plugin under test, and systems to make it for.

use vinci_abi::load::LoadedPlugin;
use vinci_abi::{ForeignController, ForeignDetector, ForeignSolver, ForeignStepper, Manifest, Role};
use vinci_core::StageError;
use vinci_core::model::{NO_COORDINATE, ShapeView, Space, SystemView};

/// Reason why a test ended early.
pub(crate) enum Stop {
    Failed(String),
    Skipped(String),
}

impl From<StageError> for Stop {
    fn from(error: StageError) -> Self {
        Self::Failed(format!("{} ({:?})", error.message, error.kind))
    }
}

/// Ends a test with a failure unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($reason:tt)+) => {
        if !$condition {
            return Err(crate::subject::Stop::Failed(format!($($reason)+)));
        }
    };
}

pub(crate) use ensure;

/// One role of the library under test.
pub(crate) struct Subject {
    plugin: LoadedPlugin,
    role: Role,
    pub(crate) manifest: Manifest,
    pub(crate) seed: u64,
}

/// An instance of whatever role.
pub(crate) enum Instance {
    Detector(ForeignDetector),
    Stepper(ForeignStepper),
    Solver(ForeignSolver),
    Controller(ForeignController),
}

impl Instance {
    pub(crate) fn end(self) -> Result<(), StageError> {
        match self {
            Self::Detector(d) => d.end(),
            Self::Stepper(s) => s.end(),
            Self::Solver(s) => s.end(),
            Self::Controller(c) => c.end(),
        }
    }

    pub(crate) fn save(&self, bytes: &mut Vec<u8>) -> Result<(), StageError> {
        match self {
            Self::Detector(d) => d.try_save_state(bytes),
            Self::Stepper(s) => s.try_save_state(bytes),
            Self::Solver(s) => s.try_save_state(bytes),
            Self::Controller(c) => c.try_save_state(bytes),
        }
    }

    pub(crate) fn load(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        use vinci_core::stage::{Controller, Detector, Solver, Stepper};
        match self {
            Self::Detector(d) => d.load_state(bytes),
            Self::Stepper(s) => s.load_state(bytes),
            Self::Solver(s) => s.load_state(bytes),
            Self::Controller(c) => c.load_state(bytes),
        }
    }

    pub(crate) fn extension(&mut self, id: &str) -> Result<(), StageError> {
        match self {
            Self::Detector(d) => d.extension(id, &[]).map(|_| ()),
            Self::Stepper(s) => s.extension(id, &[]).map(|_| ()),
            Self::Solver(s) => s.extension(id, &[]).map(|_| ()),
            Self::Controller(c) => c.extension(id, &[]).map(|_| ()),
        }
    }
}

impl Subject {
    /// The role of a library, if it has it.
    pub(crate) fn new(plugin: LoadedPlugin, role: Role, seed: u64) -> Option<Self> {
        let manifest = plugin.manifest(role)?.clone();
        Some(Self { plugin, role, manifest, seed })
    }

    /// A space it works in.
    pub(crate) fn space(&self) -> Space {
        if self.manifest.works_in(Space::Planar) { Space::Planar } else { Space::Spatial }
    }

    /// An instance for a system with one free body and no shapes.
    pub(crate) fn instance(&self, options: &str) -> Result<Instance, StageError> {
        let system = one_body(self.space(), &[]);
        Ok(match self.role {
            Role::Detector => Instance::Detector(self.plugin.create_detector(options, &system)?),
            Role::Stepper => Instance::Stepper(self.plugin.create_stepper(options, &system)?),
            Role::Solver => Instance::Solver(self.plugin.create_solver(options, &system)?),
            Role::Controller => {
                let [efforts, set_points] = governs(self, 2);
                let names: &[&str] = match system.space {
                    Space::Planar => &["body.x", "body.y", "body.angle"],
                    Space::Spatial => &["body.x", "body.y", "body.z", "body.rx", "body.ry", "body.rz"],
                };
                let coordinates: &[u32] = match system.space {
                    Space::Planar => &[0, 1, 2],
                    Space::Spatial => &[0, 1, 2, NO_COORDINATE, NO_COORDINATE, NO_COORDINATE],
                };
                let system = SystemView {
                    dof_names: names,
                    dof_coordinate: coordinates,
                    efforts: &efforts,
                    set_points: &set_points,
                    ..system
                };
                Instance::Controller(self.plugin.create_controller(options, &system)?)
            }
        })
    }

    pub(crate) fn detector(&self, system: &SystemView<'_>) -> Result<ForeignDetector, StageError> {
        self.plugin.create_detector("", system)
    }

    pub(crate) fn stepper_with(
        &self,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<ForeignStepper, StageError> {
        self.plugin.create_stepper(options, system)
    }

    /// The options that the manifest's schema gives as an example, or none: with all gains 0 a law would say nothing.
    fn example(&self) -> String {
        self.manifest.options["examples"].get(0).map(ToString::to_string).unwrap_or_default()
    }

    /// A controller with the example of its options.
    pub(crate) fn controller(&self, system: &SystemView<'_>) -> Result<ForeignController, StageError> {
        self.plugin.create_controller(&self.example(), system)
    }

    pub(crate) fn solver(&self) -> Result<ForeignSolver, StageError> {
        self.plugin.create_solver("", &one_body(self.space(), &[]))
    }
}

/// Velocities of a system of nv that a controller is given: along all of them it puts forces, or every second one's drive is led, as it
/// says that it can.
pub(crate) fn governs(subject: &Subject, nv: usize) -> [Vec<u32>; 2] {
    let can = |what: &str| subject.manifest.has_capability(what);
    match (can("efforts"), can("set-points")) {
        (true, true) => [0, 1].map(|first| (first..nv as u32).step_by(2).collect()),
        (false, true) => [Vec::new(), (0..nv as u32).collect()],
        _ => [(0..nv as u32).collect(), Vec::new()],
    }
}

/// The ground and one free body; the shapes refer to them as bodies 0 and 1.
pub(crate) fn one_body<'a>(space: Space, shapes: &'a [ShapeView<'a>]) -> SystemView<'a> {
    SystemView {
        space,
        body_names: &["ground", "body"],
        is_static: &[1, 0],
        shapes,
        ignored_pairs: &[],
        nv: space.nv() as u32,
        nq: space.nq() as u32,
        ..SystemView::NOTHING
    }
}
