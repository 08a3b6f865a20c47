//! Messages of the worker protocol: a head, which is JSON and names arrays, and the bytes of these.
//!
//! A message is the length of the head (u64, little-endian), the length of the body (the same), the head, the body. In the body stand the
//! arrays in the order in which the head names them, each filled up with zeros to a multiple of 8 bytes. `docs/src/reference/worker-protocol.md`
//! says what there is to say.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use vinci_abi::fault::Flaw;

const _: () = assert!(cfg!(target_endian = "little"), "arrays cross as they lie in memory");

/// Bytes before the head.
pub(crate) const PREFIX: usize = 16;

/// Longest head that a worker may send, bytes.
pub(crate) const LONGEST_HEAD: usize = 1 << 20;

/// Longest body in either direction, bytes.
pub(crate) const LONGEST_BODY: usize = 256 << 20;

/// Types of arrays: name, and bytes of an element.
pub(crate) const TYPES: [(&str, usize); 5] = [("f64", 8), ("u64", 8), ("u32", 4), ("u8", 1), ("text", 1)];

/// A message in the making.
pub(crate) struct Outgoing {
    head: Map<String, Value>,
    arrays: Vec<Value>,
    body: Vec<u8>,
}

impl Outgoing {
    /// A question of a kind.
    pub(crate) fn new(call: &str) -> Self {
        let head = Map::from_iter([("call".to_owned(), json!(call))]);
        Self { head, arrays: Vec::new(), body: Vec::new() }
    }

    /// Puts a value into the head.
    pub(crate) fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.head.insert(key.to_owned(), value.into());
    }

    /// Appends an array.
    pub(crate) fn array(&mut self, name: &str, kind: &str, shape: &[usize], bytes: &[u8]) {
        self.arrays.push(json!([name, kind, shape]));
        self.body.extend_from_slice(bytes);
        self.body.resize(self.body.len().next_multiple_of(8), 0);
    }

    /// The bytes of the message; the length of its body where that is too long.
    pub(crate) fn bytes(mut self) -> Result<Vec<u8>, usize> {
        if self.body.len() > LONGEST_BODY {
            return Err(self.body.len());
        }
        self.head.insert("arrays".to_owned(), Value::Array(self.arrays));
        let head = Value::Object(self.head).to_string();
        let lengths = [head.len() as u64, self.body.len() as u64].map(u64::to_le_bytes);
        Ok([&lengths[0], &lengths[1], head.as_bytes(), &self.body].concat())
    }
}

/// An array of a message that came in.
pub(crate) struct Array {
    pub(crate) kind: &'static str,
    pub(crate) shape: Vec<usize>,
    /// Number of elements (none for a single value), then the bytes, as whole words.
    pub(crate) words: Vec<u64>,
}

/// A message that came in.
pub(crate) struct Incoming {
    head: Map<String, Value>,
    arrays: BTreeMap<String, Array>,
}

/// Lengths of head and body, from the first bytes of a message.
pub(crate) fn lengths(prefix: [u8; PREFIX]) -> Result<(usize, usize), Flaw> {
    let [head, body] = bytemuck::cast::<_, [u64; 2]>(prefix);
    if head > LONGEST_HEAD as u64 || body > LONGEST_BODY as u64 {
        let text = String::from_utf8_lossy(&prefix).into_owned();
        let message = format!(
            "a message with a head of {head} bytes and a body of {body} where {LONGEST_HEAD} and {LONGEST_BODY} are allowed; as text its first \
             bytes are {text:?}: what is printed must not go to standard output"
        );
        return Err(Flaw::output(message));
    }
    // Both fit, being that small.
    Ok((head as usize, body as usize))
}

impl Incoming {
    /// Reads head and body.
    pub(crate) fn read(head: &[u8], body: &[u8]) -> Result<Self, Flaw> {
        let mut head: Map<String, Value> = serde_json::from_slice(head)
            .map_err(|e| Flaw::output(format!("a head that is no JSON object: {e}")))?;
        let list = match head.remove("arrays") {
            Some(Value::Array(list)) => list,
            Some(_) => return Err(Flaw::output("`arrays` is no list".into())),
            None => Vec::new(),
        };
        let (mut arrays, mut rest) = (BTreeMap::new(), body);
        for entry in list {
            let (name, array) = taken(&entry, &mut rest)?;
            if arrays.insert(name, array).is_some() {
                return Err(Flaw::output(format!("the array {} stands twice", entry[0])));
            }
        }
        if rest.is_empty() {
            return Ok(Self { head, arrays });
        }
        Err(Flaw::output(format!("{} bytes behind its arrays", rest.len())))
    }

