//! Equations of friction blocks.

use nalgebra::DMatrix;

use super::active_laws::{Mode, TIE, Ties};
use super::own_sizes::{OwnSizes, Size, part};
use super::{Cone, ConeBlock};

/// (p_n, p_t) and (u_n, u_t) of a block; discs have their radius for μ p_n.
fn block_numbers(p: &Cone<'_>, b: &ConeBlock, z: &[f64]) -> ([f64; 3], [f64; 3]) {
    let w = |i: u32| p.rows.m.row_dot(i as usize, z) + p.rows.q[i as usize];
    let (t1, t2) = b.tangential(z);
    let second = if b.dim == 2 { w(b.tangent + 1) } else { 0.0 };
    let (n, u) = if b.is_disc() { (1.0, 0.0) } else { (z[b.normal as usize], w(b.normal)) };
    ([n, t1, t2], [u, w(b.tangent), second])
}

/// The mode of a block, and whether two hold. All is measured by the contact's own sizes: typical ones are those of the fastest body, and a
/// wheel that spins elsewhere is no reason to take a slow slip for none. What solvers leave counts as 0.
pub(super) fn mode_of_block(
    p: &Cone<'_>,
    b: &ConeBlock,
    z: &[f64],
    sizes: &OwnSizes,
    ties: Ties,
) -> (Mode, bool) {
    let ([n, t1, t2], [u_n, u1, u2]) = block_numbers(p, b, z);
    let of_row = |i: usize| sizes.at(i, p.rows.tolerance, (p.rows.z_scale[i], p.rows.w_scale[i]));
    let (z_size, w_size) = of_row(if b.is_disc() { b.tangent } else { b.normal } as usize);
    let (pressed, apart) = (part(n, z_size), part(u_n, w_size));
    if !b.is_disc() && pressed <= TIE && apart <= TIE {
        return (if ties == Ties::Equations { Mode::Stick } else { Mode::Open }, true);
    }
    if !b.is_disc() && apart > pressed {
        return (Mode::Open, false);
    }
    let (bound, friction) = (b.size * n, t1.hypot(t2));
    let of_slip = (b.tangent..b.tangent + b.dim).map(|i| sizes.w[i as usize]).fold(0.0, f64::max);
    let slip = part(u1.hypot(u2), Size { own: of_slip, ..w_size });
    let margin = part(bound - friction, Size { own: bound.max(friction), ..z_size });
    match (slip <= TIE && margin <= TIE, ties) {
        // Without friction there is nothing to stick with.
        (true, _) if bound <= z_size.left => (Mode::Smooth, b.size > 0.0),
        (true, Ties::Equations) => (Mode::Stick, true),
        (true, Ties::Bounds) => (Mode::Edge, true),
        (false, _) => (if slip > margin { Mode::Slip } else { Mode::Stick }, false),
    }
}

/// u_t.
pub(super) fn slip_of_block(p: &Cone<'_>, b: &ConeBlock, z: &[f64]) -> [f64; 2] {
    let (_, [_, u1, u2]) = block_numbers(p, b, z);
    [u1, u2]
}

/// u/|u|, or a/|a| + (I − a aᵀ/|a|²) (u − a)/|a| beside another slip a; 0 without slip.
fn direction(u: [f64; 2], beside: Option<&[f64; 2]>) -> [f64; 2] {
    let a = beside.copied().unwrap_or(u);
    let length = a[0].hypot(a[1]);
    if !(length > 0.0) {
        return [0.0; 2];
    }
    let (along, change) = (a.map(|x| x / length), [u[0] - a[0], u[1] - a[1]]);
    let stretch = along[0] * change[0] + along[1] * change[1];
    [0, 1].map(|d| along[d] + (change[d] - along[d] * stretch) / length)
}

/// The unit vector a quarter turn from t; 0 without t.
fn across([t1, t2]: [f64; 2]) -> [f64; 2] {
    let length = t1.hypot(t2);
    if length > 0.0 { [-t2 / length, t1 / length] } else { [0.0; 2] }
}

/// Open: p = 0. Stick: u = 0. Edge: u_n = 0, |p_t| = μ p_n, and u_t has no part across p_t. Smooth: u_n = 0, p_t = 0. Slip: u_n = 0 and
/// p_t + μ p_n u_t/|u_t| = 0, its direction linear beside the slip that is given.
pub(super) fn block_equations(
    p: &Cone<'_>,
    b: &ConeBlock,
    (mode, beside): (Mode, Option<&[f64; 2]>),
    z: &[f64],
    out: &mut [f64],
) {
    let ([n, t1, t2], [u_n, u1, u2]) = block_numbers(p, b, z);
    let (tangential, friction) = ([(t1, u1), (t2, u2)], direction([u1, u2], beside));
    if !b.is_disc() {
        out[b.normal as usize] = if mode == Mode::Open { n } else { u_n };
    }
    for d in 0..b.dim as usize {
        let (t, u) = tangential[d];
        out[b.tangent as usize + d] = match mode {
            Mode::Open | Mode::Smooth => t,
            Mode::Stick => u,
            Mode::Edge if d == 0 => t1.hypot(t2) - b.size * n,
            Mode::Edge => across([t1, t2]).iter().zip([u1, u2]).map(|(a, u)| a * u).sum(),
            Mode::Slip => t + b.size * n * friction[d],
        };
    }
}

pub(super) fn block_matrix(p: &Cone<'_>, b: &ConeBlock, mode: Mode, z: &[f64], out: &mut DMatrix<f64>) {
    let ([n, t1, t2], [_, u1, u2]) = block_numbers(p, b, z);
    let (length, u, t0) = (u1.hypot(u2), [u1, u2], b.tangent as usize);
    let add_row = |row: usize, k: usize, factor: f64, out: &mut DMatrix<f64>| {
        p.rows.m.entries(k).for_each(|(j, value)| out[(row, j)] += factor * value);
    };
    if !b.is_disc() {
        let row = b.normal as usize;
        if mode == Mode::Open { out[(row, row)] = 1.0 } else { add_row(row, row, 1.0, out) }
    }
    for d in 0..b.dim as usize {
        let row = t0 + d;
        if mode == Mode::Stick {
            add_row(row, row, 1.0, out);
            continue;
        }
        if mode == Mode::Edge {
            let [a1, a2] = across([t1, t2]);
            if d == 0 {
                out[(row, row)] += a2;
                if b.dim == 2 {
                    out[(row, row + 1)] -= a1;
                }
                if !b.is_disc() {
                    out[(row, b.normal as usize)] -= b.size;
                }
            } else {
                add_row(row, t0, a1, out);
                add_row(row, row, a2, out);
            }
            continue;
        }
        out[(row, row)] += 1.0;
        if mode != Mode::Slip || !(length > 0.0) {
            continue;
        }
        if !b.is_disc() {
            out[(row, b.normal as usize)] += b.size * u[d] / length;
        }
        for e in 0..b.dim as usize {
            let identity = f64::from(u8::from(d == e));
            let turning = (identity - u[d] * u[e] / (length * length)) / length;
            add_row(row, t0 + e, b.size * n * turning, out);
        }
    }
}
