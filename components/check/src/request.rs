//! The query of an update check.

use spindrift_core::{AppName, ArchName, ChannelName, DeviceId, PlatformName, Scope, UserName, Version};
use spindrift_web::{ApiError, Request};

/// What a client asks.
pub(crate) struct CheckRequest {
    pub(crate) scope: Scope,
    pub(crate) version: Version,
    /// As sent; checked against the platform's updaters later.
    pub(crate) updater: Option<String>,
    /// `None` when it was not sent or cannot be one.
    pub(crate) device: Option<DeviceId>,
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
            device: request.header("x-device-id").and_then(|id| id.parse().ok()),
        })
    }
}
