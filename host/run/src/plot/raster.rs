//! Pictures as files: SVG as it is, PNG drawn from it with the font that is part of this program.

use std::io;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Letters of PNG pictures; `fonts/README.md` says where they are from.
const FONT: &[u8] = include_bytes!("../../fonts/DejaVuSans.ttf");

/// Name of the font's family.
const FAMILY: &str = "DejaVu Sans";

/// Pixels of a PNG for one of the SVG it is drawn from.
const SCALE: f32 = 2.0;

/// Contents of a picture file of this name: `svg` itself, or PNG where the name ends in `.png`.
///
/// # Errors
/// A picture too large to be drawn in memory.
pub fn contents(file: &str, svg: String) -> io::Result<Vec<u8>> {
    if file.ends_with(".png") { png(&svg).map_err(io::Error::other) } else { Ok(svg.into_bytes()) }
}

/// A picture of pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels along a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue and opacity of every pixel, row by row from above; colours are not multiplied by opacity.
    pub rgba: Vec<u8>,
}

impl Pixels {
    /// The picture as a PNG file.
    ///
    /// # Errors
    /// Of encoding.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        let told = |e: png::EncodingError| e.to_string();
        let mut writer = encoder.write_header().map_err(told)?;
        writer.write_image_data(&self.rgba).map_err(told)?;
        writer.finish().map_err(told)?;
        Ok(bytes)
    }
}

/// The drawing in so many pixels across: the same pixels for the same text.
///
/// # Errors
/// A text that is no drawing, or one too large for memory.
pub fn pixels(svg: &str, width: u32) -> Result<Pixels, String> {
    let drawn = rendered(svg, |own| width as f32 / own)?;
    let rgba = drawn.pixels().iter().flat_map(|pixel| {
        let pixel = pixel.demultiply();
        [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
    });
    Ok(Pixels { width: drawn.width(), height: drawn.height(), rgba: rgba.collect() })
}

/// The drawing in two pixels for each of its own: the same bytes for the same text.
fn png(svg: &str) -> Result<Vec<u8>, String> {
    rendered(svg, |_| SCALE)?.encode_png().map_err(|e| e.to_string())
}

/// The drawing in pixels; `scale`: pixels for one of its own, by its width.
fn rendered(svg: &str, scale: impl Fn(f32) -> f32) -> Result<Pixmap, String> {
    let tree = tree(svg)?;
    let scale = scale(tree.size().width());
    let size = tree.size().to_int_size().scale_by(scale).ok_or("the picture has no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("the picture is too large")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    Ok(pixels)
}

/// The drawing as shapes, its letters from the font of the program.
pub(super) fn tree(svg: &str) -> Result<Tree, String> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    options.font_family = FAMILY.into();
    Tree::from_str(svg, &options).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\" font-family=\"sans-serif\"><rect width=\"40\" height=\"20\" fill=\"#ffffff\"/>";

    fn pixels(body: &str) -> Pixmap {
        Pixmap::decode_png(&contents("a.png", format!("{HEAD}{body}</svg>")).unwrap()).unwrap()
    }

    /// Pixels of a colour.
    fn count(of: &Pixmap, [r, g, b]: [u8; 3]) -> usize {
        of.pixels().iter().filter(|p| (p.red(), p.green(), p.blue()) == (r, g, b)).count()
    }

    #[test]
    fn a_rectangle_has_the_pixels_of_its_area_and_the_bytes_are_the_same_again() {
        let body = "<rect x=\"5\" y=\"5\" width=\"10\" height=\"4\" fill=\"#ff0000\"/>";
        let drawn = pixels(body);
        assert_eq!((drawn.width(), drawn.height()), (80, 40));
        assert_eq!(count(&drawn, [255, 0, 0]), 4 * 10 * 4);
        assert_eq!(count(&drawn, [255, 255, 255]), 80 * 40 - 160);
        let again = || contents("a.png", format!("{HEAD}{body}</svg>")).unwrap();
        assert_eq!(again(), again());
    }

    /// Also on a machine without fonts: the letters are the program's own, Greek and units included.
    #[test]
    fn texts_are_drawn_with_letters_of_the_program() {
        for text in ["m", "µ", "φ", "−1", "²", "²√≤"] {
            let drawn = pixels(&format!("<text x=\"5\" y=\"15\" font-size=\"12\">{text}</text>"));
            assert!(count(&drawn, [0, 0, 0]) > 3, "{text}: {}", count(&drawn, [0, 0, 0]));
        }
    }

    #[test]
    fn svg_stays_as_it_is() {
        assert_eq!(contents("a.svg", "<svg/>".into()).unwrap(), b"<svg/>");
    }
}
