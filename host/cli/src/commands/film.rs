//! Films: pictures that go one after the other, as they are, into an encoder of others.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use super::files::put_made_file;
use vinci_draw::{Pictures, Pixels};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// The encoder.
const FFMPEG: &str = "ffmpeg";
/// Bytes of what the encoder says that are kept, from the end.
const KEPT: usize = 2000;
/// Sides are made even by a line of black: the colours of a film stand in squares of four pixels.
const EVEN: &str = "pad=ceil(iw/2)*2:ceil(ih/2)*2";

/// Writes pictures of one size as MP4, so many in a second; their number. The file is there whole or not at all.
///
/// # Errors
/// No encoder; what it says where it fails; those of drawing and of output.
pub(super) fn film(mut pictures: Pictures<'_>, fps: f64, file: &Path) -> Result<usize, Diagnostics> {
    let program = encoder().ok_or_else(|| no_encoder(file))?;
    put_made_file(file, |to| {
        let first = pictures.next().ok_or_else(|| io::Error::other("there is nothing to draw"))?;
        let first = first.map_err(io::Error::other)?;
        let mut child = begin(&program, [first.width, first.height], fps, to)?;
        let said = child.stderr.take().map(|from| std::thread::spawn(move || end_of(from)));
        let fed = child.stdin.take().map_or(Ok(0), |to| feed(to, first, pictures));
        let status = child.wait()?;
        let said = said.and_then(|said| said.join().ok()).unwrap_or_default();
        // What it says comes first: where it ends early its pipe breaks.
        match status.success() {
            true => fed,
            false => Err(io::Error::other(format!("{FFMPEG} failed ({status}): {}", said.trim()))),
        }
    })
}

/// The encoder of the PATH.
fn encoder() -> Option<PathBuf> {
    let name = format!("{FFMPEG}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&name))
        .find(|program| program.is_file())
}

fn no_encoder(file: &Path) -> Diagnostic {
    let message = format!("there is no {FFMPEG} on the PATH, which makes films of pictures");
    let help = format!(
        "install it, or write a GIF: `vinci view RUN --gif {}`",
        file.with_extension("gif").display()
    );
    Diagnostic::error(Code::Usage, message).help(help)
}

/// Starts the encoder: raw pictures come in, and it writes to this file.
fn begin(program: &Path, [width, height]: [u32; 2], fps: f64, to: &Path) -> io::Result<Child> {
    // With a protocol in front no name is taken for a flag or for a place elsewhere.
    let mut place = std::ffi::OsString::from("file:");
    place.push(std::path::absolute(to)?);
    let mut command = Command::new(program);
    command.args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgba"]);
    command.args([
        "-video_size",
        &format!("{width}x{height}"),
        "-framerate",
        &fps.to_string(),
        "-i",
        "pipe:0",
    ]);
    command
        .args(["-an", "-vf", EVEN, "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"])
        .arg(place);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
}

/// Gives all pictures; their number.
fn feed(mut to: ChildStdin, first: Pixels, later: Pictures<'_>) -> io::Result<usize> {
    let size = [first.width, first.height];
    let mut count = 0;
    for picture in std::iter::once(Ok(first)).chain(later) {
        let picture = picture.map_err(io::Error::other)?;
        if [picture.width, picture.height] != size {
            return Err(io::Error::other("its pictures have several sizes"));
        }
        to.write_all(&picture.rgba)?;
        count += 1;
    }
    Ok(count)
}

/// The end of a text that may have no end.
fn end_of(mut from: impl Read) -> String {
    let (mut end, mut piece) = (Vec::new(), [0; 1024]);
    while let Ok(n @ 1..) = from.read(&mut piece) {
        end.extend_from_slice(&piece[..n]);
        end.drain(..end.len().saturating_sub(KEPT));
    }
    String::from_utf8_lossy(&end).into_owned()
}
