//! `POST /releases/{id}/rollout`: orders to a rollout.

use serde_json::Value;
use spindrift_api::{ErrorCode, RolloutActionBody, RolloutActionName};
use spindrift_core::audit::AuditKind;
use spindrift_core::health::ReleaseHealth;
use spindrift_core::{
    Action, BasisPoints, Hold, InvalidPlan, InvalidValue, Plan, Release, RolloutAction, RolloutRefused,
    TextRule as _, Timestamp,
};
use spindrift_db::changes::Change;
use spindrift_db::{SqlConn, health, releases};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::MAX_JSON_BYTES;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response};

use crate::guard::CurrentHealth;
use crate::order::{AuditedFields, Order, OrderTerms, carry_out};
use crate::show::find;

pub(crate) async fn act<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_to_stop(ports, &request)?;
    let order = RolloutOrder::parse(request.read_json(MAX_JSON_BYTES).await?)?;
    let release = find(&session, &request)?;
    let offers = releases::offers(&session.conn, session.owner_id(), &release.id)?;
    let offer = order.terms.offer(&session.conn, offers)?;
    let failures = failures(&session, &offer, order.is_stop(&offer, session.now))?;
    let by = session.principal.origin.actor.clone();
    let failures = failures.map(|health| health.ended(by, order.terms.reason.clone()));
    carry_out(&session, &release, &RolloutOrder { failures, ..order }).await
}

#[derive(Debug, PartialEq)]
struct RolloutOrder {
    action: RolloutAction,
    terms: OrderTerms,
    /// The findings about a paused or halted release that fails, with the caller, who may let it go on.
    failures: Option<ReleaseHealth>,
}

/// The findings about a paused or halted release that fails: the present ones, or else those of the last guard
/// run. A stop does without the present ones, so that it works while the key-value store does not.
fn failures(
    session: &Session<'_, impl Ports>,
    release: &Release,
    is_stop: bool,
) -> Result<Option<ReleaseHealth>, Failure> {
    if release.rollout.hold == Hold::Off {
        return Ok(None);
    }
    let current = if is_stop { None } else { CurrentHealth::of(session.ports, &session.conn, release)? };
    let current = current.map(|current| current.health);
    let is_of_round = |health: &ReleaseHealth| release.round_at.is_some_and(|since| health.is_of(since));
    let stored = health::of_release(&session.conn, release)?.filter(is_of_round);
    Ok([current, stored].into_iter().flatten().find(ReleaseHealth::needs_attention))
}

impl RolloutOrder {
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
        Ok(Self { action, terms: OrderTerms::new(channel, if_revision, reason)?, failures: None })
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

impl Order for RolloutOrder {
    fn terms(&self) -> &OrderTerms {
        &self.terms
    }

    fn needs(&self, release: &Release, now: Timestamp) -> Action {
        if self.is_stop(release, now) { Action::Stop } else { Action::Roll }
    }

    fn is_stop(&self, release: &Release, now: Timestamp) -> bool {
        self.action.is_stop(release.rollout.basis_points(now))
    }

    fn change(&self, release: Release, now: Timestamp) -> Result<(Release, AuditKind), Failure> {
        let action = self.action.clone();
        let new = match self.failures {
            Some(_) => release.apply_action_after_failures(action, now),
            None => release.apply_action(action, now),
        };
        Ok((new.map_err(refusal)?, self.kind()))
    }

    /// A new round keeps the figures of the one before.
    fn write(&self, conn: &Change<'_, impl SqlConn>, new: &Release) -> Result<AuditedFields, Failure> {
        let ended =
            self.failures.as_ref().filter(|health| new.round_at.is_some_and(|since| !health.is_of(since)));
        if let Some(health) = ended {
            health::save_in_change(conn, new, health)?;
        }
        Ok(AuditedFields::default())
    }
}

/// 409: the state of the rollout does not allow the action.
pub(crate) fn refusal(refused: RolloutRefused) -> ApiError {
    ApiError::conflict(ErrorCode::WrongState, refused.to_string())
}

pub(crate) fn read_plan(plan: Option<&Value>) -> Result<Plan, ApiError> {
    let plan = plan.ok_or_else(|| ApiError::missing("plan"))?;
    Plan::from_json(plan).map_err(|error: InvalidPlan| ApiError::bad_request(error.to_string()))
}

pub(crate) fn read_percent(percent: Option<&Value>) -> Result<BasisPoints, ApiError> {
    let percent = percent.ok_or_else(|| ApiError::missing("percent"))?;
    let read = BasisPoints::from_json(percent);
    read.ok_or_else(|| InvalidValue::of_json("rollout", BasisPoints::RULE, percent).into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(json: Value) -> Result<RolloutOrder, String> {
        let body = serde_json::from_value(json).map_err(|error| error.to_string())?;
        RolloutOrder::parse(body).map_err(|error| error.to_string())
    }

    #[test]
    fn orders_are_read() {
        let order = parse(json!({ "action": "set", "percent": 0.1, "reason": " slowly ", "if_revision": 3 }));
        let order = order.unwrap();
        assert_eq!(order.action, RolloutAction::Set(BasisPoints::new(10).unwrap()));
        assert_eq!((order.terms.reason.as_deref(), order.terms.if_revision), (Some("slowly"), Some(3)));
        let start =
            parse(json!({ "action": "start", "plan": [{ "percent": 5, "for": "1d" }, { "percent": 100 }] }));
        assert_eq!(start.unwrap().action, RolloutAction::Start("5:1d,100".parse().unwrap()));
        for (json, error) in [
            (json!({ "action": "set" }), "missing percent"),
            (
                json!({ "action": "set", "percent": 0.005 }),
                "invalid rollout: 0 to 100, with up to two decimals, not 0.005",
            ),
            (
                json!({ "action": "set", "percent": "5" }),
                "invalid rollout: 0 to 100, with up to two decimals, not \"5\"",
            ),
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
