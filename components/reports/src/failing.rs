//! Devices that fail for the first time: in a day, and in the round of a release that is under way.
//!
//! Sets of devices in the key-value store tell it. All of this can be lost: then the guard takes longer.

use spindrift_core::health::{Bitmap, BitmapOf, FailingDevices, MAX_ROUND_DAYS, bitmaps};
use spindrift_core::{Day, DeviceHashKey, DeviceId, FailureReport, Timestamp};
use spindrift_db::report_events::Firsts;
use spindrift_db::report_keys::KeyOwner;
use spindrift_service::{Failure, Ports, log, rate_limits, telemetry};
use spindrift_web::KeyValueError;

/// Most times that a set is read again because another request has changed it meanwhile.
const ATTEMPTS: usize = 4;
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// Adds the report's device to the sets that the report is about. A set that cannot be used is left out.
pub(crate) fn note<P: Ports>(
    ports: &P,
    sender: &KeyOwner,
    report: &FailureReport,
    device: &DeviceId,
    now: Timestamp,
) -> Result<Firsts, Failure> {
    let key = telemetry::device_hash_key(ports)?;
    let mut firsts = Firsts::default();
    for bitmap in bitmaps(&sender.watched, &sender.app_id, report, Day::of(now)) {
        match add(ports, &bitmap, device, key.as_ref(), now) {
            Ok(None) => {}
            Ok(Some(number)) => match bitmap.of {
                BitmapOf::Day => firsts.is_of_day = true,
                BitmapOf::Round(round) => firsts.rounds.push(format!("{round}:{number}")),
            },
            Err(error) => log::warn("a failing device was not noted", &error),
        }
    }
    Ok(firsts)
}

/// The number of the set, if the device is new in it.
fn add(
    ports: &impl Ports,
    bitmap: &Bitmap,
    device: &DeviceId,
    key: Option<&DeviceHashKey>,
    now: Timestamp,
) -> Result<Option<String>, KeyValueError> {
    for _ in 0..ATTEMPTS {
        let Some(kept) = ports.get(&bitmap.key)? else {
            let mut devices = FailingDevices::new(ports.random_bytes());
            devices.add(device, key);
            rate_limits::delete_at(ports, &bitmap.key, ends(bitmap, now), now)?;
            // Another request may do the same. Then one of the sets is lost, and its number is not used again.
            ports.set(&bitmap.key, devices.as_bytes())?;
            return Ok(Some(devices.number()));
        };
        let Some(mut devices) = FailingDevices::from_bytes(kept.clone()) else {
            ports.delete(&bitmap.key)?;
            continue;
        };
        if !devices.add(device, key) {
            return Ok(None);
        }
        if ports.replace(&bitmap.key, &kept, devices.as_bytes())? {
            return Ok(Some(devices.number()));
        }
    }
    Ok(None)
}

/// When nothing reads a set any more.
fn ends(bitmap: &Bitmap, now: Timestamp) -> Timestamp {
    match &bitmap.of {
        BitmapOf::Day => Day::of(now).start().plus_seconds(DAY_SECONDS),
        BitmapOf::Round(round) => round.since.plus_seconds(MAX_ROUND_DAYS * DAY_SECONDS),
    }
}
