//! Still and moving pictures of a motion.

use std::io::{self, Write};

use vinci_run::pictures::{
    FrameState, LONGEST_OF_RUN, REFUSED_BY, Separate, Sight, certificate_strip, quantity, separate,
    significant,
};
use vinci_run::plot::{pixels, short};
use vinci_run::svg::Canvas as Svg;
use vinci_run::view::{ContactRow, State};

use crate::camera::Camera;
use crate::canvas::Canvas;
use crate::motion::Motion;
use crate::paint::Painter;

/// Colour behind a spatial scene.
const BACKGROUND: [f64; 3] = [0.96, 0.97, 0.98];
/// Colours of a GIF are chosen by every so many pixels.
const SPEED: i32 = 10;
/// Height of the strip with the time, px.
const CAPTION: f64 = 24.0;

pub use vinci_run::plot::Pixels;

/// How a motion is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Width and height, px. The height of a planar picture follows from what it shows.
    pub size: [u32; 2],
    /// Angle of the eye about z from the x axis and above the plane of x and y, rad. Spatial scenes alone.
    pub from: [f64; 2],
    /// True to draw contact points and forces.
    pub forces: bool,
}

/// One picture: the state at a time, in the window and to the scale of forces of the whole run.
///
/// # Errors
/// Of drawing letters.
pub fn still(motion: &Motion, state: &State, look: &Look) -> Result<Pixels, String> {
    let states = [state];
    let mut pictures = match motion.is_planar() {
        true => {
            let mut sight = Sight::default();
            motion
                .some_states()
                .iter()
                .for_each(|other| sight.add(&motion.system, &flat(motion, other), look.forces));
            planar(motion, &states, look, sight)
        }
        false => spatial(motion, &states, look),
    };
    pictures.next().ok_or("there is nothing to draw")?
}

/// The states at these times as a GIF that repeats, each shown for a time in s.
///
/// # Errors
/// Of output, and of drawing letters.
pub fn moving(
    motion: &Motion,
    states: &[&State],
    look: &Look,
    shown: f64,
    out: impl Write,
) -> io::Result<()> {
    let told = |e: gif::EncodingError| io::Error::other(e);
    let size = |n: u32| {
        u16::try_from(n).map_err(|_| io::Error::other("a GIF has at most 65535 pixels along a side"))
    };
    // One picture after the other: all of them would not fit into memory.
    let mut all = drawn(motion, states, look).map(|picture| picture.map_err(io::Error::other)).peekable();
    let [width, height] = match all.peek() {
        Some(Ok(first)) => [size(first.width)?, size(first.height)?],
        _ => return all.next().map_or(Ok(()), |failed| failed.map(drop)),
    };
    let mut encoder = gif::Encoder::new(out, width, height, &[]).map_err(told)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(told)?;
    for picture in all {
        let mut frame = gif::Frame::from_rgba_speed(width, height, &mut picture?.rgba, SPEED);
        // Hundredths of a second.
        frame.delay = (100.0 * shown).round().clamp(1.0, 65535.0) as u16;
        encoder.write_frame(&frame).map_err(told)?;
    }
    Ok(())
}

/// Pictures that are drawn when they are asked for.
pub type Pictures<'a> = Box<dyn Iterator<Item = Result<Pixels, String>> + 'a>;

/// The states at these times, a picture each, all of one size and to the scale of forces of the whole run.
pub fn drawn<'a>(motion: &'a Motion, states: &'a [&'a State], look: &Look) -> Pictures<'a> {
    match motion.is_planar() {
        true => planar(motion, states, look, Sight::default()),
        false => spatial(motion, states, look),
    }
}

/// A state of the plane with its forces.
fn flat(motion: &Motion, state: &State) -> FrameState {
    let plane = |p: [f64; 3]| [p[0], p[1]];
    let contact = |c: &ContactRow| (plane(c.point), plane(motion.force(c).into()));
    FrameState {
        t: state.t,
        q: state.q.clone(),
        friction: motion.friction(state).to_vec(),
        contacts: motion.contacts(state).iter().map(contact).collect(),
    }
}

/// The longest force that pictures of a motion may show, N: that of the whole run, so that all pictures of it have one scale.
fn longest(motion: &Motion, look: &Look) -> f64 {
    let pressing = if look.forces { motion.largest_contact() } else { 0.0 };
    // Support points are drawn in the plane alone.
    if motion.is_planar() { pressing.max(motion.largest_friction()) } else { pressing }
}

/// Pictures in the plane, drawn like those of an experiment's `frames`, all with the same window, that of these states and of `sight`.
fn planar<'a>(motion: &'a Motion, states: &[&State], look: &Look, sight: Sight) -> Pictures<'a> {
    let all: Vec<_> = states.iter().map(|state| flat(motion, state)).collect();
    let width = look.size[0];
    let certificate = motion.certificate.as_ref().filter(|_| look.forces);
    let asked = Separate {
        width: f64::from(width),
        contacts: look.forces,
        certificate,
        sight,
        longest: Some(longest(motion, look)),
        refused: motion.refused,
    };
    let texts = separate(&motion.system, &all, asked);
    Box::new(texts.into_iter().map(move |text| pixels(&text, width)))
}

