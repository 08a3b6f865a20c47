//! Triangles to pixels, the nearest one first.
//!
//! Ours because the same run is to draw the same bytes without a graphics card: see "Own drawing" in `docs/src/decisions.md`.

use vinci_run::plot::Pixels;

/// Samples along a pixel's side.
const FINE: usize = 2;

/// A corner of a triangle: across and down in parts of the picture, inverse distance in 1/m, and its colour, 0 to 1 each.
pub(crate) type Corner = ([f64; 3], [f64; 3]);

/// A picture that is drawn with a depth for every sample.
#[derive(Debug, Clone)]
pub struct Canvas {
    size: [usize; 2],
    colour: Vec<[f32; 3]>,
    near: Vec<f64>,
}

impl Canvas {
    /// An empty picture of a size in pixels and a colour.
    pub fn new([width, height]: [usize; 2], background: [f64; 3]) -> Self {
        let size = [width * FINE, height * FINE];
        let samples = size[0] * size[1];
        Self { size, colour: vec![background.map(|c| c as f32); samples], near: vec![0.0; samples] }
    }

    /// Draws a triangle: barycentric coordinates of the middle of every sample in its box.
    pub(crate) fn triangle(&mut self, corners: &[Corner; 3]) {
        let [width, height] = self.size.map(|n| n as f64);
        let at = corners.map(|(p, _)| [p[0] * width, p[1] * height]);
        let cross = |a: [f64; 2], b: [f64; 2], p: [f64; 2]| {
            (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
        };
        let area = cross(at[0], at[1], at[2]);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let [columns, rows] = [0, 1].map(|axis| range(at.map(|p| p[axis]), self.size[axis]));
        for (y, x) in rows.flat_map(|y| columns.clone().map(move |x| (y, x))) {
            let p = [x as f64 + 0.5, y as f64 + 0.5];
            let part =
                [cross(at[1], at[2], p), cross(at[2], at[0], p), cross(at[0], at[1], p)].map(|w| w / area);
            if part.iter().all(|w| *w >= 0.0) {
                self.sample(y * self.size[0] + x, corners, part);
            }
        }
    }

    fn sample(&mut self, at: usize, corners: &[Corner; 3], part: [f64; 3]) {
        let sum =
            |of: &dyn Fn(&Corner) -> f64| -> f64 { corners.iter().zip(part).map(|(c, w)| w * of(c)).sum() };
        let near = sum(&|c| c.0[2]);
        if near > self.near[at] {
            self.near[at] = near;
            self.colour[at] = std::array::from_fn(|k| sum(&|c| c.1[k]) as f32);
        }
    }

    /// The mean of the samples of every pixel.
    pub fn pixels(&self) -> Pixels {
        let [width, height] = self.size.map(|n| n / FINE);
        let mut rgba = Vec::with_capacity(4 * width * height);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let samples =
                (0..FINE * FINE).map(|k| (y * FINE + k / FINE) * self.size[0] + x * FINE + k % FINE);
            let sum =
                samples.fold([0.0_f32; 3], |sum, at| std::array::from_fn(|k| sum[k] + self.colour[at][k]));
            rgba.extend(sum.map(|c| (255.0 * c / (FINE * FINE) as f32).round().clamp(0.0, 255.0) as u8));
            rgba.push(255);
        }
        Pixels { width: width as u32, height: height as u32, rgba }
    }
}

/// Samples between the least and the largest of three places, within the picture.
fn range(of: [f64; 3], size: usize) -> std::ops::Range<usize> {
    let (low, high) = (
        of.iter().copied().fold(f64::INFINITY, f64::min),
        of.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    // Conversions saturate, so places far outside are cut.
    (low.floor().max(0.0) as usize)..(high.ceil().max(0.0) as usize).min(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(points: [[f64; 2]; 3], near: f64, colour: [f64; 3]) -> [Corner; 3] {
        points.map(|[x, y]| ([x, y, near], colour))
    }

    #[test]
    fn the_nearest_triangle_is_seen_whatever_the_order() {
        let whole = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
        let half = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        for nearest_first in [true, false] {
            let mut canvas = Canvas::new([10, 10], [1.0; 3]);
            let mut all = [flat(whole, 0.5, [1.0, 0.0, 0.0]), flat(half, 2.0, [0.0, 0.0, 1.0])];
            if nearest_first {
                all.reverse();
            }
            all.iter().for_each(|t| canvas.triangle(t));
            let pixels = canvas.pixels();
            assert_eq!(pixels.rgba[..4], [0, 0, 255, 255]);
            assert_eq!(pixels.rgba[4 * 99..], [255, 0, 0, 255]);
        }
    }

    #[test]
    fn triangles_that_share_a_side_leave_no_gap_and_turn_either_way() {
        let mut canvas = Canvas::new([16, 16], [1.0; 3]);
        canvas.triangle(&flat([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9]], 1.0, [0.0; 3]));
        canvas.triangle(&flat([[0.1, 0.1], [0.1, 0.9], [0.9, 0.9]], 1.0, [0.0; 3]));
        let pixels = canvas.pixels();
        let dark = (0..256).filter(|k| pixels.rgba[4 * k] == 0).count();
        assert_eq!(dark, 12 * 12);
    }

    #[test]
    fn places_far_outside_are_cut_and_flat_triangles_draw_nothing() {
        let mut canvas = Canvas::new([4, 4], [1.0; 3]);
        canvas.triangle(&flat([[1e300, 0.0], [f64::NAN, 0.0], [0.0, 0.0]], 1.0, [0.0; 3]));
        canvas.triangle(&flat([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]], 1.0, [0.0; 3]));
        assert!(canvas.pixels().rgba.iter().all(|c| *c == 255));
    }
}
