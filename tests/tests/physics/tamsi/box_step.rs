//! The box of Castro et al. (2020), section IV-A, as a step of two velocities (x, z) by hand, so that every Newton step can
//! be seen: no host, no detector.

use vinci_abi::Role;
use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::{MotionModel, PairValues, Space, SystemView};
use vinci_core::problem::Status;
use vinci_core::stage::{BlockKind, Solver, StepView, Stepper, Verdict};
use vinci_core::{Csr, StageError};
use vinci_solver_newton_tals::{Config, Iteration, NewtonTals};
use vinci_tests::house;

/// kg, m/s², N/m, m/s.
pub(crate) const MASS: f64 = 0.33;
pub(crate) const GRAVITY: f64 = 9.8;
pub(crate) const STIFFNESS: f64 = 1e5;
pub(crate) const V_S: f64 = 1e-4;

/// TAMSI with these options. It is loaded as the host does: two plugins linked into one program would have the same symbols.
pub(crate) fn tamsi(options: &str) -> Box<dyn Stepper> {
    let system = SystemView {
        space: Space::Planar,
        body_names: &["ground", "box"],
        is_static: &[1, 0],
        shapes: &[],
        ignored_pairs: &[],
        nv: 2,
        nq: 2,
        ..SystemView::NOTHING
    };
    let plugin =
        house::registry().find("tamsi", Role::Stepper, house::root().as_path()).expect("it is built");
    Box::new(plugin.create_stepper(options, &system).expect("lawful options"))
}

/// State and load of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxStep {
    /// Step, s.
    pub(crate) h: f64,
    /// Velocity along x, m/s.
    pub(crate) v: f64,
    /// Force along x, N.
    pub(crate) force: f64,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// How the solver ended.
    pub(crate) status: Status,
    /// Newton steps.
    pub(crate) history: Vec<Iteration>,
    /// Velocity along x at the end; NaN without one.
    pub(crate) v: f64,
    /// Impulses (normal, tangent), tangent = −x.
    pub(crate) impulse: [f64; 2],
}

impl BoxStep {
    /// Makes the step with these options of the stepper.
    pub(crate) fn make(&self, stepper: &mut dyn Stepper, solver: Config) -> Result<Outcome, StageError> {
        let mut solver = NewtonTals::new(solver)?;
        self.with_view(|view| {
            let (status, z) = {
                let problem = stepper.formulate(view)?;
                let solution = solver.solve(&problem)?;
                (solution.status, solution.z.to_vec())
            };
            let history = solver.history().to_vec();
            if status != Status::Converged {
                return Ok(Outcome { status, history, v: f64::NAN, impulse: [f64::NAN; 2] });
            }
            let solution = vinci_core::problem::Solution { status, z: &z, ..Default::default() };
            let update = stepper.update(view, &solution)?;
            assert_eq!(update.verdict, Verdict::Accept);
            Ok(Outcome { status, history, v: update.v[0], impulse: [update.impulse[0], update.impulse[1]] })
        })
    }

    /// Hands the view to `body`: at rest along z, where the ground carries the weight.
    pub(crate) fn with_view<R>(&self, body: impl FnOnce(&StepView<'_>) -> R) -> R {
        let zeros = [0.0; 4];
        let gap = [-MASS * GRAVITY / STIFFNESS];
        body(&StepView {
            step: 0,
            pass: 0,
            attempt: 0,
            t: 0.0,
            h: self.h,
            space: Space::Planar,
            tolerance: 1e-8,
            q: &[0.0, gap[0]],
            v: &[self.v, 0.0],
            block_start: &[0, 2],
            q_start: &[0, 2],
            block_kind: &[BlockKind::Tree as u8],
            quaternion: &[],
            motion: &[MotionModel::Dynamic as u8],
            mass: &[MASS, 0.0, 0.0, MASS],
            drag: &zeros,
            force: &[self.force, -MASS * GRAVITY],
            bias: &zeros[..2],
            stiffness: Csr::default(),
            viscosity: Csr::default(),
            role: &[0, 0],
            command: &zeros[..2],
            impedance: &zeros[..2],
            contacts: Contacts {
                n_t: 1,
                key: &[ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b: 0 }],
                body_a: &[0],
                body_b: &[1],
                gap: &gap,
                normal: &[0.0, 1.0, 0.0],
                tangent: &[-1.0, 0.0, 0.0],
                point_a: &zeros[..3],
                point_b: &zeros[..3],
                jacobian: Csr {
                    n_cols: 2,
                    row_start: &[0, 2, 4],
                    column: &[0, 1, 0, 1],
                    value: &[0.0, 1.0, -1.0, 0.0],
                },
                pair: PairValues {
                    friction: &[1.0],
                    stiffness: &[STIFFNESS],
                    dissipation: &[50.0],
                    ..PairValues::<()>::default().map(|()| &zeros[..1])
                },
                last_impulse: &zeros[..2],
                age: &[0],
                group: &[],
                cell: &[],
            },
            rows: Default::default(),
            rows_middle: Csr::default(),
            rows_end: Csr::default(),
            supports: Default::default(),
            force_rate: &[],
            drive_speed: &[],
        })
    }
}
