//! Requirements on a step, and the problem without unknowns that every pass emits.

use vinci_sdk::prelude::*;

/// The empty problem, of a class that the run's solvers take.
#[derive(Debug, Default)]
pub(crate) struct Empty {
    root: bool,
    buffer: MlcpBuf,
}

/// Functions of no unknowns.
struct Nothing;

impl Oracle for Nothing {
    fn call(&self, _: u32, _: &[f64], _: &mut [f64]) -> Result<(), StageError> {
        Ok(())
    }
}

impl Empty {
    pub(crate) fn new(system: &SystemView<'_>) -> Self {
        let root = system.accepts(ProblemClass::Root) && !system.accepts(ProblemClass::Mlcp);
        Self { root, buffer: MlcpBuf::default() }
    }

    pub(crate) fn problem(&mut self, step: &StepView<'_>) -> Problem<'_> {
        if self.root {
            return Problem::Root(Root {
                start: &[],
                oracle: &Nothing,
                scale: &[],
                tolerance: step.tolerance,
            });
        }
        self.buffer.clear(0, step.tolerance);
        Problem::Mlcp(self.buffer.view())
    }
}

/// Errors: bodies with another motion model than dynamic, impedance dofs, rows other than contacts.
pub(crate) fn check(step: &StepView<'_>, [_, moving]: &[Vec<String>; 2]) -> Result<(), StageError> {
    let name = |block: usize| moving.get(block).map_or("?", String::as_str);
    if let Some(block) = step.motion.iter().position(|&code| code != 0 && code != MotionModel::Dynamic as u8)
    {
        let model = MotionModel::from_code(step.motion[block]).map_or("unknown", MotionModel::name);
        let body = name(block);
        return Err(StageError::unsupported(format!(
            "body `{body}` asks for the {model} model, and implicit Euler knows dynamic bodies only: take it out of the body, \
             or choose another stepper"
        )));
    }
    if let Some(dof) = step.role.iter().position(|&role| role == DofRole::Impedance as u8) {
        let body = name(step.block_of(dof));
        return Err(StageError::unsupported(format!(
            "body `{body}` is driven through an impedance, which implicit Euler does not know: use a spring"
        )));
    }
    check_rows(&step.rows)
}

/// Bilateral rows would make the equations differential-algebraic, of index 3.
fn check_rows(rows: &Rows<'_>) -> Result<(), StageError> {
    let Some(row) = (0..rows.rate.len()).next() else { return Ok(()) };
    let (what, instead) = match (rows.lower[row], rows.upper[row]) {
        (f64::NEG_INFINITY, f64::INFINITY) => ("a joint", "a stiff spring, or a tree"),
        (0.0, f64::INFINITY) => ("a limit", "a stiff spring or a contact"),
        _ => ("a drive or dry friction with bounds", "a force, or a damper"),
    };
    Err(StageError::unsupported(format!(
        "row {row} of those beside the contacts is {what}, and implicit Euler integrates ordinary differential equations: use \
         {instead}, or another stepper"
    )))
}
