//! Applications.

use crate::{AppName, DownloadMode, Id, Timestamp};

/// An application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// Identifier.
    pub id: Id,
    /// Unique within the owner.
    pub name: AppName,
    /// Description for people.
    pub description: String,
    /// Key of the logo in the public bucket. Empty: no logo.
    pub logo_key: String,
    /// Switches that affect how it is served.
    pub flags: AppFlags,
    /// Access to its files if it is private. `None`: the service's setting decides.
    pub download_mode: Option<DownloadMode>,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Switches that affect how an application is served.
#[expect(clippy::struct_excessive_bools, reason = "independent switches, as in the interface")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AppFlags {
    /// Whether downloading files requires permission.
    pub private: bool,
    /// Whether uploads must have SHA-256 and SHA-512, which are verified.
    pub tuf: bool,
    /// Whether failure reports are accepted.
    pub reports: bool,
    /// Whether answers are published to the CDN bucket.
    pub cdn: bool,
}
