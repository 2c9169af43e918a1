//! The query of an update check.

use spindrift_core::{AppName, ArchName, ChannelName, PlatformName, Scope, UserName, Version};
use spindrift_web::{ApiError, Request};

/// Longest device identifier, in characters.
const MAX_DEVICE_ID_LENGTH: usize = 128;

/// What a client asks.
pub(crate) struct CheckRequest {
    pub(crate) scope: Scope,
    pub(crate) version: Version,
    /// As sent; checked against the platform's updaters later.
    pub(crate) updater: Option<String>,
    /// `None` when it was not sent or cannot be one.
    pub(crate) device: Option<String>,
}

impl CheckRequest {
    pub(crate) fn parse(request: &Request) -> Result<Self, ApiError> {
        let query = request.query()?;
        let app: AppName = query.required("app_name")?;
        let version = query.required("version")?;
        let owner: UserName = query.required("owner")?;
        Ok(Self {
            scope: Scope {
                owner,
                app,
                channel: query.optional::<ChannelName>("channel")?,
                platform: query.optional::<PlatformName>("platform")?,
                arch: query.optional::<ArchName>("arch")?,
            },
            version,
            updater: query.get("updater").map(str::to_owned),
            device: request.header("x-device-id").filter(|id| is_device_id(id)).map(str::to_owned),
        })
    }
}

/// 1-128 printable ASCII characters.
fn is_device_id(text: &str) -> bool {
    (1..=MAX_DEVICE_ID_LENGTH).contains(&text.len()) && text.bytes().all(|b| (0x20..0x7f).contains(&b))
}

#[cfg(test)]
mod tests {
    use super::is_device_id;

    #[test]
    fn device_ids() {
        for (id, ok) in [("a", true), ("a b", true), ("", false), ("ä", false), ("\u{7f}", false)] {
            assert_eq!(is_device_id(id), ok, "{id:?}");
        }
        assert!(is_device_id(&"x".repeat(128)));
        assert!(!is_device_id(&"x".repeat(129)));
    }
}
