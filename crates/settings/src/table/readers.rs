//! Groups of components that read the same settings.

/// All components.
pub(super) const EVERY: &[&str] = &[
    "accounts",
    "catalog",
    "check",
    "console",
    "control",
    "docs",
    "download",
    "edge",
    "feeds",
    "health",
    "latest",
    "maintenance",
    "metrics",
    "releases",
    "reports",
    "telemetry",
    "tuf",
    "upload",
];
/// Components that answer installed copies and monitoring. They get many requests for each change.
pub(super) const ANSWERING: &[&str] = &["check", "docs", "edge", "feeds", "health", "latest", "metrics"];
/// Those, and the ones that do both.
pub(super) const LOGGING_READS: &[&str] =
    &["check", "docs", "edge", "feeds", "health", "latest", "metrics", "telemetry", "tuf"];
/// Components that change data or answer managers.
pub(super) const MANAGING: &[&str] = &[
    "accounts",
    "catalog",
    "control",
    "download",
    "maintenance",
    "releases",
    "reports",
    "telemetry",
    "tuf",
    "upload",
];
/// Those, and the pages for people.
pub(super) const LOGGING: &[&str] = &[
    "accounts",
    "catalog",
    "console",
    "control",
    "download",
    "maintenance",
    "releases",
    "reports",
    "telemetry",
    "tuf",
    "upload",
];
/// Components that use the object storage.
pub(super) const STORING: &[&str] =
    &["catalog", "control", "download", "maintenance", "releases", "reports", "tuf", "upload"];
/// Those, and the console, whose pages send files to the storage.
pub(super) const STORING_OR_SENDING: &[&str] =
    &["catalog", "console", "control", "download", "maintenance", "releases", "reports", "tuf", "upload"];
/// Components that write links to files, in answers or in the values that answers are made from, and the one
/// that hashes passwords: how well depends on where the clients are.
pub(super) const LINKING_OR_HASHING: &[&str] = &[
    "accounts",
    "catalog",
    "check",
    "console",
    "control",
    "edge",
    "feeds",
    "latest",
    "maintenance",
    "releases",
    "telemetry",
    "tuf",
    "upload",
];
/// Components that need only the public URL of the storage, and those that use the storage.
pub(super) const LINKING_OR_STORING: &[&str] = &[
    "catalog",
    "check",
    "console",
    "control",
    "download",
    "edge",
    "feeds",
    "latest",
    "maintenance",
    "releases",
    "reports",
    "telemetry",
    "tuf",
    "upload",
];
/// Components that answer from the kept record of a scope.
pub(super) const WITH_RECORDS: &[&str] = &["check", "edge", "feeds", "telemetry"];
/// Components that count devices, or ask how many there are.
pub(super) const COUNTING: &[&str] = &["accounts", "catalog", "check", "feeds", "releases", "telemetry"];
/// Components that sign metadata.
pub(super) const SIGNING: &[&str] = &["maintenance", "releases", "tuf", "upload"];
