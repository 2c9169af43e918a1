//! Limits for adding files, with their reasons.

use spindrift_storage::LONGEST_COPY;

pub(crate) struct PublishLimits {
    /// How long, in seconds, no other call may write the final keys of an upload or delete its staged
    /// objects. Each copy starts this time again. It is longer than [`LONGEST_COPY`], so no copy outlasts it.
    /// A killed call can be repeated under the same claim.
    pub(crate) claim_seconds: i64,
    /// After how many seconds an unfinished transfer counts as abandoned, so that maintenance deletes its
    /// files.
    pub(crate) arrival_seconds: i64,
    /// Maximum number of concurrent calls to the storage: copies, deletions, look-ups. More would exhaust the
    /// host's connections.
    pub(crate) concurrent_calls: usize,
    /// Size of a part of a multipart upload to the storage, in bytes. The largest file fits into 10,000 of
    /// them. A file needs the memory of two: one being filled, one being sent.
    pub(crate) part_bytes: usize,
    /// How many characters of a field's name an error repeats, so that the response stays small.
    pub(crate) quoted_chars: usize,
}

pub(crate) const LIMITS: PublishLimits = PublishLimits {
    claim_seconds: 25 * 60,
    arrival_seconds: 12 * 60 * 60,
    concurrent_calls: 8,
    part_bytes: 8 * 1024 * 1024,
    quoted_chars: 40,
};

const _: () =
    assert!(LIMITS.claim_seconds.cast_unsigned() > LONGEST_COPY.as_secs(), "a copy could outlast its claim");
