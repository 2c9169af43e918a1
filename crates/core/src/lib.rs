//! The domain of Spindrift: pure rules without clock, randomness or I/O.

#![warn(missing_docs)]

pub mod audit;
mod check;
pub mod feeds;
pub mod health;
mod people;
mod release;
mod upload;
mod values;

pub use audit::webhook;
pub use check::*;
pub use feeds::{InvalidUpdaters, PlatformUpdater, PlatformUpdaters, UnsupportedUpdater, Updater};
pub use health::{
    DeviceHashKey, DeviceId, EventType, FailureReport, GroupHash, GroupStatus, Guard, GuardAction,
    InvalidDeviceId, InvalidGuard, InvalidReport, MAX_DEVICE_ID_LENGTH, MAX_NOTE_LENGTH, MAX_REASON_LENGTH,
    MAX_TAG_LENGTH, MAX_TAGS, OTHER_GROUP, Reason, UNSEEN_DAYS, are_devices_missed, blob_path, checked_note,
    checked_tags, ends_soon, is_maintenance_overdue,
};
pub use people::*;
pub use release::*;
pub use upload::*;
pub use values::*;
