//! The attributes of an object besides its bytes.

use s3s::dto::{Metadata, Timestamp};
use serde::{Deserialize, Serialize};

/// Headers given when the object was written. They are sent whenever it is read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Attributes {
    pub(super) content_type: Option<String>,
    pub(super) content_encoding: Option<String>,
    pub(super) content_disposition: Option<String>,
    pub(super) content_language: Option<String>,
    pub(super) cache_control: Option<String>,
    pub(super) expires: Option<Timestamp>,
    /// `x-amz-meta-*`.
    pub(super) metadata: Option<Metadata>,
}

/// Takes the attributes from any request type that has them.
macro_rules! attributes_of {
    ($input:expr) => {
        $crate::storage::attributes::Attributes {
            content_type: $input.content_type.take().map(|value| value.to_string()),
            content_encoding: $input.content_encoding.take(),
            content_disposition: $input.content_disposition.take(),
            content_language: $input.content_language.take(),
            cache_control: $input.cache_control.take(),
            expires: $input.expires.take(),
            metadata: $input.metadata.take(),
        }
    };
}

pub(super) use attributes_of;
