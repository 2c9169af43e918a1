//! What is limited while files are added, and why that much.

pub(crate) struct Limits {
    /// Seconds for which nobody else may write the final keys of an upload, or take its staged objects away. Longer than
    /// copying, or reading one file, takes at its slowest. A call that was killed is repeated under the same claim.
    pub(crate) claim_seconds: i64,
    /// Seconds after which an upload that is still being sent counts as abandoned, and maintenance takes its files away.
    pub(crate) arrival_seconds: i64,
    /// Calls to the storage at the same time: copies, deletions, looks. More would fill the connections of the host.
    pub(crate) concurrent_calls: usize,
    /// Bytes of one part of a multipart upload to the storage. 10,000 of them hold the largest file, and two of them (one
    /// being filled, one being sent) are all that a file takes of memory.
    pub(crate) part_bytes: usize,
    /// Characters of a field's name that an error repeats, so that the answer stays small.
    pub(crate) quoted_chars: usize,
}

pub(crate) const LIMITS: Limits = Limits {
    claim_seconds: 15 * 60,
    arrival_seconds: 12 * 60 * 60,
    concurrent_calls: 8,
    part_bytes: 8 * 1024 * 1024,
    quoted_chars: 40,
};
