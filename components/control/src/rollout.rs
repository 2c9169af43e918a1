//! `POST /releases/{id}/rollout`: orders to a rollout.

use serde_json::{Value, json};
use spindrift_api::{ErrorCode, RolloutActionBody, RolloutActionName};
use spindrift_core::audit::{AuditKind, MAX_REASON_CHARS};
use spindrift_core::{
    Action, BasisPoints, Course, InvalidPlan, Pace, Plan, Release, Resource, RolloutAction, RolloutRefused,
    Timestamp,
};
use spindrift_db::audit::release_names;
use spindrift_db::changes::{Change, Subject};
use spindrift_db::{Audit, SqlConn, release_places, releases};
use spindrift_service::changes::commit;
use spindrift_service::requests::management::{MAX_JSON_BYTES, enter};
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports, audited};
use spindrift_web::{ApiError, Request, Response};

use crate::releases::{find, respond};

pub(crate) async fn act<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let (conn, principal) = enter(ports, &request)?;
    let order = Order::parse(request.read_json(MAX_JSON_BYTES).await?)?;
    let release = find(&conn, &principal, &request)?;
    let places = release_places::of_release(&conn, &release)?;
    principal.require_in(Action::Edit(Resource::App), &release.app_id, &places)?;
    order.require_offer(&conn, &release)?;
    let subject = Subject::Release(&release.app_id, &release.version);
    let now = ports.now();
    let changed =
        commit(ports, &conn, &principal, subject, |conn| change(conn, &principal, &release, &order, now))
            .await?;
    respond(&conn, &changed, ports.now())
}

fn change(
    conn: &Change<'_, impl SqlConn>,
    principal: &Principal,
    release: &Release,
    order: &Order,
    now: Timestamp,
) -> Result<(Release, Audit), Failure> {
    let old = releases::by_id(conn, &principal.owner_id, &release.id)?;
    let old = old.ok_or_else(|| ApiError::not_found("release"))?;
    order.require_revision(&old, now)?;
    let new = old.clone().rolled_out(order.action.clone(), now).map_err(refusal)?;
    releases::update(conn, &new, now)?;
    let entry = audited::of_release(conn, principal.entry(order.kind()), &new)?;
    let entry = entry.changing(fields(&old.rollout, now), fields(&new.rollout, now));
    Ok((new, entry.because(order.reason.clone()).into()))
}

/// The fields that an action changes, as the audit log names them.
fn fields(course: &Course, now: Timestamp) -> Value {
    let plan = match &course.pace {
        Pace::Fixed(_) => None,
        Pace::Planned(run) => Some(run.plan.to_string()),
    };
    json!({ "rollout": course.basis_points(now).to_json(), "state": course.state(now).as_str(), "plan": plan })
}

/// A parsed request.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    action: RolloutAction,
    channel: Option<String>,
    if_revision: Option<i64>,
    reason: Option<String>,
}

impl Order {
    fn parse(body: RolloutActionBody) -> Result<Self, ApiError> {
        let RolloutActionBody { action, percent, plan, channel, if_revision, reason } = body;
        let action = match action {
            RolloutActionName::Start => RolloutAction::Start(read_plan(plan.as_ref())?),
            RolloutActionName::Set => RolloutAction::Set(read_percent(percent.as_ref())?),
            RolloutActionName::Pause => RolloutAction::Pause,
            RolloutActionName::Resume => RolloutAction::Resume,
            RolloutActionName::Advance => RolloutAction::Advance,
            RolloutActionName::Complete => RolloutAction::Complete,
            RolloutActionName::Halt => RolloutAction::Halt,
        };
        let reason = reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        if reason.as_ref().is_some_and(|reason| reason.chars().count() > MAX_REASON_CHARS) {
            return Err(ApiError::bad_request(format!(
                "invalid reason: at most {MAX_REASON_CHARS} characters"
            )));
        }
        Ok(Self { action, channel, if_revision, reason })
    }

    /// 404 unless the release is offered in the channel that the caller names.
    fn require_offer(&self, conn: &impl SqlConn, release: &Release) -> Result<(), Failure> {
        let Some(channel) = &self.channel else { return Ok(()) };
        let own = release_names(conn, release)?.channel.unwrap_or_default();
        if own == *channel { Ok(()) } else { Err(ApiError::not_found("offer").into()) }
    }

    /// 409 if somebody has changed the release since the caller read it. Nothing holds a stop up.
    fn require_revision(&self, release: &Release, now: Timestamp) -> Result<(), ApiError> {
        let is_same = self.if_revision.is_none_or(|revision| revision == release.revision);
        if is_same || self.action.is_stop(release.rollout.basis_points(now)) {
            return Ok(());
        }
        let text = "somebody has changed the release meanwhile";
        Err(ApiError::conflict(ErrorCode::ReleaseChanged, text))
    }

    const fn kind(&self) -> AuditKind {
        match self.action {
            RolloutAction::Start(_) => AuditKind::RolloutStart,
            RolloutAction::Set(_) => AuditKind::RolloutSet,
            RolloutAction::Pause => AuditKind::RolloutPause,
            RolloutAction::Resume => AuditKind::RolloutResume,
            RolloutAction::Advance => AuditKind::RolloutAdvance,
            RolloutAction::Complete => AuditKind::RolloutComplete,
            RolloutAction::Halt => AuditKind::RolloutHalt,
        }
    }
}

fn read_plan(plan: Option<&Value>) -> Result<Plan, ApiError> {
    let plan = plan.ok_or_else(|| ApiError::missing("plan"))?;
    Plan::from_json(plan).map_err(|error: InvalidPlan| ApiError::bad_request(error.to_string()))
}

fn read_percent(percent: Option<&Value>) -> Result<BasisPoints, ApiError> {
    let percent = percent.ok_or_else(|| ApiError::missing("percent"))?;
    BasisPoints::from_json(percent).ok_or_else(|| ApiError::bad_request("invalid rollout"))
}

fn refusal(refused: RolloutRefused) -> ApiError {
    ApiError::conflict(ErrorCode::WrongState, refused.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: Value) -> Result<Order, String> {
        let body = serde_json::from_value(json).map_err(|error| error.to_string())?;
        Order::parse(body).map_err(|error| error.to_string())
    }

    #[test]
    fn orders_are_read() {
        let order = parse(json!({ "action": "set", "percent": 0.1, "reason": " slowly ", "if_revision": 3 }));
        let order = order.unwrap();
        assert_eq!(order.action, RolloutAction::Set(BasisPoints::new(10).unwrap()));
        assert_eq!((order.reason.as_deref(), order.if_revision), (Some("slowly"), Some(3)));
        let start =
            parse(json!({ "action": "start", "plan": [{ "percent": 5, "for": "1d" }, { "percent": 100 }] }));
        assert_eq!(start.unwrap().action, RolloutAction::Start("5:1d,100".parse().unwrap()));
        for (json, error) in [
            (json!({ "action": "set" }), "missing percent"),
            (json!({ "action": "set", "percent": 0.005 }), "invalid rollout"),
            (json!({ "action": "set", "percent": "5" }), "invalid rollout"),
            (json!({ "action": "start" }), "missing plan"),
            (
                json!({ "action": "start", "plan": [{ "percent": 5 }] }),
                "invalid plan: step 1: the last step is 100 percent",
            ),
            (
                json!({ "action": "halt", "reason": "x".repeat(501) }),
                "invalid reason: at most 500 characters",
            ),
        ] {
            assert_eq!(parse(json.clone()), Err(error.to_owned()), "{json}");
        }
        assert!(parse(json!({ "action": "stop" })).is_err());
    }
}
