//! Questions to stages and their answers as words, and as named arrays, field by field.

use vinci_abi::fault::Flaw;
use vinci_core::StageError;
use vinci_core::contact::{Contacts, RawContacts};
use vinci_core::problem::{Cone, ConeBlocks, Conic, Mlcp, Problem, ProblemClass, Qpcc, Root, Solution};
use vinci_core::stage::{Commands, ControlView, DetectQuery, Oracle, Rows, StepView, Supports, Update};

use super::message::{Incoming, Outgoing};
use super::named::{Named, part};
use super::words::{Flat, Reader};

/// A line per view with all its fields, in both forms: one that is left out does not compile.
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

        impl<'a> Named<'a> for $name<'a> {
            fn put(&self, name: &str, to: &mut Outgoing) {
                let Self { $($field),+ } = self;
                $($field.put(&part(name, stringify!($field)), to);)+
            }

            fn get(name: &str, from: &'a Incoming) -> Result<Self, Flaw> {
                Ok(Self { $($field: Named::get(&part(name, stringify!($field)), from)?),+ })
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

/// Appends a problem; its class is the word `class` of the head.
pub(crate) fn put_problem(problem: &Problem<'_>, to: &mut Outgoing) -> Result<(), StageError> {
    to.set("class", problem.class().name());
    match problem {
        Problem::Mlcp(p) => p.put("", to),
        Problem::Cone(p) => p.put("", to),
        Problem::Conic(p) => p.put("", to),
        Problem::Qpcc(p) => p.put("", to),
        other => {
            let class = other.class().name();
            let message = format!("the worker protocol carries no problems of class {class}");
            return Err(StageError::unsupported(message));
        }
    }
    Ok(())
}

/// Looks a problem up.
pub(crate) fn get_problem(from: &Incoming) -> Result<Problem<'_>, Flaw> {
    let class = from.value("class");
    Ok(match class.as_str().and_then(ProblemClass::from_name) {
        Some(ProblemClass::Mlcp) => Problem::Mlcp(Named::get("", from)?),
        Some(ProblemClass::Cone) => Problem::Cone(Named::get("", from)?),
        Some(ProblemClass::Conic) => Problem::Conic(Named::get("", from)?),
        Some(ProblemClass::Qpcc) => Problem::Qpcc(Named::get("", from)?),
        _ => return Err(Flaw::output(format!("{class} is no class of problems that crosses"))),
    })
}
