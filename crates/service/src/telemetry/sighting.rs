//! The sighting of a device, the download that it reports, and the key that hashes it.

use spindrift_core::{Day, DeviceHashKey, DeviceId, Id, Scope, Version};
use spindrift_db::downloads::DownloadEvent;
use spindrift_db::gathered_sightings::GatheredRow;
use spindrift_db::telemetry::Sighting;
use spindrift_settings::DEVICE_HASH_KEY;

use crate::{Ports, ServiceError};

/// A device that sent a request.
#[derive(Debug, Clone)]
pub struct DeviceSighting {
    /// The application; see [`spindrift_core::ScopeRecord::app_id`].
    pub app_id: Id,
    /// The scope that it asked about.
    pub scope: Scope,
    /// The version that it runs.
    pub version: Version,
    pub device: DeviceId,
    /// Whether there is no newer version for it.
    pub is_latest: bool,
}

impl DeviceSighting {
    /// The sighting, with a number in place of the device's identifier. `None` if the device sent none.
    pub(super) fn to_sighting(&self, key: &DeviceHashKey, day: Day) -> Option<Sighting> {
        Some(Sighting {
            day,
            device: self.device.number(key, &self.app_id)?,
            app_id: self.app_id.clone(),
            version: self.version.clone(),
            channel: self.scope.channel.clone(),
            platform: self.scope.platform.clone(),
            arch: self.scope.arch.clone(),
            is_latest: self.is_latest,
        })
    }
}

/// A device or a download that a request leaves to be counted.
#[derive(Debug, Clone)]
pub(super) enum Countable {
    Device(DeviceSighting, Day),
    Download(DownloadEvent),
}

impl Countable {
    /// The row that counts it. `None`: a device without an identifier.
    pub(super) fn row(&self, key: &DeviceHashKey) -> Option<GatheredRow> {
        match self {
            Self::Device(sighting, day) => {
                Some(GatheredRow::Sighting(sighting.to_sighting(key, *day)?.row()))
            }
            Self::Download(download) => Some(GatheredRow::Download(download.row())),
        }
    }
}

/// `device_hash_key`: the key for hashing device identifiers. `None`: it is empty, and the service uses its
/// own key.
pub fn device_hash_key(ports: &impl Ports) -> Result<Option<DeviceHashKey>, ServiceError> {
    Ok(DeviceHashKey::new(&DEVICE_HASH_KEY.read(ports)?))
}
