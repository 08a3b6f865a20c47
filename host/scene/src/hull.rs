//! Convex hull of points in space, for the mass of hulls, and whether a surface is closed.

pub use vinci_core::geometry::{NoHull, convex_hull};

fn edges_of([a, b, c]: [u32; 3]) -> [(u32, u32); 3] {
    [(a, b), (b, c), (c, a)]
}

/// Reason why triangles are not a closed surface with outward sides: the first edge that lacks its other side, if there is one.
pub(crate) fn open_edge(triangles: &[[u32; 3]]) -> Option<(u32, u32)> {
    let mut edges: Vec<(u32, u32)> = triangles.iter().flat_map(|t| edges_of(*t)).collect();
    edges.sort_unstable();
    let twice = edges.windows(2).find(|w| w[0] == w[1]).map(|w| w[0]);
    twice.or_else(|| edges.iter().find(|(a, b)| edges.binary_search(&(*b, *a)).is_err()).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_surfaces_name_an_edge() {
        assert_eq!(open_edge(&[[0, 1, 2]]), Some((0, 1)));
        assert_eq!(open_edge(&[[0, 1, 2], [0, 2, 1]]), None);
    }
}
