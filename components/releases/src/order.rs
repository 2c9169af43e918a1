//! Orders to a release: all calls at `/releases/{id}/...` that change something.

use serde_json::Value;
use spindrift_api::ErrorCode;
use spindrift_core::audit::AuditKind;
use spindrift_core::{Action, Release, Timestamp};
use spindrift_db::audit::release_names;
use spindrift_db::changes::{Change, Subject};
use spindrift_db::{Audit, SqlConn, release_places, releases};
use spindrift_repository::try_sync_targets;
use spindrift_service::changes::commit;
use spindrift_service::requests::management::reason as private_reason;
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports, audited, device_groups};
use spindrift_web::{ApiError, Response};

use crate::show::respond;

/// An order, as one kind of call has read it.
pub(crate) trait Order {
    /// The terms that all orders have.
    fn terms(&self) -> &Terms;
    /// The permission that the order needs for a release.
    fn needs(&self, release: &Release, now: Timestamp) -> Action;
    /// Whether nobody is offered more than before once the order is carried out. Nothing holds that up.
    fn is_stop(&self, release: &Release, now: Timestamp) -> bool;
    /// The release after the order, and the kind of the entry in the audit log.
    fn change(&self, release: Release, now: Timestamp) -> Result<(Release, AuditKind), Failure>;
    /// Writes what is not kept with the release itself. Returns the fields that this changes.
    fn write(&self, _: &Change<'_, impl SqlConn>, _: &Release) -> Result<Fields, Failure> {
        Ok(Fields::default())
    }
}

/// Fields of the entry in the audit log, before and after the order.
#[derive(Default)]
pub(crate) struct Fields {
    pub(crate) before: Value,
    pub(crate) after: Value,
}

/// The terms that all orders have.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    /// The channel of the offer. `None`: the only one.
    pub(crate) channel: Option<String>,
    /// The revision that the caller has seen.
    pub(crate) if_revision: Option<i64>,
    /// For the audit log.
    pub(crate) reason: Option<String>,
}

impl Terms {
    /// An error for a reason that is too long.
    pub(crate) fn new(
        channel: Option<String>,
        if_revision: Option<i64>,
        reason: Option<String>,
    ) -> Result<Self, ApiError> {
        Ok(Self { channel, if_revision, reason: private_reason(reason)? })
    }

    /// 404 unless the release is offered in the channel that the caller names.
    pub(crate) fn require_offer(&self, conn: &impl SqlConn, release: &Release) -> Result<(), Failure> {
        let Some(channel) = &self.channel else { return Ok(()) };
        let own = release_names(conn, release)?.channel.unwrap_or_default();
        if own == *channel { Ok(()) } else { Err(ApiError::not_found("offer").into()) }
    }

    /// 409 if somebody has changed the release since the caller read it.
    fn require_revision(&self, release: &Release) -> Result<(), ApiError> {
        if self.if_revision.is_none_or(|revision| revision == release.revision) {
            return Ok(());
        }
        let text = "somebody has changed the release meanwhile";
        Err(ApiError::conflict(ErrorCode::ReleaseChanged, text))
    }
}

/// Carries an order out: 200 with the release after it. Where the service signs the list of files, the list follows at once;
/// if it cannot, maintenance does that, because the order itself is carried out.
pub(crate) async fn carry_out<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    principal: &Principal,
    release: &Release,
    order: &impl Order,
) -> Result<Response, Failure> {
    let now = ports.now();
    require(conn, principal, &release.clone().as_of(now), order, now)?;
    order.terms().require_offer(conn, release)?;
    let subject = Subject::Release(&release.app_id, &release.version);
    let changed =
        commit(ports, conn, principal, subject, |conn| change(conn, principal, release, order, now)).await?;
    try_sync_targets(ports, conn, &release.app_id).await;
    respond(conn, &changed, ports.now())
}

/// 403 unless the caller may give the order.
fn require(
    conn: &impl SqlConn,
    principal: &Principal,
    release: &Release,
    order: &impl Order,
    now: Timestamp,
) -> Result<(), Failure> {
    let places = release_places::of_release(conn, release)?;
    Ok(principal.require_in(order.needs(release, now), &release.app_id, &places)?)
}

fn change(
    conn: &Change<'_, impl SqlConn>,
    principal: &Principal,
    release: &Release,
    order: &impl Order,
    now: Timestamp,
) -> Result<(Release, Audit), Failure> {
    let old = releases::by_id(conn, &principal.owner_id, &release.id)?;
    let old = old.ok_or_else(|| ApiError::not_found("release"))?.as_of(now);
    // The order may need more by now than when the call began.
    require(conn, principal, &old, order, now)?;
    if !order.is_stop(&old, now) {
        order.terms().require_revision(&old)?;
    }
    let (new, kind) = order.change(old.clone(), now)?;
    releases::update(conn, &new, now)?;
    device_groups::require_let_in(conn, &new.app_id, &old.let_in, &new.let_in)?;
    let Fields { before, after } = order.write(conn, &new)?;
    let entry = audited::of_release(conn, principal.entry(kind), &new)?;
    let entry = entry.changing(audited::offer_fields(&old, now), audited::offer_fields(&new, now));
    let entry = entry.changing(before, after);
    Ok((new, entry.because(order.terms().reason.clone()).into()))
}
