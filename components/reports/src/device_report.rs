//! Devices that fail for the first time: in a day, and in the round of a release that is under way.
//!
//! Sets of devices in the key-value store determine this. All of them may be lost: then the guard
//! takes longer.

use spindrift_core::health::{
    Bitmap, BitmapPeriod, FailingDevices, MAX_ROUND_DAYS, MissedReports, Round, Series, bitmaps,
};
use spindrift_core::{Day, DeviceHashKey, DeviceId, FailureReport, GroupHash, Timestamp};
use spindrift_db::report_keys::KeyOwner;
use spindrift_service::{Failure, Ports, log, rate_limits, telemetry};
use spindrift_web::KeyValueError;

/// Maximum number of attempts to change a value that other requests change at the same time.
const ATTEMPTS: usize = 8;
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// A report, and the device that sent it.
pub(crate) struct DeviceReport<'a, P: Ports> {
    pub(crate) ports: &'a P,
    pub(crate) sender: &'a KeyOwner,
    pub(crate) report: &'a FailureReport,
    pub(crate) device: &'a DeviceId,
    pub(crate) now: Timestamp,
}

/// A round that a report is about.
pub(crate) struct ReportRound {
    round: Round,
    /// The number of the set in which the device is new. `None`: it is not new.
    first_in: Option<String>,
}

impl ReportRound {
    /// The form in which groups count it. `None`: the device has counted before.
    pub(crate) fn first(&self) -> Option<String> {
        self.first_in.as_ref().map(|set| format!("{}:{set}", self.round))
    }
}

impl<P: Ports> DeviceReport<'_, P> {
    /// Adds the device to the sets of the rounds that the report is about, at most two. A set that cannot be
    /// used is left out.
    pub(crate) fn note_rounds(&self) -> Result<Vec<ReportRound>, Failure> {
        let key = telemetry::device_hash_key(self.ports)?;
        let mut noted = Vec::new();
        for bitmap in self.bitmaps() {
            if let BitmapPeriod::Round(round) = &bitmap.of {
                let first_in = self.add(&bitmap, key.as_ref());
                noted.push(ReportRound { round: round.clone(), first_in });
            }
        }
        Ok(noted)
    }

    /// Adds the device to the set of the day, and returns whether it is new there.
    pub(crate) fn is_first_of_day(&self) -> Result<bool, Failure> {
        let key = telemetry::device_hash_key(self.ports)?;
        let day = self.bitmaps().into_iter().find(|bitmap| bitmap.of == BitmapPeriod::Day);
        Ok(day.is_some_and(|day| self.add(&day, key.as_ref()).is_some()))
    }

    /// Records that no group has counted the report. Its device counts in its rounds anyway.
    pub(crate) fn miss(&self, rounds: &[ReportRound], group: &GroupHash, is_refused: bool) {
        for ReportRound { round, first_in } in rounds {
            if !is_refused && first_in.is_none() {
                continue;
            }
            let add = |missed: &mut MissedReports| missed.add(group, first_in.as_deref(), is_refused);
            match self.change_missed(round, add) {
                Ok(true) => {}
                Ok(false) => {
                    log::warn("a missed report was not noted", &"too many requests at the same time");
                }
                Err(error) => log::warn("a missed report was not noted", &error),
            }
        }
    }

    fn bitmaps(&self) -> Vec<Bitmap> {
        bitmaps(&self.sender.watched, &self.sender.app_id, self.report, Day::of(self.now))
    }

    /// The number of the set, if the device is new in it.
    fn add(&self, bitmap: &Bitmap, key: Option<&DeviceHashKey>) -> Option<String> {
        self.try_add(bitmap, key).unwrap_or_else(|error| {
            log::warn("a failing device was not noted", &error);
            None
        })
    }

    fn try_add(&self, bitmap: &Bitmap, key: Option<&DeviceHashKey>) -> Result<Option<String>, KeyValueError> {
        let (ports, device) = (self.ports, self.device);
        for _ in 0..ATTEMPTS {
            let Some(kept) = ports.get(&bitmap.key)? else {
                let mut devices = FailingDevices::new(ports.random_bytes());
                devices.add(device, key);
                let ends = match &bitmap.of {
                    BitmapPeriod::Day => Day::of(self.now).start().plus_seconds(DAY_SECONDS),
                    BitmapPeriod::Round(round) => end(round),
                };
                rate_limits::delete_at(ports, &bitmap.key, ends, self.now)?;
                // Another request may do the same. Then one of the sets is lost, and its number is not used
                // again.
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

    /// Changes the record of a round. `Ok(false)`: other requests changed it each time.
    fn change_missed(
        &self,
        round: &Round,
        change: impl Fn(&mut MissedReports),
    ) -> Result<bool, KeyValueError> {
        let (ports, key) = (self.ports, MissedReports::key(round, Series::of(self.report.event)));
        for _ in 0..ATTEMPTS {
            let kept = ports.get(&key)?;
            let old = kept.as_deref().and_then(MissedReports::from_bytes);
            let mut new = old.clone().unwrap_or_default();
            change(&mut new);
            let Some(kept) = kept else {
                rate_limits::delete_at(ports, &key, end(round), self.now)?;
                ports.set(&key, &new.to_bytes())?;
                return Ok(true);
            };
            if old.as_ref() == Some(&new) || ports.replace(&key, &kept, &new.to_bytes())? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// When the stored data about a round is no longer read.
const fn end(round: &Round) -> Timestamp {
    round.since.plus_seconds(MAX_ROUND_DAYS * DAY_SECONDS)
}
