//! Bodies of applications.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::Switch;

/// Field `data` of `POST /app/create` (without `id`) and `POST /app/update` (all but `id` optional).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppData {
    /// Id of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Description for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Downloading its files needs permission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private: Option<Switch>,
    /// Uploads must have SHA-256 and SHA-512.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuf: Option<Switch>,
    /// Failure reports are accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reports: Option<Switch>,
    /// Static answers are published to the CDN bucket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cdn: Option<Switch>,
    /// Access to the files of a private application: `login`, `token` or `unlisted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download_mode: Option<String>,
    /// Users have a page to download it from: `GET /get/{owner}/{app}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub get_page: Option<Switch>,
    /// The accent color of that page, `#rrggbb`; empty: that of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub get_page_color: Option<String>,
    /// Only publishers may upload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_publisher: Option<Switch>,
    /// Whether to make the change even if it cuts off installed copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<Switch>,
}

/// An application in `GET /app/list`.
#[expect(clippy::struct_excessive_bools, reason = "the shape of the wire format: independent switches")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct AppEntry {
    /// Id.
    #[serde(rename = "ID")]
    pub id: Id,
    /// Name.
    pub app_name: String,
    /// URL of the logo; empty without one.
    pub logo: String,
    /// Downloading its files needs permission.
    pub private: bool,
    /// Uploads must have SHA-256 and SHA-512.
    pub tuf: bool,
    /// Whether it has signed metadata that lists the files which checks offer.
    #[serde(rename = "signed")]
    pub signed: bool,
    /// Failure reports are accepted.
    pub reports: bool,
    /// Static answers are published to the CDN bucket.
    pub cdn_edge: bool,
    /// Access to the files of a private application: `login`, `token` or `unlisted`. The service's default if the
    /// application has none.
    #[serde(rename = "download_mode")]
    pub download_mode: Cow<'static, str>,
    /// Users have a page to download it from: `GET /get/{owner}/{app}`.
    #[serde(rename = "get_page")]
    pub get_page: bool,
    /// The accent color of that page, `#rrggbb`; empty: that of the service.
    #[serde(rename = "get_page_color")]
    pub get_page_color: String,
    /// Only publishers may upload. Left out if others may too.
    #[serde(default, rename = "require_publisher", skip_serializing_if = "std::ops::Not::not")]
    pub require_publisher: bool,
    /// Description for people.
    pub description: String,
    /// The admin's user name.
    pub owner: String,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub updated_at: String,
}

/// Answer of `GET /app/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppsBody {
    /// The applications that the caller may see, by name.
    pub apps: Vec<AppEntry>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChannelBody, PlatformBody};

    #[test]
    fn unknown_keys_are_ignored_and_duplicate_ones_refused() {
        let data: AppData = serde_json::from_str(r#"{"app":"a","x":[1]}"#).unwrap();
        assert_eq!(data.app.as_deref(), Some("a"));
        assert!(serde_json::from_str::<AppData>(r#"{"app":"a","app":"b"}"#).is_err());
        assert!(serde_json::from_str::<ChannelBody>(r#"{"channel":"a","updaters":7}"#).is_ok());
        assert!(serde_json::from_str::<PlatformBody>(r#"{"updaters":[{"type":"manual","x":1}]}"#).is_ok());
    }
}
