//! The legend below planar drawings: scale of lengths, scale of forces, names of moving bodies, in as many lines as they need.

use vinci_core::model::System;

use super::jam::{FREE, JAM};
use super::window::{COLOURS, GAP, SUPPORT, quantity, round_below, significant};
use crate::certificate::Certificate;
use crate::svg::Canvas;

/// Height of a line, px.
const LINE: f64 = 18.0;
/// From the foot of the first line to the lower edge of a picture with one line, px.
const FOOT: f64 = 12.0;
/// Colour of words of warning.
const WARNING: &str = "#b00020";
const RULE: &str = "stroke=\"#222222\" stroke-width=\"1.2\"";

/// Names at most: of more bodies their number stands there, since colours repeat and names would fill the picture.
const NAMES: usize = 30;

/// One thing of the legend.
enum Entry<'a> {
    /// A length, px, and what it stands for.
    Bar { length: f64, label: String, paint: &'static str },
    /// Words in a colour: the name of a body, or what a colour is.
    Name { name: &'a str, colour: &'static str },
    /// Words that belong to no colour.
    Words(String),
}

/// Height of a strip before its first line: that of a line to its foot.
const HEAD: f64 = 10.0;

/// The colours of a certificate with their words, as a strip of a width in px.
pub fn certificate_strip(certificate: &Certificate, width: f64) -> String {
    let mut canvas = Canvas::default();
    let below = Legend(Vec::new()).with(Some(certificate)).draw(&mut canvas, width, HEAD + FOOT);
    canvas.file([width, below])
}

/// All of them, in their order.
pub(super) struct Legend<'a>(Vec<Entry<'a>>);

impl Entry<'_> {
    /// Width with the room behind it, px.
    fn width(&self) -> f64 {
        match self {
            Self::Bar { length, label, .. } => length + 6.0 + 6.6 * label.chars().count() as f64 + 16.0,
            Self::Name { name, .. } => 7.6 * name.chars().count() as f64 + 10.0,
            Self::Words(words) => 6.6 * words.chars().count() as f64 + 16.0,
        }
    }

    fn draw(&self, canvas: &mut Canvas, [x, y]: [f64; 2]) {
        match self {
            Self::Bar { length, label, paint } => {
                canvas.line([x, y], [x + length, y], paint);
                for end in [x, x + length] {
                    canvas.line([end, y - 3.0], [end, y + 3.0], paint);
                }
                canvas.text([x + length + 6.0, y + 4.0], label, "fill=\"#222222\"");
            }
            Self::Name { name, colour } => {
                canvas.text([x, y + 4.0], name, &format!("fill=\"{colour}\" font-weight=\"bold\""));
            }
            Self::Words(words) => canvas.text([x, y + 4.0], words, "fill=\"#222222\""),
        }
    }
}

impl<'a> Legend<'a> {
    /// Legend of drawings `width` px wide with `scale` px for a metre and `newton` px for a newton; `named` and
    /// `largest`: words of the longest arrow, and its force, N; `contacts`: their forces are drawn.
    pub(super) fn of(
        system: &'a System,
        scale: f64,
        (newton, (named, largest)): (f64, (&str, f64)),
        (width, contacts): (f64, bool),
    ) -> Self {
        let length = round_below(0.3 * width / scale);
        let mut entries =
            vec![Entry::Bar { length: length * scale, label: quantity(length, "m"), paint: RULE }];
        if newton > 0.0 {
            let force = round_below(0.3 * width / newton);
            let what = match (system.supports.is_empty(), contacts) {
                (false, true) => "friction at supports, contact forces",
                (false, false) => "friction at supports",
                (true, _) => "contact forces",
            };
            let label = format!("{} {what}", quantity(force, "N"));
            entries.push(Entry::Bar { length: force * newton, label, paint: SUPPORT });
            entries.push(Entry::Words(format!("{named} {}", quantity(significant(largest), "N"))));
        }
        let moving: Vec<&str> = (system.bodies.iter().zip(0..))
            .filter(|(_, b)| system.block_of(*b).is_some())
            .map(|(body, _)| body.name.as_str())
            .collect();
        if moving.len() > NAMES {
            entries.push(Entry::Words(format!("{} bodies", moving.len())));
        } else {
            let named = |(i, name)| Entry::Name { name, colour: COLOURS[i % COLOURS.len()] };
            entries.extend(moving.into_iter().enumerate().map(named));
        }
        Self(entries)
    }

    /// This legend with the colours of a certificate.
    pub(super) fn with(mut self, certificate: Option<&Certificate>) -> Self {
        let Some(certificate) = certificate else { return self };
        if !certificate.forces.is_empty() {
            self.0.push(Entry::Name { name: "forces that squeeze, in balance", colour: JAM });
        }
        if certificate.held.len() > 1 {
            self.0.push(Entry::Name { name: "dashed: held by drives or the ground", colour: JAM });
        }
        if !certificate.motions.is_empty() {
            self.0.push(Entry::Name { name: "free direction", colour: FREE });
        }
        self
    }

    /// This legend with words of warning.
    pub(super) fn saying(mut self, words: Option<&'a str>) -> Self {
        self.0.extend(words.map(|name| Entry::Name { name, colour: WARNING }));
        self
    }

    /// Draws into a picture `width` px wide whose lower edge would be at `below` with one line. Returns where it is.
    pub(super) fn draw(&self, canvas: &mut Canvas, width: f64, below: f64) -> f64 {
        let [mut x, mut y] = [GAP, below - FOOT];
        for entry in &self.0 {
            if x > GAP && x + entry.width() > width {
                [x, y] = [GAP, y + LINE];
            }
            entry.draw(canvas, [x, y]);
            x += entry.width();
        }
        y + FOOT
    }
}
