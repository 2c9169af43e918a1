//! `POST /releases/{id}/offer`: when clients start to see a release, and how its rollout begins.

use spindrift_api::OfferChangeBody;
use spindrift_core::audit::AuditKind;
use spindrift_core::{
    Action, AdmittedGroups, BasisPoints, ChangeRefused, Guard, Plan, Publication, Release, ReleaseChange,
    Timestamp,
};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::MAX_JSON_BYTES;
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{ApiError, Request, Response};

use crate::order::{Order, OrderTerms, carry_out};
use crate::request::{publication, read_groups, read_guard};
use crate::rollout::{read_percent, read_plan};
use crate::show::find;

pub(crate) async fn change<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_to_stop(ports, &request)?;
    let offer = OfferOrder::parse(request.read_json(MAX_JSON_BYTES).await?)?;
    let release = find(&session, &request)?;
    carry_out(&session, &release, &offer).await
}

/// How the rollout of a release begins.
#[derive(Debug, PartialEq, Eq)]
enum RolloutStart {
    Plan(Plan),
    Percent(BasisPoints),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OfferOrder {
    publication: Option<Publication>,
    beginning: Option<RolloutStart>,
    #[expect(clippy::option_option, reason = "the guard stays, goes, or is another one")]
    guard: Option<Option<Guard>>,
    groups: Option<AdmittedGroups>,
    terms: OrderTerms,
}

impl OfferOrder {
    fn parse(body: OfferChangeBody) -> Result<Self, ApiError> {
        let offer = Self::read(body)?;
        if offer.changes_nothing() {
            let text = "nothing to change: publish, publish_at, plan, rollout, groups or guard";
            return Err(ApiError::bad_request(text));
        }
        Ok(offer)
    }

    /// Reads a request, all of whose fields are optional.
    pub(crate) fn read(body: OfferChangeBody) -> Result<Self, ApiError> {
        let OfferChangeBody {
            publish,
            publish_at,
            plan,
            rollout,
            groups,
            guard,
            channel,
            if_revision,
            reason,
            force,
        } = body;
        let publication = publication(publish, publish_at)?;
        let beginning = match (plan, rollout) {
            (Some(_), Some(_)) => return Err(ApiError::bad_request("plan and rollout exclude each other")),
            (Some(plan), None) => Some(RolloutStart::Plan(read_plan(Some(&plan))?)),
            (None, Some(percent)) => Some(RolloutStart::Percent(read_percent(Some(&percent))?)),
            (None, None) => None,
        };
        let (guard, groups) = (read_guard(guard)?, read_groups(groups.as_ref())?);
        let terms = OrderTerms { is_forced: force, ..OrderTerms::new(channel, if_revision, reason)? };
        Ok(Self { publication, beginning, guard, groups, terms })
    }

    const fn changes_nothing(&self) -> bool {
        self.publication.is_none()
            && self.beginning.is_none()
            && self.guard.is_none()
            && self.groups.is_none()
    }

    /// Whether the request only hides the release.
    fn is_stop_only(&self) -> bool {
        self.publication == Some(Publication::Draft)
            && self.beginning.is_none()
            && self.guard.is_none()
            && self.groups.is_none()
    }
}

impl Order for OfferOrder {
    fn terms(&self) -> &OrderTerms {
        &self.terms
    }

    fn needs(&self, release: &Release, now: Timestamp) -> Action {
        match (release.flags.published, self.is_stop_only()) {
            (false, false) => Action::Publish,
            (false, true) => Action::Unschedule,
            (true, true) => Action::Stop,
            (true, false) if self.is_without_effect(release, now) => Action::Publish,
            (true, false) => Action::Roll,
        }
    }

    fn is_stop(&self, _: &Release, _: Timestamp) -> bool {
        self.is_stop_only()
    }

    fn hides(&self) -> bool {
        self.publication == Some(Publication::Draft)
    }

    fn change(&self, release: Release, now: Timestamp) -> Result<(Release, AuditKind), Failure> {
        let (plan, rollout) = match &self.beginning {
            Some(_) if release.flags.published => {
                return Err(ServiceError::from(ChangeRefused::Published).into());
            }
            Some(RolloutStart::Plan(plan)) => (Some(plan.clone()), None),
            Some(RolloutStart::Percent(basis_points)) => (None, Some(*basis_points)),
            None => (None, None),
        };
        let change = ReleaseChange {
            publication: self.publication,
            plan,
            rollout,
            guard: self.guard,
            admitted_groups: self.groups.clone(),
            ..ReleaseChange::default()
        };
        let new = release.apply_change(&change, now).map_err(ServiceError::from)?;
        Ok((new, self.kind(now)))
    }
}

impl OfferOrder {
    /// For a published release: whether it is already offered in this way, or the request is refused whoever
    /// sends it, as one that chooses a beginning is. A publishing job may run twice.
    fn is_without_effect(&self, release: &Release, now: Timestamp) -> bool {
        self.change(release.clone(), now)
            .is_ok_and(|(new, _)| Release { revision: release.revision, ..new } == *release)
            || self.beginning.is_some()
    }

    fn kind(&self, now: Timestamp) -> AuditKind {
        match self.publication {
            None if self.beginning.is_none() && self.groups.is_none() => AuditKind::GuardSet,
            None => AuditKind::ReleaseOffer,
            Some(Publication::Draft) => AuditKind::ReleaseUnpublish,
            Some(publication) if publication.is_now(now) => AuditKind::ReleasePublish,
            Some(_) => AuditKind::ReleaseSchedule,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(json: Value) -> Result<OfferOrder, String> {
        let body = serde_json::from_value(json).map_err(|error| error.to_string())?;
        OfferOrder::parse(body).map_err(|error| error.to_string())
    }

    #[test]
    fn offers_are_read() {
        let at = "2026-12-01T09:00:00+01:00";
        for (json, publication) in [
            (json!({ "publish": true }), Publication::Now),
            (json!({ "publish": false }), Publication::Draft),
            (json!({ "publish_at": null }), Publication::Draft),
            (json!({ "publish_at": at }), Publication::At(at.parse().unwrap())),
        ] {
            assert_eq!(parse(json.clone()).unwrap().publication, Some(publication), "{json}");
        }
        let planned = parse(json!({ "plan": [{ "percent": 5, "for": "1d" }, { "percent": 100 }] })).unwrap();
        assert_eq!(planned.beginning, Some(RolloutStart::Plan("5:1d,100".parse().unwrap())));
        for (json, error) in [
            (json!({}), "nothing to change: publish, publish_at, plan, rollout, groups or guard"),
            (json!({ "publish": true, "publish_at": at }), "publish and publish_at exclude each other"),
            (
                json!({ "publish_at": "tomorrow" }),
                "invalid publish_at: a time like 2026-11-27T20:00:00Z, not \"tomorrow\"",
            ),
            (json!({ "rollout": 0.005 }), "invalid rollout: 0 to 100, with up to two decimals, not 0.005"),
            (json!({ "rollout": 5, "plan": [{ "percent": 100 }] }), "plan and rollout exclude each other"),
            (json!({ "groups": "qa" }), "invalid groups: a list of up to 8 names, not \"qa\""),
            (json!({ "plan": [] }), "invalid plan: it has 1 to 50 steps"),
        ] {
            assert_eq!(parse(json.clone()), Err(error.to_owned()), "{json}");
        }
    }
}
