//! The answer of `GET /apps/latest`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Channel, platform, architecture and package, each to what it holds.
pub type LatestBody = BTreeMap<String, BTreeMap<String, BTreeMap<String, BTreeMap<String, LatestUrl>>>>;

/// Where one build is downloaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatestUrl {
    /// The link.
    pub url: String,
}
