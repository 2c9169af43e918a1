//! The bodies of the three kinds, as one type.

use spindrift_api::{ArchBody, ChannelBody, PlatformBody, Switch, UpdaterBody, UpdaterRef};
use spindrift_core::{ChannelName, Id, PlatformUpdater, PlatformUpdaters, TextRule as _, Updater};
use spindrift_db::dimensions::Kind;
use spindrift_service::requests::management::MAX_JSON_BYTES;
use spindrift_web::{ApiError, Request, required};

use crate::kind::{parse_name, word};

/// The fields to set.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DimensionBody {
    pub(crate) id: Option<Id>,
    /// A valid name of its kind.
    pub(crate) name: Option<String>,
    /// Only for platforms.
    pub(crate) updaters: Option<PlatformUpdaters>,
    /// Only for platforms: updaters to add, and those to remove. Not together with `updaters`.
    added: Vec<PlatformUpdater>,
    removed: Vec<Updater>,
    /// Only for channels: the valid names of other channels.
    pub(crate) includes: Option<Vec<String>>,
    /// Whether it becomes the owner's default, or stops being it.
    pub(crate) default: Option<bool>,
    pub(crate) force: Option<bool>,
}

/// The body of any kind, as sent.
#[derive(Default)]
struct RawDimensionBody {
    id: Option<String>,
    name: Option<String>,
    updaters: Option<Vec<UpdaterBody>>,
    add_updaters: Vec<UpdaterRef>,
    remove_updaters: Vec<UpdaterRef>,
    includes: Option<Vec<String>>,
    default: Option<Switch>,
    force: Option<Switch>,
}

impl From<ChannelBody> for RawDimensionBody {
    fn from(body: ChannelBody) -> Self {
        let ChannelBody { id, channel, includes, default, force } = body;
        Self { id, name: channel, includes, default, force, ..Self::default() }
    }
}

impl From<PlatformBody> for RawDimensionBody {
    fn from(body: PlatformBody) -> Self {
        let PlatformBody { id, platform, updaters, add_updaters, remove_updaters, default, force } = body;
        Self {
            id,
            name: platform,
            updaters,
            add_updaters: add_updaters.unwrap_or_default(),
            remove_updaters: remove_updaters.unwrap_or_default(),
            default,
            force,
            ..Self::default()
        }
    }
}

impl From<ArchBody> for RawDimensionBody {
    fn from(body: ArchBody) -> Self {
        let ArchBody { id, arch, default, force } = body;
        Self { id, name: arch, default, force, ..Self::default() }
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

    fn check(kind: Kind, body: RawDimensionBody) -> Result<Self, ApiError> {
        let check_name = |name| parse_name(kind, &required(Some(name), word(kind))?);
        let on = |switch: Option<Switch>| switch.map(|Switch(on)| on);
        let [added, removed] = [body.add_updaters, body.remove_updaters]
            .map(|list| list.into_iter().map(UpdaterBody::from).collect());
        let (added, removed) = (parse_entries(added)?, parse_entries(removed)?);
        if body.updaters.is_some() && !(added.is_empty() && removed.is_empty()) {
            let text = "updaters replaces all: send it without add_updaters and remove_updaters";
            return Err(ApiError::bad_request(text));
        }
        Ok(Self {
            id: body.id.map(Id::from_text),
            name: body.name.map(check_name).transpose()?,
            updaters: body.updaters.map(parse_updaters).transpose()?,
            added,
            removed: removed.into_iter().map(|entry| entry.updater).collect(),
            includes: body.includes.map(|names| parse_includes(kind, names)).transpose()?,
            default: on(body.default),
            force: on(body.force),
        })
    }

    /// The updaters after an update of a platform that has `old`; 400 if none would be left.
    pub(crate) fn updaters_after(
        &self,
        old: Option<&PlatformUpdaters>,
    ) -> Result<Option<PlatformUpdaters>, ApiError> {
        let Some(old) = old else { return Ok(None) };
        let new = match &self.updaters {
            Some(updaters) => Ok(updaters.clone()),
            None if self.added.is_empty() && self.removed.is_empty() => Ok(old.clone()),
            None => old.with(&self.added, &self.removed),
        };
        new.map(Some).map_err(|error| ApiError::bad_request(error.to_string()))
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

/// Maximum number of channels that a channel can include.
const MAX_INCLUDES: usize = 20;

fn parse_includes(kind: Kind, names: Vec<String>) -> Result<Vec<String>, ApiError> {
    if names.len() > MAX_INCLUDES {
        return Err(ApiError::bad_request("too many includes: at most 20"));
    }
    names
        .into_iter()
        .map(|name| {
            let invalid = |_| ApiError::invalid("includes", ChannelName::RULE, Some(&name));
            parse_name(kind, &name).map_err(invalid)
        })
        .collect()
}

fn parse_updaters(list: Vec<UpdaterBody>) -> Result<PlatformUpdaters, ApiError> {
    let entries = parse_entries(list)?;
    PlatformUpdaters::new(entries).map_err(|error| ApiError::bad_request(error.to_string()))
}

fn parse_entries(list: Vec<UpdaterBody>) -> Result<Vec<PlatformUpdater>, ApiError> {
    list.into_iter()
        .map(|entry| {
            Ok(PlatformUpdater { updater: entry.updater.parse::<Updater>()?, default: entry.default })
        })
        .collect::<Result<_, spindrift_core::UnsupportedUpdater>>()
        .map_err(|error| ApiError::bad_request(error.to_string()))
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
        assert!(channel(r#"{"channel":"a b"}"#).unwrap_err().starts_with("invalid channel parameter: "));
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
    fn updaters_are_added_by_name_or_as_entries() {
        let old = PlatformUpdaters::default();
        let after = |json: &str| platform(json).unwrap().updaters_after(Some(&old)).unwrap().unwrap();
        for json in [
            r#"{"add_updaters":["tauri"]}"#,
            r#"{"add_updaters":[{"type":"tauri"}]}"#,
            r#"{"add_updaters":["tauri","sparkle"],"remove_updaters":["sparkle","velopack"]}"#,
        ] {
            let new = after(json);
            assert!(new.has(Updater::Tauri) && new.default_updater() == Updater::Manual, "{json}");
        }
        assert_eq!(after("{}"), old);
        let none = platform(r#"{"remove_updaters":["manual"]}"#).unwrap();
        assert!(none.updaters_after(Some(&old)).is_err());
    }

    #[test]
    fn updaters() {
        let json = r#"{"platform":"win","updaters":[{"type":"manual"},{"type":"velopack","default":true}]}"#;
        let updaters = platform(json).unwrap().updaters.unwrap();
        assert_eq!(updaters.default_updater(), Updater::Velopack);
        assert_eq!(render_updaters(&updaters).len(), 2);
        assert_eq!(platform(r#"{"updaters":[]}"#).unwrap().updaters, Some(PlatformUpdaters::default()));
        let both = r#"{"updaters":[{"type":"manual"}],"add_updaters":["tauri"]}"#;
        assert!(platform(both).unwrap_err().starts_with("updaters replaces all"));
        assert_eq!(platform(r#"{"remove_updaters":["msi"]}"#).unwrap_err(), "updater not supported");
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
