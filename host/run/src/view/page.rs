//! The page from its parts, by the rules of `host/run/assets/view/FORMAT.md`.

use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::{Compression, GzBuilder};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Block;
use crate::svg::escape;

const TEMPLATE: &str = include_str!("../../assets/view/index.html");
const STYLE: &str = include_str!("../../assets/view/style.css");

macro_rules! modules {
    ($($name:literal),*) => { [$(include_str!(concat!("../../assets/view/", $name, ".js"))),*] };
}

/// The scripts in their order.
const MODULES: [&str; 20] = modules!(
    "math", "mesh", "flat", "data", "camera", "shaders", "gl", "page", "scene", "contacts", "timeline",
    "columns", "plot", "surface", "view", "pointer", "legend", "controls", "live", "main"
);

/// The page with a header and its numbers.
///
/// # Errors
/// Of compression.
pub fn page(mut header: Value, block: &Block) -> std::io::Result<String> {
    let mut packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::new(6));
    packed.write_all(&block.bytes)?;
    let packed = packed.finish()?;
    header["encoding"] = "gzip".into();
    header["bytes"] = block.bytes.len().into();
    let title = header["title"].as_str().unwrap_or_default().to_owned();
    let code = script();
    let parts = [
        ("script-hash", digest(&code)),
        ("style-hash", digest(STYLE)),
        // A page in a file asks nobody for anything; one that follows a run asks the program that serves it.
        ("connect", if header["live"] == true { "; connect-src 'self'".into() } else { String::new() }),
        ("title", escaped(&title)),
        ("style", STYLE.to_owned()),
        // No `<` in the header: nothing in it can end its element.
        ("header", header.to_string().replace('<', "\\u003c")),
        ("data", BASE64_STANDARD.encode(packed)),
        ("script", code),
    ];
    let (mut rest, mut out) = (TEMPLATE, String::new());
    for (name, value) in &parts {
        let place = format!("{{{{{name}}}}}");
        let (before, after) = rest.split_once(&place).ok_or_else(|| std::io::Error::other(place.clone()))?;
        out.push_str(before);
        out.push_str(value);
        rest = after;
    }
    Ok(out + rest)
}

/// All modules as one script: no lines of imports, no `export`, inside one function.
fn script() -> String {
    let mut out = String::from("(() => {\n\"use strict\";\n");
    let lines = MODULES.iter().flat_map(|module| module.lines());
    for line in lines.filter(|line| !line.starts_with("import ")) {
        out.push_str(line.strip_prefix("export ").unwrap_or(line));
        out.push('\n');
    }
    out + "})();\n"
}

fn digest(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// Text as HTML shows it.
pub fn escaped(text: &str) -> String {
    escape(text).replace('\'', "&#x27;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_in_a_header_ends_its_element() {
        let header = json!({ "title": "<script>alert('1')</script> & more", "runs": [] });
        let page = page(header, &Block::default()).unwrap();
        assert!(page.contains("<title>&lt;script&gt;alert(&#x27;1&#x27;)&lt;/script&gt; &amp; more</title>"));
        assert_eq!(page.matches("</script>").count(), 3);
        assert!(!page.contains("{{"));
    }

    #[test]
    fn the_modules_stand_in_the_order_that_the_format_names() {
        let format = include_str!("../../assets/view/FORMAT.md");
        let order = format.lines().find_map(|line| line.strip_prefix("Order: ")).unwrap();
        let names: Vec<&str> = order.trim_end_matches('.').split(", ").map(|n| n.trim_matches('`')).collect();
        assert_eq!(names.len(), MODULES.len());
        for (name, text) in names.iter().zip(MODULES) {
            let file =
                std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("assets/view/{name}.js"));
            assert_eq!(std::fs::read_to_string(file).unwrap(), text, "{name}");
        }
        let script = script();
        assert!(!script.contains("\nimport ") && !script.contains("\nexport "));
    }
}
