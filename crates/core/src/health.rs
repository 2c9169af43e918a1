//! Determines whether a release fails more often than the one before it, and how to react.
//!
//! Installed copies report failures, and devices are counted when they check for updates. A guard
//! run compares both with the week before the release; see `docs/adr/0055-a-guard-only-stops.md`.

mod attention;
mod bitmap;
mod causes;
mod daily;
mod evidence;
mod figures;
mod guard;
mod missed;
mod record;
mod report;
mod series;
mod signals;
mod telemetry;
mod verdict;
mod watch;

pub use attention::{UNSEEN_DAYS, are_devices_missed, ends_soon, is_maintenance_overdue};
pub use bitmap::FailingDevices;
pub use causes::FailureCause;
pub use daily::{DailyDevices, HealthDay};
pub use evidence::{Baseline, Evidence, Exposure};
pub use figures::{DeviceDay, GroupFigures, GuardedRelease, HealthCounts};
pub use guard::{Guard, GuardAction, InvalidGuard, Thousandths};
pub use missed::MissedReports;
pub use record::{Baselines, HealthCause, ReleaseHealth, RoundEnd, SeriesHealth, StoredBaseline, first_day};
pub use report::{
    EventType, FailureReport, GroupHash, GroupStatus, InvalidReport, MAX_NOTE_LENGTH, MAX_REASON_LENGTH,
    MAX_TAG_LENGTH, MAX_TAGS, OTHER_GROUP, Reason, blob_path, checked_note, checked_tags,
};
pub use series::Series;
pub use signals::{ASKED_SECONDS, CopySignals, ReportSignal};
pub use telemetry::{DeviceHashKey, DeviceId, InvalidDeviceId, MAX_DEVICE_ID_LENGTH};
pub use verdict::{
    Assessment, Findings, MIN_SEEN_DEVICES, Measurement, NoDataReason, Verdict, VerdictReason, assess,
};
pub use watch::{
    Bitmap, BitmapPeriod, MAX_ROUND_DAYS, MAX_WATCHED, Round, UNDER_WAY_DAYS, WatchedRelease, bitmaps,
};
