//! A half-plane against any bounded core.

use crate::boundary::Turn;
use crate::convex::Limits;
use crate::hit::{Hits, Side};
use crate::store::Core;

/// Every vertex within the active distance that may become foremost towards the plane. Depth counts without limit: the
/// half-plane is solid all the way down.
pub(crate) fn collide(p: &Core<'_>, plane: &Core<'_>, side: Side, limits: &Limits, hits: &mut Hits) {
    let n = plane.n[0];
    for v in 0..p.x.len() {
        let d = plane.height(0, p.x[v]);
        if d <= limits.reach && p.turn[v] == Turn::Convex && p.faces(v, n, limits.slack) {
            hits.vertex_edge(side, v, p.x[v], 0, n, d);
        }
    }
}
