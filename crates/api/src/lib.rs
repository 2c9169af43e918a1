//! Wire types of the HTTP interface: the body of every request and answer, for both the side that writes it and the
//! side that reads it. One file for each noun. Unknown keys are ignored.

#![warn(missing_docs)]

mod adoption;
mod apps;
mod archs;
mod audit;
mod catalog;
mod channels;
mod check;
#[cfg(feature = "schema")]
#[expect(missing_docs, reason = "for the components of the service, and not for its clients")]
pub mod describe;
mod device;
mod device_groups;
mod download;
mod download_tokens;
mod error;
mod explain;
mod freezes;
mod guard;
mod health;
mod invitations;
mod latest;
mod maintenance;
mod nullable;
mod overview;
mod passkeys;
mod percentage;
mod permissions;
mod plan;
mod platforms;
mod publishers;
mod raw_json;
mod receipt;
mod releases;
mod report_blobs;
mod report_causes;
mod report_groups;
mod report_keys;
mod report_versions;
mod reports;
mod requirements;
mod result;
mod rollouts;
#[cfg(test)]
mod round_trips;
#[cfg(feature = "schema")]
mod schema;
mod search;
mod session;
mod shutoffs;
mod sso;
mod telemetry;
mod tokens;
mod trust;
mod upload;
mod users;
mod webhooks;

