//! The reach of the object storage.

use crate::SettingValue;

/// The callers that can reach the storage (`storage_driver`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageDriver {
    /// `s3`: any S3-compatible storage that uploaders and browsers can reach too.
    S3,
    /// `s3_internal`: only the service can reach it, so nothing is presigned for outside callers.
    S3Internal,
}

impl StorageDriver {
    /// The text of the setting.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::S3Internal => "s3_internal",
        }
    }
}

impl SettingValue for StorageDriver {
    type Range = ();

    fn parse(text: String, (): &()) -> Option<Self> {
        [Self::S3, Self::S3Internal].into_iter().find(|driver| driver.as_str() == text)
    }

    fn describe((): &()) -> String {
        format!("{} or {}", Self::S3.as_str(), Self::S3Internal.as_str())
    }
}
