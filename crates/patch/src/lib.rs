//! Makes patches of the format `bidiff+brotli`, which `format.md` describes, in bounded memory.
//!
//! The base is compared in parts of `PART_BYTES`, and the new file in pieces of `PIECE_BYTES`.
//! [`Common`] determines which part a piece is compared with, and whether a patch is worthwhile at
//! all. So a patch takes at most about 2 GiB of memory, whatever the sizes are.

mod common;
mod compression;
mod index;
#[cfg(target_family = "wasm")]
mod module;
mod records;
mod samples;
mod scan;
#[cfg(test)]
mod testing;
mod work;

use std::io::{self, SeekFrom, Write};
use std::ops::Range;

use brotli::CompressorWriter;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

pub use common::Common;
use compression::{BUFFER, QUALITY, WINDOW};
use index::SuffixIndex;
use records::Records;
pub use samples::Samples;
use scan::matches;
pub use work::{Cancelled, PatchSource, Watch};

/// A piece of the new file, in bytes. Pieces are compared on several processors. The patch is the same on
/// each machine.
const PIECE_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of pieces compared at a time. Each takes up to five times its bytes.
const MAX_PIECES: usize = 4;
/// A part of the base, in bytes. Its index takes four times as much.
const PART_BYTES: u64 = 256 * 1024 * 1024;
/// Where the next part begins. A piece's equal is in one part wherever it is, because parts overlap by more
/// than a piece.
const PART_STEP: u64 = PART_BYTES - 2 * PIECE_BYTES as u64;
/// Writes the patch that makes `new` from `base`. `common` is what they have in common.
///
/// # Errors
/// The base is empty, the patch would have more records than clients accept, or an error of a file.
/// [`Cancelled`]: `watch` ended it.
pub fn make(
    base: &mut dyn PatchSource,
    new: &mut dyn PatchSource,
    common: &Common,
    patch: &mut dyn Write,
    watch: &dyn Watch,
) -> io::Result<()> {
    let (base_length, length) = (length_of(base)?, length_of(new)?);
    if base_length == 0 {
        return Err(io::Error::other("the older file is empty"));
    }
    let mut packed = CompressorWriter::new(patch, BUFFER, QUALITY, WINDOW);
    let mut records = Records::begin(&mut packed, length)?;
    let mut index: Option<SuffixIndex> = None;
    let mut pieces = pieces(length).peekable();
    let most = rayon::current_num_threads().clamp(1, MAX_PIECES);
    while let Some(first) = pieces.next() {
        let part = part_of(common, &first, base_length, index.as_ref().map(|index| index.start));
        // The memory of another part is free before this one is indexed.
        let kept = index.take().filter(|index| index.start == part.start);
        let index = index.insert(match kept {
            Some(kept) => kept,
            None => SuffixIndex::new(part.start, read(base, &part)?),
        });
        let mut batch = vec![read(new, &first)?];
        let is_of_part = |piece: &Range<u64>| part_of(common, piece, base_length, Some(part.start)) == part;
        while batch.len() < most
            && let Some(piece) = pieces.next_if(is_of_part)
        {
            batch.push(read(new, &piece)?);
        }
        let compared = batch.into_par_iter().map(|piece| {
            let found = matches(index, &piece, &|| watch.should_continue())?;
            Ok((piece, found))
        });
        for (piece, found) in compared.collect::<io::Result<Vec<_>>>()? {
            for found in found {
                if !watch.should_continue() {
                    return Err(Cancelled.into());
                }
                records.write(index, &piece, found)?;
            }
            watch.done(piece.len() as u64);
        }
    }
    records.end()?;
    packed.flush()
}

fn pieces(length: u64) -> impl Iterator<Item = Range<u64>> {
    (0..length).step_by(PIECE_BYTES).map(move |start| start..length.min(start + PIECE_BYTES as u64))
}

/// The part of the base that has most samples of a piece. It stays the `current` one unless another has twice
/// as many.
fn part_of(common: &Common, piece: &Range<u64>, base_length: u64, current: Option<u64>) -> Range<u64> {
    let last = base_length.saturating_sub(PART_BYTES).div_ceil(PART_STEP);
    let parts = (0..=last).map(|number| number * PART_STEP);
    let parts: Vec<_> = parts.map(|start| start..base_length.min(start + PART_BYTES)).collect();
    let mut samples = vec![0_u64; parts.len()];
    for place in common.places(piece.clone()) {
        for (part, count) in parts.iter().zip(&mut samples) {
            *count += u64::from(part.contains(&place));
        }
    }
    let counted = || parts.iter().zip(&samples);
    let of_current = counted().find(|(part, _)| Some(part.start) == current);
    let best = counted().rev().max_by_key(|(_, count)| **count);
    match (of_current, best) {
        (Some((part, count)), Some((_, best))) if count * 2 >= *best => part.clone(),
        (_, Some((part, _))) => part.clone(),
        (_, None) => 0..base_length.min(PART_BYTES),
    }
}

fn length_of(file: &mut dyn PatchSource) -> io::Result<u64> {
    file.seek(SeekFrom::End(0))
}

