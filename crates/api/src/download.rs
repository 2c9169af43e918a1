//! The answer of `GET /download`.

use serde::{Deserialize, Serialize};

/// URL of a file, for callers that cannot follow a redirect. No `Debug`: anyone with the URL can read the file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DownloadBody {
    /// Presigned; expires after some minutes.
    pub download_url: String,
}
