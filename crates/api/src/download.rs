//! The answer of `GET /download`.

use serde::{Deserialize, Serialize};

/// Where a file is, for callers that cannot follow a redirect. No `Debug`: who has the link can read the file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DownloadBody {
    /// Signed; ends after some minutes.
    pub download_url: String,
}
