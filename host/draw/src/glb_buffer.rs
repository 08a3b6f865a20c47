//! The numbers of a glTF file, and the lists in its header that say where they are.

use serde_json::{Value, json};

/// Codes of the format: numbers, and what they are used for.
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Arrays of numbers one behind the other, little endian.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) views: Vec<Value>,
    pub(crate) accessors: Vec<Value>,
}

impl Buffer {
    /// Vectors of N numbers for vertices or animations; the number of the accessor. `kind`: name of the vectors in the format.
    pub(crate) fn vectors<const N: usize>(
        &mut self,
        kind: &str,
        all: &[[f32; N]],
        of_vertices: bool,
    ) -> usize {
        let mut accessor = json!({ "componentType": FLOAT, "count": all.len(), "type": kind });
        // The format asks for bounds of times and positions.
        let bound = |pick: fn(f32, f32) -> f32, from: f32| -> Vec<f32> {
            (0..N).map(|k| all.iter().map(|v| v[k]).fold(from, pick)).collect()
        };
        if N != 4 && !all.is_empty() {
            accessor["min"] = json!(bound(f32::min, f32::INFINITY));
            accessor["max"] = json!(bound(f32::max, f32::NEG_INFINITY));
        }
        let bytes = all.iter().flatten().flat_map(|x| x.to_le_bytes());
        self.put(accessor, bytes, of_vertices.then_some(VERTICES))
    }

    /// Numbers of vertices; the number of the accessor.
    pub(crate) fn indices(&mut self, all: &[[u32; 3]]) -> usize {
        let accessor = json!({ "componentType": UNSIGNED_INT, "count": 3 * all.len(), "type": "SCALAR" });
        self.put(accessor, all.iter().flatten().flat_map(|k| k.to_le_bytes()), Some(INDICES))
    }

    fn put(&mut self, mut accessor: Value, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let at = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": at, "byteLength": self.bytes.len() - at });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        accessor["bufferView"] = self.views.len().into();
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// The file: its length, the header padded with blanks, and the numbers.
    pub(crate) fn file(self, header: &Value) -> Vec<u8> {
        let mut text = header.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bytes = self.bytes;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let chunks = [(b"JSON", text), (b"BIN\0", bytes)];
        let length = 12 + chunks.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
        let mut file = b"glTF".to_vec();
        let word = |n: usize| (n as u32).to_le_bytes();
        file.extend(word(2).into_iter().chain(word(length)));
        for (kind, bytes) in chunks {
            file.extend(word(bytes.len()));
            file.extend(kind);
            file.extend(bytes);
        }
        file
    }
}
