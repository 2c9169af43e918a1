//! Bodies of presigned uploads.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Answer of `POST /upload/init`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UploadInitBody {
    /// Goes to the completion call.
    pub upload_id: String,
    /// When the URLs end, ISO 8601 with offset.
    pub expires_at: String,
    /// One for each manifest entry, in its order.
    pub files: Vec<UploadFileBody>,
}

/// How one file is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UploadFileBody {
    /// Name from the manifest.
    pub name: String,
    /// Always `PUT`.
    pub method: &'static str,
    /// Presigned; a write credential until it expires.
    pub url: String,
    /// To be sent unchanged: they are signed.
    pub headers: BTreeMap<String, String>,
}

/// Body of `POST /upload/complete`. Other keys are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CompleteBody {
    /// From the answer of init.
    pub upload_id: String,
}
