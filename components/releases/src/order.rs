//! Orders to a release: all calls at `/releases/{id}/...` that change something.

use serde_json::Value;
use spindrift_api::ErrorCode;
use spindrift_core::audit::AuditKind;
use spindrift_core::{Action, Release, Timestamp};
use spindrift_db::audit::release_names;
use spindrift_db::changes::{Change, Subject};
use spindrift_db::{Audit, SqlConn, release_places, releases};
use spindrift_repository::AppRepository;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::reason as private_reason;
use spindrift_service::{Failure, Ports, audit_entries, device_groups};
use spindrift_web::{ApiError, Response};

use crate::barrier::{SkippingClients, offers};
use crate::show::respond;

/// An order, as read from one kind of call.
pub(crate) trait Order {
    /// The terms that all orders share.
    fn terms(&self) -> &OrderTerms;
    /// The permission that the order requires for a release.
    fn needs(&self, release: &Release, now: Timestamp) -> Action;
    /// Whether no client is offered more than before once the order is carried out. These orders skip the
    /// revision check.
    fn is_stop(&self, release: &Release, now: Timestamp) -> bool;
    /// Whether clients no longer see the release afterwards. If they then skip an intermediate, the
    /// order does not count as a stop.
    fn hides(&self) -> bool {
        false
    }
    /// Whether the order applies to all offers of the release rather than to one of them.
    fn is_for_all_offers(&self) -> bool {
        false
    }
    /// The release after the order, and the kind of the entry in the audit log.
    fn change(&self, release: Release, now: Timestamp) -> Result<(Release, AuditKind), Failure>;
    /// Writes what is not stored with the release itself. Returns the fields that this changes.
    fn write(&self, _: &Change<'_, impl SqlConn>, _: &Release) -> Result<AuditedFields, Failure> {
        Ok(AuditedFields::default())
    }
}

/// Fields of the entry in the audit log, before and after the order.
#[derive(Default)]
pub(crate) struct AuditedFields {
    pub(crate) before: Value,
    pub(crate) after: Value,
    /// Whether anything has changed.
    pub(crate) is_changed: bool,
}

/// The terms that all orders share.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OrderTerms {
    /// The channel of the offer. `None`: the only offer.
    pub(crate) channel: Option<String>,
    /// The revision that the caller has seen.
    pub(crate) if_revision: Option<i64>,
    pub(crate) reason: Option<String>,
    /// Whether devices may skip an intermediate release because of the order.
    pub(crate) is_forced: bool,
}

impl OrderTerms {
    /// Fails if the reason is too long.
    pub(crate) fn new(
        channel: Option<String>,
        if_revision: Option<i64>,
        reason: Option<String>,
    ) -> Result<Self, ApiError> {
        Ok(Self { channel, if_revision, reason: private_reason(reason)?, is_forced: false })
    }

    /// The offer in the channel that the caller names. 400 if the caller names none and there are several
    /// offers.
    pub(crate) fn offer(&self, conn: &impl SqlConn, offers: Vec<Release>) -> Result<Release, Failure> {
        let Some(channel) = &self.channel else {
            return only(offers);
        };
        for offer in offers {
            if release_names(conn, &offer)?.channel.unwrap_or_default() == *channel {
                return Ok(offer);
            }
        }
        Err(ApiError::not_found("offer").into())
    }

    /// 409 if the release has changed since the caller read it.
    fn require_revision(&self, release: &Release) -> Result<(), ApiError> {
        if self.if_revision.is_none_or(|revision| revision == release.revision) {
            return Ok(());
        }
        let text = "somebody has changed the release meanwhile";
        Err(ApiError::conflict(ErrorCode::ReleaseChanged, text))
    }
}

fn only(mut offers: Vec<Release>) -> Result<Release, Failure> {
    match (offers.pop(), offers.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(_), false) => {
            Err(ApiError::bad_request("channel is required: the release has several offers").into())
        }
        (None, _) => Err(ApiError::not_found("release").into()),
    }
}

