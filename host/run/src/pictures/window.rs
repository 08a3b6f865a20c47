//! A window of the plane in pixels, and numbers with units.

/// Colours of moving bodies and of lines.
pub(crate) use crate::plot::COLOURS;

/// A window of the plane, y upwards, drawn at a place of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Window {
    /// Left, bottom, right, top, m.
    pub view: [f64; 4],
    /// Upper left corner in the picture, px.
    pub corner: [f64; 2],
    /// px per m.
    pub scale: f64,
}

impl Window {
    /// A point of the plane in the picture, px.
    pub(crate) fn at(&self, p: [f64; 2]) -> [f64; 2] {
        let [left, _, _, top] = self.view;
        [self.corner[0] + (p[0] - left) * self.scale, self.corner[1] + (top - p[1]) * self.scale]
    }

    /// Size in the picture, px.
    pub(crate) fn size(&self) -> [f64; 2] {
        let [x0, y0, x1, y1] = self.view;
        [(x1 - x0) * self.scale, (y1 - y0) * self.scale]
    }
}

/// Room around drawings, px.
pub(super) const GAP: f64 = 10.0;
/// Strokes of forces at supports.
pub(super) const SUPPORT: &str = "stroke=\"#1f1f1f\" stroke-width=\"1.6\"";

/// The largest of 1, 2, 5 times a power of ten up to x > 0.
pub fn round_below(x: f64) -> f64 {
    let exponent = x.log10().floor() as i32;
    let candidates = (exponent - 1..=exponent + 1).flat_map(|e| [1, 2, 5].map(|m| decimal(m, e)));
    candidates.filter(|c| *c <= x * (1.0 + 1e-12)).fold(0.0, f64::max)
}

/// m · 10^e, as it is written in decimals.
fn decimal(m: i32, e: i32) -> f64 {
    if e < 0 { f64::from(m) / 10f64.powi(-e) } else { f64::from(m) * 10f64.powi(e) }
}

/// A number to three digits.
pub fn significant(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// A number with a unit and its prefix: `20 µm`.
pub fn quantity(x: f64, unit: &str) -> String {
    let prefixes = [(1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];
    let fits = prefixes.iter().find(|(factor, _)| x.abs() >= factor * (1.0 - 1e-12));
    match fits {
        Some((factor, prefix)) => format!("{} {prefix}{unit}", crate::plot::short(x / factor)),
        None => format!("{} {unit}", crate::plot::short(x)),
    }
}
