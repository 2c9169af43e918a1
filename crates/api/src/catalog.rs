//! Bodies of applications, channels, platforms and architectures.

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use spindrift_core::Id;

/// The answer of a change: one key, as `createAppResult.Created`, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultBody<T> {
    /// The key.
    pub key: &'static str,
    /// The value.
    pub value: T,
}

impl<T: Serialize> Serialize for ResultBody<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.key, &self.value)?;
        map.end()
    }
}

/// A switch: a JSON boolean, or the text `true` or `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "BoolOrText")]
pub struct Switch(pub bool);

#[derive(Deserialize)]
#[serde(untagged)]
enum BoolOrText {
    Bool(bool),
    Text(String),
}

impl TryFrom<BoolOrText> for Switch {
    type Error = &'static str;

    fn try_from(value: BoolOrText) -> Result<Self, Self::Error> {
        match value {
            BoolOrText::Bool(value) => Ok(Self(value)),
            BoolOrText::Text(text) => {
                text.parse().map(Self).map_err(|_| "expected a boolean or one of `true`, `false`")
            }
        }
    }
}

/// Field `data` of `POST /app/create` (without `id`) and `POST /app/update` (all but `id` optional).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AppData {
    /// Which application.
    pub id: Option<String>,
    /// Its name.
    pub app: Option<String>,
    /// What it is, for people.
    pub description: Option<String>,
    /// Files are downloaded with permission only.
    pub private: Option<Switch>,
    /// Uploads carry SHA-256 and SHA-512.
    pub tuf: Option<Switch>,
    /// Failure reports are accepted.
    pub reports: Option<Switch>,
    /// Answers are published to the CDN bucket.
    pub cdn: Option<Switch>,
    /// Who may download files of a private application: `login`, `token` or `unlisted`.
    pub download_mode: Option<String>,
}

/// An application in `GET /app/list`.
#[expect(clippy::struct_excessive_bools, reason = "the shape of the wire format: independent switches")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct AppEntry {
    /// Identifier.
    #[serde(rename = "ID")]
    pub id: Id,
    /// Name.
    pub app_name: String,
    /// Address of the logo; empty without one.
    pub logo: String,
    /// See [`AppData::private`].
    pub private: bool,
    /// See [`AppData::tuf`].
    pub tuf: bool,
    /// See [`AppData::reports`].
    pub reports: bool,
    /// See [`AppData::cdn`].
    pub cdn_edge: bool,
    /// See [`AppData::download_mode`]; of an application that has none, the service's default.
    #[serde(rename = "download_mode")]
    pub download_mode: &'static str,
    /// See [`AppData::description`].
    pub description: String,
    /// The admin's user name.
    pub owner: String,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub updated_at: String,
}

/// Answer of `GET /app/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AppsBody {
    /// Those that the caller may see, by name.
    pub apps: Vec<AppEntry>,
}

/// Body of `POST /channel/create` and `POST /channel/update`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ChannelBody {
    /// Which channel; for updates.
    pub id: Option<String>,
    /// Its name.
    pub channel: Option<String>,
    /// All channels whose releases its clients are offered too, by name.
    pub includes: Option<Vec<String>>,
}

/// Body of `POST /platform/create` and `POST /platform/update`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PlatformBody {
    /// Which platform; for updates.
    pub id: Option<String>,
    /// Its name.
    pub platform: Option<String>,
    /// All of its updaters.
    pub updaters: Option<Vec<UpdaterBody>>,
}

/// Body of `POST /arch/create` and `POST /arch/update`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ArchBody {
    /// Which architecture; for updates.
    pub id: Option<String>,
    /// Its name.
    pub arch: Option<String>,
}

/// One updater of a platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdaterBody {
    /// `manual`, `squirrel_windows`, ...
    #[serde(rename = "type")]
    pub updater: String,
    /// Whether clients that name no updater get this one's answer.
    #[serde(default)]
    pub default: bool,
}

/// A channel in `GET /channel/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ChannelEntry {
    /// Identifier.
    #[serde(rename = "ID")]
    pub id: Id,
    /// Name.
    pub channel_name: String,
    /// The names of the channels whose releases its clients are offered too; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub includes: Vec<String>,
    /// The admin's user name.
    pub owner: String,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub updated_at: String,
}

/// A platform in `GET /platform/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct PlatformEntry {
    /// Identifier.
    #[serde(rename = "ID")]
    pub id: Id,
    /// Name.
    pub platform_name: String,
    /// Never empty.
    pub updaters: Vec<UpdaterBody>,
    /// The admin's user name.
    pub owner: String,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub updated_at: String,
}

/// An architecture in `GET /arch/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ArchEntry {
    /// Identifier.
    #[serde(rename = "ID")]
    pub id: Id,
    /// Name.
    #[serde(rename = "ArchID")]
    pub arch_name: String,
    /// The admin's user name.
    pub owner: String,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub updated_at: String,
}

/// Answer of `GET /channel/list`, `GET /platform/list` or `GET /arch/list`: those that the caller may see, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DimensionsBody {
    /// `{"channels": [...]}`.
    Channels(Vec<ChannelEntry>),
    /// `{"platforms": [...]}`.
    Platforms(Vec<PlatformEntry>),
    /// `{"archs": [...]}`.
    Archs(Vec<ArchEntry>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches() {
        for (json, expected) in [
            ("true", Some(true)),
            ("\"true\"", Some(true)),
            ("\"false\"", Some(false)),
            ("1", None),
            ("\"yes\"", None),
        ] {
            assert_eq!(serde_json::from_str::<Switch>(json).ok(), expected.map(Switch), "{json}");
        }
    }

    #[test]
    fn unknown_keys_are_ignored_and_duplicate_ones_refused() {
        let data: AppData = serde_json::from_str(r#"{"app":"a","x":[1]}"#).unwrap();
        assert_eq!(data.app.as_deref(), Some("a"));
        assert!(serde_json::from_str::<AppData>(r#"{"app":"a","app":"b"}"#).is_err());
        assert!(serde_json::from_str::<ChannelBody>(r#"{"channel":"a","updaters":7}"#).is_ok());
        assert!(serde_json::from_str::<PlatformBody>(r#"{"updaters":[{"type":"manual","x":1}]}"#).is_ok());
    }

    #[test]
    fn keys_of_answers() {
        let created = ResultBody { key: "createArchResult.Created", value: Id::from_text("1") };
        assert_eq!(serde_json::to_string(&created).unwrap(), r#"{"createArchResult.Created":"1"}"#);
        let entry = ArchEntry {
            id: Id::from_text("1"),
            arch_name: "arm64".into(),
            owner: "o".into(),
            updated_at: "t".into(),
        };
        assert_eq!(
            serde_json::to_string(&DimensionsBody::Archs(vec![entry])).unwrap(),
            r#"{"archs":[{"ID":"1","ArchID":"arm64","Owner":"o","Updated_at":"t"}]}"#
        );
    }
}
