//! Pictures as PDF, for papers: the lines, areas and letters of an SVG drawing as paths on one page.

use std::collections::BTreeSet;

use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref};
use resvg::tiny_skia::{PathSegment, Transform};
use resvg::usvg::{Fill, FillRule, Group, LineCap, LineJoin, Node, Paint, Path, Stroke};

use super::raster::tree;

/// Points of a page for a pixel of the drawing, 72/96.
const POINTS: f32 = 0.75;

/// Objects of the file: catalogue, list of pages, page, contents; those of opacities come after them.
const OBJECTS: [i32; 4] = [1, 2, 3, 4];

/// An SVG drawing as a PDF file: the same bytes for the same text. Letters are outlines; they can be printed, not searched.
///
/// # Errors
/// A text that is no drawing; a drawing with pictures, gradients or patterns.
pub fn pdf(svg: &str) -> Result<Vec<u8>, String> {
    let tree = tree(svg)?;
    let mut page = Page { content: Content::new(), opacities: BTreeSet::new() };
    let (w, h) = (POINTS * tree.size().width(), POINTS * tree.size().height());
    // PDF has its origin below.
    page.content.transform([POINTS, 0.0, 0.0, -POINTS, 0.0, h]);
    page.group(tree.root(), 1.0)?;
    Ok(page.file((w, h)))
}

struct Page {
    content: Content,
    /// Opacities that are used, in 255ths.
    opacities: BTreeSet<u8>,
}

fn in_255ths(opacity: f32) -> u8 {
    (255.0 * opacity.clamp(0.0, 1.0)).round() as u8
}

/// Name of an opacity among the page's resources.
fn name_of(opacity: u8) -> String {
    format!("o{opacity}")
}

impl Page {
    fn group(&mut self, group: &Group, opacity: f32) -> Result<(), String> {
        let opacity = opacity * group.opacity().get();
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner, opacity)?,
                Node::Path(path) if path.is_visible() => self.path(path, opacity)?,
                Node::Path(_) => {}
                Node::Text(text) => self.group(text.flattened(), opacity)?,
                Node::Image(_) => return Err("a picture of pixels has no place in a PDF of lines".to_owned()),
            }
        }
        Ok(())
    }

    fn path(&mut self, path: &Path, opacity: f32) -> Result<(), String> {
        self.content.save_state();
        let Transform { sx, kx, ky, sy, tx, ty } = path.abs_transform();
        self.content.transform([sx, ky, kx, sy, tx, ty]);
        if let Some(fill) = path.fill() {
            self.fill(path, fill, opacity)?;
        }
        if let Some(stroke) = path.stroke() {
            self.stroke(path, stroke, opacity)?;
        }
        self.content.restore_state();
        Ok(())
    }

    fn fill(&mut self, path: &Path, fill: &Fill, opacity: f32) -> Result<(), String> {
        let [r, g, b] = colour(fill.paint())?;
        self.opacity(opacity * fill.opacity().get());
        self.content.set_fill_rgb(r, g, b);
        self.trace(path);
        match fill.rule() {
            FillRule::NonZero => self.content.fill_nonzero(),
            FillRule::EvenOdd => self.content.fill_even_odd(),
        };
        Ok(())
    }

    fn stroke(&mut self, path: &Path, stroke: &Stroke, opacity: f32) -> Result<(), String> {
        let [r, g, b] = colour(stroke.paint())?;
        self.opacity(opacity * stroke.opacity().get());
        let content = &mut self.content;
        content.set_stroke_rgb(r, g, b).set_line_width(stroke.width().get());
        content.set_line_cap(match stroke.linecap() {
            LineCap::Butt => LineCapStyle::ButtCap,
            LineCap::Round => LineCapStyle::RoundCap,
            LineCap::Square => LineCapStyle::ProjectingSquareCap,
        });
        content.set_line_join(match stroke.linejoin() {
            LineJoin::Round => LineJoinStyle::RoundJoin,
            LineJoin::Bevel => LineJoinStyle::BevelJoin,
            LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
        });
        if let Some(dashes) = stroke.dasharray() {
            content.set_dash_pattern(dashes.iter().copied(), stroke.dashoffset());
        }
        self.trace(path);
        self.content.stroke();
        Ok(())
    }

    fn opacity(&mut self, opacity: f32) {
        let opacity = in_255ths(opacity);
        self.opacities.insert(opacity);
        self.content.set_parameters(Name(name_of(opacity).as_bytes()));
    }

    fn trace(&mut self, path: &Path) {
        let content = &mut self.content;
        let mut at = [0.0_f32; 2];
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(p) => {
                    content.move_to(p.x, p.y);
                    at = [p.x, p.y];
                }
                PathSegment::LineTo(p) => {
                    content.line_to(p.x, p.y);
                    at = [p.x, p.y];
                }
                // A curve of degree 2 as one of degree 3.
                PathSegment::QuadTo(c, p) => {
                    let third = |a: f32, c: f32| a + 2.0 / 3.0 * (c - a);
                    let (a, b) = ([third(at[0], c.x), third(at[1], c.y)], [third(p.x, c.x), third(p.y, c.y)]);
                    content.cubic_to(a[0], a[1], b[0], b[1], p.x, p.y);
                    at = [p.x, p.y];
                }
                PathSegment::CubicTo(a, b, p) => {
                    content.cubic_to(a.x, a.y, b.x, b.y, p.x, p.y);
                    at = [p.x, p.y];
                }
                PathSegment::Close => drop(content.close_path()),
            }
        }
    }

    fn file(self, (w, h): (f32, f32)) -> Vec<u8> {
        let [catalogue, pages, page, contents] = OBJECTS.map(Ref::new);
        let of_opacity = |k: usize| Ref::new(OBJECTS.len() as i32 + 1 + k as i32);
        let mut pdf = Pdf::new();
        pdf.catalog(catalogue).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        let mut sheet = pdf.page(page);
        sheet.media_box(Rect::new(0.0, 0.0, w, h)).parent(pages).contents(contents);
        let mut resources = sheet.resources();
        let mut states = resources.ext_g_states();
        for (k, opacity) in self.opacities.iter().enumerate() {
            states.pair(Name(name_of(*opacity).as_bytes()), of_opacity(k));
        }
        states.finish();
        resources.finish();
        sheet.finish();
        for (k, opacity) in self.opacities.iter().enumerate() {
            let part = f32::from(*opacity) / 255.0;
            pdf.ext_graphics(of_opacity(k)).non_stroking_alpha(part).stroking_alpha(part);
        }
        let drawn = packed(&self.content.finish());
        pdf.stream(contents, &drawn).filter(Filter::FlateDecode);
        pdf.finish()
    }
}

