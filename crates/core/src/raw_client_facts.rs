//! The unparsed parameters that a client reports about itself.

use crate::{ClientFacts, InvalidClientFact, ScopeRecord, Timestamp, encode_segments};

/// The parameters of a request, as sent. They are parsed only if a record needs them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawClientFacts {
    /// Keys of groups, separated by commas.
    pub group: Option<String>,
    /// The version of the client's operating system.
    pub os_version: Option<String>,
    /// `1`: the user asked for the update.
    pub interactive: Option<String>,
}

impl RawClientFacts {
    /// Parses the parameters that a record needs. The error names an invalid parameter.
    pub fn read(&self, record: &ScopeRecord, at: Timestamp) -> Result<ClientFacts, InvalidClientFact> {
        let uses = Uses::of(self, record, at);
        Ok(ClientFacts {
            groups: uses.group.map(ClientFacts::groups).transpose()?.unwrap_or_default(),
            os_version: uses.os_version.map(ClientFacts::os_version).transpose()?,
            is_interactive: uses.interactive.map(ClientFacts::interactive).transpose()?.unwrap_or_default(),
        })
    }

    /// Like [`Self::read`], but ignores invalid parameters, because feeds cannot report errors.
    pub fn read_valid(&self, record: &ScopeRecord, at: Timestamp) -> ClientFacts {
        let uses = Uses::of(self, record, at);
        ClientFacts {
            groups: uses.group.and_then(|text| ClientFacts::groups(text).ok()).unwrap_or_default(),
            os_version: uses.os_version.and_then(|text| ClientFacts::os_version(text).ok()),
            is_interactive: uses.interactive.is_some_and(|text| ClientFacts::interactive(text) == Ok(true)),
        }
    }

    /// The parameters that a record needs, as pairs for a feed's path, such as `;os_version=13.6`.
    /// They must be valid.
    pub fn pairs(&self, record: &ScopeRecord, at: Timestamp) -> String {
        let Uses { group, os_version, interactive } = Uses::of(self, record, at);
        let facts = [("group", group), ("os_version", os_version), ("interactive", interactive)];
        facts
            .into_iter()
            .filter_map(|(name, value)| Some(format!(";{name}={}", encode_segments([value?]))))
            .collect()
    }
}

/// The parameters that a record needs.
struct Uses<'a> {
    group: Option<&'a str>,
    os_version: Option<&'a str>,
    interactive: Option<&'a str>,
}

impl<'a> Uses<'a> {
    fn of(text: &'a RawClientFacts, record: &ScopeRecord, at: Timestamp) -> Self {
        let RawClientFacts { group, os_version, interactive } = text;
        let requires = || record.releases.iter().any(|release| release.conditions.requires.is_some());
        let is_staged = || record.releases.iter().any(|release| !release.rollout.is_full(at));
        Self {
            group: group.as_deref().filter(|_| !record.groups.is_empty()),
            os_version: os_version.as_deref().filter(|_| requires()),
            interactive: interactive.as_deref().filter(|_| is_staged()),
        }
    }
}