/// Pictures in space.
fn spatial<'a>(motion: &'a Motion, states: &'a [&'a State], look: &Look) -> Pictures<'a> {
    let certificate = motion.certificate.as_ref().filter(|_| look.forces);
    let certificate = certificate.filter(|c| states.iter().any(|state| state.t == c.time));
    let width = look.size[0];
    // Below all pictures, which have one size.
    let names = certificate.map(|c| pixels(&certificate_strip(c, f64::from(width)), width)).transpose();
    let names = match names {
        Ok(names) => names,
        Err(why) => return Box::new(std::iter::once(Err(why))),
    };
    let below = CAPTION as u32 + names.as_ref().map_or(0, |names| names.height);
    let height = look.size[1].saturating_sub(below).max(1);
    let [azimuth, elevation] = look.from;
    let camera = Camera::around(motion.seen(), azimuth, elevation, f64::from(width) / f64::from(height));
    let largest = longest(motion, look);
    let painter = Painter::new(motion, largest, certificate);
    let of = move |state: &&State| {
        let mut canvas = Canvas::new([width as usize, height as usize], BACKGROUND);
        painter.draw(state, &camera, &mut canvas);
        let mut picture = canvas.pixels();
        for below in std::iter::once(&caption((state.t, motion.refused), largest, width)?).chain(&names) {
            picture.height += below.height;
            picture.rgba.extend(&below.rgba);
        }
        Ok(picture)
    };
    Box::new(states.iter().map(of))
}

/// The time, the longest force of the run, and whether the run is refused, in a strip as wide as the picture above it.
fn caption((t, refused): (f64, bool), largest: f64, width: u32) -> Result<Pixels, String> {
    let mut svg = Svg::default();
    let force = if largest > 0.0 {
        format!(", {LONGEST_OF_RUN} {}", quantity(significant(largest), "N"))
    } else {
        String::new()
    };
    let refused = if refused { format!(", {REFUSED_BY}") } else { String::new() };
    svg.text([10.0, CAPTION - 8.0], &format!("t = {} s{force}{refused}", short(t)), "fill=\"#222222\"");
    pixels(&svg.file([f64::from(width), CAPTION]), width)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vinci_run::view::RunFiles;

    use super::*;

    /// Recorded steps, and the one with an impact: none of those that stand for the whole run.
    const STEPS: usize = 801;
    const IMPACT: usize = 403;

    /// A disc on the ground that is pressed with 10 N, and once with 1000 N.
    fn motion() -> Motion {
        let dir = tempfile::tempdir().unwrap();
        let experiment = json!({
            "format": "vinci/experiment@1", "time": { "step": 0.01, "duration": 8 },
            "detector": { "plugin": "vinci.detector.planar" }, "stepper": { "plugin": "vinci.stepper.stewart-trinkle" },
            "scene": {
                "format": "vinci/scene@1", "space": "planar", "materials": { "default": { "friction": 0.5 } },
                "bodies": [
                    { "name": "ground", "static": true, "shapes": [{ "type": "half-plane" }] },
                    { "name": "disc", "mass": 1, "position": [0, 0.1], "shapes": [{ "type": "disc", "radius": 0.1 }] },
                ],
            },
        });
        let mut states = "time,disc.x,disc.y,disc.angle,disc.vx,disc.vy,disc.omega\n".to_owned();
        let mut contacts = "time,body_a,body_b,gap,mode,x,y,nx,ny,fx,fy,friction\n".to_owned();
        for k in 0..STEPS {
            let t = 0.01 * k as f64;
            let force = if k == IMPACT { 1000 } else { 10 };
            states.push_str(&format!("{t},0,0.1,0,0,0,0\n"));
            contacts.push_str(&format!("{t},ground,disc,0,stick,0,0,0,1,0,{force},0.5\n"));
        }
        for (name, text) in [
            ("experiment.json", experiment.to_string()),
            ("trajectory.csv", states),
            ("contacts.csv", contacts),
        ] {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        Motion::of(RunFiles::open(dir.path()).unwrap()).unwrap()
    }

    /// The scale was that of 200 states and the one shown: a picture of the impact had another one than a picture beside it.
    #[test]
    fn arrows_of_two_pictures_of_one_run_have_one_scale() {
        let motion = motion();
        let look = Look { size: [300, 200], from: [0.0; 2], forces: true };
        assert!(motion.some_states().iter().all(|state| motion.contacts(state)[0].force[1] < 11.0));
        assert_eq!(longest(&motion, &look), 1000.0);
        assert_eq!(longest(&motion, &Look { forces: false, ..look }), 0.0);
        let [quiet, impact] = [0, IMPACT].map(|k| still(&motion, &motion.states()[k], &look).unwrap());
        assert_eq!([quiet.width, quiet.height], [impact.width, impact.height]);
        // The lines below the time: scales, the longest arrow, names.
        let foot = |picture: &Pixels| picture.rgba[picture.rgba.len() - 4 * 300 * 50..].to_vec();
        assert!(foot(&quiet) == foot(&impact));
        assert!(quiet.rgba != impact.rgba);
    }
}
