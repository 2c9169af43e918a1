//! Timestamp: the current snapshot.

use crate::error::{Fault, FaultText};
use crate::field_reader::FieldReader;
use crate::file_meta::FileMeta;
use crate::json::Json;
use crate::role::Role;
use crate::{Head, TrustError};

const TYPE: &str = "timestamp";
const SNAPSHOT_FILE: &str = "snapshot.json";

/// Largest timestamp, in bytes. Clients read 16,384.
const MAX_BYTES: usize = 8 * 1024;

/// Timestamp metadata ([TUF 1.0, section 4.6]).
///
/// [TUF 1.0, section 4.6]: https://theupdateframework.github.io/specification/latest/#file-formats-timestamp
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimestampRole {
    pub head: Head,
    pub snapshot: FileMeta,
}

impl Role for TimestampRole {
    const MAX_BYTES: usize = MAX_BYTES;

    fn error(what: FaultText) -> TrustError {
        TrustError::Metadata(what)
    }

    fn read(mut fields: FieldReader) -> Result<Self, Fault> {
        let head = Head::read(&mut fields, TYPE)?;
        let mut meta = fields.object("meta")?;
        fields.done()?;
        let snapshot = FileMeta::read(meta.optional(SNAPSHOT_FILE).ok_or(SNAPSHOT_FILE)?)?;
        meta.done()?;
        Ok(Self { head, snapshot })
    }

    fn to_json(&self) -> Json {
        let meta = Json::Object([(SNAPSHOT_FILE.to_owned(), self.snapshot.to_json())].into());
        self.head.with(TYPE, [("meta", meta)])
    }

    fn head(&self) -> &Head {
        &self.head
    }
}

#[cfg(test)]
mod tests;
