//! Bodies of the three kinds, as one type.

use spindrift_api::{ArchBody, ChannelBody, PlatformBody, UpdaterBody};
use spindrift_core::{Id, PlatformUpdater, PlatformUpdaters, Updater};
use spindrift_db::dimensions::Kind;
use spindrift_service::management::{MAX_JSON_BYTES, required};
use spindrift_web::{ApiError, Request, parse_json};

use crate::kind::{parse_name, word};

/// What to make or change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DimensionBody {
    pub(crate) id: Option<Id>,
    /// A valid name of its kind.
    pub(crate) name: Option<String>,
    /// Of platforms only.
    pub(crate) updaters: Option<PlatformUpdaters>,
}

impl DimensionBody {
    pub(crate) async fn read(kind: Kind, mut request: Request) -> Result<Self, ApiError> {
        if request.media_type().is_some_and(|media| media != "application/json") {
            return Err(ApiError::UnsupportedMediaType("application/json"));
        }
        Self::parse(kind, &request.read_body(MAX_JSON_BYTES).await?)
    }

    fn parse(kind: Kind, json: &[u8]) -> Result<Self, ApiError> {
        let (id, name, updaters) = match kind {
            Kind::Channel => {
                let body: ChannelBody = parse_json(json)?;
                (body.id, body.channel, None)
            }
            Kind::Platform => {
                let body: PlatformBody = parse_json(json)?;
                (body.id, body.platform, body.updaters)
            }
            Kind::Arch => {
                let body: ArchBody = parse_json(json)?;
                (body.id, body.arch, None)
            }
        };
        Ok(Self {
            id: id.map(Id::from_text),
            name: name.map(|name| parse_name(kind, &required(Some(name), word(kind))?)).transpose()?,
            updaters: updaters.map(parse_updaters).transpose()?,
        })
    }

    /// The name of something new; 400 without one, or with an identifier.
    pub(crate) fn new_name(&self, kind: Kind) -> Result<String, ApiError> {
        if self.id.is_some() {
            return Err(ApiError::bad_request("unexpected id"));
        }
        required(self.name.clone(), word(kind))
    }

    /// The identifier of what to change; 400 without one.
    pub(crate) fn target(&self) -> Result<Id, ApiError> {
        let id = self.id.as_ref().filter(|id| !id.as_str().is_empty());
        id.cloned().ok_or_else(|| ApiError::bad_request("missing id"))
    }
}

fn parse_updaters(list: Vec<UpdaterBody>) -> Result<PlatformUpdaters, ApiError> {
    let entries = list
        .into_iter()
        .map(|entry| Ok(PlatformUpdater { updater: entry.updater.parse::<Updater>()?, default: entry.default }))
        .collect::<Result<_, spindrift_core::UnsupportedUpdater>>()
        .map_err(|error| ApiError::bad_request(error.to_string()))?;
    PlatformUpdaters::new(entries).map_err(|error| ApiError::bad_request(error.to_string()))
}

pub(crate) fn render_updaters(updaters: &PlatformUpdaters) -> Vec<UpdaterBody> {
    let render = |e: &PlatformUpdater| UpdaterBody { updater: e.updater.to_string(), default: e.default };
    updaters.entries().iter().map(render).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(kind: Kind, json: &str) -> String {
        DimensionBody::parse(kind, json.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn bodies() {
        let body = DimensionBody::parse(Kind::Channel, br#"{"channel":"beta"}"#).unwrap();
        assert_eq!(body.new_name(Kind::Channel).unwrap(), "beta");
        assert_eq!(body.target().unwrap_err().to_string(), "missing id");
        let body = DimensionBody::parse(Kind::Arch, br#"{"id":"1"}"#).unwrap();
        assert_eq!(body.target().unwrap(), Id::from_text("1"));
        assert_eq!(body.new_name(Kind::Arch).unwrap_err().to_string(), "unexpected id");
        let body = DimensionBody::parse(Kind::Arch, b"{}").unwrap();
        assert_eq!(body.new_name(Kind::Arch).unwrap_err().to_string(), "missing arch");
        assert_eq!(error(Kind::Channel, r#"{"channel":""}"#), "missing channel");
        assert_eq!(error(Kind::Channel, r#"{"channel":"a b"}"#), "invalid channel parameter");
        assert!(error(Kind::Channel, r#"{"platform":"linux"}"#).starts_with("invalid JSON: unknown field"));
        assert!(error(Kind::Arch, r#"{"arch":"a","arch":"b"}"#).starts_with("invalid JSON: duplicate field"));
        assert!(error(Kind::Channel, r#"{"channel":"a","updaters":[]}"#).starts_with("invalid JSON: unknown field"));
    }

    #[test]
    fn updaters() {
        let json = br#"{"platform":"win","updaters":[{"type":"manual"},{"type":"velopack","default":true}]}"#;
        let updaters = DimensionBody::parse(Kind::Platform, json).unwrap().updaters.unwrap();
        assert_eq!(updaters.default_updater(), Updater::Velopack);
        assert_eq!(render_updaters(&updaters).len(), 2);
        for (list, text) in [
            (r#"[{"type":"msi"}]"#, "updater not supported"),
            (r#"[{"type":"manual"},{"type":"manual"}]"#, "duplicate updater"),
            (
                r#"[{"type":"manual","default":true},{"type":"tauri","default":true}]"#,
                "more than one default updater",
            ),
        ] {
            assert_eq!(error(Kind::Platform, &format!(r#"{{"platform":"p","updaters":{list}}}"#)), text);
        }
        let empty = DimensionBody::parse(Kind::Platform, br#"{"updaters":[]}"#).unwrap();
        assert_eq!(empty.updaters, Some(PlatformUpdaters::default()));
    }
}