fn read(file: &mut dyn PatchSource, part: &Range<u64>) -> io::Result<Vec<u8>> {
    let length = usize::try_from(part.end - part.start).map_err(io::Error::other)?;
    file.seek(SeekFrom::Start(part.start))?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::testing::noise;

    /// Goes on for so many bytes.
    struct Until(u64, AtomicU64);

    impl Watch for Until {
        fn done(&self, bytes: u64) {
            self.1.fetch_add(bytes, Ordering::Relaxed);
        }

        fn should_continue(&self) -> bool {
            self.1.load(Ordering::Relaxed) < self.0
        }
    }

    fn try_to_make(base: &[u8], new: &[u8], until: u64) -> io::Result<Vec<u8>> {
        let (mut base, mut new) = (Cursor::new(base), Cursor::new(new));
        let common = Common::of(&mut base, &mut new, &|| true)?;
        let (mut patch, watch) = (Vec::new(), Until(until, AtomicU64::default()));
        let length = new.get_ref().len() as u64;
        make(&mut base, &mut new, &common, &mut patch, &watch)?;
        assert_eq!(watch.1.into_inner(), length, "all of it was shown in the progress");
        Ok(patch)
    }

    fn made(base: &[u8], new: &[u8]) -> Vec<u8> {
        try_to_make(base, new, u64::MAX).unwrap()
    }

    fn applied(base: &[u8], patch: &[u8]) -> Vec<u8> {
        let unpacked = brotli_decompressor::Decompressor::new(patch, BUFFER);
        let mut made = Vec::new();
        let mut reader = bipatch::Reader::new(unpacked, Cursor::new(base)).unwrap();
        reader.read_to_end(&mut made).unwrap();
        made
    }

    /// The patch that `bidiff` makes of the same files.
    fn of_bidiff(base: &[u8], new: &[u8]) -> Vec<u8> {
        let mut patch = Vec::new();
        let mut packed = CompressorWriter::new(&mut patch, BUFFER, QUALITY, WINDOW);
        bidiff::simple_diff(base, new, &mut packed).unwrap();
        drop(packed);
        patch
    }

    #[test]
    fn a_patch_makes_the_new_file_from_the_base() {
        let base = noise(1, 200_000);
        let mut changed = base.clone();
        changed.splice(1000..1100, *b"a few other bytes");
        let mut scattered = base.clone();
        for place in (0..scattered.len()).step_by(70) {
            scattered[place] = scattered[place].wrapping_add(1);
        }
        let turned = [&base[90_000..], &base[..90_000], b"end"].concat();
        let repeated = [b"ab".repeat(50_000), base[..50_000].to_vec(), b"abc".repeat(30_000)].concat();
        for (name, base, new, most) in [
            ("a few bytes", &base, &changed, 300),
            ("the same", &base, &base, 100),
            ("each seventieth byte", &base, &scattered, 4000),
            ("in another order", &base, &turned, 300),
            ("repetitions", &repeated, &[&repeated[1..], &base[..10]].concat(), 1000),
            ("nothing in common", &base, &noise(2, 10_000), 11_000),
            ("an empty file", &base, &Vec::new(), 20),
            ("one byte", &vec![7], &vec![7, 7], 20),
        ] {
            let patch = made(base, new);
            assert!(applied(base, &patch) == *new, "{name}");
            assert!(patch.len() <= most, "{name}: {} bytes", patch.len());
            let other = of_bidiff(base, new).len();
            assert!(
                patch.len() <= other + other / 50 + 20,
                "{name}: {} bytes, and {other} of bidiff",
                patch.len()
            );
        }
    }

    /// Each search would compare all bytes to the end.
    #[test]
    fn files_of_few_different_bytes_take_no_longer() {
        let base = vec![0; 3_000_000];
        let mut new = base.clone();
        for place in (0..new.len()).step_by(100_000) {
            new[place] = 1;
        }
        let patch = made(&base, &new);
        assert!(applied(&base, &patch) == new);
    }

    #[test]
    fn an_empty_base_has_no_patch() {
        assert!(try_to_make(b"", b"new", u64::MAX).is_err());
    }

    #[test]
    fn it_ends_when_it_is_told_to() {
        let file = noise(1, 1000);
        assert!(Cancelled::is(&try_to_make(&file, &file, 0).unwrap_err()));
    }

    #[test]
    fn a_piece_is_compared_with_the_part_that_has_its_samples() {
        let piece = 0..PIECE_BYTES as u64;
        let at = |places: &[u64]| Common::at_places(places);
        let second = PART_STEP..2 * PART_BYTES - 2 * PIECE_BYTES as u64;
        for (places, base_length, current, expected) in [
            (vec![], 10, None, 0..10),
            (vec![5], PART_BYTES, None, 0..PART_BYTES),
            (vec![5, PART_BYTES + 5, PART_BYTES + 6], 3 * PART_BYTES, None, second.clone()),
            (vec![5, PART_BYTES + 5, PART_BYTES + 6], 3 * PART_BYTES, Some(0), 0..PART_BYTES),
            (vec![PART_BYTES + 5], 3 * PART_BYTES, Some(0), second.clone()),
            (vec![], 3 * PART_BYTES, Some(PART_STEP), second),
            (vec![PART_BYTES + 1], PART_BYTES + 2, None, PART_STEP..PART_BYTES + 2),
        ] {
            let part = part_of(&at(&places), &piece, base_length, current);
            assert_eq!(part, expected, "{places:?} of {base_length}, now at {current:?}");
        }
    }
}
