//! Limits for adding files, with their reasons.

use spindrift_storage::LONGEST_COPY;

pub(crate) struct Limits {
    /// Seconds for which no other call may write the final keys of an upload or delete its staged objects. It
    /// begins again with each copy, and is longer than [`LONGEST_COPY`], so no copy outlasts it. A killed
    /// call can be repeated under the same claim.
    pub(crate) claim_seconds: i64,
    /// Seconds after which an upload that is still being sent counts as abandoned, and maintenance deletes
    /// its files.
    pub(crate) arrival_seconds: i64,
    /// Concurrent calls to the storage: copies, deletions, look-ups. More would exhaust the connections of
    /// the host.
    pub(crate) concurrent_calls: usize,
    /// Bytes of one part of a multipart upload to the storage. 10,000 of them hold the largest file. A file
    /// takes the memory of two of them: one being filled, one being sent.
    pub(crate) part_bytes: usize,
    /// Most characters of a field's name that an error repeats, so that the response stays small.
    pub(crate) quoted_chars: usize,
}

pub(crate) const LIMITS: Limits = Limits {
    claim_seconds: 25 * 60,
    arrival_seconds: 12 * 60 * 60,
    concurrent_calls: 8,
    part_bytes: 8 * 1024 * 1024,
    quoted_chars: 40,
};

const _: () =
    assert!(LIMITS.claim_seconds.cast_unsigned() > LONGEST_COPY.as_secs(), "a copy could outlast its claim");