pub use adoption::{AdoptionBody, AdoptionVersion};
pub use apps::{AppData, AppEntry, AppsBody};
pub use archs::{ArchBody, ArchEntry, ArchsBody};
pub use audit::{
    AuditActorBody, AuditBody, AuditHeadBody, AuditItem, AuditLine, AuditObjectBody, AuditReleaseBody,
};
pub use catalog::{CatalogKind, ResultBody, Switch};
pub use channels::{ChannelBody, ChannelEntry, ChannelsBody};
pub use check::{CheckBody, CheckLinks, FallbackBody, PatchBody, RolloutBody, UnmetBody, WithdrawnBody};
pub use device::{DeviceAnswerBody, DeviceBody, DeviceCodeAnswer, DeviceCodeBody, DeviceTokenBody};
pub use device_groups::{
    DeviceGroupCreateBody, DeviceGroupDevicesBody, DeviceGroupEntry, DeviceGroupSizeBody, DeviceGroupsBody,
};
pub use download::DownloadBody;
pub use download_tokens::{
    DownloadTokenBody, DownloadTokenEntry, DownloadTokensBody, RegenerateDownloadTokenBody,
};
pub use error::{ErrorBody, ErrorCode};
pub use explain::{
    DifferentAnswer, ExplainBody, ExplainedAnswer, ExplainedBody, ExplainedReason, ExplainedRelease,
};
pub use freezes::{FreezeCreateBody, FreezeEntry, FreezesBody};
pub use guard::{
    BaselineBody, CurrentHealthBody, FailingRoundBody, GuardActedBody, GuardActionName, GuardBody,
    GuardRunBody, HealthCauseBody, HealthDayBody, ReleaseHealthBody, SeriesBody, VerdictName,
};
pub use health::HealthBody;
pub use invitations::{
    InvitationAcceptBody, InvitationAcceptedBody, InvitationCreateBody, InvitationCreatedBody,
    InvitationEntry, InvitationsBody, OwnInvitationBody,
};
pub use latest::{LatestBody, LatestUrl};
pub use maintenance::MaintenanceBody;
pub use overview::{NewestRelease, OverviewApp, OverviewBody, OverviewNow, OverviewRelease, OverviewWarning};
pub use passkeys::{
    PasskeyAnswerBody, PasskeyCreateBody, PasskeyCreatedBody, PasskeyEntry, PasskeyNewBody,
    PasskeyQuestionBody, PasskeyRequirementBody, PasskeysBody, RecoveryBody, RecoveryCodesBody,
};
pub use percentage::Percentage;
pub use permissions::{AppPermissionsBody, DimensionPermissionsBody, PermissionsBody, role_name};
pub use plan::{PlanBody, PlanStepBody, WorkingHoursBody};
pub use platforms::{PlatformBody, PlatformEntry, PlatformsBody, UpdaterBody, UpdaterRef};
pub use publishers::{
    BuiltByBody, ExchangeBody, ExchangedBody, PublisherCreateBody, PublisherEntry, PublisherNames,
    PublishersBody,
};
pub use raw_json::RawJson;
pub use receipt::{ReceiptAskBody, ReceiptBody, ReceiptLineBody};
pub use releases::{
    ArtifactRef, ArtifactsDeleteData, ArtifactsDeletedBody, ReleaseDeletedBody, ReleaseUpdateData,
    ReleaseUpdatedBody,
};
pub use report_blobs::{BlobEntry, BlobStorage, BlobsBody};
pub use report_causes::{CauseEntry, CauseRef, CausesBody, CausesPatchBody, CausesUpdatedBody};
pub use report_groups::{
    GroupDeletedBody, GroupEntry, GroupPatchBody, GroupStats, GroupUpdatedBody, GroupsBody,
};
pub use report_keys::{KeyBody, RegenerateBody, ReportKeyEntry, ReportKeysBody};
pub use report_versions::{FailuresByVersionBody, VersionFailures};
pub use reports::{
    AcceptedBody, DETAILS_CONTENT_TYPE, DETAILS_ENCODING, DetailsBody, ReportBody, ReportedApplication,
    ReportedEvent, ReportedSystem,
};
pub use requirements::{OsRangeBody, PlaceRequiresBody, RequiresBody, RequiresChangeBody};
pub use result::{IdBody, MessageBody};
pub use rollouts::{
    NextStepBody, OfferBody, OfferChangeBody, OfferRolloutBody, ReleaseBody, RestoreBody, RolloutActionBody,
    RolloutActionName, WithdrawBody, WithdrawalBody,
};
pub use search::{ArtifactEntry, ChangelogEntry, PatchOf, ReleaseEntry, SearchBody};
pub use session::{
    LoginAnswer, LoginBody, LoginEntry, LoginsBody, PasswordBody, SignupAnswer, SignupBody, SignupState,
    WhoamiBody,
};
pub use shutoffs::{ShutoffCreateBody, ShutoffEntry, ShutoffsBody, shut_off_clients};
pub use sso::{SsoBeginBody, SsoBody, SsoFinishBody, SsoLoginAnswer, SsoQuestionBody, SsoRequirementBody};
pub use telemetry::{
    ArchCount, ChannelCount, DailyStats, DownloadCount, PlatformCount, TelemetryBody, TelemetrySummary,
    TelemetryVersions, VersionCount,
};
pub use tokens::{ListedTokenEntry, TokenCreateBody, TokenCreatedBody, TokenEntry, TokensBody};
pub use trust::{
    BootstrapBody, BootstrapRequest, BootstrapSettings, BootstrapState, DelegatedBody,
    DelegatedRotateRequest, FirstMetadata, KeyEntry, KeyValue, ListingState, MetadataRequest, OnlineRequest,
    RepositoryConfig, RepositoryConfigBody, RepositoryConfigRequest, RepositoryRequest, RepositorySettings,
    RoleSettings, RootBody, SignRequest, SignatureEntry, SignedFile, Staged, StagedBody, StagedDeleteRequest,
    TargetEntry, TargetsBody, TargetsDeleteRequest, TargetsPageBody, TargetsPublishRequest, Task, TaskBody,
    TaskRef, TaskResult, TaskStartedBody, TaskState, TrustedDelegated, TrustedRoot, TrustedTargets, Waiting,
};
pub use upload::{
    CompleteBody, ManifestEntry, PartBody, PartsAnswer, PartsBody, PatchEntry, ReleaseData, UploadFileBody,
    UploadInitBody, UploadedBody,
};
pub use users::{AdminUpdateBody, UserBody, UserEntry, UsersBody};
pub use webhooks::{HaltLinkBody, WebhookCreateBody, WebhookEntry, WebhookUpdateBody, WebhooksBody};
