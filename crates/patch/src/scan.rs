//! Finds what a piece of the new file has in common with a part of the base: the algorithm of bsdiff, as the
//! crate `bidiff` has it.
//!
//! In addition, it can be stopped, and it accepts a string at once if it has [`LONGEST`] bytes.
//! Otherwise, files with few different bytes would take time quadratic in their length.

use std::io;

use crate::index::SuffixIndex;
use crate::work::Cancelled;

/// A string is better than the previous one if it has this many more equal bytes.
const BETTER: usize = 8;
/// Strings are compared up to this length, in bytes.
const LONGEST: usize = 16 * 1024;
/// How many strings are searched between two checks of whether to continue.
const SEARCHES: u32 = 4096;

/// A part of the piece that differs little from the base, and after it bytes that the base does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    /// Where it begins in the part of the base.
    pub(crate) base: usize,
    /// Where it begins in the piece.
    pub(crate) new: usize,
    /// How many bytes differ little.
    pub(crate) similar: usize,
    /// Where the other bytes end in the piece.
    pub(crate) end: usize,
}

/// The matches of a piece, in order. Together they are the piece.
pub(crate) fn matches(index: &SuffixIndex, new: &[u8], go_on: &dyn Fn() -> bool) -> io::Result<Vec<Match>> {
    let mut scan =
        Scan { index, base: &index.bytes, new, at: 0, found: (0, 0), last: (0, 0), aligned: (0, 0) };
    let mut matches = Vec::new();
    while scan.at < new.len() {
        let equal = scan.advance(go_on)?;
        if scan.found.1 != equal || scan.at == new.len() {
            matches.push(scan.take());
        }
    }
    Ok(matches)
}

struct Scan<'a> {
    index: &'a SuffixIndex,
    base: &'a [u8],
    new: &'a [u8],
    /// How far the piece is searched.
    at: usize,
    /// The string found there: its place in the base, and its length.
    found: (usize, usize),
    /// Up to where matches are known, in the base and in the piece.
    last: (usize, usize),
    /// A place of the base, and the place of the piece that the last match put beside it.
    aligned: (usize, usize),
}

impl Scan<'_> {
    /// Goes on to the next string that is better than going on beside the base, or to the end. Returns how
    /// many of its bytes the base has beside it as well.
    fn advance(&mut self, go_on: &dyn Fn() -> bool) -> io::Result<usize> {
        self.at += self.found.1;
        let (mut equal, mut counted, mut searched) = (0, self.at, 0_u32);
        while self.at < self.new.len() {
            if searched.is_multiple_of(SEARCHES) && !go_on() {
                return Err(Cancelled.into());
            }
            searched = searched.wrapping_add(1);
            let end = self.new.len().min(self.at + LONGEST);
            self.found = self.index.longest(self.new.get(self.at..end).unwrap_or_default());
            let length = self.found.1;
            while counted < self.at + length {
                equal += usize::from(self.is_equal(counted));
                counted += 1;
            }
            if (length == equal && length != 0) || length > equal + BETTER || length >= LONGEST {
                break;
            }
            equal -= usize::from(counted > self.at && self.is_equal(self.at));
            self.at += 1;
        }
        Ok(equal)
    }

    /// Whether the base has the same byte beside this place of the piece.
    fn is_equal(&self, at: usize) -> bool {
        let (base, new) = self.aligned;
        let beside = (at + base).checked_sub(new).and_then(|beside| self.base.get(beside));
        beside.is_some() && beside == self.new.get(at)
    }

    /// The match up to here. Its similar bytes begin where the last match ended; those before the found
    /// string belong to the next one.
    fn take(&mut self) -> Match {
        let (base, new) = self.last;
        let mut forward = self.forward();
        let mut backward = if self.at < self.new.len() { self.backward() } else { 0 };
        if let Some(overlap) = (new + forward + backward).checked_sub(self.at).filter(|overlap| *overlap > 0)
        {
            let first = self.divide(forward - overlap, backward, overlap);
            forward = forward - overlap + first;
            backward -= first;
        }
        let end = self.at - backward;
        self.last = (self.found.0.saturating_sub(backward), end);
        self.aligned = (self.found.0, self.at);
        Match { base, new, similar: forward, end }
    }

    /// How many bytes after the last match are similar to those of the base.
    fn forward(&self) -> usize {
        let (base, new) = self.last;
        let base = self.base.get(base..).unwrap_or_default();
        similar(base.iter().zip(self.new.get(new..self.at).unwrap_or_default()))
    }

    /// How many bytes before the found string are similar to those of the base.
    fn backward(&self) -> usize {
        let base = self.base.get(..self.found.0).unwrap_or_default();
        let new = self.new.get(self.last.1..self.at).unwrap_or_default();
        similar(base.iter().rev().zip(new.iter().rev()))
    }

    /// How many bytes of an overlap belong to the match that goes forward, so that most are equal. The
    /// overlap begins this many bytes after the last match, and ends at the found string's beginning.
    fn divide(&self, forward: usize, backward: usize, overlap: usize) -> usize {
        let (base, new) = self.last;
        let of_last = self.base.get(base + forward..).unwrap_or_default();
        let of_found = self.base.get(self.found.0 - backward..).unwrap_or_default();
        let bytes = self.new.get(new + forward..).unwrap_or_default();
        let (mut score, mut best, mut first) = (0_i64, 0, 0);
        for (place, ((byte, last), found)) in
            bytes.iter().zip(of_last).zip(of_found).take(overlap).enumerate()
        {
            score += i64::from(byte == last) - i64::from(byte == found);
            if score > best {
                (best, first) = (score, place + 1);
            }
        }
        first
    }
}

/// The length at which most bytes are equal, and more than half of them.
fn similar<'a>(pairs: impl Iterator<Item = (&'a u8, &'a u8)>) -> usize {
    let (mut equal, mut best, mut length) = (0_i64, 0_i64, 0_usize);
    for ((one, other), seen) in pairs.zip(1_i64..) {
        equal += i64::from(one == other);
        // Twice the equal bytes, less all: positive while more than half are equal.
        if equal * 2 - seen > best {
            best = equal * 2 - seen;
            length = usize::try_from(seen).unwrap_or_default();
        }
    }
    length
}
