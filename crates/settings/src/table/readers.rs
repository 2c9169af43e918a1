//! Groups of components that read the same settings. The `Cargo.toml` of a component names the groups that it is
//! in.

/// All components, without being named there.
pub(crate) const EVERY: &str = "every";
/// Components that answer installed copies and monitoring. They get many requests for each change.
pub(crate) const ANSWERING: &str = "answering";
/// Components that change data or answer managers.
pub(super) const MANAGING: &str = "managing";
/// Components that write links to files, in answers or in the values that answers are made from.
pub(super) const LINKING: &str = "linking";
/// Components that use the object storage.
pub(super) const STORING: &str = "storing";
/// Components that count devices, or ask how many there are.
pub(super) const COUNTING: &str = "counting";
/// Components that sign metadata.
pub(super) const SIGNING: &str = "signing";

/// The groups that a component can be in.
pub const GROUPS: [&str; 6] = [ANSWERING, MANAGING, LINKING, STORING, COUNTING, SIGNING];
