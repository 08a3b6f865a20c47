//! A complete stepper: contact without friction, every step one mixed complementarity problem in (v⁺, p).
//!
//! M v⁺ = M v + h (f + bias) + Wn p,  0 ≤ p ⟂ Wnᵀ v⁺ + ψ/h ≥ 0,  prescribed velocities as commanded.

use vinci_sdk::prelude::*;

/// Keeps its problem and its answer: the host borrows them until the next call.
#[derive(Default)]
struct Frictionless {
    problem: MlcpBuf,
    entries: Vec<(usize, usize, f64)>,
    impulse: Vec<f64>,
    effort: Vec<f64>,
    normal_rate: Vec<f64>,
    motion: Vec<u8>,
    v: Vec<f64>,
}

impl Frictionless {
    /// Entries of M: (row, column, value).
    fn mass<'a>(step: &'a StepView<'_>) -> impl Iterator<Item = (usize, usize, f64)> + 'a {
        let blocks = step.block_start.windows(2).map(|w| (w[0] as usize, w[1] as usize));
        let places = blocks.flat_map(|(s, e)| (s..e).flat_map(move |i| (s..e).map(move |j| (i, j))));
        places.zip(step.mass).map(|((i, j), &m)| (i, j, m))
    }
}

impl Stepper for Frictionless {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        let (nv, n, c) = (step.nv(), step.contacts.len(), &step.contacts);
        if step.motion.iter().any(|&m| m > MotionModel::Dynamic as u8) || !step.rows.rate.is_empty() {
            return Err(StageError::unsupported("only dynamic bodies without joints and limits"));
        }
        let prescribed = |i: usize| step.role[i] == DofRole::Prescribed as u8;
        let mut q: Vec<f64> = (0..nv).map(|i| -step.h * (step.force[i] + step.bias[i])).collect();
        self.entries.clear();
        for (i, j, m) in Self::mass(step).filter(|e| !prescribed(e.0)) {
            self.entries.push((i, j, m));
            q[i] -= m * step.v[j];
        }
        for i in (0..nv).filter(|&i| prescribed(i)) {
            self.entries.push((i, i, 1.0));
            q[i] = -step.command[i];
        }
        self.normal_rate.clear();
        for k in 0..n {
            for (j, w) in c.jacobian.entries(c.row(k)) {
                self.entries.push((nv + k, j, w));
                self.entries.extend((!prescribed(j)).then_some((j, nv + k, -w)));
            }
            self.normal_rate.push(c.gap[k] / step.h);
        }
        q.extend(&self.normal_rate);
        let lower = (0..nv + n).map(|i| if i < nv { f64::NEG_INFINITY } else { 0.0 }).collect();
        let m = CsrBuf::from_triplets(nv + n, nv + n, &self.entries);
        self.problem = MlcpBuf::from_parts(m, q, lower, vec![f64::INFINITY; nv + n], step.tolerance);
        Ok(Problem::Mlcp(self.problem.view()))
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        let (nv, c) = (step.nv(), &step.contacts);
        let whole = solution.z.split_at_checked(nv).filter(|(_, p)| p.len() == c.len());
        let (v, p) = whole.ok_or_else(|| StageError::bad_input("this solves another problem"))?;
        self.v = v.to_vec();
        self.impulse = p.iter().flat_map(|&p| [p, 0.0, 0.0].into_iter().take(c.stride())).collect();
        // What is missing in the momentum balance of a prescribed velocity is the effort of its drive.
        self.effort = (0..nv).map(|i| -step.h * (step.force[i] + step.bias[i])).collect();
        Self::mass(step).for_each(|(i, j, m)| self.effort[i] += m * (v[j] - step.v[j]));
        (0..c.len()).for_each(|k| c.jacobian.add_row_scaled(c.row(k), -p[k], &mut self.effort));
        let free = |i: usize| step.role[i] != DofRole::Prescribed as u8;
        (0..nv).filter(|&i| free(i)).for_each(|i| self.effort[i] = 0.0);
        self.motion = vec![MotionModel::Dynamic as u8; step.n_blocks()];
        let Self { v, impulse, effort, normal_rate, motion, .. } = self;
        let answer = Update { v, impulse, effort, normal_rate, motion, ..Update::default() };
        Ok(Update { verdict: Verdict::Accept, h_used: step.h, ..answer })
    }
}

impl StepperPlugin for Frictionless {
    fn manifest() -> Manifest {
        Manifest::new("example.stepper.minimal", Role::Stepper, env!("CARGO_PKG_VERSION"))
            .title("Frictionless contact at velocity level")
            .classes(&[ProblemClass::Mlcp])
            .capabilities(&["dynamic"])
            .ignores(&["friction", "restitution", "stiffness", "damping", "dissipation"])
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        let NoOptions {} = parse_options(options)?;
        Ok(Self::default())
    }
}

vinci_sdk::export_plugin!(stepper = Frictionless);
