//! Estimates from samples how much two files have in common.
//!
//! The content determines the samples: the end of each [`SAMPLE_BYTES`] bytes is one if the rolling
//! hash has certain values. So both files have the same samples wherever they have the same bytes,
//! even if these were moved.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read as _, SeekFrom};

use crate::work::{Cancelled, PatchSource};

/// Bytes that a sample covers.
const SAMPLE_BYTES: usize = 32;
const _: () = assert!(SAMPLE_BYTES == 32, "the power below");
/// Binary logarithm of the average distance between samples: one in 1024 places.
const RATE: u32 = 10;
/// Shorter files are always compared: it takes no time, and they have few samples.
const MIN_BYTES: u64 = 256 * 1024;
/// Files that share a smaller percentage of the new file's samples have nothing in common. Programs of
/// different projects share up to 1 percent, two releases of a large program a quarter or more. With 8
/// percent, a patch was as large as the compressed file.
const MIN_PERCENT: usize = 5;
/// Bytes read at a time.
const CHUNK: usize = 256 * 1024;

/// Multiplier of the rolling hash: any large odd number.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// The factor of the byte that leaves the window.
const LEAVING: u64 = BASE.wrapping_pow(32);

/// Samples that two files have in common.
#[derive(Debug, Default)]
pub struct Common {
    /// The position of each in the new file and in the base, sorted by the former.
    places: Vec<(u64, u64)>,
    /// Number of distinct samples in the new file, and how many of them the base has.
    samples: usize,
    shared: usize,
    is_small: bool,
}

impl Common {
    /// Compares the samples of two files. Reads both once, and needs about 50 bytes for each KiB of them.
    ///
    /// # Errors
    /// The errors of reading. [`Cancelled`]: `watch` returned `false`.
    pub fn of(
        base: &mut dyn PatchSource,
        new: &mut dyn PatchSource,
        watch: &dyn Fn() -> bool,
    ) -> io::Result<Self> {
        let mut of_base = HashMap::new();
        let base_length = each_sample(base, watch, |sample, at| {
            of_base.entry(sample).or_insert((at, false));
        })?;
        let mut only_in_new = HashSet::new();
        let mut common = Self::default();
        let new_length = each_sample(new, watch, |sample, at| match of_base.get_mut(&sample) {
            Some((place, is_seen)) => {
                common.places.push((at, *place));
                common.shared += usize::from(!*is_seen);
                *is_seen = true;
            }
            None => {
                only_in_new.insert(sample);
            }
        })?;
        common.samples = common.shared + only_in_new.len();
        common.is_small = base_length.min(new_length) < MIN_BYTES;
        Ok(common)
    }

    /// Whether a patch would save nothing, because the files have nothing in common.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        !self.is_small && self.shared * 100 < self.samples * MIN_PERCENT
    }

    /// Samples of the first bytes of the new file, which are at these places of the base.
    #[cfg(test)]
    pub(crate) fn at_places(base: &[u64]) -> Self {
        Self { places: base.iter().map(|place| (1, *place)).collect(), ..Self::default() }
    }

    /// The places in the base of what is at these places of the new file.
    pub(crate) fn places(&self, new: std::ops::Range<u64>) -> impl Iterator<Item = u64> {
        let first = self.places.partition_point(|(at, _)| *at < new.start);
        let from_there = self.places.get(first..).unwrap_or_default();
        from_there.iter().take_while(move |(at, _)| *at < new.end).map(|(_, place)| *place)
    }
}

/// Calls `found` with each sample and where it ends. Returns the length of the file.
fn each_sample(
    file: &mut dyn PatchSource,
    watch: &dyn Fn() -> bool,
    mut found: impl FnMut(u64, u64),
) -> io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let (mut chunk, mut hash, mut at) = (Vec::with_capacity(SAMPLE_BYTES + CHUNK), 0_u64, 0_u64);
    // Start with zeros, which do not affect the hash.
    chunk.resize(SAMPLE_BYTES, 0);
    loop {
        if !watch() {
            return Err(Cancelled.into());
        }
        let read = (&mut *file).take(CHUNK as u64).read_to_end(&mut chunk)?;
        if read == 0 {
            return Ok(at);
        }
        let coming = chunk.get(SAMPLE_BYTES..).unwrap_or_default();
        for (leaving, coming) in chunk.iter().zip(coming) {
            hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(*coming));
            hash = hash.wrapping_sub(u64::from(*leaving).wrapping_mul(LEAVING));
            at += 1;
            if is_sample(hash) && at >= SAMPLE_BYTES as u64 {
                found(hash, at);
            }
        }
        chunk.drain(..read);
    }
}

