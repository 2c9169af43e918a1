//! `/releases/halt-link`: halts a release with the token of a link from a message (`docs/webhooks.md`).
//!
//! The token is in the header `Authorization`, so that no log has it. It is not a login: it allows this one order.

use http::StatusCode;
use spindrift_api::{ErrorCode, HaltLinkBody};
use spindrift_core::audit::{ActorType, AuditActor, AuditKind, AuditOrigin};
use spindrift_core::webhook::{HaltLink, WebhookOrigins};
use spindrift_core::{
    Action, Actor, LoginProof, Release, RolloutAction, Starter, Timestamp, TokenGrant, TokenRight,
};
use spindrift_db::changes::Change;
use spindrift_db::{SqlConn, releases, users};
use spindrift_service::requests::management::private_json;
use spindrift_service::requests::principal::Principal;
use spindrift_service::requests::{Session, client_address};
use spindrift_service::webhooks::halt_links::{LinkedRelease, offer, sent_link};
use spindrift_service::webhooks::origins;
use spindrift_service::{Failure, Ports, log};
use spindrift_web::{ApiError, Request, Response};

use crate::order::{AuditedFields, Order, OrderTerms, execute};
use crate::rollout::refusal;

/// Shows the release that the link would halt. Changes nothing, because chats follow links.
pub(crate) fn show<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let opened = OpenedLink::read(ports, request)?;
    let offer = opened.offer()?;
    require_haltable(&opened.linked, &offer, opened.session.now)?;
    opened.respond(&offer)
}

/// Halts the release.
pub(crate) async fn halt<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let address = address(ports, request);
    let opened = OpenedLink::read(ports, request)?;
    let offer = opened.offer()?;
    execute(&opened.session, &offer, &opened.order(&address)).await?;
    opened.respond(&opened.offer()?)
}

/// The client's address, for the audit log. A halt does not fail for want of it.
fn address(ports: &impl Ports, request: &Request) -> String {
    let address = client_address(ports, request).unwrap_or_else(|error| {
        log::warn("the address of a halt by link is not known", &error);
        None
    });
    address.map_or_else(|| "an unknown address".to_owned(), |address| address.ip().to_string())
}

/// A valid link, and its holder as a caller.
struct OpenedLink<'p, P: Ports> {
    session: Session<'p, P>,
    link: HaltLink,
    linked: LinkedRelease,
    origins: WebhookOrigins,
}

impl<'p, P: Ports> OpenedLink<'p, P> {
    /// 401 without a token, 404 if it is not of this service, and 410 if the link is not valid any more.
    fn read(ports: &'p P, request: &Request) -> Result<Self, Failure> {
        let (link, now) = (sent_link(ports, request)?, ports.now());
        let (conn, origins) = (spindrift_db::open(ports, now)?, origins(ports)?);
        let linked = LinkedRelease::of(&conn, &link, &origins, now)?;
        let principal = principal(&conn, request, &linked)?;
        Ok(Self { session: Session { ports, conn, principal, now }, link, linked, origins })
    }

    /// 404 if the release is not in the channel any more.
    fn offer(&self) -> Result<Release, Failure> {
        let (owner, linked) = (self.session.owner_id(), &self.linked);
        let offer = offer(&self.session.conn, owner, &linked.release, linked.channel.as_deref())?;
        let gone = || format!("there is no {} any more", linked.name());
        Ok(offer.ok_or_else(|| ApiError::NotFound(gone().into()))?)
    }

    fn order(&self, address: &str) -> HaltOrder<'_> {
        let terms = OrderTerms {
            channel: Some(self.linked.channel.clone().unwrap_or_default()),
            reason: Some(format!("with a link of this webhook, from {address}")),
            ..OrderTerms::default()
        };
        HaltOrder {
            link: &self.link,
            linked: &self.linked,
            origins: &self.origins,
            now: self.session.now,
            terms,
        }
    }

    fn respond(&self, offer: &Release) -> Result<Response, Failure> {
        let (linked, now) = (&self.linked, self.session.now);
        let body = HaltLinkBody {
            id: linked.release.clone(),
            app: linked.app.clone(),
            version: linked.version.clone(),
            channel: linked.channel.clone().unwrap_or_default(),
            state: offer.clone().as_of(now).rollout.state(now).as_str().to_owned(),
            expires_at: self.link.expires_at.to_rfc3339(),
        };
        private_json(StatusCode::OK, &body)
    }
}

/// The holder of a link: as a token that may only stop releases of the application, but named after the webhook.
fn principal(conn: &impl SqlConn, request: &Request, linked: &LinkedRelease) -> Result<Principal, Failure> {
    let webhook = &linked.webhook;
    let owner = users::by_id(conn, &webhook.owner_id)?;
    let owner = owner.ok_or_else(|| ApiError::not_found("owner"))?.user.name;
    request.context().set_owner(&owner);
    request.context().note_login();
    let release = releases::by_id(conn, &webhook.owner_id, &linked.release)?;
    let actor = AuditActor {
        actor_type: ActorType::Webhook,
        id: Some(webhook.id.clone()),
        name: Some(webhook.name.clone()),
    };
    Ok(Principal {
        owner_id: webhook.owner_id.clone(),
        owner,
        actor: Actor::CiToken {
            allowed_apps: release.map(|release| release.app_id).into_iter().collect(),
            grants: vec![TokenGrant::everywhere(vec![TokenRight::Stop])],
        },
        identity: Starter::Token(webhook.id.clone()),
        user_name: None,
        epoch: 0,
        credential: None,
        proof: LoginProof::OF_TOKEN,
        has_sso: false,
        built_by: None,
        origin: AuditOrigin { actor, request_id: Some(request.context().id()) },
    })
}

/// A halt by link. The link is checked again in the transaction, so that two requests do not both use it.
struct HaltOrder<'a> {
    link: &'a HaltLink,
    linked: &'a LinkedRelease,
    origins: &'a WebhookOrigins,
    now: Timestamp,
    terms: OrderTerms,
}

impl Order for HaltOrder<'_> {
    fn terms(&self) -> &OrderTerms {
        &self.terms
    }

    fn needs(&self, _: &Release, _: Timestamp) -> Action {
        Action::Stop
    }

    fn is_stop(&self, _: &Release, _: Timestamp) -> bool {
        true
    }

    fn change(&self, release: Release, now: Timestamp) -> Result<(Release, AuditKind), Failure> {
        require_haltable(self.linked, &release, now)?;
        let halted = release.apply_action(RolloutAction::Halt, now).map_err(refusal)?;
        Ok((halted, AuditKind::RolloutHalt))
    }

    fn write(&self, conn: &Change<'_, impl SqlConn>, _: &Release) -> Result<AuditedFields, Failure> {
        LinkedRelease::of(conn, self.link, self.origins, self.now)?;
        Ok(AuditedFields::default())
    }
}

/// 409 unless a halt would change anything.
fn require_haltable(linked: &LinkedRelease, offer: &Release, now: Timestamp) -> Result<(), ApiError> {
    if offer.is_haltable(now) {
        return Ok(());
    }
    let is_published = offer.clone().as_of(now).flags.published;
    let why =
        if is_published { "is halted already" } else { "is not published, so there is nothing to halt" };
    Err(ApiError::conflict(ErrorCode::WrongState, format!("{} {why}", linked.name())))
}
