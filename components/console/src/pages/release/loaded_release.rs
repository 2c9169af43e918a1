//! A release with everything that its first screen shows.

use futures::future::{FutureExt as _, try_join4};
use spindrift_api::{OfferBody, ReleaseBody, ReleaseHealthBody};

use super::devices::Devices;
use super::health;
use super::requested_release::RequestedRelease;
use crate::pages::history::Recent;
use crate::release_state::FailureFigures;
use crate::{Address, Context, Result};

/// Number of history entries on the page.
const RECENT: u32 = 20;

/// A release with what every part of its page needs.
pub(super) struct LoadedRelease {
    pub(super) found: RequestedRelease,
    pub(super) release: ReleaseBody,
    /// `None`: the release is not published.
    pub(super) health: Option<ReleaseHealthBody>,
    pub(super) devices: Devices,
    pub(super) recent: Recent,
}

impl LoadedRelease {
    pub(super) async fn load(context: &Context<'_>, found: RequestedRelease) -> Result<Self> {
        let call = Address::call("/releases").with_segment(found.release.id.as_str());
        let (release, health, devices, recent) = try_join4(
            context.service.get::<ReleaseBody>(&call),
            health::load(context, &found.release),
            Devices::of(context, &found.release),
            Recent::load(context, found.release.id.as_str(), RECENT).map(Ok),
        )
        .await?;
        Ok(Self { found, release, health, devices, recent })
    }

    pub(super) fn offer(&self) -> Result<&OfferBody> {
        self.found.offer(&self.release)
    }

    /// The present figures, if the application takes reports of failures.
    pub(super) fn failures(&self) -> Option<FailureFigures<'_>> {
        FailureFigures::now(self.health.as_ref()?).filter(|_| self.found.app.reports)
    }
}
