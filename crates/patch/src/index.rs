//! A searchable part of the base.

/// A part of the base with its sorted suffixes: five times the memory of its bytes.
pub(crate) struct SuffixIndex {
    /// Where it begins in the base.
    pub(crate) start: u64,
    pub(crate) bytes: Vec<u8>,
    /// Where the suffixes begin, in the order of their bytes.
    suffixes: Vec<i32>,
}

impl SuffixIndex {
    /// Sorts the suffixes of a part. It has fewer bytes than fit an `i32`.
    pub(crate) fn new(start: u64, bytes: Vec<u8>) -> Self {
        let mut suffixes = vec![0; bytes.len()];
        divsufsort::sort_in_place(&bytes, &mut suffixes);
        Self { start, bytes, suffixes }
    }

    /// The position of the longest match with the beginning of `text`, and its length. Of two
    /// equally long matches, the order of the suffixes determines which one.
    pub(crate) fn longest(&self, text: &[u8]) -> (usize, usize) {
        let mut suffixes = self.suffixes.as_slice();
        while suffixes.len() > 2 {
            let middle = suffixes.len() / 2;
            let is_behind = suffixes.get(middle).is_some_and(|at| text > self.suffix(*at).1);
            suffixes = if is_behind { &suffixes[middle..] } else { &suffixes[..=middle] };
        }
        let found = suffixes.iter().map(|at| {
            let (at, suffix) = self.suffix(*at);
            (at, suffix.iter().zip(text).take_while(|(one, other)| one == other).count())
        });
        found.reduce(|one, other| if one.1 > other.1 { one } else { other }).unwrap_or_default()
    }

    fn suffix(&self, at: i32) -> (usize, &[u8]) {
        let at = usize::try_from(at).unwrap_or_default();
        (at, self.bytes.get(at..).unwrap_or_default())
    }
}
