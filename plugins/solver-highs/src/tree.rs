//! The proof that no mode is lawful: a tree whose leaves are linear proofs.
//!
//! A node fixes some pairs to a side; its relaxation keeps the others as mere inequalities. Where the relaxation is lawful
//! the pair furthest from zero is split; where it is not, a Farkas vector closes the leaf.

use vinci_linear::conic::{Balanced, Certificate, Proof};
use vinci_sdk::core::problem::proves_no_mode;
use vinci_sdk::prelude::*;

use crate::config::Config;
use crate::solve::minimum;

/// Rows below this part of the problem's size count as zero.
const ZERO: f64 = 1e-8;

/// Proof that no mode is lawful.
pub(crate) enum NoMode {
    /// A list of leaves that core accepts.
    Proved(Vec<f64>),
    /// Reason why there is no proof.
    Unproved(&'static str),
}

/// Seeks a proof that no mode is lawful.
pub(crate) fn prove(p: &Qpcc<'_>, config: &Config) -> Result<NoMode, StageError> {
    let mut open: Vec<Vec<(usize, u32)>> = vec![Vec::new()];
    let (mut leaves, mut nodes) = (Vec::new(), 0);
    while let Some(fixed) = open.pop() {
        nodes += 1;
        if nodes > config.max_nodes {
            return Ok(NoMode::Unproved("no mode was found, but the tree of proofs passed max_nodes"));
        }
        match look(p, &fixed, config)? {
            Node::Lawless(y) => {
                leaves.push(fixed.len() as f64);
                leaves.extend(fixed.iter().flat_map(|&(pair, side)| [pair as f64, f64::from(side)]));
                leaves.extend(y);
            }
            Node::Split(pair) => open.extend([2, 1].map(|side| {
                let mut child = fixed.clone();
                child.push((pair, side));
                child
            })),
            Node::Lawful => {
                return Ok(NoMode::Unproved(
                    "the search found no mode although there is one: big_m is too small",
                ));
            }
            Node::Unknown => {
                return Ok(NoMode::Unproved("no mode was found, but a leaf of the tree has no proof"));
            }
        }
    }
    Ok(match proves_no_mode(p, &leaves) {
        true => NoMode::Proved(leaves),
        false => NoMode::Unproved("no mode was found, but the tree of proofs does not hold"),
    })
}

/// Outcome of a node's relaxation.
enum Node {
    Lawless(Vec<f64>),
    Split(usize),
    Lawful,
    Unknown,
}

fn look(p: &Qpcc<'_>, fixed: &[(usize, u32)], config: &Config) -> Result<Node, StageError> {
    let mut upper = p.qp.upper.to_vec();
    for &(pair, side) in fixed {
        let (i, j) = p.pair(pair);
        upper[if side == 1 { i } else { j }] = 0.0;
    }
    let zero = vec![0.0; p.qp.n()];
    let relaxation = Conic { c: &zero, upper: &upper, ..p.qp };
    if let Some(x) = lawful(&relaxation, config)? {
        return Ok(furthest(p, &x).map_or(Node::Lawful, Node::Split));
    }
    let mut balanced = Balanced::default();
    balanced.build(&relaxation);
    let proof = Certificate::default().seek(&relaxation, &balanced, &mut |q| minimum(q, config))?;
    Ok(match proof {
        Some(Proof::Infeasible(y)) => Node::Lawless(y),
        _ => Node::Unknown,
    })
}

fn lawful(p: &Conic<'_>, config: &Config) -> Result<Option<Vec<f64>>, StageError> {
    if p.n() > 0 {
        return minimum(p, config);
    }
    let inside = (0..p.m()).all(|i| p.lower[i] <= p.g[i] && p.g[i] <= p.upper[i]);
    Ok(inside.then(Vec::new))
}

/// The pair whose smaller row is largest, if it is not zero.
fn furthest(p: &Qpcc<'_>, x: &[f64]) -> Option<usize> {
    let limit = ZERO * p.qp.scale();
    let smaller = |k: usize| {
        let (i, j) = p.pair(k);
        p.qp.s(i, x).min(p.qp.s(j, x))
    };
    (0..p.n_pairs()).filter(|&k| smaller(k) > limit).max_by(|&a, &b| smaller(a).total_cmp(&smaller(b)))
}
