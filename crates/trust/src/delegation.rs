//! Delegations: channels with signers of their own.

use std::collections::BTreeMap;

use spindrift_core::ChannelName;

use crate::error::Fault;
use crate::field_reader::{FieldReader, are_distinct};
use crate::json::Json;
use crate::key::{keys_json, read_keys};
use crate::role_keys::{NewSigners, RoleKeys, Signers};
use crate::{PublicKeys, RoleName, TargetName};

/// Maximum number of channels with signers of their own: clients visit at most 32 roles to find a target.
const MAX_CHANNEL_ROLES: usize = 30;

/// The channels with signers of their own
/// ([TUF 1.0, section 4.5](https://theupdateframework.github.io/specification/latest/#file-formats-targets)).
/// Clients ask each role only for names of its channel, and its answer is final.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delegations {
    keys: PublicKeys,
    /// In their order in metadata.
    roles: Vec<(ChannelName, RoleKeys)>,
}

impl Delegations {
    /// Delegates these channels. `None` if a channel appears twice, if there are too many channels, or if a
    /// role cannot have such keys.
    pub fn new(channels: Vec<(ChannelName, NewSigners)>) -> Option<Self> {
        let mut keys = BTreeMap::new();
        let mut roles = Vec::new();
        for (channel, signers) in channels {
            roles.push((channel, signers.role_keys()?));
            keys.extend(signers.keys.into_iter().map(|key| (key.id().clone(), key)));
        }
        check(&roles).ok().map(|()| Self { keys, roles })
    }

    /// The signers of a channel. `None` if it has none of its own.
    pub fn signers(&self, channel: &ChannelName) -> Option<Signers<'_>> {
        let role = self.roles.iter().find(|(other, _)| other == channel);
        role.map(|(_, keys)| Signers::of(&self.keys, keys))
    }

    pub fn channels(&self) -> impl Iterator<Item = &ChannelName> {
        self.roles.iter().map(|(channel, _)| channel)
    }

    /// All keys of all channels.
    pub(crate) const fn keys(&self) -> &PublicKeys {
        &self.keys
    }

    pub(crate) fn read(mut fields: FieldReader) -> Result<Self, Fault> {
        let keys = read_keys(fields.object("keys")?)?;
        let roles = fields.list("roles")?.into_iter().map(|role| read_role(role, &keys));
        let roles = roles.collect::<Result<Vec<_>, _>>()?;
        fields.done()?;
        check(&roles).map(|()| Self { keys, roles })
    }

    pub(crate) fn to_json(&self) -> Json {
        let role = |(channel, keys): &(ChannelName, RoleKeys)| {
            let role = RoleName::Channel(channel.clone());
            let rest = [
                ("name", Json::text(role)),
                ("paths", Json::texts(patterns(channel))),
                ("terminating", Json::Flag(true)),
            ];
            Json::object(keys.fields().into_iter().chain(rest))
        };
        let roles = Json::List(self.roles.iter().map(role).collect());
        Json::object([("keys", keys_json(&self.keys)), ("roles", roles)])
    }
}

fn check(roles: &[(ChannelName, RoleKeys)]) -> Result<(), Fault> {
    if roles.len() > MAX_CHANNEL_ROLES {
        return Err(Fault::TooLarge);
    }
    let channels = roles.iter().map(|(channel, _)| channel);
    if are_distinct(channels) { Ok(()) } else { Err("a channel twice".into()) }
}

fn read_role(json: Json, keys: &PublicKeys) -> Result<(ChannelName, RoleKeys), Fault> {
    let mut fields = FieldReader::of(json, "roles")?;
    let RoleName::Channel(channel) = fields.text("name")? else {
        return Err("name".into());
    };
    let role = RoleKeys::read(&mut fields, keys)?;
    fields.require("paths", &Json::texts(patterns(&channel)))?;
    fields.require("terminating", &Json::Flag(true))?;
    fields.done().map(|()| (channel, role))
}

/// The position of the channel among the segments of an object's key, and the number of segments. Keys are
/// `{owner}/{app}/{channel}/...` or `{updater}/{owner}/{app}/{version}/{channel}/...`. They have one more
/// folder for files that keep their names, and another one if the key was already taken; see
/// `spindrift_core::artifact_path`.
const SHAPES: [(usize, usize); 5] = [(2, 6), (2, 7), (2, 8), (4, 8), (4, 9)];

/// The patterns of a channel's names. A `*` matches one segment.
fn patterns(channel: &ChannelName) -> [String; SHAPES.len()] {
    SHAPES.map(|(place, segments)| {
        let segment = |at| if at == place { channel.as_str() } else { "*" };
        (0..segments).map(segment).collect::<Vec<_>>().join("/")
    })
}

/// Whether clients ask the role of `channel` for this name.
pub(crate) fn is_of_channel(name: &TargetName, channel: &ChannelName) -> bool {
    let segments: Vec<&str> = name.segments().collect();
    SHAPES
        .iter()
        .any(|(place, count)| segments.len() == *count && segments.get(*place) == Some(&channel.as_str()))
}

/// Whether some client asks the role of `channel` for this name. In some clients a `*` also matches `/`, so
/// for them the shortest pattern is the channel's name with two or more segments before it, and three or more
/// after it.
pub(crate) fn may_be_of_channel(name: &TargetName, channel: &ChannelName) -> bool {
    const BEFORE: usize = 2;
    const AFTER: usize = 3;
    let segments: Vec<&str> = name.segments().collect();
    let places = segments.len().saturating_sub(AFTER);
    segments.iter().take(places).skip(BEFORE).any(|segment| *segment == channel.as_str())
}

#[cfg(test)]
mod tests;
