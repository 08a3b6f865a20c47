//! A detector, a stepper, a solver and a controller that misbehave on demand: `{"at": "solve", "do": "panic"}`.
//!
//! Otherwise they behave: the detector finds nothing, the stepper asks for z = 1, the solver answers so, the controller pushes with 0.

mod dawdle;
mod escapes;
mod hostile;
mod misdeeds;
mod numbers;

use misdeeds::{At, Config, Deed, misbehave};
use vinci_sdk::prelude::*;

/// All roles.
pub struct Bad {
    config: Config,
    problem: MlcpBuf,
    z: Vec<f64>,
    v: Vec<f64>,
    zeros: Vec<f64>,
    motion: Vec<u8>,
    gradient: Vec<f64>,
    numbers: numbers::Numbers,
    efforts: usize,
}

impl Bad {
    fn new(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config: Config = parse_options(options)?;
        misbehave(&config, At::Create)?;
        let one = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
        let problem = MlcpBuf::from_parts(one, vec![-1.0], vec![0.0], vec![f64::INFINITY], 1e-10);
        let efforts = system.efforts.len();
        Ok(Self {
            config,
            problem,
            z: vec![],
            v: vec![],
            zeros: vec![],
            motion: vec![],
            gradient: vec![],
            numbers: numbers::Numbers::default(),
            efforts,
        })
    }

    /// ∂q⁺/∂(u, q) of a step that keeps velocities, or as the environment wants it: the suite knows no options of ours.
    fn differentiate(&mut self, nv: usize) {
        let lie = std::env::var("VINCI_BAD_DERIVATIVES");
        let own = match lie.as_deref() {
            Ok("sign") => -1.0,
            Ok("zero") => 0.0,
            _ => 1.0,
        };
        self.gradient.clear();
        if lie.as_deref() != Ok("none") {
            self.gradient.resize(2 * nv * nv, 0.0);
            (0..nv).for_each(|dof| self.gradient[dof * 2 * nv + nv + dof] = own);
        }
    }

    /// The deed if it is due now and is one of returning something wrong.
    fn wrong(&self, at: At) -> Option<Deed> {
        let due = self.config.behaved.get() > self.config.after;
        (self.config.at == at && due).then_some(self.config.deed)
    }
}

impl Drop for Bad {
    fn drop(&mut self) {
        // A refusal has nowhere to go from here.
        let _ = misbehave(&self.config, At::Drop);
    }
}

impl Detector for Bad {
    fn detect<'s>(&'s mut self, _: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        misbehave(&self.config, At::Detect)?;
        const KEY: &[ContactKey] = &[ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b: 0 }];
        const STRANGE: &[ContactKey] =
            &[ContactKey { shape_a: 0, shape_b: 4711, feature_a: 0, feature_b: 0 }];
        let contact = RawContacts {
            key: KEY,
            gap: &[1.0],
            normal: &[0.0, 1.0, 0.0],
            point_a: &[0.0; 3],
            point_b: &[0.0, 1.0, 0.0],
            group: &[],
        };
        Ok(match self.wrong(At::Detect) {
            Some(Deed::Nan) => RawContacts { gap: &[f64::NAN], ..contact },
            Some(Deed::Short) => RawContacts { normal: &[0.0], ..contact },
            Some(Deed::Stranger) => RawContacts { key: STRANGE, ..contact },
            Some(Deed::Many) => many(),
            _ => RawContacts::default(),
        })
    }
}

/// 170 contacts.
fn many() -> RawContacts<'static> {
    const N: usize = 170;
    const KEY: [ContactKey; N] = {
        let mut keys = [ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b: 0 }; N];
        let mut i = 0;
        while i < N {
            keys[i].feature_a = i as u32;
            i += 1;
        }
        keys
    };
    const UP: [f64; 3 * N] = {
        let mut up = [0.0; 3 * N];
        let mut i = 0;
        while i < N {
            up[3 * i + 1] = 1.0;
            i += 1;
        }
        up
    };
    RawContacts { key: &KEY, gap: &[1.0; N], normal: &UP, point_a: &[0.0; 3 * N], point_b: &UP, group: &[] }
}

