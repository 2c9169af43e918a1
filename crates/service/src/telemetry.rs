//! Counting devices, after they have their answer.

use spindrift_core::{Day, DeviceId, Id, Scope, Version};
use spindrift_db::telemetry::{Sighting, record as record_sighting};
use spindrift_db::{Database, SqlError};
use spindrift_web::After;

use crate::{Failure, Ports, log, settings};

/// A device that asked something.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The application; see [`spindrift_core::ScopeRecord::app_id`].
    pub app_id: Id,
    /// What it asked about.
    pub scope: Scope,
    /// What it runs.
    pub version: Version,
    /// Which device it is.
    pub device: DeviceId,
    /// Whether there is nothing newer for it.
    pub is_latest: bool,
}

/// `telemetry_enabled`: whether devices are counted.
pub fn is_enabled(ports: &impl Ports) -> Result<bool, Failure> {
    settings::flag(ports, "telemetry_enabled", true)
}

/// `device_hash_key`: what device identifiers are hashed with. `None`: there is none, so no device is counted.
pub fn device_hash_key(ports: &impl Ports) -> Result<Option<String>, Failure> {
    let key = settings::text(ports, "device_hash_key")?;
    Ok((!key.is_empty()).then_some(key))
}

/// Counts the device once the answer is out: one statement, which reads nothing first. What goes wrong is logged, and
/// changes no answer. `None`: devices are not counted.
pub fn record<P: Ports>(ports: &P, seen: Seen) -> Option<After> {
    let key = match is_enabled(ports).and_then(|on| if on { device_hash_key(ports) } else { Ok(None) }) {
        Ok(key) => key?,
        Err(failure) => {
            log_failure(failure);
            return None;
        }
    };
    let sighting = Sighting {
        day: Day::of(ports.now()),
        device: seen.device.number(&key, &seen.app_id)?,
        app_id: seen.app_id,
        version: seen.version,
        channel: seen.scope.channel,
        platform: seen.scope.platform,
        arch: seen.scope.arch,
        is_latest: seen.is_latest,
    };
    let ports = ports.clone();
    Some(Box::pin(async move {
        if let Err(error) = write(&ports, &sighting) {
            log_failure(error.into());
        }
    }))
}

/// The schema is looked at only when the statement finds it missing.
fn write<P: Ports>(ports: &P, sighting: &Sighting) -> Result<(), SqlError> {
    match record_sighting(&Database::connect(ports)?, sighting) {
        Err(SqlError::Schema(_)) => record_sighting(&spindrift_db::open(ports, ports.now())?, sighting),
        result => result,
    }
}

fn log_failure(failure: Failure) {
    let error = failure.into_api();
    log::warn("a device was not counted", &error.internal().unwrap_or_default());
}
