//! Wire types of the HTTP interface.

mod accounts;
mod catalog;
mod check;
mod download_tokens;
mod error;
mod health;
mod latest;
mod maintenance;
mod permissions;
mod reports;
mod search;
mod telemetry;
mod upload;

pub use accounts::{
    AdminUpdateBody, IdBody, ListedTokenEntry, LoginAnswer, LoginBody, MessageBody, SignupBody,
    TokenCreateBody, TokenCreatedBody, TokenEntry, TokensBody, UserBody, UserEntry, UsersBody, WhoamiBody,
};
pub use catalog::{
    AppData, AppEntry, AppsBody, ArchBody, ArchEntry, ChannelBody, ChannelEntry, DimensionsBody,
    PlatformBody, PlatformEntry, ResultBody, Switch, UpdaterBody,
};
pub use check::{CheckBody, FallbackBody, RolloutBody};
pub use download_tokens::{
    DownloadTokenBody, DownloadTokenEntry, DownloadTokensBody, RegenerateDownloadTokenBody,
};
pub use error::{ErrorBody, ErrorCode};
pub use health::HealthBody;
pub use latest::{LatestBody, LatestUrl};
pub use maintenance::MaintenanceBody;
pub use permissions::{AppPermissionsBody, DimensionPermissionsBody, PermissionsBody};
pub use reports::{
    AcceptedBody, BlobEntry, BlobStorage, BlobsBody, GroupApplication, GroupDeletedBody, GroupEntry,
    GroupEvent, GroupPatchBody, GroupStats, GroupSystem, GroupUpdatedBody, GroupsBody, KeyBody,
    RegenerateBody, ReportKeyEntry, ReportKeysBody,
};
pub use search::{ArtifactEntry, ChangelogEntry, ReleaseEntry, SearchBody};
pub use telemetry::{
    ArchCount, ChannelCount, DailyStats, PlatformCount, TelemetryBody, TelemetrySummary, TelemetryVersions,
    VersionCount,
};
pub use upload::{CompleteBody, UploadFileBody, UploadInitBody};
