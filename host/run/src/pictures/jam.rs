//! Certificates in the plane: squeezing forces as a loop through the bodies that they press together, free directions as arrows. They look
//! as in the page of `vinci view`.

use super::arrow::arrow;
use super::shapes::Pose;
use super::window::Window;
use crate::certificate::{Certificate, FreeDirection};
use crate::svg::{Canvas, px};

/// Colour of squeezing forces.
pub const JAM: &str = "#d6008f";
/// Colour of free directions.
pub const FREE: &str = "#0077cc";
/// Length of the largest force and of a free velocity, and radius of a free turn, px.
const LONG: [f64; 3] = [32.0, 56.0, 40.0];
/// Angle of the arc that stands for a turn, rad.
const TURN: f64 = 4.5;

/// Draws a certificate; `pose`: where the bodies are, `moves`: whether a body moves at all.
pub(super) fn draw(
    canvas: &mut Canvas,
    frame: &Window,
    certificate: &Certificate,
    (pose, moves): (&impl Fn(u32) -> Pose, &impl Fn(u32) -> bool),
) {
    let centre = |body: u32| frame.at([pose(body).x, pose(body).y]);
    let size = |f: &[f64; 3]| f[0].hypot(f[1]);
    let most = certificate.forces.iter().map(|f| size(&f.force)).fold(0.0, f64::max);
    for force in certificate.forces.iter().filter(|_| most > 0.0) {
        let at = frame.at([force.point[0], force.point[1]]);
        let width = px(1.3 + 2.6 * size(&force.force) / most);
        let paint = format!("stroke=\"{JAM}\" stroke-width=\"{width}\" fill=\"none\"");
        for body in force.bodies.into_iter().filter(|body| moves(*body)) {
            canvas.line(centre(body), at, &paint);
        }
        let long = [LONG[0] * force.force[0] / most, -LONG[0] * force.force[1] / most];
        // The force on the second body leaves the point into it, its reaction into the first.
        arrow(canvas, at, long, &paint, 2.0);
        arrow(canvas, at, long.map(|x| -x), &paint, 2.0);
    }
    // What holds bodies closes the loop.
    for two in certificate.held.windows(2) {
        let paint = format!("stroke=\"{JAM}\" stroke-width=\"1.3\" stroke-dasharray=\"7 6\"");
        canvas.line(centre(two[0]), centre(two[1]), &paint);
    }
    certificate.motions.iter().for_each(|motion| free(canvas, centre(motion.body), motion));
}

/// A velocity as an arrow, a turn as an arc with one.
fn free(canvas: &mut Canvas, [x, y]: [f64; 2], motion: &FreeDirection) {
    let paint = format!("stroke=\"{FREE}\" stroke-width=\"2.4\" fill=\"none\"");
    let [vx, vy, _] = motion.linear;
    let speed = vx.hypot(vy);
    if speed > 0.0 {
        arrow(canvas, [x, y], [LONG[1] * vx / speed, -LONG[1] * vy / speed], &paint, 2.0);
    }
    if motion.angular[2] != 0.0 {
        let (sign, r) = (motion.angular[2].signum(), LONG[2]);
        let (sin, cos) = (sign * TURN).sin_cos();
        let end = [x + r * cos, y - r * sin];
        let ([sx, sy], [ex, ey]) = ([x + r, y].map(px), end.map(px));
        // Counter-clockwise in the plane is against the sense of the picture, whose y points down.
        let sweep = u8::from(sign < 0.0);
        let (r, turn) = (px(r), [-sign * sin, -sign * cos].map(|c| 0.1 * c));
        canvas.put(format_args!("<path d=\"M{sx} {sy}A{r} {r} 0 1 {sweep} {ex} {ey}\" {paint}/>\n"));
        arrow(canvas, end, turn, &paint, 2.0);
    }
}
