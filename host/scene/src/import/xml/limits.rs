//! Limits of XML that is read. The parser goes through the attributes of an element by pairs, and copies the namespaces in scope for
//! every element that declares one: a small file of the wrong kind would take minutes, or all memory.

/// Elements inside each other.
const DEEPEST: usize = 128;
/// Elements of a file.
const MOST_ELEMENTS: usize = 1_000_000;
/// Attributes of one element.
const MOST_ATTRIBUTES: usize = 256;
/// Declarations of namespaces in a file.
const MOST_NAMESPACES: usize = 64;

/// Where a text exceeds a limit, and which; nothing is said about text that is no XML. Takes one look at every byte.
pub(in crate::import) fn excess(text: &str) -> Option<(usize, String)> {
    let mut scan = Scan { text, at: 0, depth: 0, elements: 0, namespaces: 0 };
    while let Some(start) = scan.next_tag() {
        if let Some(limit) = scan.tag() {
            return Some((start, limit));
        }
    }
    None
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    elements: usize,
    namespaces: usize,
}

impl Scan<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Goes to the next tag, over comments, processing instructions and character data.
    fn next_tag(&mut self) -> Option<usize> {
        loop {
            self.at += self.rest().find('<')?;
            let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
            match skipped.iter().find(|(begin, _)| self.rest().starts_with(begin)) {
                Some((begin, end)) => {
                    self.at += begin.len();
                    self.at += self.rest().find(end)? + end.len();
                }
                None => return Some(self.at),
            }
        }
    }

    /// Goes over the tag that begins here.
    fn tag(&mut self) -> Option<String> {
        let tag = &self.text[self.at..self.at + length(self.rest())];
        self.at += tag.len();
        if tag.starts_with("</") {
            self.depth = self.depth.saturating_sub(1);
            return None;
        }
        self.elements += 1;
        self.depth += 1;
        let (attributes, namespaces) = attributes(tag);
        self.namespaces += namespaces;
        let limits = [
            (self.depth, DEEPEST, "elements inside each other"),
            (self.elements, MOST_ELEMENTS, "elements"),
            (attributes, MOST_ATTRIBUTES, "attributes of one element"),
            (self.namespaces, MOST_NAMESPACES, "declarations of namespaces"),
        ];
        if tag.ends_with("/>") {
            self.depth -= 1;
        }
        let (_, most, what) = limits.into_iter().find(|(found, most, _)| found > most)?;
        Some(format!("this model has more than {most} {what}"))
    }
}

/// Bytes up to the `>` that ends a tag, which may also stand in quotes; all of a tag that never ends.
fn length(text: &str) -> usize {
    let mut quote = None;
    for (i, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return i + 1,
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// Attributes of a tag, and declarations of namespaces among them: signs of equality outside quotes.
fn attributes(tag: &str) -> (usize, usize) {
    let (mut quote, mut all, mut namespaces) = (None, 0, 0);
    for (i, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'=') => {
                all += 1;
                let name = tag.as_bytes()[..i].trim_ascii_end();
                let name = name.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
                namespaces += usize::from(name.starts_with(b"xmlns"));
            }
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    (all, namespaces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        excess(text).map_or_else(String::new, |(at, limit)| format!("{at}: {limit}"))
    }

    #[test]
    fn tags_comments_and_quotes_are_told_apart() {
        let deep = |n: usize, inner: &str| "<a>".repeat(n) + inner + &"</a>".repeat(n);
        assert_eq!(said(&deep(DEEPEST, "")), "");
        assert_eq!(
            said(&deep(DEEPEST - 1, "<b/><b/><!-- <c> --><![CDATA[<c>]]><?x <c>?><b x='<c>' y=\"/>\"/>")),
            ""
        );
        assert_eq!(
            said(&deep(DEEPEST, "<b/>")),
            "384: this model has more than 128 elements inside each other"
        );
        assert_eq!(said("<a x='='/><!-- <"), "");
        assert_eq!(said("<a <a <a"), "");
    }

    #[test]
    fn each_limit_is_found_where_it_is_passed() {
        let attributes = |n: usize| (0..n).map(|i| format!(" a{i}='1'")).collect::<String>();
        assert_eq!(said(&format!("<a{}/>", attributes(MOST_ATTRIBUTES))), "");
        let many = format!("<r><a{}/></r>", attributes(MOST_ATTRIBUTES + 1));
        assert_eq!(said(&many), "3: this model has more than 256 attributes of one element");
        let spaces = "<a xmlns:b ='u'/>".repeat(MOST_NAMESPACES + 1);
        assert!(said(&spaces).ends_with("more than 64 declarations of namespaces"));
        let elements = "<a/>".repeat(MOST_ELEMENTS + 1);
        assert_eq!(said(&elements), "4000000: this model has more than 1000000 elements");
    }

    #[test]
    fn a_tag_that_never_ends_is_looked_at_once() {
        let text = "<a '".repeat(1_000_000);
        assert_eq!(said(&text), "");
    }
}