/// Whether this value of the hash makes a sample. The lower bits of the hash alone would depend on few bits
/// of the bytes.
const fn is_sample(hash: u64) -> bool {
    (hash ^ (hash >> 32)).wrapping_add(1).wrapping_mul(BASE) >> (u64::BITS - RATE) == 0
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::testing::noise;

    fn common(base: &[u8], new: &[u8]) -> Common {
        Common::of(&mut Cursor::new(base), &mut Cursor::new(new), &|| true).unwrap()
    }

    /// Lines like those of a program's data, of which versions share most.
    fn lines(version: u32, count: u32) -> Vec<u8> {
        let line = |n: u32| match n % 10 {
            0 => format!("version {version} of line {n}: {:x}\n", n.wrapping_mul(version ^ 0x9e37_79b9)),
            _ => format!("line {n} holds {:x}\n", n.wrapping_mul(0x9e37_79b9)),
        };
        (0..count).flat_map(|n| line(n).into_bytes()).collect()
    }

    #[test]
    fn files_without_anything_in_common_are_told_from_others() {
        let old = noise(1, 1_000_000);
        let mut patched = old.clone();
        for place in (0..patched.len()).step_by(100) {
            patched[place] ^= 0xff;
        }
        let moved = [noise(2, 12_345), old.clone()].concat();
        let turned = [&old[500_000..], &old[..500_000]].concat();
        let a_bit = [noise(3, 900_000), old[..100_000].to_vec()].concat();
        let too_little = [noise(3, 980_000), old[..20_000].to_vec()].concat();
        let small = noise(4, 200_000);
        for (name, base, new, is_nothing) in [
            ("the same", &old, &old, false),
            ("moved", &old, &moved, false),
            ("in another order", &old, &turned, false),
            ("a byte of each hundred", &old, &patched, false),
            ("10 percent", &old, &a_bit, false),
            ("2 percent", &old, &too_little, true),
            ("without order", &old, &noise(2, 1_000_000), true),
            ("a small base", &small, &old, false),
            ("a small new file", &old, &small, false),
            ("an empty file", &old, &Vec::new(), false),
            ("versions of one text", &lines(1, 40_000), &lines(2, 40_000), false),
            ("text and noise", &lines(1, 40_000), &old, true),
            ("zeros and noise", &vec![0; 1_000_000], &old, true),
            ("zeros", &vec![0; 1_000_000], &vec![0; 2_000_000], false),
            (
                "padding alone",
                &[noise(5, 900_000), vec![0; 300_000]].concat(),
                &[old.clone(), vec![0; 300_000]].concat(),
                true,
            ),
        ] {
            let common = common(base, new);
            assert_eq!(common.is_nothing(), is_nothing, "{name}: {} of {}", common.shared, common.samples);
        }
    }

    #[test]
    fn one_of_a_thousand_places_is_a_sample() {
        let common = common(&noise(1, 1_000_000), &noise(2, 1_000_000));
        assert!((800..1200).contains(&common.samples), "{}", common.samples);
    }

    #[test]
    fn moved_bytes_are_found_where_they_were() {
        let old = noise(1, 1_000_000);
        let common = common(&old, &[&old[600_000..], &old[..600_000]].concat());
        let places: Vec<u64> = common.places(0..400_000).collect();
        assert!(places.len() > 200 && places.iter().all(|place| (600_000..=1_000_000).contains(place)));
        assert_eq!(common.places(2_000_000..3_000_000).count(), 0);
    }

    #[test]
    fn it_can_be_stopped() {
        let file = noise(1, 1_000_000);
        let stopped = Common::of(&mut Cursor::new(&file), &mut Cursor::new(&file), &|| false);
        assert!(Cancelled::is(&stopped.unwrap_err()));
    }
}
