//! The domain of Spindrift: pure rules without clock, randomness or I/O.

#![warn(missing_docs)]

mod attention;
pub mod audit;
pub mod barrier;
mod catalog;
mod choose;
mod client_address;
mod condition;
pub mod cut_off;
mod days;
mod denial;
mod download;
mod download_way;
pub mod explain;
pub mod feeds;
pub mod health;
mod id;
mod known_addresses;
mod latest;
mod names;
mod object_path;
mod package;
mod password;
mod patch;
mod permission;
mod plain_text;
mod processor;
mod rate_limit;
mod raw_client_facts;
pub mod receipt;
mod release;
mod release_change;
mod report;
mod rollout;
mod scope;
mod segments;
mod sent;
mod stops;
mod telemetry;
mod text_rule;
mod text_rules;
mod time;
mod token_right;
mod updater;
mod upload;
mod upload_session;
mod version;
pub mod webhook;

pub use attention::{UNSEEN_DAYS, are_devices_missed, ends_soon, is_maintenance_overdue};
pub use catalog::{App, AppFlags, TeamMembership, Token, User};
pub use choose::{Asker, Decision, Fallback, VariesWith, decide};
pub use client_address::{ClientAddress, InvalidNetwork, TrustedProxies};
pub use condition::{
    AdmittedGroups, ClientFacts, Conditions, GroupDevice, GroupDevices, GroupKey, GroupSet,
    InvalidAdmittedGroups, InvalidClientFact, InvalidGroupKey, InvalidOsVersion, InvalidRequirements,
    MAX_CLIENT_GROUPS, MAX_EXCLUDED, MAX_GROUP_DEVICES, MAX_GROUPS, MAX_GROUPS_OF_OFFER, MAX_RECORD_DEVICES,
    NO_CLIENT_FACTS, OsRange, OsVersion, RecordGroup, Requirements, WhenUnknown,
};
pub use days::{Day, Days, InvalidDay};
pub use denial::lacks;
pub use download::{
    DownloadMode, FileLinks, Gate, InvalidDownloadMode, Shown, carry_token, is_private_link, private_link,
};
pub use download_way::{DownloadWay, InvalidDownloadWay};
pub use health::{Guard, GuardAction, InvalidGuard};
pub use id::Id;
pub use known_addresses::{KnownAddresses, address_of_user};
pub use latest::{LatestArtifact, LatestBuilds, LatestFilter, LatestRecord, latest_builds, latest_urls};
pub use names::{
    AppName, ArchName, ChannelName, DeviceGroupName, InvalidName, MAX_NAME_LENGTH, PlatformName, UserName,
};
pub use object_path::{
    BUCKET_MARKER, STAGED_ROOT, artifact_path, distinct_path, metadata_prefix, naming_updater, staged_path,
    staged_prefix,
};
pub use package::{InvalidPackage, MAX_PACKAGE_LENGTH, Package};
pub use password::{MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, PasswordHashCost};
pub use patch::{InvalidPatchFormat, InvalidPatches, MAX_PATCHES_OF_FILE, Patch, PatchFormat, Patches};
pub use permission::{Action, Actor, AppPermissions, DimensionPermissions, Permissions, Resource};
pub use plain_text::{DeceptiveChar, check_plain, is_deceptive, one_line};
pub use processor::Processor;
pub use rate_limit::{Window, subject_of};
pub use raw_client_facts::RawClientFacts;
pub use release::{
    Artifact, InvalidListing, Listing, Release, ReleaseFlags, StoredObject, Target, Visibility,
};
pub use release_change::{ChangeRefused, MAX_SCHEDULE_SECONDS, Publication, ReleaseChange, ReleaseState};
pub use report::{
    EventType, FailureReport, GroupHash, GroupStatus, InvalidReport, MAX_NOTE_LENGTH, MAX_REASON_LENGTH,
    MAX_TAG_LENGTH, MAX_TAGS, OTHER_GROUP, Reason, blob_path, checked_note, checked_tags,
};
pub use rollout::{
    BasisPoints, Course, Hold, InvalidPercentage, InvalidPlan, MAX_PLAN_STEPS, Pace, Plan, PlanFault,
    PlanRun, PlanStep, Rollout, RolloutAction, RolloutRefused, RolloutState, StepClock, StepLength, Widening,
    percentage, position,
};
pub use scope::{
    Choices, Content, DIMENSIONS_PARAMETER, Dimension, DimensionKind, Dimensions, KnownNames, NameKind,
    OwnerRevisions, RecordStamp, Scope, ScopeArtifact, ScopePatch, ScopePath, ScopeRecord, ScopeRelease,
    are_answers, dimension_or_default, keep_answers, keep_critical,
};
pub use segments::{decode_segment, encode_segments, path_for_logs};
pub use sent::{InvalidValue, quoted, quoted_json};
pub use stops::{
    MAX_PUBLIC_REASON_CHARS, MAX_SHUTOFFS, MAX_WITHDRAWN, RESTORED_BY, Stops, Withdrawal, WithdrawnVersion,
};
pub use telemetry::{DeviceHashKey, DeviceId, InvalidDeviceId, MAX_DEVICE_ID_LENGTH};
pub use text_rule::TextRule;
pub use time::{InvalidTime, Timestamp};
pub use token_right::{InvalidRight, TokenRight};
pub use updater::{InvalidUpdaters, PlatformUpdater, PlatformUpdaters, UnsupportedUpdater, Updater};
pub use upload::{
    AmbiguousFeeds, ContentHeaders, FeedName, FileEntry, FileName, InvalidDigest, InvalidFileName,
    InvalidManifest, InvalidMetadata, InvalidPackages, InvalidParts, MAX_FEED_BYTES, MAX_FEEDS_PER_UPLOAD,
    MAX_FILE_BYTES, MAX_FILE_NAME_BYTES, MAX_FILES_PER_UPLOAD, MAX_MANIFEST_BYTES, MAX_METADATA_BYTES,
    MAX_PARTS_PER_FILE, MIN_PART_BYTES, Md5Digest, NotAFeed, Packages, ReleaseMetadata, Sha256Hex, Sha512Hex,
    Upload, UploadRuleError, check_upload, parse_manifest, part_lengths, updater_of_feeds,
};
pub use upload_session::{
    DeclaredDigests, SessionFile, SessionFileKind, SessionRelease, SessionState, StagedUpload, Starter,
    UploadSession, is_leftover, unknown_uploads_end,
};
pub use version::{InvalidVersion, MAX_VERSION_LENGTH, Version};
