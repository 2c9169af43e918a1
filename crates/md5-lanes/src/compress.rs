//! The compression of one block, of one message or of as many as a vector has lanes (RFC 1321, 3.4).
#![expect(
    clippy::inline_always,
    reason = "what is not inlined is not compiled for the vectors that were chosen"
)]

use std::num::Wrapping;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not};

use fearless_simd::{Simd, u32x4};

/// A word of 32 bits that adds modulo 2^32, or several beside each other.
pub(super) trait Word:
    Copy
    + Add<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// By 1 to 31 bits.
    fn rotate_left(self, by: u32) -> Self;
}

impl Word for Wrapping<u32> {
    #[inline(always)]
    fn rotate_left(self, by: u32) -> Self {
        Self(self.0.rotate_left(by))
    }
}

impl<S: Simd> Word for u32x4<S> {
    #[inline(always)]
    fn rotate_left(self, by: u32) -> Self {
        (self << by) | (self >> (u32::BITS - by))
    }
}

/// The whole numbers of 2^32 times the absolute sines of 1 to 64 radians, 16 for each round.
pub(super) const TABLE: [[u32; 16]; 4] = [
    [
        0xd76a_a478,
        0xe8c7_b756,
        0x2420_70db,
        0xc1bd_ceee,
        0xf57c_0faf,
        0x4787_c62a,
        0xa830_4613,
        0xfd46_9501,
        0x6980_98d8,
        0x8b44_f7af,
        0xffff_5bb1,
        0x895c_d7be,
        0x6b90_1122,
        0xfd98_7193,
        0xa679_438e,
        0x49b4_0821,
    ],
    [
        0xf61e_2562,
        0xc040_b340,
        0x265e_5a51,
        0xe9b6_c7aa,
        0xd62f_105d,
        0x0244_1453,
        0xd8a1_e681,
        0xe7d3_fbc8,
        0x21e1_cde6,
        0xc337_07d6,
        0xf4d5_0d87,
        0x455a_14ed,
        0xa9e3_e905,
        0xfcef_a3f8,
        0x676f_02d9,
        0x8d2a_4c8a,
    ],
    [
        0xfffa_3942,
        0x8771_f681,
        0x6d9d_6122,
        0xfde5_380c,
        0xa4be_ea44,
        0x4bde_cfa9,
        0xf6bb_4b60,
        0xbebf_bc70,
        0x289b_7ec6,
        0xeaa1_27fa,
        0xd4ef_3085,
        0x0488_1d05,
        0xd9d4_d039,
        0xe6db_99e5,
        0x1fa2_7cf8,
        0xc4ac_5665,
    ],
    [
        0xf429_2244,
        0x432a_ff97,
        0xab94_23a7,
        0xfc93_a039,
        0x655b_59c3,
        0x8f0c_cc92,
        0xffef_f47d,
        0x8584_5dd1,
        0x6fa8_7e4f,
        0xfe2c_e6e0,
        0xa301_4314,
        0x4e08_11a1,
        0xf753_7e82,
        0xbd3a_f235,
        0x2ad7_d2bb,
        0xeb86_d391,
    ],
];

/// What the steps of a round have in common.
struct Round<'a, W> {
    /// One for each step.
    constants: &'a [W; 16],
    /// Step `i` takes the word `(factor * i + first) % 16` of the block.
    factor: usize,
    first: usize,
    /// Bits, of every fourth step.
    rotations: [u32; 4],
}

/// The state after a block of sixteen words.
#[inline(always)]
pub(super) fn block<W: Word>(state: [W; 4], words: [W; 16], table: &[[W; 16]; 4]) -> [W; 4] {
    let [one, two, three, four] = table;
    let round = Round { constants: one, factor: 1, first: 0, rotations: [7, 12, 17, 22] };
    let after = round.apply(state, &words, |b, c, d| d ^ (b & (c ^ d)));
    let round = Round { constants: two, factor: 5, first: 1, rotations: [5, 9, 14, 20] };
    let after = round.apply(after, &words, |b, c, d| c ^ (d & (b ^ c)));
    let round = Round { constants: three, factor: 3, first: 5, rotations: [4, 11, 16, 23] };
    let after = round.apply(after, &words, |b, c, d| b ^ c ^ d);
    let round = Round { constants: four, factor: 7, first: 0, rotations: [6, 10, 15, 21] };
    let after = round.apply(after, &words, |b, c, d| c ^ (b | !d));
    [state[0] + after[0], state[1] + after[1], state[2] + after[2], state[3] + after[3]]
}

impl<W: Word> Round<'_, W> {
    // Written out, and not a loop: places and rotations must be known to the compiler.
    #[inline(always)]
    fn apply(&self, state: [W; 4], words: &[W; 16], mix: impl Fn(W, W, W) -> W + Copy) -> [W; 4] {
        let state = self.four_steps(0, state, words, mix);
        let state = self.four_steps(4, state, words, mix);
        let state = self.four_steps(8, state, words, mix);
        self.four_steps(12, state, words, mix)
    }

    #[inline(always)]
    fn four_steps(
        &self,
        at: usize,
        [a, b, c, d]: [W; 4],
        words: &[W; 16],
        mix: impl Fn(W, W, W) -> W + Copy,
    ) -> [W; 4] {
        let a = self.step(at, [a, b, c, d], words, mix);
        let d = self.step(at + 1, [d, a, b, c], words, mix);
        let c = self.step(at + 2, [c, d, a, b], words, mix);
        let b = self.step(at + 3, [b, c, d, a], words, mix);
        [a, b, c, d]
    }

    #[inline(always)]
    fn step(&self, at: usize, [a, b, c, d]: [W; 4], words: &[W; 16], mix: impl Fn(W, W, W) -> W) -> W {
        let word = words[(self.factor * at + self.first) % 16];
        (a + word + self.constants[at] + mix(b, c, d)).rotate_left(self.rotations[at % 4]) + b
    }
}
