//! Problems as tagged channels, and their solutions.
//!
//! A problem is a class, a size and channels, so that a new class needs new channel numbers and no new layout.

use std::sync::Arc;

use abi_stable::StableAbi;
use vinci_core::StageError;
use vinci_core::problem::{
    self, Cone, ConeBlocks, Conic, Mlcp, Part, Problem, ProblemClass, Qpcc, Root, RowTag,
};

use super::oracle::OracleView;
use super::view::{Crossing, StatusCode, Text, view};
use super::{Channel, Slice};
use crate::codes::channel;
use crate::fault::Flaw;
use crate::oracle::{ForeignOracle, OracleSlot};

/// A problem of any class: see [`channel`] for the numbers of its arrays.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct ProblemView {
    /// Code of the [`ProblemClass`].
    pub class: u32,
    /// Number of unknowns.
    pub n: u32,
    /// Wanted tolerance.
    pub tolerance: f64,
    /// The arrays.
    pub channels: Slice<Channel>,
    /// The function called back.
    pub oracle: OracleView,
}

impl Default for ProblemView {
    fn default() -> Self {
        let oracle = OracleView { ctx: std::ptr::null(), call: None };
        Self { class: 0, n: 0, tolerance: 0.0, channels: Slice::default(), oracle }
    }
}

/// Where the two ends of a crossing keep what a view can only point to. One per instance, reused by every call.
pub struct Scratch {
    owner: Arc<str>,
    channels: [Channel; 19],
    tags: Vec<RowTag>,
    row_tags: Vec<RowTag>,
    outgoing: OracleSlot,
    incoming: Option<ForeignOracle>,
}

impl Scratch {
    /// Empty scratch; `owner` names the other side in the messages of its call-backs.
    pub fn new(owner: Arc<str>) -> Self {
        Self {
            owner,
            channels: Default::default(),
            row_tags: Vec::new(),
            tags: Vec::new(),
            outgoing: OracleSlot::default(),
            incoming: None,
        }
    }
}

const _: () = assert!(size_of::<RowTag>() == 8 && align_of::<RowTag>() == 4 && size_of::<Part>() == 4);

fn tag_channel(id: u32, tags: &[RowTag]) -> Channel {
    Channel { id, rows: tags.len() as u32, cols: 2, i: tag_words(tags), ..Channel::EMPTY }
}

fn tag_words(tags: &[RowTag]) -> Slice<u32> {
    // Sound to read: the assertion above says that a tag is two words without padding.
    Slice { ptr: tags.as_ptr().cast(), len: 2 * tags.len() }
}

impl ProblemView {
    /// The view of `problem`; valid as long as `scratch` and the arrays of the problem stay as they are.
    pub fn outgoing(problem: &Problem<'_>, scratch: &mut Scratch) -> Result<Self, StageError> {
        match problem {
            Problem::Mlcp(p) => Ok(Self::mlcp(p, scratch)),
            Problem::Cone(c) => Ok(Self::cone(c, scratch)),
            Problem::Conic(p) => Ok(Self::conic(p, scratch)),
            Problem::Qpcc(p) => Ok(Self::qpcc(p, scratch)),
            Problem::Root(r) => Ok(Self::root(r, scratch)),
            other => Err(StageError::unsupported(format!(
                "contract {} carries no problems of class {}",
                crate::codes::CONTRACT,
                other.class().name()
            ))),
        }
    }

    fn mlcp(p: &Mlcp<'_>, scratch: &mut Scratch) -> Self {
        let channels = [
            Channel::matrix(channel::M, &p.m),
            Channel::reals(channel::Q, p.q),
            Channel::reals(channel::LOWER, p.lower),
            Channel::reals(channel::UPPER, p.upper),
            tag_channel(channel::TAG, p.tag),
            Channel::reals(channel::Z_SCALE, p.z_scale),
            Channel::reals(channel::W_SCALE, p.w_scale),
            Channel::reals(channel::GUESS, p.guess),
        ];
        scratch.channels[..8].copy_from_slice(&channels);
        Self {
            class: ProblemClass::Mlcp as u32,
            n: p.q.len() as u32,
            tolerance: p.tolerance,
            channels: scratch.channels[..8].into(),
            ..Self::default()
        }
    }

    fn cone(c: &Cone<'_>, scratch: &mut Scratch) -> Self {
        let rows = Self::mlcp(&c.rows, scratch);
        scratch.channels[8] = Channel::integers(channel::BLOCK_INDEX, 3, c.blocks.index);
        scratch.channels[9] = Channel::reals(channel::BLOCK_SIZE, c.blocks.size);
        Self { class: ProblemClass::Cone as u32, channels: scratch.channels[..10].into(), ..rows }
    }

