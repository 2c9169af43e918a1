//! Components that read the same settings.

/// All of them.
pub(super) const EVERY: &[&str] = &[
    "accounts",
    "catalog",
    "check",
    "download",
    "edge",
    "feeds",
    "health",
    "latest",
    "maintenance",
    "releases",
    "reports",
    "telemetry",
    "upload",
];
/// Those that answer installed copies, many times for each change.
pub(super) const ANSWERING: &[&str] = &["check", "edge", "feeds", "health", "latest"];
/// Those that change something or answer managers.
pub(super) const MANAGING: &[&str] =
    &["accounts", "catalog", "download", "maintenance", "releases", "reports", "telemetry", "upload"];
/// Those that reach the object storage.
pub(super) const STORING: &[&str] = &["catalog", "download", "maintenance", "releases", "reports", "upload"];
/// Those that make links to files, in answers or in what answers are made from.
pub(super) const LINKING: &[&str] =
    &["catalog", "check", "edge", "feeds", "latest", "maintenance", "releases", "telemetry", "upload"];
/// Those that only the storage's public address concerns, and those that reach it.
pub(super) const LINKING_OR_STORING: &[&str] = &[
    "catalog",
    "check",
    "download",
    "edge",
    "feeds",
    "latest",
    "maintenance",
    "releases",
    "reports",
    "telemetry",
    "upload",
];
/// Those that answer from the record of a scope.
pub(super) const WITH_RECORDS: &[&str] = &["check", "edge", "feeds", "telemetry"];
/// Those that count devices.
pub(super) const COUNTING: &[&str] = &["check", "feeds", "telemetry"];
