//! Releases: what is offered, to whom, and how offers change.

mod app;
mod artifact;
pub mod barrier;
mod change;
pub(crate) mod condition;
mod package;
mod patch;
pub mod receipt;
mod rollout;
mod stops;
mod system;

pub use app::{App, AppFlags, GetPage};
pub use artifact::{
    Artifact, InvalidListing, Listing, Release, ReleaseFlags, StoredObject, Target, Visibility,
};
pub use change::{ChangeRefused, MAX_SCHEDULE_SECONDS, Publication, ReleaseChange, ReleaseState, held_until};
pub use condition::{
    AdmittedGroups, ClientFacts, Conditions, CuredVersions, GroupDevice, GroupDevices, GroupKey, GroupSet,
    InvalidAdmittedGroups, InvalidClientFact, InvalidCures, InvalidGroupKey, InvalidOsVersion,
    InvalidRequirements, MAX_CLIENT_GROUPS, MAX_CURED_VERSIONS, MAX_EXCLUDED, MAX_GROUP_DEVICES, MAX_GROUPS,
    MAX_GROUPS_OF_OFFER, MAX_RECORD_DEVICES, NO_FACTS, OsRange, OsVersion, RecordGroup, Requirements,
    WhenUnknown,
};
pub use package::{InvalidPackage, MAX_PACKAGE_LENGTH, Package};
pub use patch::{InvalidPatchFormat, InvalidPatches, MAX_PATCHES_OF_FILE, Patch, PatchFormat, Patches};
pub use rollout::{
    BasisPoints, Course, Freeze, Freezes, Hold, HoursFault, InvalidPercentage, InvalidPlan,
    MAX_FREEZE_SECONDS, MAX_FREEZES, MAX_PLAN_STEPS, Pace, Plan, PlanFault, PlanRun, PlanStep, Rollout,
    RolloutAction, RolloutRefused, RolloutState, StepClock, StepLength, Widening, WorkingHours, percentage,
    position,
};
pub use stops::{
    MAX_PUBLIC_REASON_CHARS, MAX_SHUTOFFS, MAX_WITHDRAWN, RESTORED_BY, Stops, Withdrawal, WithdrawnVersion,
};
pub use system::OperatingSystem;
