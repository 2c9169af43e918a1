//! A release with everything that its first screen shows.

use futures::future::{FutureExt as _, try_join4};
use spindrift_api::{OfferBody, ReleaseBody, ReleaseHealthBody};
use spindrift_service::log;

use super::devices::Devices;
use super::health;
use super::requested_release::RequestedRelease;
use crate::pages::history::Recent;
use crate::release_state::{Doubt, FailureFigures};
use crate::{Address, Context, Result};

/// Number of history entries on the page.
const RECENT: u32 = 20;

/// A release with what every part of its page needs.
pub(super) struct LoadedRelease {
    pub(super) found: RequestedRelease,
    pub(super) release: ReleaseBody,
    /// `None`: the release is not published, or its failures cannot be read.
    pub(super) health: Option<ReleaseHealthBody>,
    /// Whether the failures of the release cannot be read. Its buttons work all the same.
    pub(super) is_health_unreadable: bool,
    pub(super) devices: Devices,
    pub(super) recent: Recent,
}

/// A store or a part of the service does not answer at the moment.
struct Unreadable;

fn readable<T>(loaded: Result<T>) -> Result<Result<T, Unreadable>> {
    match loaded {
        Ok(loaded) => Ok(Ok(loaded)),
        Err(error) if error.status().is_server_error() => {
            log::warn("the failures of a release could not be read", &error);
            Ok(Err(Unreadable))
        }
        Err(error) => Err(error),
    }
}

impl LoadedRelease {
    pub(super) async fn load(context: &Context<'_>, found: RequestedRelease) -> Result<Self> {
        let call = Address::call("/releases").with_segment(found.release.id.as_str());
        let (release, health, devices, recent) = try_join4(
            context.service.get::<ReleaseBody>(&call),
            health::load(context, &found.release).map(readable),
            Devices::of(context, &found.release),
            Recent::load(context, found.release.id.as_str(), RECENT).map(Ok),
        )
        .await?;
        let is_health_unreadable = health.is_err();
        Ok(Self { found, release, health: health.unwrap_or_default(), is_health_unreadable, devices, recent })
    }

    pub(super) fn offer(&self) -> Result<&OfferBody> {
        self.found.offer(&self.release)
    }

    /// Why the release may be worse than its present figures say.
    pub(super) fn doubt(&self) -> Option<Doubt> {
        if self.is_health_unreadable {
            return Some(Doubt::Unreadable);
        }
        self.health.as_ref()?.failing_round.as_ref().map(|_| Doubt::WasFailing)
    }

    /// The present figures, if the application takes reports of failures.
    pub(super) fn failures(&self) -> Option<FailureFigures<'_>> {
        FailureFigures::now(self.health.as_ref()?).filter(|_| self.found.app.reports)
    }
}
