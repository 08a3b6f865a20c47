//! Steps as a stepper sees them, and its answers.

use abi_stable::StableAbi;
use vinci_core::stage;

use super::view::{Crossing, Measured, OrNone, Sizes, SpaceCode, Text, VerdictCode, view};
use super::{Channel, Contacts, Matrix, Slice};
use crate::fault::Flaw;

view! {
    /// Mirrors [`stage::Rows`].
    Rows mirrors stage::Rows, sizes s {
        jacobian: Matrix = (s.rows, s.nv), "the other rows";
        rate: Slice<f64> = s.rows, "rates of the other rows";
        lower: Slice<f64> = s.rows, "lower bounds";
        upper: Slice<f64> = s.rows, "upper bounds";
    }
}

view! {
    /// Mirrors [`stage::Supports`].
    Supports mirrors stage::Supports, sizes s {
        jacobian: Matrix = (2 * s.supports, s.nv), "the Jacobian of support points";
        body: Slice<u32> = s.supports, "bodies of support points";
        load: Slice<f64> = s.supports, "loads of support points";
        bound: Slice<f64> = s.supports, "friction forces of support points";
        point: Slice<f64> = 2 * s.supports, "coordinates of support points";
        last_impulse: Slice<f64> = 2 * s.supports, "last impulses of support points";
    }
}

view! {
    /// Mirrors [`stage::StepView`].
    StepView mirrors stage::StepView, sizes s {
        step: u64;
        pass: u32;
        attempt: u32;
        t: f64;
        h: f64;
        space: SpaceCode;
        tolerance: f64;
        q: Slice<f64> = s.nq, "positions", finite;
        v: Slice<f64> = s.nv, "velocities", finite;
        block_start: Slice<u32> = s.blocks + 1, "starts of blocks";
        q_start: Slice<u32> = s.blocks + 1, "starts of position blocks";
        block_kind: Slice<u8> = s.blocks, "kinds of blocks";
        quaternion: Slice<u32>;
        motion: Slice<u8> = s.blocks, "motion models";
        mass: Slice<f64> = s.entries, "entries of M";
        drag: Slice<f64> = s.entries, "entries of D";
        force: Slice<f64> = s.nv, "forces", finite;
        bias: Slice<f64> = s.nv, "bias forces", finite;
        stiffness: Matrix = OrNone((s.nv, s.nv)), "the stiffness";
        viscosity: Matrix = OrNone((s.nv, s.nv)), "the viscosity";
        role: Slice<u8> = s.nv, "roles";
        command: Slice<f64> = s.nv, "commands";
        impedance: Slice<f64> = s.nv, "impedances";
        contacts: Contacts;
        rows: Rows;
        rows_middle: Matrix = OrNone((s.rows, s.nv)), "the rows at the middle";
        rows_end: Matrix = OrNone((s.rows, s.nv)), "the rows at the end";
        supports: Supports;
        force_rate: Slice<f64> = OrNone(s.nv), "rates of forces", finite;
        drive_speed: Slice<f64> = OrNone(s.nv), "speeds of drives", finite;
    }
}

view! {
    /// Mirrors [`stage::Update`]; the lengths are those of an accepted step.
    UpdateView mirrors stage::Update, sizes s {
        verdict: VerdictCode;
        h_used: f64;
        h_next: f64;
        v: Slice<f64> = s.nv, "velocities", finite;
        q: Slice<f64> = OrNone(s.nq), "positions", finite;
        impulse: Slice<f64> = s.n * (1 + s.n_t), "impulses", finite;
        row_impulse: Slice<f64> = s.rows, "row impulses", finite;
        support_impulse: Slice<f64> = 2 * s.supports, "impulses of support points", finite;
        effort: Slice<f64> = s.nv, "efforts", finite;
        normal_rate: Slice<f64> = s.n, "normal rates";
        slip_rate: Slice<f64> = OrNone(s.n * s.n_t), "slip rates", finite;
        motion: Slice<u8> = s.blocks, "motion models";
        mass_scale: Slice<f64> = OrNone(s.blocks), "factors of masses";
        gradient: Slice<f64> = OrNone(2 * s.nv * s.nv), "derivatives", finite;
        reason: Text;
    }
}
