//! Links in messages that halt a release without a login.
//!
//! A link stands for one message, and so for one entry of the audit log, which names the release and the channel. A
//! halt adds a later entry. So that a link halts once, and only until anybody halts the release, follows from the log;
//! nothing is stored for each link.

use spindrift_api::AuditItem;
use spindrift_auth::{HaltLinkToken, bearer};
use spindrift_core::audit::AuditRecord;
use spindrift_core::webhook::{HaltLink, HaltLinkEnded, WebhookOrigins};
use spindrift_core::{Id, Release, Timestamp};
use spindrift_db::audit::release_names;
use spindrift_db::webhooks::{self, Webhook};
use spindrift_db::{SqlConn, SqlError, audit, releases};
use spindrift_settings::JWT_SECRET;
use spindrift_web::{ApiError, Request};

use crate::{Ports, ServiceError};

/// The token for the link in a message. `Ok(None)`: the webhook has no halt links, or the release cannot be halted.
pub(super) fn token<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    webhook: &Webhook,
    entry: &AuditItem,
) -> Result<Option<HaltLinkToken>, ServiceError> {
    let Some(release) = &entry.release else { return Ok(None) };
    let (channel, now) = (entry.channel.as_deref(), ports.now());
    if webhook.halt_links_from.is_none_or(|first| entry.seq < first) {
        return Ok(None);
    }
    let offer = offer(conn, &webhook.owner_id, &release.id, channel)?;
    if !offer.is_some_and(|offer| offer.is_haltable(now)) {
        return Ok(None);
    }
    let link = HaltLink::new(webhook.id.clone(), entry.seq, now);
    let token = HaltLinkToken::issue(&JWT_SECRET.read(ports)?, &link);
    Ok(Some(token.ok_or_else(|| JWT_SECRET.missing())?))
}

/// The link whose token the request has as a bearer token, whether or not it is still valid. Fails without a token, or
/// if this service has not issued it.
pub fn sent_link(ports: &impl Ports, request: &Request) -> Result<HaltLink, ServiceError> {
    let token = bearer(request.header("authorization"))?;
    let link = HaltLinkToken::verify(&JWT_SECRET.read(ports)?, token);
    let text = "this link is not valid: a part of it is missing, or it is not from this service";
    Ok(link.ok_or_else(|| ApiError::NotFound(text.into()))?)
}

/// The release as the channel of this name offers it. `None` in place of a name: the release has no channel.
pub fn offer(
    conn: &impl SqlConn,
    owner: &Id,
    release: &Id,
    channel: Option<&str>,
) -> Result<Option<Release>, SqlError> {
    for offer in releases::offers(conn, owner, release)? {
        if release_names(conn, &offer)?.channel.as_deref() == channel {
            return Ok(Some(offer));
        }
    }
    Ok(None)
}

/// A release that a link may halt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedRelease {
    pub webhook: Webhook,
    pub release: Id,
    pub app: String,
    pub version: String,
    /// The name of the channel, if the release has one.
    pub channel: Option<String>,
}

impl LinkedRelease {
    /// The release of a valid link. `origins`: those that webhooks may have. The links of a webhook that may send
    /// nothing any more are not valid either, because nobody could revoke them.
    pub fn of(
        conn: &impl SqlConn,
        link: &HaltLink,
        origins: &WebhookOrigins,
        now: Timestamp,
    ) -> Result<Self, ServiceError> {
        let webhook = webhooks::of_any_owner(conn, &link.webhook)?.filter(|found| origins.have(&found.url));
        link.check(webhook.as_ref().and_then(|webhook| webhook.halt_links_from), now)?;
        let webhook = webhook.ok_or(HaltLinkEnded::Revoked)?;
        let row = audit::at(conn, &webhook.owner_id, link.seq)?;
        let entry = row.and_then(|row| AuditRecord::read(&row.entry)).map(|record| record.entry);
        let named = entry.and_then(|entry| Some((entry.release?, entry.app?, entry.channel)));
        let Some((release, app, channel)) = named else {
            return Err(ServiceError::Internal(format!("entry {} is not about a release", link.seq)));
        };
        if audit::is_halted_after(conn, &webhook.owner_id, &release.id, channel.as_deref(), link.seq)? {
            return Err(HaltLinkEnded::Used.into());
        }
        Ok(Self { webhook, release: release.id, app, version: release.version, channel })
    }

    /// Its name in texts, such as `notes 2.0 in stable`.
    pub fn name(&self) -> String {
        let Self { app, version, .. } = self;
        match &self.channel {
            Some(channel) => format!("{app} {version} in {channel}"),
            None => format!("{app} {version}"),
        }
    }
}
