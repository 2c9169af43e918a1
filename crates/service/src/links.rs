//! Download URLs of artifacts.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use spindrift_core::{StoredObject, Visibility, private_link};
use spindrift_storage::{ObjectKey, PublicBase};

use crate::{Ports, ServiceError, settings};

/// Percent-encodes all characters that are not allowed in a query value.
const QUERY_VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Builds the links for one request.
pub struct DownloadLinks {
    public: PublicBase,
    api: String,
}

impl DownloadLinks {
    pub fn new(ports: &impl Ports) -> Result<Self, ServiceError> {
        Ok(Self { public: settings::public_base(ports)?, api: settings::api_url(ports)? })
    }

    /// A digest of the settings that determine the links.
    pub(crate) fn settings_digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.public.as_str(), &self.api).hash(&mut hasher);
        hasher.finish()
    }

    /// The URL of an object: its own if it is public, otherwise that of `/download`, which signs on request.
    /// It is never a signed URL, because answers are cached for longer than a signature should be valid.
    pub fn url_of(&self, object: &StoredObject) -> Result<String, ServiceError> {
        match object.bucket {
            Visibility::Public => Ok(self.public.link(&object_key(object)?)),
            Visibility::Private => Ok(private_link(&self.api, utf8_percent_encode(&object.key, QUERY_VALUE))),
        }
    }
}

/// The public URL of the logo with this key. Empty if `key` is empty.
pub fn logo_url(ports: &impl Ports, key: &str) -> Result<String, ServiceError> {
    if key.is_empty() {
        return Ok(String::new());
    }
    Ok(settings::public_base(ports)?.link(&parse_key(key)?))
}

/// The key of a recorded object. It was validated before it was recorded.
pub fn object_key(object: &StoredObject) -> Result<ObjectKey, ServiceError> {
    parse_key(&object.key)
}

fn parse_key(key: &str) -> Result<ObjectKey, ServiceError> {
    ObjectKey::new(key).map_err(|error| ServiceError::Internal(error.to_string()))
}
