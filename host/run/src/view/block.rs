//! Arrays of numbers of a page, one behind the other.

use serde_json::{Value, json};

/// Numbers, little endian; every array begins at a multiple of 8 bytes.
#[derive(Debug, Default)]
pub struct Block {
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Block {
    fn put<const N: usize>(&mut self, kind: &str, numbers: impl Iterator<Item = [u8; N]>) -> Value {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let at = self.bytes.len();
        self.bytes.extend(numbers.flatten());
        json!({ "type": kind, "at": at, "count": (self.bytes.len() - at) / N })
    }

    /// Doubles; the reference that stands in the header.
    pub fn f64(&mut self, numbers: &[f64]) -> Value {
        self.put("f64", numbers.iter().map(|x| x.to_le_bytes()))
    }

    /// Doubles as singles.
    pub fn f32(&mut self, numbers: &[f64]) -> Value {
        self.put("f32", numbers.iter().map(|x| (*x as f32).to_le_bytes()))
    }

    /// Parts of 32767 of 1, rounded.
    pub fn parts(&mut self, numbers: &[f64]) -> Value {
        self.put("i16", numbers.iter().map(|x| ((32767.0 * x).round() as i16).to_le_bytes()))
    }

    /// Whole numbers.
    pub fn u32(&mut self, numbers: &[u32]) -> Value {
        self.put("u32", numbers.iter().map(|x| x.to_le_bytes()))
    }

    /// Whole numbers up to 65535.
    pub fn u16(&mut self, numbers: &[u16]) -> Value {
        self.put("u16", numbers.iter().map(|x| x.to_le_bytes()))
    }

    /// Whole numbers up to 255.
    pub fn u8(&mut self, numbers: &[u8]) -> Value {
        self.put("u8", numbers.iter().map(|x| [*x]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_begin_at_multiples_of_eight() {
        let mut block = Block::default();
        let first = block.u8(&[1, 2, 3]);
        let second = block.f32(&[1.5]);
        assert_eq!(first, json!({ "type": "u8", "at": 0, "count": 3 }));
        assert_eq!(second, json!({ "type": "f32", "at": 8, "count": 1 }));
        assert_eq!(block.bytes[8..], 1.5_f32.to_le_bytes());
        assert_eq!(block.parts(&[-1.0, 1.0]), json!({ "type": "i16", "at": 16, "count": 2 }));
    }
}