/// The offers that an order changes, as of a given time; at least one.
struct OrderedOffers {
    offers: Vec<Release>,
    /// The clients that skip the release because of the order.
    opening: SkippingClients,
}

/// Carries an order out: 200 with the resulting release. Where the service signs the list of files, the list
/// follows at once; if that fails, maintenance updates it, because the order itself has been carried out.
pub(crate) async fn carry_out(
    session: &Session<'_, impl Ports>,
    release: &Release,
    order: &impl Order,
) -> Result<Response, Failure> {
    execute(session, release, order).await?;
    respond(session, &release.id)
}

/// Like [`carry_out`], for a caller who may not see the whole release.
pub(crate) async fn execute(
    session: &Session<'_, impl Ports>,
    release: &Release,
    order: &impl Order,
) -> Result<(), Failure> {
    let OrderedOffers { opening, .. } = asked_offers(session, &session.conn, release, order)?;
    opening.require_consent(session, release, order.terms().is_forced)?;
    let subject = Subject::Release(&release.app_id, &release.version);
    session.commit(subject, |conn| Ok::<_, Failure>(((), change(session, conn, release, order)?))).await?;
    AppRepository::of(session, &release.app_id).try_sync_targets().await;
    Ok(())
}

/// 403 unless the caller may give the order.
fn asked_offers(
    session: &Session<'_, impl Ports>,
    conn: &impl SqlConn,
    release: &Release,
    order: &impl Order,
) -> Result<OrderedOffers, Failure> {
    let now = session.now;
    let all = offers(conn, session.owner_id(), release, now)?;
    if all.is_empty() {
        return Err(ApiError::not_found("release").into());
    }
    let offers =
        if order.is_for_all_offers() { all.clone() } else { vec![order.terms().offer(conn, all.clone())?] };
    let opening = if order.hides() {
        SkippingClients::of(conn, session.owner_id(), &all, &offers, now)?
    } else {
        SkippingClients::none()
    };
    for offer in &offers {
        let places = release_places::of_release(conn, offer)?;
        opening.require_in(&session.principal, order.needs(offer, now), &offer.app_id, &places)?;
    }
    Ok(OrderedOffers { offers, opening })
}

/// An order that changes nothing writes nothing.
fn change(
    session: &Session<'_, impl Ports>,
    conn: &Change<'_, impl SqlConn>,
    release: &Release,
    order: &impl Order,
) -> Result<Audit, Failure> {
    let now = session.now;
    // The order may require more now than when the call began.
    let OrderedOffers { offers, opening } = asked_offers(session, conn, release, order)?;
    let (Some(old), terms) = (offers.first(), order.terms()) else {
        return Err(ApiError::not_found("release").into());
    };
    if !(order.is_stop(old, now) && opening.is_none()) {
        terms.require_revision(old)?;
    }
    let changed: Vec<(Release, AuditKind)> =
        offers.iter().map(|offer| order.change(offer.clone(), now)).collect::<Result<_, _>>()?;
    let Some((new, kind)) = changed.first() else { return Ok(Audit::Unchanged) };
    let fields = order.write(conn, new)?;
    let is_changed = |(old, (new, _)): (&Release, &(Release, AuditKind))| new.differs_from(old, now);
    if !fields.is_changed && !offers.iter().zip(&changed).any(is_changed) {
        return Ok(Audit::Unchanged);
    }
    for (new, _) in &changed {
        releases::update(conn, new, now)?;
    }
    device_groups::require_admissible(conn, &new.app_id, &old.admitted_groups, &new.admitted_groups)?;
    let entry = audit_entries::of_release(conn, session.entry(*kind), new)?;
    let entry = entry.changing(audit_entries::offer_fields(old, now), audit_entries::offer_fields(new, now));
    let entry = entry.changing(fields.before, fields.after);
    Ok(entry.with_reason(terms.reason.clone()).into())
}
