//! Values as words: numbers of 8 bytes, arrays as their length and their bytes, filled up to whole words. What is read borrows from the words
//! it is read from; lengths are looked at before anything else.

use vinci_abi::fault::Flaw;
use vinci_abi::raw::{Crossing, SpaceCode, StatusCode, VerdictCode};
use vinci_core::Csr;
use vinci_core::contact::ContactKey;
use vinci_core::model::{PairColumns, PairValues, Space};
use vinci_core::problem::{Part, RowTag, Status};
use vinci_core::stage::Verdict;

/// A value that can be words.
pub(crate) trait Flat<'a>: Sized {
    /// Appends its words.
    fn write(&self, to: &mut Vec<u64>);

    /// Reads it.
    fn read(from: &mut Reader<'a>) -> Result<Self, Flaw>;
}

/// Words that are read from front to back.
pub(crate) struct Reader<'a> {
    /// Length of the array that comes next, where it does not stand in front of it.
    length: Option<u64>,
    rest: &'a [u64],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(words: &'a [u64]) -> Self {
        Self { length: None, rest: words }
    }

    /// An array without its length.
    pub(crate) fn with_length(length: usize, words: &'a [u64]) -> Self {
        Self { length: Some(length as u64), rest: words }
    }

    /// The last value.
    pub(crate) fn last<T: Flat<'a>>(mut self) -> Result<T, Flaw> {
        let value = T::read(&mut self)?;
        self.end()?;
        Ok(value)
    }

    /// Checks that no word is left.
    pub(crate) fn end(&self) -> Result<(), Flaw> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Flaw::output(format!("{} words too many", self.rest.len())))
        }
    }

    fn word(&mut self) -> Result<u64, Flaw> {
        let (word, rest) = self.rest.split_first().ok_or_else(|| Flaw::output("it ends too early".into()))?;
        self.rest = rest;
        Ok(*word)
    }

    /// Words of an array whose elements have `size` bytes, and its length.
    fn array(&mut self, size: usize) -> Result<(&'a [u64], usize), Flaw> {
        let length = self.length.take().map_or_else(|| self.word(), Ok)?;
        let bytes = usize::try_from(length).ok().and_then(|n| n.checked_mul(size));
        let words = bytes.map(|b| b.div_ceil(8)).filter(|n| *n <= self.rest.len());
        let Some(words) = words else {
            let left = self.rest.len();
            return Err(Flaw::output(format!("an array of {length} elements where {left} words are left")));
        };
        let (array, rest) = self.rest.split_at(words);
        self.rest = rest;
        // Fits into the words that are there.
        Ok((array, length as usize))
    }

    fn pods<T: bytemuck::Pod>(&mut self) -> Result<&'a [T], Flaw> {
        let (words, length) = self.array(size_of::<T>())?;
        Ok(&bytemuck::cast_slice(words)[..length])
    }
}

fn write_pods<T: bytemuck::Pod>(values: &[T], to: &mut Vec<u64>) {
    to.push(values.len() as u64);
    let bytes: &[u8] = bytemuck::cast_slice(values);
    let start = to.len();
    to.resize(start + bytes.len().div_ceil(8), 0);
    bytemuck::cast_slice_mut::<u64, u8>(&mut to[start..])[..bytes.len()].copy_from_slice(bytes);
}

macro_rules! pods {
    ($($kind:ty),+) => {$(
        impl<'a> Flat<'a> for &'a [$kind] {
            fn write(&self, to: &mut Vec<u64>) {
                write_pods(self, to);
            }

            fn read(from: &mut Reader<'a>) -> Result<Self, Flaw> {
                from.pods()
            }
        }
    )+};
}

pods!(u8, u32, u64, f64);

macro_rules! numbers {
    ($($kind:ty = $to:expr, $from:expr;)+) => {$(
        impl Flat<'_> for $kind {
            fn write(&self, to: &mut Vec<u64>) {
                let word: fn(&$kind) -> u64 = $to;
                to.push(word(self));
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, Flaw> {
                let number: fn(u64) -> Option<$kind> = $from;
                let word = from.word()?;
                number(word).ok_or_else(|| Flaw::output(format!("{word} is too large")))
            }
        }
    )+};
}

