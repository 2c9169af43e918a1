//! The form with which users ask why a device gets no newer version.

use std::str::FromStr;

use spindrift_core::{DeviceId, RawClientFacts, Scope, TextRule, Version};
use spindrift_web::Query;

use crate::address::AppAddress;

/// The fields of the form, as sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WhyForm {
    pub(crate) device: String,
    pub(crate) version: String,
    pub(crate) channel: String,
    pub(crate) platform: String,
    pub(crate) arch: String,
    pub(crate) os_version: String,
}

/// A question that was read from the form.
pub(crate) struct WhyQuestion {
    pub(crate) device: DeviceId,
    pub(crate) version: Version,
    pub(crate) scope: Scope,
    pub(crate) facts: RawClientFacts,
}

impl WhyForm {
    pub(crate) fn of(query: &Query) -> Self {
        let text = |name| query.get(name).unwrap_or_default().trim().to_owned();
        Self {
            device: text("device"),
            version: query.get_unspaced("version").unwrap_or_default(),
            channel: text("channel"),
            platform: text("platform"),
            arch: text("arch"),
            os_version: text("os_version"),
        }
    }

    /// The question, or the problem of the form.
    pub(crate) fn read(&self, address: &AppAddress) -> Result<WhyQuestion, String> {
        if self.device.is_empty() || self.version.is_empty() {
            return Err("Please fill in the device id and the version.".to_owned());
        }
        let device = self
            .device
            .parse()
            .map_err(|_| format!("This is not a device id. It has {}.", <DeviceId as TextRule>::RULE))?;
        let version = self
            .version
            .parse()
            .map_err(|_| "This is not a version. Versions look like 1.4.0 or 2.0.0-beta.1.".to_owned())?;
        let name_of = |kind: &str| format!("There is no {kind} of this name.");
        let scope = Scope {
            owner: address.owner.clone(),
            app: address.app.clone(),
            channel: optional(&self.channel).map_err(|()| name_of("channel"))?,
            platform: optional(&self.platform).map_err(|()| name_of("platform"))?,
            arch: optional(&self.arch).map_err(|()| name_of("architecture"))?,
        };
        let os_version = Some(self.os_version.clone()).filter(|text| !text.is_empty());
        let facts = RawClientFacts { os_version, ..RawClientFacts::default() };
        Ok(WhyQuestion { device, version, scope, facts })
    }
}

/// The parsed text; `None` if it is empty.
fn optional<T: FromStr>(text: &str) -> Result<Option<T>, ()> {
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| ()) }
}
