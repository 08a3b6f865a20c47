//! Ways to damage a text or a binary file.

/// SplitMix64: the same numbers everywhere.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 … n − 1; 0 for n = 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub(crate) fn choose<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// A stretch of a list of `len`, mostly short.
    fn stretch(&mut self, len: usize) -> std::ops::Range<usize> {
        let from = self.below(len + 1);
        let most = if self.below(4) == 0 { len } else { 40 };
        from..(from + self.below(most + 1)).min(len)
    }
}

/// What stands in the place of a number.
const VALUES: [&str; 30] = [
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "1e-9",
    "-1e-9",
    "1e-320",
    "1e15",
    "1e300",
    "-1e300",
    "1e308",
    "1e999",
    "NaN",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740990",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "null",
    "true",
    "\"\"",
    "[]",
    "{}",
    "[[]]",
    "[1,2,3]",
    "\"name\"",
    "{\"a\":1}",
];

/// Little-endian words that sizes and offsets break on.
const WORDS: [u32; 9] =
    [0, 1, 3, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fffe, 0x7fc0_0000, 0x7f80_0000];

/// A damaged copy; `other` gives pieces of its own.
pub(crate) fn damage(bytes: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=dice.below(3) {
        match dice.below(10) {
            0..=3 => replace_number(&mut out, dice),
            4 => swap_strings(&mut out, dice),
            5 => bytes_here_and_there(&mut out, dice),
            6 => drop(out.drain(dice.stretch(out.len()))),
            7 => repeat(&mut out, dice),
            8 => word(&mut out, dice),
            _ => splice(&mut out, other, dice),
        }
    }
    if dice.below(30) == 0 {
        out.truncate(dice.below(out.len()));
    }
    out
}

fn replace_number(out: &mut Vec<u8>, dice: &mut Dice) {
    let numbers = numbers(out);
    if numbers.is_empty() {
        return word(out, dice);
    }
    let range = numbers[dice.below(numbers.len())].clone();
    let value = VALUES[dice.below(VALUES.len())];
    out.splice(range, value.bytes());
}

/// Stretches that read as numbers, outside words.
fn numbers(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let part = |b: &u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E');
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes[at..].iter().take_while(|b| part(b)).count();
        let alone = at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        if len > 0 && alone && bytes[at..at + len].iter().any(u8::is_ascii_digit) {
            found.push(at..at + len);
        }
        at += len.max(1);
    }
    found
}

/// One quoted text in the place of another: keys, names, words of choices, paths.
fn swap_strings(out: &mut Vec<u8>, dice: &mut Dice) {
    let quotes: Vec<usize> = (0..out.len()).filter(|i| out[*i] == b'"').collect();
    let pairs: Vec<_> = quotes.chunks_exact(2).map(|q| q[0] + 1..q[1]).collect();
    if pairs.is_empty() {
        return bytes_here_and_there(out, dice);
    }
    let (to, from) = (pairs[dice.below(pairs.len())].clone(), pairs[dice.below(pairs.len())].clone());
    let text = out[from].to_vec();
    out.splice(to, text);
}

fn bytes_here_and_there(out: &mut [u8], dice: &mut Dice) {
    for _ in 0..=dice.below(8) {
        let at = dice.below(out.len());
        if let Some(byte) = out.get_mut(at) {
            *byte = if dice.below(2) == 0 { dice.next() as u8 } else { *byte ^ (1 << dice.below(8)) };
        }
    }
}

/// A stretch several times, now and then very often.
fn repeat(out: &mut Vec<u8>, dice: &mut Dice) {
    let range = dice.stretch(out.len());
    let times = if dice.below(20) == 0 { 20_000 } else { 1 + dice.below(4) };
    let piece = out[range.clone()].repeat(times.min(2_000_000 / range.len().max(1)));
    out.splice(range, piece);
}

fn word(out: &mut [u8], dice: &mut Dice) {
    let at = dice.below(out.len().saturating_sub(3));
    let word = WORDS[dice.below(WORDS.len())].to_le_bytes();
    if let Some(place) = out.get_mut(at..at + 4) {
        place.copy_from_slice(&word);
    }
}

fn splice(out: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let (to, from) = (dice.stretch(out.len()), dice.stretch(other.len()));
    out.splice(to, other[from].iter().copied());
}
