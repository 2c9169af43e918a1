//! The answer of `GET /apps/latest`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Nested by channel, platform, architecture and package.
pub type LatestBody = BTreeMap<String, BTreeMap<String, BTreeMap<String, BTreeMap<String, LatestUrl>>>>;

/// One downloadable file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatestUrl {
    /// The URL.
    pub url: String,
}
