//! MD5 of several messages at once, each in a lane of the processor's vectors (RFC 1321).
//!
//! One MD5 is a chain of steps that wait for each other; a processor has room for several such chains beside each other.
//! Only whole blocks go through the lanes. Which message is in which lane may change between any two calls.

mod compress;

use std::hint::black_box;
use std::num::Wrapping;

use fearless_simd::{Level, Simd, SimdBase as _, SimdFrom as _, dispatch, u32x4};

use compress::{TABLE, block};

/// Messages that go on at once. Vectors of four words are in every processor; longer ones were not faster for each lane.
pub const LANES: usize = 4;
/// Bytes of a block.
pub const BLOCK: usize = 64;
/// Bytes of a message's length, at the end of its last block.
const LENGTH: usize = 8;

/// How far one message is: the state after its whole blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State([u32; 4]);

/// The instructions of this processor.
#[derive(Debug, Clone, Copy)]
pub struct Engine(Level);

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    /// Of a message that has just begun.
    #[must_use]
    pub const fn new() -> Self {
        Self([0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476])
    }

    /// The digest of a message of `length` bytes, of which `rest` was not in a whole block. The length counts modulo
    /// 2^61, as in the standard.
    #[must_use]
    pub fn finish(mut self, rest: &[u8], length: u64) -> [u8; 16] {
        let mut padded = rest.to_vec();
        padded.push(0x80);
        let zeros = (BLOCK - (padded.len() + LENGTH) % BLOCK) % BLOCK;
        padded.resize(padded.len() + zeros, 0);
        padded.extend(length.wrapping_mul(8).to_le_bytes());
        self.advance(&padded);
        let mut digest = [0; 16];
        for (bytes, word) in digest.chunks_exact_mut(4).zip(self.0) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        digest
    }

    /// Adds the whole blocks of `bytes`, without vectors.
    fn advance(&mut self, bytes: &[u8]) {
        let table = black_box(&TABLE).map(|round| round.map(Wrapping));
        let mut state = self.0.map(Wrapping);
        for bytes in bytes.as_chunks::<BLOCK>().0 {
            state = block(state, std::array::from_fn(|place| Wrapping(word(bytes, place))), &table);
        }
        self.0 = state.map(|word| word.0);
    }
}

impl Engine {
    /// The best ones that there are. They are looked up once.
    #[must_use]
    pub fn new() -> Self {
        Self(Level::new())
    }

    /// Whether a message in a lane is as fast as one without vectors, so that a processor for each is not better.
    #[must_use]
    pub fn lanes_are_fast(self) -> bool {
        // It has the rotation and the functions of three words in one instruction each.
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        return self.0.as_avx512().is_some();
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        return false;
    }

    /// Adds whole blocks to messages: as many as the shortest has. `None` is a lane that is not used.
    pub fn advance(self, lanes: [Option<(&mut State, &[u8])>; LANES]) {
        let mut used = lanes.into_iter().flatten().collect::<Vec<_>>();
        match used.as_mut_slice() {
            [] => {}
            [(state, bytes)] if !self.lanes_are_fast() => state.advance(bytes),
            used => {
                let bytes = std::array::from_fn(|lane| used.get(lane).unwrap_or(&used[0]).1);
                let mut words = [[0; LANES]; 4];
                for (lane, (state, _)) in used.iter().enumerate() {
                    for (word, value) in words.iter_mut().zip(state.0) {
                        word[lane] = value;
                    }
                }
                dispatch!(self.0, simd => advance(simd, &mut words, bytes));
                for (lane, (state, _)) in used.iter_mut().enumerate() {
                    state.0 = words.map(|word| word[lane]);
                }
            }
        }
    }
}

/// `state` is the four words of every lane; as many blocks are added as the shortest of `bytes` has.
#[expect(clippy::inline_always, reason = "it must be compiled for the vectors that were chosen")]
#[inline(always)]
fn advance<S: Simd>(simd: S, state: &mut [[u32; LANES]; 4], bytes: [&[u8]; LANES]) {
    simd.vectorize(
        #[inline(always)]
        || {
            // Loops and no closures: a closure that is not inlined is not compiled for these vectors. And a table that
            // the compiler knows nothing of: constants it would add last of all, where every step waits for that.
            let zero = u32x4::splat(simd, 0);
            let mut table = [[zero; 16]; 4];
            for (vectors, constants) in table.iter_mut().zip(black_box(&TABLE)) {
                for (vector, &constant) in vectors.iter_mut().zip(constants) {
                    *vector = u32x4::splat(simd, constant);
                }
            }
            let mut vectors = [zero; 4];
            for (vector, &words) in vectors.iter_mut().zip(state.iter()) {
                *vector = u32x4::simd_from(simd, words);
            }
            let [one, two, three, four] = bytes.map(|bytes| bytes.as_chunks::<BLOCK>().0);
            for (((one, two), three), four) in one.iter().zip(two).zip(three).zip(four) {
                let mut words = [zero; 16];
                for (place, vector) in words.iter_mut().enumerate() {
                    let lanes = [word(one, place), word(two, place), word(three, place), word(four, place)];
                    *vector = u32x4::simd_from(simd, lanes);
                }
                vectors = block(vectors, words, &table);
            }
            for (words, vector) in state.iter_mut().zip(vectors) {
                *words = vector.into();
            }
        },
    );
}

