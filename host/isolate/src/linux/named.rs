//! Questions to stages and their answers as named arrays, field by field: the names are those of the fields.

use vinci_abi::fault::Flaw;
use vinci_abi::raw::VerdictCode;
use vinci_core::Csr;
use vinci_core::contact::ContactKey;
use vinci_core::model::{PairColumns, PairValues, Space};
use vinci_core::problem::{RowTag, Status};
use vinci_core::stage::Verdict;

use super::message::{Array, Incoming, Outgoing};
use super::words::{Flat, Reader};

/// A value that can be named arrays.
pub(crate) trait Named<'a>: Sized {
    /// Appends it under a name; what has parts puts theirs behind a point.
    fn put(&self, name: &str, to: &mut Outgoing);

    /// Looks it up under a name.
    fn get(name: &str, from: &'a Incoming) -> Result<Self, Flaw>;
}

/// Name of a part.
pub(crate) fn part(of: &str, name: &str) -> String {
    if of.is_empty() { name.to_owned() } else { format!("{of}.{name}") }
}

/// The words of an array of a type; none where it is not there.
fn found<'a>(name: &str, kind: &str, from: &'a Incoming) -> Result<Option<&'a Array>, Flaw> {
    match from.array(name) {
        Some(array) if array.kind != kind => {
            Err(Flaw::output(format!("`{name}` is of type {}, not {kind}", array.kind)))
        }
        array => Ok(array),
    }
}

/// Arrays of numbers; what is not there is empty.
macro_rules! arrays {
    ($($kind:ty, $name:literal, $columns:literal;)+) => {$(
        impl<'a> Named<'a> for &'a [$kind] {
            fn put(&self, name: &str, to: &mut Outgoing) {
                let mut words = Vec::new();
                self.write(&mut words);
                let bytes = &bytemuck::cast_slice(&words[1..])[..size_of_val(*self)];
                let shape: &[usize] = if $columns == 1 { &[self.len()] } else { &[self.len(), $columns] };
                to.array(name, $name, shape, bytes);
            }

            fn get(name: &str, from: &'a Incoming) -> Result<Self, Flaw> {
                let Some(array) = found(name, $name, from)? else { return Ok(&[]) };
                rows(name, array, $columns)?;
                Reader::new(&array.words).last()
            }
        }
    )+};
}

arrays! {
    f64, "f64", 1;
    u64, "u64", 1;
    u32, "u32", 1;
    u8, "u8", 1;
}

/// Keys and tags: rows of u32.
macro_rules! tables {
    ($($kind:ty, $columns:literal;)+) => {$(
        impl<'a> Named<'a> for &'a [$kind] {
            fn put(&self, name: &str, to: &mut Outgoing) {
                let mut words = Vec::new();
                self.write(&mut words);
                to.array(name, "u32", &[self.len(), $columns], bytemuck::cast_slice(&words[1..]));
            }

            fn get(name: &str, from: &'a Incoming) -> Result<Self, Flaw> {
                let Some(array) = found(name, "u32", from)? else { return Ok(&[]) };
                rows(name, array, $columns)?;
                // As many elements as there are rows: the words say how many numbers there are.
                <&[$kind]>::read(&mut Reader::with_length(array.shape[0], &array.words[1..]))
            }
        }
    )+};
}

tables! {
    ContactKey, 4;
    RowTag, 2;
}

/// Checks that an array is a list of numbers or, with several columns, of rows.
fn rows(name: &str, array: &Array, columns: usize) -> Result<(), Flaw> {
    let fits = match array.shape[..] {
        // A list may come as rows of whatever width, as a matrix of tangents does.
        _ if columns == 1 => !array.shape.is_empty(),
        [_, width] => width == columns,
        _ => false,
    };
    if fits {
        return Ok(());
    }
    let expected = if columns == 1 { "a list".to_owned() } else { format!("rows of {columns}") };
    Err(Flaw::output(format!("`{name}` has the shape {:?}; it must be {expected}", array.shape)))
}

/// Single numbers, which must be there.
macro_rules! numbers {
    ($($kind:ty, $name:literal;)+) => {$(
        impl Named<'_> for $kind {
            fn put(&self, name: &str, to: &mut Outgoing) {
                let mut words = Vec::new();
                self.write(&mut words);
                to.array(name, $name, &[], bytemuck::cast_slice(&words));
            }

            fn get(name: &str, from: &Incoming) -> Result<Self, Flaw> {
                let array = found(name, $name, from)?.filter(|array| array.shape.is_empty());
                let missing = || Flaw::output(format!("there is no number `{name}`"));
                let read = Reader::new(&array.ok_or_else(missing)?.words[1..]).last();
                read.map_err(|Flaw { kind, message }| Flaw { kind, message: format!("the number `{name}`: {message}") })
            }
        }
    )+};
}

