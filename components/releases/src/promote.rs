//! `POST /releases/{id}/promote` and `DELETE /releases/{id}/offer`: a release in further channels.
//!
//! If the application has signed metadata, clients of the new channel get copies of the files, because the
//! name of a file in the metadata begins with its channel.

mod copies;

use http::StatusCode;
use spindrift_core::audit::AuditKind;
use spindrift_core::{Action, AdmittedGroups, ChannelName, Hold, Id, Release};
use spindrift_db::audit::release_names;
use spindrift_db::changes::Subject;
use spindrift_db::dimensions::{self, Kind};
use spindrift_db::{SqlConn, promotions, release_places, releases, repositories};
use spindrift_repository::{AppRepository, PendingRemoval, delist};
use spindrift_service::cut_off::is_forced;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::{Failure, Ports, audit_entries, device_groups};
use spindrift_web::{ApiError, ErrorCode, Request, Response, parse_parameter};

use self::copies::PromotionCopies;
use crate::barrier::{SkippingClients, offers};
use crate::delete;
use crate::offer::OfferOrder;
use crate::order::{Order as _, OrderTerms};
use crate::show::{self, find, respond};

/// Maximum number of offers of a release.
const MAX_OFFERS: usize = 20;

pub(crate) async fn promote<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let offer = OfferOrder::read(request.read_json(MAX_JSON_BYTES).await?)?;
    let channel = channel(offer.terms())?;
    let release = find(&session, &request)?;
    let draft = draft(&session.conn, session.owner_id(), &release.id, &channel)?;
    let places = release_places::of_release(&session.conn, &draft)?;
    session.require_in(Action::Promote, &draft.app_id, &places)?;
    // Validates before anything is copied.
    let (promoted, _) = offer.change(draft.clone(), session.now)?;
    device_groups::require_existing(&session.conn, &promoted.app_id, &promoted.admitted_groups)?;
    let copies = if repositories::exists(&session.conn, &release.app_id)? {
        Some(PromotionCopies::make(&session, &draft, &channel).await?)
    } else {
        None
    };
    let subject = Subject::Release(&release.app_id, &release.version);
    session
        .commit(subject, |conn| {
            let now = ports.now();
            // Checked again, because the release may have been changed in the meantime.
            let draft = self::draft(conn, session.owner_id(), &release.id, &channel)?;
            if repositories::exists(conn, &draft.app_id)? != copies.is_some() {
                return Err(ApiError::Conflict(
                    "signed metadata began or ended meanwhile: call again".into(),
                )
                .into());
            }
            let (promoted, _) = offer.change(draft, now)?;
            promotions::insert(conn, &promoted, copies.is_some(), now)?;
            device_groups::require_admissible(
                conn,
                &promoted.app_id,
                &AdmittedGroups::default(),
                &promoted.admitted_groups,
            )?;
            if let Some(copies) = &copies {
                copies.record(ports, conn, &promoted)?;
            }
            let entry =
                audit_entries::of_release(conn, session.entry(AuditKind::PromotionCreate), &promoted)?;
            let entry = entry.adding(audit_entries::offer_fields(&promoted, now));
            Ok::<_, Failure>(((), entry.with_reason(offer.terms().reason.clone()).into()))
        })
        .await?;
    AppRepository::of(&session, &release.app_id).try_sync_targets().await;
    private_json(StatusCode::CREATED, &show::body(&session, &release.id)?)
}

fn channel(terms: &OrderTerms) -> Result<ChannelName, ApiError> {
    let name = terms.channel.as_deref().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| ApiError::bad_request("channel is required"))?;
    parse_parameter("channel", name)
}

/// The release in a further channel, where clients do not see it yet. Fails if it cannot be promoted there: a
/// release that is halted in any channel has to be resumed first.
fn draft(conn: &impl SqlConn, owner: &Id, id: &Id, channel: &ChannelName) -> Result<Release, Failure> {
    let offers = releases::offers(conn, owner, id)?;
    let own = offers.first().cloned().ok_or_else(|| ApiError::not_found("release"))?;
    let known = dimensions::id_of_name(conn, Kind::Channel, owner, channel.as_str())?;
    let channel_id = match (known, own.channel_id.is_some()) {
        (Some(id), true) => id,
        (None, true) => return Err(ApiError::bad_request("unknown channel").into()),
        (_, false) => return Err(ApiError::Conflict("the owner has no channels".into()).into()),
    };
    if offers.iter().any(|offer| offer.channel_id.as_ref() == Some(&channel_id)) {
        let text = format!("the release is offered in {channel} already");
        return Err(ApiError::conflict(ErrorCode::AlreadyExists, text).into());
    }
    if offers.len() >= MAX_OFFERS {
        return Err(ApiError::Conflict(format!("a release has at most {MAX_OFFERS} offers").into()).into());
    }
    if promotions::has_channel_in_feed(conn, id)? {
        return Err(ApiError::Conflict("the feed names a channel".into()).into());
    }
    let ended = promotions::ended_halts(conn, id)?;
    require_not_halted(conn, &offers, &ended, &channel_id)?;
    let was_halted = ended.iter().any(|(halted, _)| *halted == channel_id);
    Ok(own.promote_to(channel_id, was_halted))
}

