//! Bodies of the calls.

use serde::{Deserialize, Deserializer};
use spindrift_core::{AppName, Id, Version};
use spindrift_db::releases::ReleaseChange;
use spindrift_web::{ApiError, Form, FormLimits, Request, parse_json};

/// Largest body, in bytes: a changelog is the largest thing in it.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;
/// Largest `data` field, in bytes.
pub(crate) const MAX_DATA_BYTES: usize = 1024 * 1024;

/// An artifact as the caller names it: its place in the list that `GET /search` answers, or its identifier or link there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum ArtifactRef {
    Index(usize),
    Text(String),
}

/// `data` of `/apps/update`. Other keys are ignored, as at upload.
#[derive(Debug, Deserialize)]
struct UpdateData {
    id: String,
    #[serde(default, deserialize_with = "flag")]
    publish: Option<bool>,
    #[serde(default, deserialize_with = "flag")]
    critical: Option<bool>,
    #[serde(default, deserialize_with = "flag")]
    intermediate: Option<bool>,
    changelog: Option<String>,
    rollout: Option<u8>,
    #[serde(default)]
    artifacts_to_delete: Vec<ArtifactRef>,
}

/// A boolean, or one of the strings `true` and `false`.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Flag {
        Bool(bool),
        Text(String),
    }
    match Option::<Flag>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Flag::Bool(flag)) => Ok(Some(flag)),
        Some(Flag::Text(text)) => {
            text.parse().map(Some).map_err(|_| serde::de::Error::custom("a flag is true or false"))
        }
    }
}

/// What `/apps/update` was asked.
#[derive(Debug)]
pub(crate) struct UpdateRequest {
    pub(crate) id: Id,
    pub(crate) change: ReleaseChange,
    pub(crate) artifacts_to_delete: Vec<ArtifactRef>,
}

impl UpdateRequest {
    /// Reads `data`.
    pub(crate) fn parse(data: &str) -> Result<Self, ApiError> {
        let data: UpdateData = parse_json(data.as_bytes())?;
        if data.rollout.is_some_and(|percent| percent > 100) {
            return Err(ApiError::bad_request("invalid rollout: 0 to 100"));
        }
        Ok(Self {
            id: Id::from_text(data.id),
            change: ReleaseChange {
                published: data.publish,
                critical: data.critical,
                intermediate: data.intermediate,
                rollout: data.rollout,
                changelog: data.changelog,
            },
            artifacts_to_delete: data.artifacts_to_delete,
        })
    }
}

/// `data` of `/artifact/delete`.
#[derive(Debug, Deserialize)]
pub(crate) struct DeleteArtifactsData {
    pub(crate) id: String,
    pub(crate) app_name: AppName,
    pub(crate) version: Version,
    pub(crate) artifacts_to_delete: Vec<ArtifactRef>,
}

impl DeleteArtifactsData {
    pub(crate) async fn read(request: Request) -> Result<Self, ApiError> {
        let data: Self = parse_json(read_data(request).await?.as_bytes())?;
        if data.artifacts_to_delete.is_empty() {
            return Err(ApiError::missing("artifacts_to_delete"));
        }
        Ok(data)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_booleans_or_their_texts() {
        let data: UpdateData =
            serde_json::from_str(r#"{"id":"1","publish":"true","critical":false,"intermediate":null,"x":1}"#)
                .unwrap();
        assert_eq!((data.publish, data.critical, data.intermediate), (Some(true), Some(false), None));
        for bad in [
            r#"{"id":"1","publish":"yes"}"#,
            r#"{"id":"1","publish":1}"#,
            r#"{"publish":true}"#,
            r#"{"id":"1","id":"2"}"#,
        ] {
            assert!(serde_json::from_str::<UpdateData>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn artifacts_are_named_by_place_or_text() {
        let data: UpdateData =
            serde_json::from_str(r#"{"id":"1","artifacts_to_delete":[0,"1","http://x/y"]}"#).unwrap();
        assert_eq!(
            data.artifacts_to_delete,
            [ArtifactRef::Index(0), ArtifactRef::Text("1".into()), ArtifactRef::Text("http://x/y".into())]
        );
    }
}