numbers! {
    f64, "f64";
    u64, "u64";
    u32, "u64";
    usize, "u64";
}

impl<'a> Named<'a> for &'a str {
    fn put(&self, name: &str, to: &mut Outgoing) {
        to.array(name, "text", &[self.len()], self.as_bytes());
    }

    fn get(name: &str, from: &'a Incoming) -> Result<Self, Flaw> {
        found(name, "text", from)?.map_or(Ok(""), |array| Reader::new(&array.words).last())
    }
}

/// Words that stand for codes.
macro_rules! codes {
    ($($kind:ty, $what:literal, $all:expr, $word:expr;)+) => {$(
        impl Named<'_> for $kind {
            fn put(&self, name: &str, to: &mut Outgoing) {
                let word: fn(&$kind) -> &'static str = $word;
                word(self).put(name, to);
            }

            fn get(name: &str, from: &Incoming) -> Result<Self, Flaw> {
                let text = <&str>::get(name, from)?;
                let word: fn(&$kind) -> &'static str = $word;
                let known = $all.into_iter().find(|code| word(code) == text);
                known.ok_or_else(|| Flaw::output(format!("`{name}` is {text:?}, which is no {}", $what)))
            }
        }
    )+};
}

codes! {
    Space, "space", [Space::Planar, Space::Spatial], |space| space.name();
    Status, "status", Status::ALL, |status| status.name();
    Verdict, "verdict", verdicts(), |verdict| verdict_name(*verdict);
}

fn verdicts() -> impl Iterator<Item = Verdict> {
    (1..=7).filter_map(|code| VerdictCode { code }.known("verdict").ok())
}

fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accept => "Accept",
        Verdict::Again => "Again",
        Verdict::Redetect => "Redetect",
        Verdict::Evaluate => "Evaluate",
        Verdict::Retry => "Retry",
        Verdict::Impact => "Impact",
        Verdict::Fail => "Fail",
    }
}

/// A matrix by rows as `NAME.shape`, `NAME.indptr`, `NAME.indices`, `NAME.data`.
impl<'a> Named<'a> for Csr<'a> {
    fn put(&self, name: &str, to: &mut Outgoing) {
        let shape: &[u64] = &[self.n_rows() as u64, self.n_cols as u64];
        let starts: &[u32] = if self.row_start.is_empty() { &[0] } else { self.row_start };
        shape.put(&part(name, "shape"), to);
        starts.put(&part(name, "indptr"), to);
        self.column.put(&part(name, "indices"), to);
        self.value.put(&part(name, "data"), to);
    }

    fn get(name: &str, from: &'a Incoming) -> Result<Self, Flaw> {
        let shape = <&[u64]>::get(&part(name, "shape"), from)?;
        let row_start = <&[u32]>::get(&part(name, "indptr"), from)?;
        let n_cols = match *shape {
            [] if row_start.is_empty() => 0,
            [rows, columns] if rows == row_start.len().saturating_sub(1) as u64 => columns,
            _ => {
                let starts = row_start.len();
                let message =
                    format!("`{name}.shape` is {shape:?} where `{name}.indptr` has {starts} numbers");
                return Err(Flaw::output(message));
            }
        };
        let n_cols = usize::try_from(n_cols).map_err(|_| Flaw::output(format!("{n_cols} columns")))?;
        let (column, value) =
            (Named::get(&part(name, "indices"), from)?, Named::get(&part(name, "data"), from)?);
        Ok(Self { n_cols, row_start, column, value })
    }
}

impl<'a> Named<'a> for PairColumns<'a> {
    fn put(&self, name: &str, to: &mut Outgoing) {
        let named = self.zip(PairValues::NAMES).list();
        named.into_iter().for_each(|(column, which)| column.put(&part(name, which), to));
    }

    fn get(name: &str, from: &'a Incoming) -> Result<Self, Flaw> {
        let mut flaw = None;
        let columns = PairValues::NAMES.map(|which| {
            <&[f64]>::get(&part(name, which), from).unwrap_or_else(|first| {
                flaw.get_or_insert(first);
                &[]
            })
        });
        flaw.map_or(Ok(columns), Err)
    }
}