impl Stepper for Bad {
    fn formulate<'s>(&'s mut self, _: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        misbehave(&self.config, At::Formulate)?;
        match self.wrong(At::Formulate) {
            Some(Deed::Nan) => self.problem.q[0] = f64::NAN,
            Some(Deed::Short) => self.problem.upper.clear(),
            _ => {}
        }
        Ok(Problem::Mlcp(self.problem.view()))
    }

    fn update<'s>(&'s mut self, step: &StepView<'_>, _: &Solution<'_>) -> Result<Update<'s>, StageError> {
        misbehave(&self.config, At::Update)?;
        self.v.clear();
        self.v.extend_from_slice(step.v);
        self.zeros.resize(step.nv().max(step.contacts.jacobian.n_rows()).max(step.rows.rate.len()), 0.0);
        self.motion.resize(step.n_blocks(), MotionModel::Dynamic as u8);
        self.differentiate(step.nv());
        match self.wrong(At::Update) {
            Some(Deed::Nan) => self.v[0] = f64::NAN,
            Some(Deed::Short) => drop(self.v.pop()),
            _ => {}
        }
        Ok(Update {
            verdict: Verdict::Accept,
            h_used: step.h,
            v: &self.v,
            impulse: &self.zeros[..step.contacts.jacobian.n_rows()],
            row_impulse: &self.zeros[..step.rows.rate.len()],
            effort: &self.zeros[..step.nv()],
            normal_rate: &self.zeros[..step.contacts.len()],
            motion: &self.motion,
            gradient: &self.gradient,
            ..Update::default()
        })
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        self.numbers.save(bytes);
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        self.numbers.load(bytes)
    }
}

impl Solver for Bad {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        misbehave(&self.config, At::Solve)?;
        self.z.clear();
        self.z.resize(problem.len(), 1.0);
        if let (Some(Deed::Storm), Problem::Root(root)) = (self.wrong(At::Solve), problem) {
            loop {
                std::hint::black_box(root.residual(root.start));
            }
        }
        if let Some(deed @ (Deed::Dawdle | Deed::Stray)) = self.wrong(At::Solve) {
            let beside = if deed == Deed::Stray { 1.0 + 1e-12 } else { 1.0 };
            let found = dawdle::dawdle(problem);
            let found = found.map(|z| z.iter().map(|x| beside * x).collect::<Vec<f64>>());
            let status = if found.is_some() { Status::Converged } else { Status::MaxIterations };
            self.z = found.unwrap_or_else(|| vec![0.0; problem.len()]);
            return Ok(Solution { status, z: &self.z, ..Solution::default() });
        }
        match self.wrong(At::Solve) {
            Some(Deed::Nan) => self.z.fill(f64::NAN),
            Some(Deed::Short) => drop(self.z.pop()),
            Some(Deed::Lie) => self.z.fill(4711.0),
            _ => {}
        }
        let z = match self.wrong(At::Solve) {
            // SAFETY: none; an array that is not there is the misdeed.
            Some(Deed::Huge) => unsafe { std::slice::from_raw_parts(self.z.as_ptr(), 1 << 50) },
            // SAFETY: none, as above.
            Some(Deed::Nowhere) => unsafe {
                std::slice::from_raw_parts(std::ptr::without_provenance(8), self.z.len())
            },
            _ => &self.z,
        };
        Ok(Solution { status: Status::Converged, z, ..Solution::default() })
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        bytes.push(7);
        // A refusal has nowhere to go from here.
        let _ = misbehave(&self.config, At::Save);
    }

    fn load_state(&mut self, _: &[u8]) -> Result<(), StageError> {
        misbehave(&self.config, At::Load)
    }
}

impl Controller for Bad {
    fn control<'s>(&'s mut self, _: &ControlView<'_>) -> Result<Commands<'s>, StageError> {
        misbehave(&self.config, At::Control)?;
        self.z.clear();
        self.z.resize(self.efforts, 0.0);
        match self.wrong(At::Control) {
            Some(Deed::Nan) => self.z.fill(f64::NAN),
            Some(Deed::Short) => drop(self.z.pop()),
            Some(Deed::Stranger) => self.z.push(1.0),
            _ => {}
        }
        Ok(Commands { effort: &self.z, set_point: &[] })
    }
}

macro_rules! bad {
    ($plugin:ident, $role:ident, $id:literal, $classes:expr, $capabilities:expr) => {
        impl $plugin for Bad {
            fn manifest() -> Manifest {
                Manifest::new($id, Role::$role, env!("CARGO_PKG_VERSION"))
                    .title("Misbehaves on demand")
                    .classes($classes)
                    .capabilities($capabilities)
                    .options::<Config>()
            }

            fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
                Self::new(options, system)
            }
        }
    };
}

bad!(DetectorPlugin, Detector, "test.detector.bad", &[ProblemClass::Mlcp], &[]);
bad!(
    StepperPlugin,
    Stepper,
    "test.stepper.bad",
    &[ProblemClass::Mlcp],
    &["dynamic", "derivatives", "state-numbers"]
);
bad!(SolverPlugin, Solver, "test.solver.bad", &[ProblemClass::Mlcp, ProblemClass::Root], &[]);
bad!(ControllerPlugin, Controller, "test.controller.bad", &[ProblemClass::Mlcp], &["efforts"]);

vinci_sdk::export_plugin!(detector = Bad, stepper = Bad, solver = Bad, controller = Bad);