    fn conic(p: &Conic<'_>, scratch: &mut Scratch) -> Self {
        let channels = [
            Channel::matrix(channel::P, &p.p),
            Channel::reals(channel::COST, p.c),
            Channel::reals(channel::LOWER, p.lower),
            Channel::reals(channel::UPPER, p.upper),
            tag_channel(channel::TAG, p.x_tag),
            Channel::reals(channel::Z_SCALE, p.x_scale),
            Channel::reals(channel::OFFSET, p.g),
            Channel::reals(channel::GUESS, p.guess),
            Channel::matrix(channel::ROWS, &p.rows),
            Channel::integers(channel::CONES, 2, p.cones),
            tag_channel(channel::ROW_TAG, p.s_tag),
            Channel::reals(channel::ROW_SCALE, p.s_scale),
            Channel::reals(channel::DUAL_GUESS, p.dual_guess),
        ];
        scratch.channels[..13].copy_from_slice(&channels);
        Self {
            class: ProblemClass::Conic as u32,
            n: p.n() as u32,
            tolerance: p.tolerance,
            channels: scratch.channels[..13].into(),
            ..Self::default()
        }
    }

    fn qpcc(p: &Qpcc<'_>, scratch: &mut Scratch) -> Self {
        let qp = Self::conic(&p.qp, scratch);
        scratch.channels[13] = Channel::integers(channel::PAIRS, 2, p.pairs);
        scratch.channels[14] = Channel::integers(channel::GROUP, 1, p.group);
        scratch.channels[15] = Channel::integers(channel::MODES, 1, p.modes);
        Self { class: ProblemClass::Qpcc as u32, channels: scratch.channels[..16].into(), ..qp }
    }

    fn root(r: &Root<'_>, scratch: &mut Scratch) -> Self {
        scratch.channels[0] = Channel::reals(channel::START, r.start);
        scratch.channels[1] = Channel::reals(channel::R_SCALE, r.scale);
        Self {
            class: ProblemClass::Root as u32,
            n: r.start.len() as u32,
            tolerance: r.tolerance,
            channels: scratch.channels[..2].into(),
            oracle: scratch.outgoing.offer(r.oracle),
        }
    }

    /// The problem as core writes it.
    ///
    /// # Safety
    /// As [`Slice::checked`] for all arrays, during `'a`; the oracle's function must be callable during `'a`.
    pub unsafe fn incoming<'a>(&self, scratch: &'a mut Scratch) -> Result<Problem<'a>, Flaw> {
        match ProblemClass::from_code(self.class) {
            // SAFETY: the caller's promise.
            Some(ProblemClass::Mlcp) => unsafe { self.to_mlcp(scratch).map(Problem::Mlcp) },
            // SAFETY: the caller's promise.
            Some(ProblemClass::Cone) => unsafe { self.to_cone(scratch).map(Problem::Cone) },
            // SAFETY: the caller's promise.
            Some(ProblemClass::Conic) => unsafe { self.to_conic(scratch).map(Problem::Conic) },
            // SAFETY: the caller's promise.
            Some(ProblemClass::Qpcc) => unsafe { self.to_qpcc(scratch).map(Problem::Qpcc) },
            // SAFETY: the caller's promise.
            Some(ProblemClass::Root) => unsafe { self.to_root(scratch).map(Problem::Root) },
            _ => Err(Flaw::output(format!(
                "problem class {} is not one that contract {} carries",
                self.class,
                crate::codes::CONTRACT
            ))),
        }
    }

    unsafe fn to_mlcp<'a>(self, scratch: &'a mut Scratch) -> Result<Mlcp<'a>, Flaw> {
        // SAFETY: the caller's promise, here and below.
        let channels = unsafe { self.channels.checked("channels") }?;
        let reals = |id, what| unsafe { find(channels, id).f.checked(what) };
        let tags = find(channels, channel::TAG).i;
        unsafe {
            Ok(Mlcp {
                m: find(channels, channel::M).to_csr("M")?,
                q: reals(channel::Q, "q")?,
                lower: reals(channel::LOWER, "lower bounds")?,
                upper: reals(channel::UPPER, "upper bounds")?,
                tag: to_tags(tags.checked("row tags")?, &mut scratch.tags),
                z_scale: reals(channel::Z_SCALE, "scales of z")?,
                w_scale: reals(channel::W_SCALE, "scales of w")?,
                guess: reals(channel::GUESS, "guess")?,
                tolerance: self.tolerance,
            })
        }
    }

    unsafe fn to_cone<'a>(self, scratch: &'a mut Scratch) -> Result<Cone<'a>, Flaw> {
        // SAFETY: the caller's promise, here and below.
        let rows = unsafe { self.to_mlcp(scratch) }?;
        let channels = unsafe { self.channels.checked("channels") }?;
        let blocks = unsafe {
            ConeBlocks {
                index: find(channels, channel::BLOCK_INDEX).i.checked("block indices")?,
                size: find(channels, channel::BLOCK_SIZE).f.checked("block sizes")?,
            }
        };
        Ok(Cone { rows, blocks })
    }

    unsafe fn to_conic<'a>(self, scratch: &'a mut Scratch) -> Result<Conic<'a>, Flaw> {
        // SAFETY: the caller's promise, here and below.
        let channels = unsafe { self.channels.checked("channels") }?;
        let reals = |id, what| unsafe { find(channels, id).f.checked(what) };
        let words = |id, what| unsafe { find(channels, id).i.checked(what) };
        unsafe {
            Ok(Conic {
                p: find(channels, channel::P).to_csr("P")?,
                c: reals(channel::COST, "c")?,
                rows: find(channels, channel::ROWS).to_csr("G")?,
                g: reals(channel::OFFSET, "g")?,
                lower: reals(channel::LOWER, "lower bounds")?,
                upper: reals(channel::UPPER, "upper bounds")?,
                cones: words(channel::CONES, "cones")?,
                x_tag: to_tags(words(channel::TAG, "tags of unknowns")?, &mut scratch.tags),
                s_tag: to_tags(words(channel::ROW_TAG, "tags of rows")?, &mut scratch.row_tags),
                x_scale: reals(channel::Z_SCALE, "scales of x")?,
                s_scale: reals(channel::ROW_SCALE, "scales of rows")?,
                guess: reals(channel::GUESS, "guess")?,
                dual_guess: reals(channel::DUAL_GUESS, "guess of y")?,
                tolerance: self.tolerance,
            })
        }
    }

    unsafe fn to_qpcc<'a>(self, scratch: &'a mut Scratch) -> Result<Qpcc<'a>, Flaw> {
        // SAFETY: the caller's promise, here and below.
        let qp = unsafe { self.to_conic(scratch) }?;
        let channels = unsafe { self.channels.checked("channels") }?;
        let words = |id, what| unsafe { find(channels, id).i.checked(what) };
        Ok(Qpcc {
            qp,
            pairs: words(channel::PAIRS, "pairs")?,
            group: words(channel::GROUP, "groups of pairs")?,
            modes: words(channel::MODES, "guess of the modes")?,
        })
    }

    unsafe fn to_root<'a>(self, scratch: &'a mut Scratch) -> Result<Root<'a>, Flaw> {
        // SAFETY: the caller's promise, here and below.
        let channels = unsafe { self.channels.checked("channels") }?;
        let start = unsafe { find(channels, channel::START).f.checked("start") }?;
        let scale = unsafe { find(channels, channel::R_SCALE).f.checked("scales of r") }?;
        let oracle = unsafe { ForeignOracle::new(self.oracle, scratch.owner.clone()) }
            .ok_or_else(|| Flaw::output("a root problem without the function to call back".into()))?;
        Ok(Root { start, oracle: scratch.incoming.insert(oracle), scale, tolerance: self.tolerance })
    }
}

