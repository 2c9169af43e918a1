//! Orders after which clients skip an intermediate release. They are more than stops, because afterwards
//! clients are offered more than before.

use std::collections::BTreeSet;

use spindrift_core::barrier::{ChannelClients, skipping_clients};
use spindrift_core::cut_off::SEEN_DAYS;
use spindrift_core::{Action, Day, Days, DimensionKind, Id, Release, Target, Timestamp};
use spindrift_db::{SqlConn, barriers, channel_includes, dimensions, release_places, releases};
use spindrift_service::requests::Session;
use spindrift_service::requests::principal::Principal;
use spindrift_service::telemetry::{self, gathered_sightings};
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::ApiError;

/// The clients that skip the release because of an order.
pub(crate) struct SkippingClients {
    clients: Vec<ChannelClients>,
    /// The platforms and architectures of these clients. `None`: all for which the release has files.
    places: Option<Vec<Target>>,
}

impl SkippingClients {
    /// The clients that skip the release because an order hides the offers in `hidden`, or makes them
    /// skippable. `all` are all offers of the release before the order. Clients skip nothing while there is
    /// no newer release.
    pub(crate) fn of(
        conn: &impl SqlConn,
        owner: &Id,
        all: &[Release],
        hidden: &[Release],
        now: Timestamp,
    ) -> Result<Self, Failure> {
        let barriers = |of: &[Release]| -> Vec<Option<Id>> {
            of.iter().filter(|offer| offer.is_barrier()).map(|offer| offer.channel_id.clone()).collect()
        };
        let hidden_in = barriers(hidden);
        let Some(release) = hidden.first().filter(|_| !hidden_in.is_empty()) else {
            return Ok(Self::none());
        };
        let mut left = barriers(all);
        left.retain(|channel| !hidden_in.contains(channel));
        let mut clients = Vec::new();
        for one in skipping_clients(&channel_includes::of_owner(conn, owner)?, &hidden_in, &left) {
            let sees: Vec<Option<&Id>> = one.sees.iter().map(Option::as_ref).collect();
            if barriers::has_newer(conn, release, &sees, now)? {
                clients.push(one);
            }
        }
        Ok(Self { clients, places: None })
    }

    /// The clients that skip the release because an order leaves it without files for these platforms and
    /// architectures.
    pub(crate) fn without_files(
        conn: &impl SqlConn,
        owner: &Id,
        release: &Release,
        emptied: Vec<Target>,
        now: Timestamp,
    ) -> Result<Self, Failure> {
        if emptied.is_empty() {
            return Ok(Self::none());
        }
        let all = offers(conn, owner, release, now)?;
        Ok(Self { places: Some(emptied), ..Self::of(conn, owner, &all, &all, now)? })
    }

    /// For an order after which no client skips the release.
    pub(crate) const fn none() -> Self {
        Self { clients: Vec::new(), places: None }
    }

    pub(crate) const fn is_none(&self) -> bool {
        self.clients.is_empty()
    }

    /// 403 unless the caller may give the order. It needs `action` if no client skips the release.
    pub(crate) fn require_in(
        &self,
        principal: &Principal,
        action: Action,
        app: &Id,
        places: &[Target],
    ) -> Result<(), Failure> {
        if self.is_none() {
            return Ok(principal.require_in(action, app, places)?);
        }
        match principal.require_in(Action::Roll, app, places) {
            Err(ServiceError::Denied(_)) if principal.is_token() => {
                let text = "the release is an intermediate: without it older clients would skip it, \
                            which needs the right `roll`; `halt` stops it and still holds them back";
                Err(ApiError::Forbidden(text.into()).into())
            }
            result => Ok(result?),
        }
    }

    /// 409 unless the order was forced, if known devices would skip the release. Only people are asked. Reads
    /// a month of devices, so call it before the transaction.
    pub(crate) fn require_consent(
        &self,
        session: &Session<'_, impl Ports>,
        release: &Release,
        is_forced: bool,
    ) -> Result<(), Failure> {
        let Session { ports, conn, principal, now } = session;
        if self.is_none() || is_forced || principal.is_token() || !telemetry::is_enabled(*ports)? {
            return Ok(());
        }
        gathered_sightings::count(*ports, conn);
        let names = self.names(conn, &principal.owner_id, release)?;
        let days = Days::until(Day::of(*now), SEEN_DAYS);
        let running = barriers::running_devices(conn, &release.app_id, days)?;
        let would_skip = running.iter().filter(|running| {
            running.version < release.version
                && running.names.iter().zip(&names).all(|(name, names)| names.contains(name))
        });
        match would_skip.map(|running| running.devices).sum() {
            0 => Ok(()),
            devices => Err(ApiError::WouldSkip { version: release.version.to_string(), devices }.into()),
        }
    }

    /// The names of channel, platform and architecture that the clients send. An empty name stands for
    /// sending none.
    fn names(
        &self,
        conn: &impl SqlConn,
        owner: &Id,
        release: &Release,
    ) -> Result<[BTreeSet<String>; 3], Failure> {
        let places = match &self.places {
            Some(places) => places.clone(),
            None => release_places::of_release(conn, release)?,
        };
        let ids = [
            (DimensionKind::Channel, self.clients.iter().map(|clients| clients.channel.clone()).collect()),
            (DimensionKind::Platform, places.iter().map(|place| place.platform_id.clone()).collect()),
            (DimensionKind::Arch, places.iter().map(|place| place.arch_id.clone()).collect()),
        ];
        let mut names = [const { BTreeSet::new() }; 3];
        for (names, (kind, ids)) in names.iter_mut().zip(ids) {
            let ids: Vec<Option<Id>> = ids;
            names.extend(ids.contains(&None).then(String::new));
            for entry in dimensions::of_owner(conn, kind, owner)? {
                if ids.contains(&Some(entry.id)) {
                    names.extend(entry.is_default.then(String::new));
                    names.insert(entry.name);
                }
            }
        }
        Ok(names)
    }
}

/// All offers of a release, as of a given time.
pub(crate) fn offers(
    conn: &impl SqlConn,
    owner: &Id,
    release: &Release,
    now: Timestamp,
) -> Result<Vec<Release>, Failure> {
    let all = releases::offers(conn, owner, &release.id)?;
    Ok(all.into_iter().map(|offer| offer.as_of(now)).collect())
}