numbers! {
    u64 = |x| *x, Some;
    u32 = |x| u64::from(*x), |w| w.try_into().ok();
    usize = |x| *x as u64, |w| w.try_into().ok();
    f64 = |x| x.to_bits(), |w| Some(f64::from_bits(w));
}

macro_rules! codes {
    ($($kind:ty = $raw:ident, $what:literal;)+) => {$(
        impl Flat<'_> for $kind {
            fn write(&self, to: &mut Vec<u64>) {
                $raw::outgoing(self).code.write(to);
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, Flaw> {
                $raw { code: u32::read(from)? }.known($what)
            }
        }
    )+};
}

codes! {
    Space = SpaceCode, "space";
    Verdict = VerdictCode, "verdict";
    Status = StatusCode, "status";
}

impl<'a> Flat<'a> for &'a str {
    fn write(&self, to: &mut Vec<u64>) {
        write_pods(self.as_bytes(), to);
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, Flaw> {
        std::str::from_utf8(from.pods()?).map_err(|e| Flaw::output(format!("text that is no UTF-8: {e}")))
    }
}

impl<'a> Flat<'a> for Csr<'a> {
    fn write(&self, to: &mut Vec<u64>) {
        let Self { n_cols, row_start, column, value } = self;
        n_cols.write(to);
        row_start.write(to);
        column.write(to);
        value.write(to);
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, Flaw> {
        Ok(Self {
            n_cols: Flat::read(from)?,
            row_start: Flat::read(from)?,
            column: Flat::read(from)?,
            value: Flat::read(from)?,
        })
    }
}

impl<'a> Flat<'a> for PairColumns<'a> {
    fn write(&self, to: &mut Vec<u64>) {
        self.list().iter().for_each(|column| column.write(to));
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, Flaw> {
        let mut flaw = None;
        let columns = PairValues::NAMES.map(|_| {
            from.pods().unwrap_or_else(|first| {
                flaw.get_or_insert(first);
                &[]
            })
        });
        flaw.map_or(Ok(columns), Err)
    }
}

const KEY: usize = size_of::<ContactKey>();
const TAG: usize = size_of::<RowTag>();
const _: () = assert!(KEY == 16 && align_of::<ContactKey>() == 4 && TAG == 8 && align_of::<RowTag>() == 4);

impl<'a> Flat<'a> for &'a [ContactKey] {
    fn write(&self, to: &mut Vec<u64>) {
        let pair = |a: u32, b: u32| u64::from_ne_bytes(bytemuck::cast([a, b]));
        to.push(self.len() as u64);
        to.extend(self.iter().flat_map(|k| [pair(k.shape_a, k.shape_b), pair(k.feature_a, k.feature_b)]));
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, Flaw> {
        let (words, length) = from.array(KEY)?;
        // SAFETY: a key is four u32 in C's order (asserted above: 16 bytes, so nothing between them), for which all bits are numbers; two
        // words each are there, aligned better than keys need, and borrowed as long as the result.
        Ok(unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), length) })
    }
}

impl<'a> Flat<'a> for &'a [RowTag] {
    fn write(&self, to: &mut Vec<u64>) {
        let pair = |tag: &RowTag| u64::from_ne_bytes(bytemuck::cast([tag.subject, tag.part as u32]));
        to.push(self.len() as u64);
        to.extend(self.iter().map(pair));
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, Flaw> {
        let (words, length) = from.array(TAG)?;
        let halves: &[u32] = bytemuck::cast_slice(words);
        if let Some(tag) = halves.chunks_exact(2).find(|tag| tag[1] as usize >= Part::ALL.len()) {
            return Err(Flaw::output(format!("{} is not the code of a part", tag[1])));
        }
        // SAFETY: a tag is a u32 and a `Part` in C's order (8 bytes, so nothing between them); every part was just seen to be one, and the
        // words belong to this process alone. One word each is there, aligned better than tags need, and borrowed as long as the result.
        Ok(unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), length) })
    }
}
