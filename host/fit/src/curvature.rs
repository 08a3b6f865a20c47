//! Curvature and staircases, told apart by how differences come to a derivative.

/// Factor by which errors of central differences fall from level to level where they fall with h²; terms of higher order are in it, too.
const SQUARE: std::ops::RangeInclusive<f64> = 30.0..=1000.0;

/// Returns true if central differences come to a derivative as those of a smooth function do: their errors fall with h², by 100 from level to
/// level. Over a riser of a staircase they grow with 1/h, and over a tread they are none. Errors with their noise, the largest step first.
pub(crate) fn is_curved(off: &[[f64; 2]]) -> bool {
    off.windows(2).any(|pair| {
        let [[coarse, _], [fine, noise]] = [pair[0], pair[1]];
        fine > 10.0 * noise && SQUARE.contains(&(coarse / fine))
    })
}