/// A word of a block.
#[expect(clippy::inline_always, reason = "it must be compiled for the vectors that were chosen")]
#[inline(always)]
fn word(block: &[u8; BLOCK], place: usize) -> u32 {
    u32::from_le_bytes([block[4 * place], block[4 * place + 1], block[4 * place + 2], block[4 * place + 3]])
}

#[cfg(test)]
mod tests {
    use base16ct::lower::encode_string as hex;
    use md5::{Digest as _, Md5};

    use super::*;

    /// This processor's vectors, and the least that every one of its kind has.
    fn engines() -> [Engine; 2] {
        [Engine::new(), Engine(Level::baseline())]
    }

    fn message(seed: usize, length: usize) -> Vec<u8> {
        (0..length).map(|at| (at * 131 + seed * 17 + 1).to_le_bytes()[0]).collect()
    }

    /// One message in each lane that is used.
    fn digests(engine: Engine, messages: [Option<&[u8]>; LANES]) -> [Option<[u8; 16]>; LANES] {
        let mut states = [State::new(); LANES];
        let mut done = [0; LANES];
        loop {
            // Until the shortest of those that have blocks is through, as often as that takes.
            let open = |lane: usize| messages[lane].filter(|message| message.len() - done[lane] >= BLOCK);
            let blocks = (0..LANES).filter_map(|lane| Some((open(lane)?.len() - done[lane]) / BLOCK)).min();
            let Some(length) = blocks.map(|blocks| blocks * BLOCK) else { break };
            let parts: [_; LANES] = std::array::from_fn(|lane| {
                open(lane).map(|message| &message[done[lane]..done[lane] + length])
            });
            for (done, part) in done.iter_mut().zip(parts) {
                *done += part.map_or(0, <[u8]>::len);
            }
            let mut parts = parts.into_iter();
            engine.advance(states.each_mut().map(|state| parts.next().flatten().map(|part| (state, part))));
        }
        std::array::from_fn(|lane| {
            messages[lane].map(|message| states[lane].finish(&message[done[lane]..], message.len() as u64))
        })
    }

    /// RFC 1321, A.5.
    #[test]
    fn vectors() {
        let digits = "1234567890".repeat(8);
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        for (message, expected) in [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (letters, "d174ab98d277d9f5a5611c2c9f419d9f"),
            (&digits, "57edf4a22be3c955ac49da2e2107b67a"),
        ] {
            for engine in engines() {
                for digest in digests(engine, [Some(message.as_bytes()); LANES]) {
                    assert_eq!(hex(&digest.unwrap()), expected, "{engine:?}");
                }
            }
        }
    }

    #[test]
    fn every_length_in_every_lane() {
        for length in 0..=200 {
            let all: [Vec<u8>; LANES] = std::array::from_fn(|lane| message(lane, length));
            let expected = all.each_ref().map(|message| Some(Md5::digest(message).into()));
            for engine in engines() {
                assert_eq!(digests(engine, all.each_ref().map(|message| Some(&message[..]))), expected);
            }
        }
    }

    #[test]
    fn lanes_that_end_at_different_times_or_are_not_used() {
        for lengths in [[1000, 64, 0, 129], [63, 6400, 65, 6400], [0, 0, 0, 1], [191, 192, 193, 5000]] {
            let all: [Vec<u8>; LANES] = std::array::from_fn(|lane| message(lane, lengths[lane]));
            for used in 0..1 << LANES {
                let lane = |lane: usize| Some(&all[lane][..]).filter(|_| used >> lane & 1 == 1);
                let messages: [Option<&[u8]>; LANES] = std::array::from_fn(lane);
                let expected = messages.map(|message| message.map(|message| Md5::digest(message).into()));
                for engine in engines() {
                    assert_eq!(digests(engine, messages), expected, "{lengths:?} {used:04b} {engine:?}");
                }
            }
        }
    }

    #[test]
    fn the_table_is_made_of_sines() {
        for (place, constant) in (1_u32..).zip(TABLE.into_iter().flatten()) {
            let exact = f64::from(place).sin().abs() * 4_294_967_296.0;
            assert!((exact - 1.0..=exact).contains(&f64::from(constant)), "{place}");
        }
    }
}
