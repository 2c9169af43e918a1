//! Request bodies.

use serde_json::Value;
use spindrift_api::{ArtifactRef, ArtifactsDeleteData, ReleaseUpdateData};
use spindrift_core::{
    AdmittedGroups, CuredVersions, Guard, Id, InvalidValue, Plan, Publication, ReleaseChange, Requirements,
    TextRule as _, Timestamp,
};
use spindrift_web::{ApiError, Form, FormLimits, Request, parse_json};

use crate::requires::read_requires;
use crate::rollout::{read_percent, read_plan};

/// Largest body, in bytes. The changelog can take up most of it.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;
/// Largest `data` field, in bytes.
pub(crate) const MAX_DATA_BYTES: usize = 1024 * 1024;

/// The request of `/apps/update`.
#[derive(Debug)]
pub(crate) struct UpdateRequest {
    pub(crate) id: Id,
    pub(crate) change: ReleaseChange,
    pub(crate) plan: Option<Plan>,
    /// The requirements on the systems for all files of the release. `None` leaves them unchanged.
    #[expect(clippy::option_option, reason = "absent, none and some are three things")]
    pub(crate) requires: Option<Option<Requirements>>,
    pub(crate) artifacts_to_delete: Vec<ArtifactRef>,
    /// Whether devices may skip an intermediate release because of the change.
    pub(crate) is_forced: bool,
}

impl UpdateRequest {
    /// Whether it changes the release in all channels, and not only how its own channel offers it.
    pub(crate) const fn is_for_all_offers(&self) -> bool {
        self.change.critical.is_some()
            || self.change.intermediate.is_some()
            || self.change.changelog.is_some()
            || self.change.cures.is_some()
            || self.requires.is_some()
            || !self.artifacts_to_delete.is_empty()
    }

    /// Parses `data`.
    pub(crate) fn parse(data: &str) -> Result<Self, ApiError> {
        let data: ReleaseUpdateData = parse_json(data.as_bytes())?;
        if data.plan.is_some() && data.rollout.is_some() {
            return Err(ApiError::bad_request("plan and rollout exclude each other"));
        }
        let rollout = data.rollout.map(|percent| read_percent(Some(&percent.into()))).transpose()?;
        Ok(Self {
            id: Id::from_text(data.id),
            change: ReleaseChange {
                publication: publication(data.publish, data.publish_at)?,
                critical: data.critical,
                intermediate: data.intermediate,
                rollout,
                plan: None,
                changelog: data.changelog,
                guard: read_guard(data.guard)?,
                admitted_groups: read_groups(data.groups.as_ref())?,
                cures: read_cures(data.cures.as_ref())?,
            },
            plan: data.plan.as_ref().map(|plan| read_plan(Some(plan))).transpose()?,
            requires: data.requires.as_ref().map(read_requires).transpose()?,
            artifacts_to_delete: data.artifacts_to_delete,
            is_forced: data.force.unwrap_or_default(),
        })
    }
}

/// When clients start to see the release. `None` leaves this unchanged.
#[expect(clippy::option_option, reason = "absent, null and a time are three things")]
pub(crate) fn publication(
    publish: Option<bool>,
    publish_at: Option<Option<String>>,
) -> Result<Option<Publication>, ApiError> {
    let at = |text: String| {
        let invalid = |_| InvalidValue::of_text("publish_at", Timestamp::RULE, &text);
        Ok(Publication::At(text.parse().map_err(invalid)?))
    };
    match (publish, publish_at) {
        (Some(true), Some(_)) | (Some(false), Some(Some(_))) => {
            Err(ApiError::bad_request("publish and publish_at exclude each other"))
        }
        (Some(publish), _) => Ok(Some(Publication::of(publish))),
        (None, Some(Some(text))) => at(text).map(Some),
        (None, Some(None)) => Ok(Some(Publication::Draft)),
        (None, None) => Ok(None),
    }
}

/// The new guard. `None` leaves it unchanged.
#[expect(clippy::option_option, reason = "absent, null and a guard are three things")]
pub(crate) fn read_guard(guard: Option<Option<Value>>) -> Result<Option<Option<Guard>>, ApiError> {
    let read = |guard: Option<Value>| guard.as_ref().map(Guard::from_json).transpose();
    guard.map(read).transpose().map_err(|error| ApiError::bad_request(error.to_string()))
}

/// The admitted groups. `None` leaves them unchanged.
pub(crate) fn read_groups(groups: Option<&Value>) -> Result<Option<AdmittedGroups>, ApiError> {
    let read = groups.map(AdmittedGroups::from_json).transpose();
    read.map_err(|error| ApiError::bad_request(error.to_string()))
}

/// The cured versions. `None` leaves them unchanged.
fn read_cures(cures: Option<&Value>) -> Result<Option<CuredVersions>, ApiError> {
    let read = cures.map(CuredVersions::from_json).transpose();
    read.map_err(|error| ApiError::bad_request(error.to_string()))
}

/// Reads the body of `/artifact/delete`. 400 if it names no artifact.
pub(crate) async fn read_artifacts(request: Request) -> Result<ArtifactsDeleteData, ApiError> {
    let data: ArtifactsDeleteData = parse_json(read_data(request).await?.as_bytes())?;
    if data.artifacts_to_delete.is_empty() {
        return Err(ApiError::missing("artifacts_to_delete"));
    }
    Ok(data)
}

/// The field `data` of a form without files.
pub(crate) async fn read_data(request: Request) -> Result<String, ApiError> {
    let limits = FormLimits { body: MAX_BODY_BYTES, field: MAX_DATA_BYTES, file: 0 };
    let form = Form::read(request, limits).await?;
    if !form.files.is_empty() {
        return Err(ApiError::bad_request("unexpected file"));
    }
    Ok(form.required("data")?.to_owned())
}