    /// A value of the head.
    pub(crate) fn value(&self, key: &str) -> &Value {
        self.head.get(key).unwrap_or(&Value::Null)
    }

    /// An array, if it is there.
    pub(crate) fn array(&self, name: &str) -> Option<&Array> {
        self.arrays.get(name)
    }
}

/// The array of an entry `[name, type, shape]`, taken from the front of the body.
fn taken(entry: &Value, rest: &mut &[u8]) -> Result<(String, Array), Flaw> {
    let bad = || Flaw::output(format!("{entry} is no [name, type, shape] of an array"));
    let fields = entry.as_array().filter(|fields| fields.len() == 3).ok_or_else(bad)?;
    let name = fields[0].as_str().ok_or_else(bad)?;
    let kind = fields[1].as_str().ok_or_else(bad)?;
    let (kind, size) = TYPES.into_iter().find(|(known, _)| *known == kind).ok_or_else(bad)?;
    let sides = fields[2].as_array().filter(|sides| sides.len() <= 4).ok_or_else(bad)?;
    let side = |side: &Value| side.as_u64().and_then(|n| usize::try_from(n).ok());
    let shape: Vec<usize> = sides.iter().map(side).collect::<Option<_>>().ok_or_else(bad)?;
    let count = shape.iter().try_fold(1_usize, |count, side| count.checked_mul(*side));
    let bytes = count.and_then(|count| count.checked_mul(size)).filter(|bytes| *bytes <= rest.len());
    let whole = bytes.map(|bytes| bytes.next_multiple_of(8)).filter(|whole| *whole <= rest.len());
    let (Some(count), Some(bytes), Some(whole)) = (count, bytes, whole) else {
        let left = rest.len();
        return Err(Flaw::output(format!(
            "the array `{name}` of shape {shape:?} where {left} bytes are left"
        )));
    };
    let mut words = vec![0; whole / 8 + 1];
    words[0] = count as u64;
    bytemuck::cast_slice_mut::<u64, u8>(&mut words[1..])[..bytes].copy_from_slice(&rest[..bytes]);
    *rest = &rest[whole..];
    Ok((name.to_owned(), Array { kind, shape, words }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Vec<u8> {
        let mut message = Outgoing::new("solve");
        message.set("class", "Mlcp");
        message.array("q", "f64", &[2], &[1; 16]);
        message.array("tag", "u32", &[1, 2], &[2; 8]);
        message.array("note", "text", &[5], b"hello");
        message.bytes().unwrap_or_default()
    }

    fn read(bytes: &[u8]) -> Result<Incoming, Flaw> {
        let prefix = bytes.first_chunk().ok_or_else(|| Flaw::output("too short".into()))?;
        let (head, body) = lengths(*prefix)?;
        let rest = &bytes[PREFIX..];
        let whole = rest.len() == head + body;
        if whole {
            Incoming::read(&rest[..head], &rest[head..])
        } else {
            Err(Flaw::output("too short".into()))
        }
    }

    #[test]
    fn a_message_comes_back_as_it_was_sent() {
        let read = read(&message()).unwrap_or_else(|flaw| panic!("{}", flaw.message));
        assert_eq!((read.value("call"), read.value("class")), (&json!("solve"), &json!("Mlcp")));
        let shapes =
            ["q", "tag", "note"].map(|name| read.array(name).map(|a| (a.kind, a.shape.clone(), a.words[0])));
        assert_eq!(shapes[0], Some(("f64", vec![2], 2)));
        assert_eq!(shapes[1], Some(("u32", vec![1, 2], 2)));
        assert_eq!(shapes[2], Some(("text", vec![5], 5)));
    }

    /// Whatever bytes come: they are a message, or refused, and no array has more words than the message has.
    #[test]
    fn damaged_messages_are_refused_or_read() {
        let (whole, mut state, mut refused) = (message(), 1_u64, 0);
        for _ in 0..20_000 {
            let mut bytes = whole.clone();
            for _ in 0..3 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (state >> 33) as usize % bytes.len();
                bytes[at] = (state >> 20) as u8;
            }
            match read(&bytes) {
                Ok(read) => assert!(read.arrays.values().all(|array| 8 * array.words.len() <= bytes.len())),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 10_000, "{refused}");
    }
}
