//! Arguments of `view`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

/// Arguments of `view`.
#[derive(Debug, Clone, Args)]
#[command(group = ArgGroup::new("moving").multiple(true), group = ArgGroup::new("drawn").multiple(true).args(["png", "gif", "mp4"]))]
pub struct ViewArgs {
    /// Directories that `vinci run` wrote; several of one scene are drawn together.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Write the page here; default view.html in the first RUN, which is made again.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["png", "gif", "mp4"])]
    pub out: Option<PathBuf>,
    /// Serve the page to a browser on this machine while the runs go on; Ctrl-C ends it.
    #[arg(long, conflicts_with_all = ["out", "png", "gif", "mp4"])]
    pub live: bool,
    /// Port of the page that is served; default a free one.
    #[arg(long, value_name = "PORT", requires = "live", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Draw one picture of one RUN here instead of a page; no browser is needed.
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Time of the picture, s; default the end of the run.
    #[arg(long, value_name = "T", requires = "png", allow_negative_numbers = true)]
    pub at: Option<f64>,
    /// Draw the motion of one RUN here instead of a page, as a GIF.
    #[arg(long, value_name = "FILE", group = "moving")]
    pub gif: Option<PathBuf>,
    /// Draw the motion of one RUN here instead of a page, as a film in MP4; ffmpeg on the PATH makes it.
    #[arg(long, value_name = "FILE", group = "moving")]
    pub mp4: Option<PathBuf>,
    /// Seconds of the run in a second of the GIF or film.
    #[arg(long, value_name = "X", requires = "moving", default_value_t = 1.0)]
    pub speed: f64,
    /// Pictures of the GIF or film in a second.
    #[arg(long, value_name = "N", requires = "moving", default_value_t = 25.0)]
    pub fps: f64,
    /// Width and height of pictures, px; the height of planar ones follows from what they show.
    #[arg(long, value_name = "WxH", default_value = "960x720", value_parser = size)]
    pub size: [u32; 2],
    /// Place of the eye in space: its angle about z from the x axis and its angle above the plane of x and y, degrees.
    #[arg(long, value_name = "AZIMUTH,ELEVATION", default_value = "-60,24", value_parser = angles, allow_hyphen_values = true)]
    pub from: [f64; 2],
    /// Bodies that pictures in space show from near, with what is around them; default all.
    #[arg(long, value_name = "BODY,…", value_delimiter = ',', requires = "drawn")]
    pub show: Vec<String>,
    /// Leave out contact points and forces in pictures.
    #[arg(long)]
    pub no_forces: bool,
    /// Replace files that are there.
    #[arg(short, long)]
    pub force: bool,
}

/// Least and largest side of a picture, px.
const SIDES: std::ops::RangeInclusive<u32> = 64..=4096;

/// `960x720`.
fn size(text: &str) -> Result<[u32; 2], String> {
    let wrong = || format!("write it as 960x720, each side from {} to {}", SIDES.start(), SIDES.end());
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    let side = |word: &str| word.trim().parse().ok().filter(|n| SIDES.contains(n)).ok_or_else(wrong);
    Ok([side(width)?, side(height)?])
}

/// `-60,24`.
fn angles(text: &str) -> Result<[f64; 2], String> {
    let wrong = || "write two angles in degrees, as in -60,24".to_owned();
    let (azimuth, elevation) = text.split_once(',').ok_or_else(wrong)?;
    let angle = |word: &str| word.trim().parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(wrong);
    match [angle(azimuth)?, angle(elevation)?] {
        [_, above] if above.abs() > 90.0 => {
            Err(format!("the eye stands from -90 to 90 degrees above the plane, not {above}"))
        }
        both => Ok(both),
    }
}
