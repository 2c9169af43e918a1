//! Splits a file into parts that are sent one by one.

/// Smallest part except the last, in bytes: 5 MiB, a limit of object storage.
pub const MIN_PART_BYTES: u64 = 5 * 1024 * 1024;

/// Maximum number of parts of a file. A part of the smallest length would leave the largest file above it.
pub const MAX_PARTS_PER_FILE: usize = 1000;

/// The reason why a file cannot be sent in these parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidParts {
    /// The manifest does not say how long the file is.
    #[error("the file has no declared length")]
    UnknownLength,
    /// Smaller than [`MIN_PART_BYTES`].
    #[error("part_length is less than {MIN_PART_BYTES}")]
    TooShort,
    /// More than [`MAX_PARTS_PER_FILE`].
    #[error("too many parts: at most {MAX_PARTS_PER_FILE}")]
    TooMany,
    /// Another number of digests than parts.
    #[error("md5 needs one entry for each of {0} parts")]
    WrongNumber(u64),
}

/// The lengths of the parts of a file of `length` bytes, if `count` parts of `part_length` bytes make it up.
/// Only the last may be shorter. An empty file has one empty part.
pub fn part_lengths(
    length: Option<u64>,
    part_length: u64,
    count: usize,
) -> Result<impl Iterator<Item = u64>, InvalidParts> {
    let length = length.ok_or(InvalidParts::UnknownLength)?;
    if part_length < MIN_PART_BYTES {
        return Err(InvalidParts::TooShort);
    }
    let needed = length.div_ceil(part_length).max(1);
    if needed > MAX_PARTS_PER_FILE as u64 {
        return Err(InvalidParts::TooMany);
    }
    if needed != count as u64 {
        return Err(InvalidParts::WrongNumber(needed));
    }
    Ok((0..needed).map(move |index| part_length.min(length - index * part_length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_file() {
        const PART: u64 = MIN_PART_BYTES;
        for (length, count, expected) in [
            (Some(0), 1, Ok(vec![0])),
            (Some(1), 1, Ok(vec![1])),
            (Some(PART), 1, Ok(vec![PART])),
            (Some(2 * PART + 7), 3, Ok(vec![PART, PART, 7])),
            (Some(2 * PART), 3, Err(InvalidParts::WrongNumber(2))),
            (Some(PART), 0, Err(InvalidParts::WrongNumber(1))),
            (Some(1001 * PART), 1001, Err(InvalidParts::TooMany)),
            (None, 1, Err(InvalidParts::UnknownLength)),
        ] {
            assert_eq!(
                part_lengths(length, PART, count).map(Iterator::collect::<Vec<_>>),
                expected,
                "{length:?}"
            );
        }
        assert_eq!(part_lengths(Some(1), PART - 1, 1).map(Iterator::count), Err(InvalidParts::TooShort));
    }
}
