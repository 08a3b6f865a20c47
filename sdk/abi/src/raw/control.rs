//! Grid times as a controller sees them, and its answers.

use abi_stable::StableAbi;
use vinci_core::stage;

use super::view::{Crossing, Measured, Sizes, SpaceCode, view};
use super::{Channel, Contacts, Slice};
use crate::fault::Flaw;

view! {
    /// Mirrors [`stage::ControlView`].
    ControlView mirrors stage::ControlView, sizes s {
        grid: u64;
        t: f64;
        h: f64;
        period: f64;
        h_last: f64;
        space: SpaceCode;
        q: Slice<f64> = s.nq, "positions", finite;
        v: Slice<f64> = s.nv, "velocities", finite;
        block_start: Slice<u32> = s.blocks + 1, "starts of blocks";
        q_start: Slice<u32> = s.blocks + 1, "starts of position blocks";
        block_kind: Slice<u8> = s.blocks, "kinds of blocks";
        quaternion: Slice<u32>;
        pose: Slice<f64> = s.pose, "pose coordinates", finite;
        twist: Slice<f64> = s.twist, "velocities of bodies", finite;
        mass: Slice<f64> = s.entries, "entries of M", finite;
        force: Slice<f64> = s.nv, "forces", finite;
        bias: Slice<f64> = s.nv, "bias forces", finite;
        reference: Slice<f64> = 3 * (s.efforts + s.set_points), "numbers of references", finite;
        has_reference: Slice<u8> = s.efforts + s.set_points, "marks of references";
        contacts: Contacts;
    }
}

view! {
    /// Mirrors [`stage::Commands`].
    Commands mirrors stage::Commands, sizes s {
        effort: Slice<f64> = s.efforts, "efforts", finite;
        set_point: Slice<f64> = s.set_points, "set-points", finite;
    }
}
