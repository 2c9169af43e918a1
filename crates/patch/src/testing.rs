//! Content of files in tests.

/// Bytes without order.
pub(crate) fn noise(mut state: u32, length: usize) -> Vec<u8> {
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}
