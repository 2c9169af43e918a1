//! The compression of patches.

/// Higher qualities take ten times as long, for a tenth of the size.
pub(crate) const QUALITY: u32 = 9;
/// The window: 4 MiB, as binary logarithm. Clients need as much memory, and refuse larger ones.
pub(crate) const WINDOW: u32 = 22;
/// Bytes compressed at a time.
pub(crate) const BUFFER: usize = 64 * 1024;