/// Red, green and blue from 0 to 1.
fn colour(paint: &Paint) -> Result<[f32; 3], String> {
    match paint {
        Paint::Color(c) => Ok([c.red, c.green, c.blue].map(|part| f32::from(part) / 255.0)),
        _ => Err("gradients and patterns have no place in a PDF of lines".to_owned()),
    }
}

/// The bytes as PDF packs its streams: zlib.
fn packed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Read;
    let mut out = Vec::new();
    let mut packer = flate2::read::ZlibEncoder::new(bytes, flate2::Compression::best());
    // Memory to memory: nothing fails.
    packer.read_to_end(&mut out).map_or_else(|_| Vec::new(), |_| out)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// Content of the page, as PDF writes it.
    fn drawn(body: &str) -> String {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\" font-family=\"sans-serif\">{body}</svg>"
        );
        let file = pdf(&svg).unwrap();
        assert!(file.starts_with(b"%PDF-1.7") && file.trim_ascii_end().ends_with(b"%%EOF"));
        let text = String::from_utf8_lossy(&file).into_owned();
        assert!(text.contains("/MediaBox [0 0 30 15]"), "{text}");
        let find = |of: &[u8]| file.windows(of.len()).position(|w| w == of).unwrap();
        let (start, end) = (find(b"stream\n") + 7, find(b"\nendstream"));
        let mut out = String::new();
        flate2::read::ZlibDecoder::new(&file[start..end]).read_to_string(&mut out).unwrap();
        out
    }

    #[test]
    fn a_rectangle_is_an_area_in_its_colour_and_opacity() {
        let text =
            drawn("<rect x=\"5\" y=\"6\" width=\"10\" height=\"4\" fill=\"#ff0000\" opacity=\"0.2\"/>");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "0.75 0 0 -0.75 0 15 cm");
        for expected in ["/o51 gs", "1 0 0 rg", "5 6 m", "15 6 l", "15 10 l", "5 10 l", "h", "f"] {
            assert!(lines.contains(&expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn lines_are_lines_and_letters_are_outlines() {
        let text = drawn(
            "<line x1=\"1\" y1=\"2\" x2=\"3\" y2=\"4\" stroke=\"#00ff00\" stroke-width=\"2\" stroke-dasharray=\"4 1\"/>",
        );
        for expected in ["0 1 0 RG", "2 w", "[4 1] 0 d", "1 2 m", "3 4 l", "S"] {
            assert!(text.lines().any(|line| line == expected), "{expected}\n{text}");
        }
        let letters = drawn("<text x=\"5\" y=\"15\" font-size=\"12\">µ</text>");
        assert!(letters.lines().filter(|line| line.ends_with(" c")).count() > 3, "{letters}");
    }

    #[test]
    fn the_same_drawing_has_the_same_bytes_and_what_is_none_is_told() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"2\"><circle cx=\"1\" cy=\"1\" r=\"1\"/></svg>";
        assert_eq!(pdf(svg).unwrap(), pdf(svg).unwrap());
        assert!(pdf("no drawing").is_err());
    }
}
