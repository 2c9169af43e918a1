//! The bodies of the three kinds, as one type.

use spindrift_api::{ArchBody, ChannelBody, PlatformBody, UpdaterBody};
use spindrift_core::{Id, PlatformUpdater, PlatformUpdaters, Updater};
use spindrift_db::dimensions::Kind;
use spindrift_service::requests::management::{MAX_JSON_BYTES, required};
use spindrift_web::{ApiError, Request};

use crate::kind::{parse_name, word};

/// The fields to set.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DimensionBody {
    pub(crate) id: Option<Id>,
    /// A valid name of its kind.
    pub(crate) name: Option<String>,
    /// Only for platforms.
    pub(crate) updaters: Option<PlatformUpdaters>,
    /// Only for channels: the valid names of other channels.
    pub(crate) includes: Option<Vec<String>>,
}

/// The body of any kind, as sent.
struct Unchecked {
    id: Option<String>,
    name: Option<String>,
    updaters: Option<Vec<UpdaterBody>>,
    includes: Option<Vec<String>>,
}

impl From<ChannelBody> for Unchecked {
    fn from(body: ChannelBody) -> Self {
        Self { id: body.id, name: body.channel, updaters: None, includes: body.includes }
    }
}

impl From<PlatformBody> for Unchecked {
    fn from(body: PlatformBody) -> Self {
        Self { id: body.id, name: body.platform, updaters: body.updaters, includes: None }
    }
}

impl From<ArchBody> for Unchecked {
    fn from(body: ArchBody) -> Self {
        Self { id: body.id, name: body.arch, updaters: None, includes: None }
    }
}

impl DimensionBody {
    pub(crate) async fn read(kind: Kind, mut request: Request) -> Result<Self, ApiError> {
        let body = match kind {
            Kind::Channel => request.read_json::<ChannelBody>(MAX_JSON_BYTES).await?.into(),
            Kind::Platform => request.read_json::<PlatformBody>(MAX_JSON_BYTES).await?.into(),
            Kind::Arch => request.read_json::<ArchBody>(MAX_JSON_BYTES).await?.into(),
        };
        Self::check(kind, body)
    }

    fn check(kind: Kind, body: Unchecked) -> Result<Self, ApiError> {
        let check_name = |name| parse_name(kind, &required(Some(name), word(kind))?);
        Ok(Self {
            id: body.id.map(Id::from_text),
            name: body.name.map(check_name).transpose()?,
            updaters: body.updaters.map(parse_updaters).transpose()?,
            includes: body.includes.map(|names| parse_includes(kind, names)).transpose()?,
        })
    }

    /// The name of a new entry; 400 without one.
    pub(crate) fn new_name(&self, kind: Kind) -> Result<String, ApiError> {
        required(self.name.clone(), word(kind))
    }

    /// The id of the entry to change; 400 without one.
    pub(crate) fn target(&self) -> Result<Id, ApiError> {
        let id = self.id.as_ref().filter(|id| !id.as_str().is_empty());
        id.cloned().ok_or_else(|| ApiError::missing("id"))
    }
}

/// Most channels that one channel can include.
const MAX_INCLUDES: usize = 20;

fn parse_includes(kind: Kind, names: Vec<String>) -> Result<Vec<String>, ApiError> {
    if names.len() > MAX_INCLUDES {
        return Err(ApiError::bad_request("too many includes: at most 20"));
    }
    names
        .into_iter()
        .map(|name| parse_name(kind, &name).map_err(|_| ApiError::bad_request("invalid includes parameter")))
        .collect()
}

fn parse_updaters(list: Vec<UpdaterBody>) -> Result<PlatformUpdaters, ApiError> {
    let entries = list
        .into_iter()
        .map(|entry| {
            Ok(PlatformUpdater { updater: entry.updater.parse::<Updater>()?, default: entry.default })
        })
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

    fn channel(json: &str) -> Result<DimensionBody, String> {
        let body: ChannelBody = serde_json::from_str(json).unwrap();
        DimensionBody::check(Kind::Channel, body.into()).map_err(|error| error.to_string())
    }

    fn platform(json: &str) -> Result<DimensionBody, String> {
        let body: PlatformBody = serde_json::from_str(json).unwrap();
        DimensionBody::check(Kind::Platform, body.into()).map_err(|error| error.to_string())
    }

    #[test]
    fn new_ones_have_a_name() {
        let new_name =
            |json| channel(json).unwrap().new_name(Kind::Channel).map_err(|error| error.to_string());
        assert_eq!(new_name(r#"{"channel":"beta"}"#).unwrap(), "beta");
        assert_eq!(new_name("{}").unwrap_err(), "missing channel");
        assert_eq!(new_name(r#"{"id":"1","channel":"beta"}"#).unwrap(), "beta");
        assert_eq!(channel(r#"{"channel":""}"#).unwrap_err(), "missing channel");
        assert_eq!(channel(r#"{"channel":"a b"}"#).unwrap_err(), "invalid channel parameter");
    }

    #[test]
    fn changes_name_their_target() {
        let target = |json| channel(json).unwrap().target().map_err(|error| error.to_string());
        assert_eq!(target(r#"{"id":"1"}"#).unwrap(), Id::from_text("1"));
        for json in ["{}", r#"{"id":""}"#] {
            assert_eq!(target(json).unwrap_err(), "missing id");
        }
    }

    #[test]
    fn updaters() {
        let json = r#"{"platform":"win","updaters":[{"type":"manual"},{"type":"velopack","default":true}]}"#;
        let updaters = platform(json).unwrap().updaters.unwrap();
        assert_eq!(updaters.default_updater(), Updater::Velopack);
        assert_eq!(render_updaters(&updaters).len(), 2);
        assert_eq!(platform(r#"{"updaters":[]}"#).unwrap().updaters, Some(PlatformUpdaters::default()));
        for (list, text) in [
            (r#"[{"type":"msi"}]"#, "updater not supported"),
            (r#"[{"type":"manual"},{"type":"manual"}]"#, "duplicate updater"),
            (
                r#"[{"type":"manual","default":true},{"type":"tauri","default":true}]"#,
                "more than one default updater",
            ),
        ] {
            assert_eq!(platform(&format!(r#"{{"platform":"p","updaters":{list}}}"#)).unwrap_err(), text);
        }
    }
}
