//! Questions to stages and their answers as words, field by field.

use vinci_abi::fault::Flaw;
use vinci_core::StageError;
use vinci_core::contact::{Contacts, RawContacts};
use vinci_core::problem::{Cone, ConeBlocks, Conic, Mlcp, Problem, ProblemClass, Qpcc, Root, Solution};
use vinci_core::stage::{Commands, ControlView, DetectQuery, Oracle, Rows, StepView, Supports, Update};

use super::words::{Flat, Reader};

/// A line per view with all its fields: one that is left out does not compile.
macro_rules! flat {
    ($($name:ident { $($field:ident),+ $(,)? })+) => {$(
        impl<'a> Flat<'a> for $name<'a> {
            fn write(&self, to: &mut Vec<u64>) {
                let Self { $($field),+ } = self;
                $($field.write(to);)+
            }

            fn read(from: &mut Reader<'a>) -> Result<Self, Flaw> {
                Ok(Self { $($field: Flat::read(from)?),+ })
            }
        }
    )+};
}

flat! {
    DetectQuery { t, pose, margin }
    RawContacts { key, gap, normal, point_a, point_b, group }
    Contacts {
        n_t, key, body_a, body_b, gap, normal, tangent, point_a, point_b, jacobian, pair, last_impulse, age, group, cell,
    }
    Rows { jacobian, rate, lower, upper }
    Supports { body, point, jacobian, load, bound, last_impulse }
    StepView {
        step, pass, attempt, t, h, space, tolerance, q, v, block_start, q_start, block_kind, quaternion, motion, mass, drag,
        force, bias, stiffness, viscosity, role, command, impedance, contacts, rows, rows_middle, rows_end, supports,
        force_rate, drive_speed,
    }
    Update {
        verdict, h_used, h_next, v, q, impulse, row_impulse, support_impulse, effort, normal_rate, slip_rate, motion,
        mass_scale, gradient, reason,
    }
    ControlView {
        grid, t, h, period, h_last, space, q, v, block_start, q_start, block_kind, quaternion, pose, twist, mass, force, bias,
        reference, has_reference, contacts,
    }
    Commands { effort, set_point }
    Mlcp { m, q, lower, upper, tag, z_scale, w_scale, guess, tolerance }
    ConeBlocks { index, size }
    Cone { rows, blocks }
    Conic { p, c, rows, g, lower, upper, cones, x_tag, s_tag, x_scale, s_scale, guess, dual_guess, tolerance }
    Qpcc { qp, pairs, group, modes }
    Solution { status, z, dual, certificate, bound, iterations, factorizations, residual, note }
}

/// Writes a problem, all but what it calls back.
pub(crate) fn write_problem(problem: &Problem<'_>, to: &mut Vec<u64>) -> Result<(), StageError> {
    (problem.class() as u32).write(to);
    match problem {
        Problem::Mlcp(p) => p.write(to),
        Problem::Cone(p) => p.write(to),
        Problem::Conic(p) => p.write(to),
        Problem::Qpcc(p) => p.write(to),
        Problem::Root(Root { start, oracle: _, scale, tolerance }) => {
            start.write(to);
            scale.write(to);
            tolerance.write(to);
        }
        other => {
            let class = other.class().name();
            return Err(StageError::unsupported(format!("no worker takes problems of class {class}")));
        }
    }
    Ok(())
}

/// Reads a problem; a root calls `oracle` back.
pub(crate) fn read_problem<'a>(from: &mut Reader<'a>, oracle: &'a dyn Oracle) -> Result<Problem<'a>, Flaw> {
    let class = u32::read(from)?;
    Ok(match ProblemClass::from_code(class) {
        Some(ProblemClass::Mlcp) => Problem::Mlcp(Flat::read(from)?),
        Some(ProblemClass::Cone) => Problem::Cone(Flat::read(from)?),
        Some(ProblemClass::Conic) => Problem::Conic(Flat::read(from)?),
        Some(ProblemClass::Qpcc) => Problem::Qpcc(Flat::read(from)?),
        Some(ProblemClass::Root) => {
            let (start, scale) = (Flat::read(from)?, Flat::read(from)?);
            Problem::Root(Root { start, oracle, scale, tolerance: Flat::read(from)? })
        }
        _ => return Err(Flaw::output(format!("{class} is not the code of a problem class"))),
    })
}
