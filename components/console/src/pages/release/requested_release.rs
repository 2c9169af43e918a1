//! The release in an address.

use futures::future::try_join;
use spindrift_api::{AppEntry, OfferBody, ReleaseBody, ReleaseEntry, SearchBody, WhoamiBody};
use spindrift_core::{Action, ReleaseState, Resource};
use spindrift_web::Request;

use crate::address::segment;
use crate::{Address, ConsoleError, Context, Result, catalog, rights};

/// The release in an address, and the visitor.
pub(super) struct RequestedRelease {
    pub(super) me: WhoamiBody,
    pub(super) app: AppEntry,
    /// The release as offered in the address's channel, by default its own channel.
    pub(super) release: ReleaseEntry,
    /// The channel to which the release was uploaded.
    pub(super) own_channel: String,
}

impl RequestedRelease {
    pub(super) async fn of(context: &Context<'_>, request: &Request) -> Result<Self> {
        let query = request.query()?;
        let (name, id) = (segment(request.path(), 2)?, segment(request.path(), 4)?);
        Self::load(context, &name, &id, query.get(CHANNEL)).await
    }

    /// The release of an application with this name. `channel`: whose offer to show, by default
    /// that of the release's own channel.
    pub(super) async fn load(
        context: &Context<'_>,
        name: &str,
        id: &str,
        channel: Option<&str>,
    ) -> Result<Self> {
        let search = Address::call("/search").with("id", id);
        let loaded = try_join(catalog::app_named(context, name), context.service.get::<SearchBody>(&search));
        let (me, (app, found)) = context.with_me(loaded).await?;
        let release = found.items.into_iter().find(|release| release.app_name == name);
        let release = release.ok_or(ConsoleError::NoPage)?;
        let own_channel = release.channel.clone();
        let release = match channel.filter(|channel| !channel.is_empty() && *channel != own_channel) {
            Some(channel) => as_promoted(context, release, channel).await?,
            None => release,
        };
        Ok(Self { me, app, release, own_channel })
    }

    /// The offer that is shown.
    pub(super) fn offer<'r>(&self, release: &'r ReleaseBody) -> Result<&'r OfferBody> {
        let mut offers = release.offers.iter();
        let shown = offers.find(|offer| offer.channel == self.release.channel);
        shown.ok_or_else(|| ConsoleError::no_answer("a release without its offer"))
    }

    /// The channel for actions, which need it if several channels offer the release.
    pub(super) fn order_channel(&self, release: &ReleaseBody) -> Option<String> {
        (release.offers.len() > 1).then(|| self.release.channel.clone())
    }

    pub(super) fn may_edit(&self) -> bool {
        rights::actor(&self.me).may(Action::Edit(Resource::App), Some(&self.app.id))
    }

    pub(super) fn may_stop(&self) -> bool {
        rights::actor(&self.me).may(Action::Stop, Some(&self.app.id))
    }

    pub(super) fn may_delete(&self) -> bool {
        rights::actor(&self.me).may(Action::Delete(Resource::App), Some(&self.app.id))
    }

    /// Without a channel, which forms add.
    pub(super) fn address(&self) -> Address {
        address(&self.app.app_name, self.release.id.as_str())
    }

    /// The parent pages.
    pub(super) fn parent_pages(&self) -> [(&str, Address); 2] {
        let app = &self.app.app_name;
        [("Overview", Address::page([])), (app, Address::page(["apps", app]))]
    }
}

/// The query parameter and form field with the channel of the offer.
pub(super) const CHANNEL: &str = "channel";

/// A release as offered in a channel to which it was promoted.
async fn as_promoted(context: &Context<'_>, release: ReleaseEntry, channel: &str) -> Result<ReleaseEntry> {
    let call = Address::call("/releases").with_segment(release.id.as_str());
    let body: ReleaseBody = context.service.get(&call).await?;
    let offer = body.offers.into_iter().find(|offer| offer.channel == channel).ok_or(ConsoleError::NoPage)?;
    let part = offer.rollout.part();
    Ok(ReleaseEntry {
        channel: offer.channel,
        published: offer.state == ReleaseState::Published.as_str(),
        rollout_percent: part.percent().into(),
        basis_points: part.get(),
        rollout_state: offer.rollout.state,
        state: offer.state,
        publish_at: offer.publish_at,
        revision: offer.revision,
        ..release
    })
}

/// The page of a release.
pub(crate) fn address(app: &str, release: &str) -> Address {
    Address::page(["apps", app, "releases", release])
}
