//! Arrows in a picture.

use crate::svg::{Canvas, Paint};

/// Length of a head along the arrow, and half its width, px.
const HEAD: [f64; 2] = [4.0, 2.0];

/// An arrow from a point along a vector, px; `head`: how many times as large as usual its head is.
pub(super) fn arrow(canvas: &mut Canvas, from: [f64; 2], along: [f64; 2], paint: Paint<'_>, head: f64) {
    let length = along[0].hypot(along[1]);
    if !(length > 0.0) {
        return;
    }
    let unit = along.map(|x| x / length);
    let on = |forward: f64, aside: f64| {
        [from[0] + forward * unit[0] - aside * unit[1], from[1] + forward * unit[1] + aside * unit[0]]
    };
    let [back, aside] = HEAD.map(|x| x * head);
    canvas.line(from, on(length, 0.0), paint);
    canvas.line(on(length, 0.0), on(length - back, aside), paint);
    canvas.line(on(length, 0.0), on(length - back, -aside), paint);
}
