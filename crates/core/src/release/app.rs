//! Applications.

use crate::{AccentColor, AppName, DownloadMode, Id, Timestamp};

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
    /// Its page for users.
    pub get_page: GetPage,
    /// Whether only publishers may upload.
    pub require_publisher: bool,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// The page from which users download an application.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GetPage {
    /// Whether there is one.
    pub is_on: bool,
    /// The color of its button. `None`: that of the service.
    pub color: Option<AccentColor>,
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