/// 409 if the release is halted in a channel. `ended` are the channels in which its promotion was halted when
/// it ended. A promotion to such a channel is not refused, because it starts halted.
fn require_not_halted(
    conn: &impl SqlConn,
    offers: &[Release],
    ended: &[(Id, ChannelName)],
    to: &Id,
) -> Result<(), Failure> {
    if let Some(halted) = offers.iter().find(|offer| offer.rollout.hold == Hold::Halted) {
        let channel = release_names(conn, halted)?.channel.unwrap_or_default();
        let text = format!("the release is halted in {channel}: resume it there first");
        return Err(ApiError::conflict(ErrorCode::WrongState, text).into());
    }
    if let Some((_, channel)) = ended.iter().find(|(id, _)| id != to) {
        let text = format!(
            "the release was halted in {channel} when its promotion ended: promote it to {channel} again and resume it there first"
        );
        return Err(ApiError::conflict(ErrorCode::WrongState, text).into());
    }
    Ok(())
}

/// The promotion that a call ends, and the clients that then skip the release. 403 unless the caller may
/// end it.
fn ending(
    session: &Session<'_, impl Ports>,
    conn: &impl SqlConn,
    release: &Release,
    terms: &OrderTerms,
) -> Result<(Release, SkippingClients), Failure> {
    let now = session.ports.now();
    let all = offers(conn, session.owner_id(), release, now)?;
    let promoted = terms.offer(conn, all.clone())?;
    let opening = SkippingClients::of(conn, session.owner_id(), &all, std::slice::from_ref(&promoted), now)?;
    let places = release_places::of_release(conn, &promoted)?;
    opening.require_in(&session.principal, Action::Stop, &promoted.app_id, &places)?;
    Ok((promoted, opening))
}

/// Ends a promotion.
pub(crate) async fn end<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let channel = request.query()?.get("channel").map(str::to_owned);
    let channel = channel.ok_or_else(|| ApiError::bad_request("channel is required"))?;
    let terms =
        OrderTerms { channel: Some(channel), is_forced: is_forced(request)?, ..OrderTerms::default() };
    let release = find(&session, request)?;
    let (promoted, opening) = ending(&session, &session.conn, &release, &terms)?;
    if !promoted.is_promoted {
        let text = "the release was uploaded to this channel: make it a draft, or withdraw it";
        return Err(ApiError::conflict(ErrorCode::WrongState, text).into());
    }
    opening.require_consent(&session, &release, terms.is_forced)?;
    let copied = spindrift_db::copies::of_promotion(&session.conn, &promoted)?;
    let leaving = PendingRemoval { release: &promoted, artifacts: &copied };
    let off = delist(&session, leaving).await?;
    let subject = Subject::Release(&promoted.app_id, &promoted.version);
    let deletion = session
        .commit(subject, |conn| {
            off.require(conn, &copied)?;
            // Checked again, because the order may require more now.
            let (old, _) = ending(&session, conn, &release, &terms)?;
            let (deletion, _) = delete::remove_artifacts(ports, conn, &old.id, &copied)?;
            promotions::delete(conn, &old)?;
            let entry = audit_entries::of_release(conn, session.entry(AuditKind::PromotionDelete), &old)?;
            let entry = entry.removing(audit_entries::offer_fields(&old, ports.now()));
            Ok::<_, Failure>((deletion, entry.into()))
        })
        .await;
    let deletion = delete::put_back_on_error(&session, leaving, off, deletion).await?;
    AppRepository::of(&session, &promoted.app_id).try_sync_targets().await;
    delete::remove_objects(&session, &deletion).await?;
    respond(&session, &promoted.id)
}