/// The channel of a number, or an empty one. Senders write them in order, so the first look usually finds it.
#[inline]
fn find(channels: &[Channel], id: u32) -> &Channel {
    match channels.get(id as usize - 1) {
        Some(channel) if channel.id == id => channel,
        _ => channels.iter().find(|c| c.id == id).unwrap_or(&Channel::EMPTY),
    }
}

/// Tags from words, borrowed where every part is known, else copied with unknown parts made generic.
fn to_tags<'a>(words: &'a [u32], buffer: &'a mut Vec<RowTag>) -> &'a [RowTag] {
    let known = words.chunks_exact(2).all(|w| (w[1] as usize) < Part::ALL.len());
    if known {
        // SAFETY: a tag is two words (asserted above), the second a `Part`, whose codes are 0 .. ALL.len() without holes
        // (tested below); alignment and lifetime are those of `words`.
        return unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len() / 2) };
    }
    buffer.clear();
    buffer.extend(words.chunks_exact(2).map(|w| RowTag { subject: w[0], part: Part::from_code(w[1]) }));
    buffer
}

view! {
    /// Mirrors [`problem::Solution`].
    SolutionView mirrors problem::Solution {
        status: StatusCode;
        iterations: u32;
        factorizations: u32;
        residual: f64;
        bound: f64;
        z: Slice<f64>;
        dual: Slice<f64>;
        certificate: Slice<f64>;
        note: Text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_parts_have_no_holes() {
        for (code, part) in Part::ALL.into_iter().enumerate() {
            assert_eq!(code, part as usize);
        }
    }

    #[test]
    fn unknown_parts_become_generic_and_known_ones_are_borrowed() {
        let mut buffer = Vec::new();
        let known = [7, Part::Normal as u32, u32::MAX, 0];
        let tags = to_tags(&known, &mut buffer);
        assert_eq!(tags[0], RowTag { subject: 7, part: Part::Normal });
        assert_eq!(tags.as_ptr().cast(), known.as_ptr());
        let strange = [7, 4711];
        assert_eq!(to_tags(&strange, &mut buffer)[0], RowTag { subject: 7, part: Part::Generic });
    }
}
