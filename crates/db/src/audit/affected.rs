//! The scopes that a change can affect.

use std::str::FromStr;

use spindrift_core::{Id, Scope, Version, dimension_or_default};

use crate::offered::FILES;
use crate::row::{Row, to_json};
use crate::{SqlConn, SqlError, SqlValue, params};

/// The subject of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The release of an application with this version, whether it exists or not.
    Release(&'a Id, &'a Version),
    /// The releases of an application with these versions, whether they exist or not, if nothing changes
    /// except whether they are listed.
    Releases(&'a Id, &'a [Version]),
    App(&'a Id),
    /// Everything that an owner has.
    Owner(&'a Id),
}

/// A scope by the names of its dimensions, and which of them are the owner's defaults.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NamedScope {
    scope: Scope,
    /// Of channel, platform and architecture.
    are_defaults: [bool; 3],
}

/// The affected scopes, by their current names. If other channels include the channel of a scope, the scopes
/// of those channels are affected too.
#[derive(Debug, Default)]
pub(crate) struct Affected {
    /// Scopes that have artifacts or feeds, published or not: kept records answer checks in these.
    records: Vec<NamedScope>,
    /// Scopes in which a version was ever published, for applications with static answers.
    answers: Vec<NamedScope>,
}

impl Affected {
    pub(crate) fn of(conn: &impl SqlConn, subject: Subject<'_>) -> Result<Self, SqlError> {
        let (release, version, params): (_, _, Vec<SqlValue>) = match subject {
            Subject::Release(app, version) => (
                "r.app_id = ?1 AND r.version_key = ?2",
                "s.app_id = ?1 AND s.version_key = ?2",
                Vec::from(params![app, version.sort_key()]),
            ),
            Subject::Releases(app, versions) => (
                "r.app_id = ?1 AND r.version_key IN (SELECT value FROM json_each(?2))",
                "s.app_id = ?1 AND s.version_key IN (SELECT value FROM json_each(?2))",
                Vec::from(params![
                    app,
                    to_json(&versions.iter().map(Version::sort_key).collect::<Vec<_>>())?
                ]),
            ),
            Subject::App(app) => ("r.app_id = ?1", "s.app_id = ?1", Vec::from(params![app])),
            Subject::Owner(owner) => ("r.owner_id = ?1", "a.owner_id = ?1", Vec::from(params![owner])),
        };
        let sql = format!(
            "SELECT DISTINCT 0 AS is_answer, {NAMES} \
             FROM (SELECT DISTINCT r.app_id, r.channel_id, x.platform_id, x.arch_id \
               FROM {FILES} WHERE {release} \
              UNION SELECT r.app_id, r.channel_id, f.platform_id, f.arch_id \
               FROM offers r JOIN release_feeds f ON f.release_id = r.id WHERE {release}) s {JOINS} \
             UNION ALL SELECT DISTINCT 1, {NAMES} \
             FROM (SELECT DISTINCT s.app_id, s.channel_id, s.platform_id, s.arch_id \
               FROM apps a JOIN scope_versions s ON s.app_id = a.id WHERE a.cdn = 1 AND {version}) s {JOINS}"
        );
        let scopes: Vec<(bool, NamedScope)> =
            conn.run(&sql, &params)?.all(|row| Ok((row.get("is_answer")?, named_scope(row)?)))?;
        let (answers, records): (Vec<_>, Vec<_>) = scopes.into_iter().partition(|(is_answer, _)| *is_answer);
        let only_scopes =
            |scopes: Vec<(bool, NamedScope)>| scopes.into_iter().map(|(_, scope)| scope).collect();
        Ok(Self { records: only_scopes(records), answers: only_scopes(answers) })
    }

    /// The union of both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            records: distinct([self.records, other.records].concat()),
            answers: distinct([self.answers, other.answers].concat()),
        }
    }

    pub(crate) fn retain(&mut self, is_touched: impl Fn(&Scope) -> bool) {
        let is_touched = |named: &NamedScope| is_touched(&named.scope);
        self.records.retain(is_touched);
        self.answers.retain(is_touched);
    }

    /// The scopes that requests ask for: first those with all names, then those in which names are omitted or
    /// `default`.
    pub(crate) fn records(&self) -> (Vec<Scope>, Vec<Scope>) {
        let scopes = distinct(self.records.iter().map(|named| named.scope.clone()).collect());
        let mut others = distinct(self.records.iter().flat_map(NamedScope::requests).collect());
        others.retain(|scope| scopes.binary_search(scope).is_err());
        (scopes, others)
    }

    /// The folders of static answers.
    pub(crate) fn folders(&self) -> Vec<String> {
        distinct(self.answers.iter().flat_map(NamedScope::requests).map(|scope| scope.folder()).collect())
    }
}

/// The ways in which a request may give a name: as it is, or, if it is the owner's default or there is no
/// name, omitted or as `default`.
fn spellings<N: Clone + FromStr>(name: Option<&N>, is_default: bool) -> Vec<Option<N>> {
    let mut all = vec![name.cloned()];
    if name.is_none() || is_default {
        all.push(dimension_or_default(None).parse().ok());
        all.extend(name.is_some().then_some(None));
    }
    all
}

impl NamedScope {
    /// The scopes of all requests that may refer to this one.
    fn requests(&self) -> Vec<Scope> {
        let Self { scope, are_defaults: [channel, platform, arch] } = self;
        let mut all = Vec::new();
        for channel in spellings(scope.channel.as_ref(), *channel) {
            for platform in spellings(scope.platform.as_ref(), *platform) {
                for arch in spellings(scope.arch.as_ref(), *arch) {
                    let (channel, platform) = (channel.clone(), platform.clone());
                    all.push(Scope { channel, platform, arch, ..scope.clone() });
                }
            }
        }
        all
    }
}

const NAMES: &str = "u.username AS owner, a.name AS app, c.name AS channel, p.name AS platform, h.name AS arch, \
     coalesce(c.is_default, 0) AS channel_is_default, coalesce(p.is_default, 0) AS platform_is_default, \
     coalesce(h.is_default, 0) AS arch_is_default";
const JOINS: &str = "JOIN apps a ON a.id = s.app_id JOIN users u ON u.id = a.owner_id \
 LEFT JOIN channels c ON c.id = s.channel_id \
  OR c.id IN (SELECT channel_id FROM channel_includes WHERE included_id = s.channel_id) \
 LEFT JOIN platforms p ON p.id = s.platform_id LEFT JOIN archs h ON h.id = s.arch_id";

fn named_scope(row: &Row<'_>) -> Result<NamedScope, SqlError> {
    Ok(NamedScope {
        scope: Scope {
            owner: row.get("owner")?,
            app: row.get("app")?,
            channel: row.get("channel")?,
            platform: row.get("platform")?,
            arch: row.get("arch")?,
        },
        are_defaults: [
            row.get("channel_is_default")?,
            row.get("platform_is_default")?,
            row.get("arch_is_default")?,
        ],
    })
}

fn distinct<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(app: &str, channel: Option<&str>, is_default: bool) -> NamedScope {
        let scope = Scope {
            owner: "o".parse().unwrap(),
            app: app.parse().unwrap(),
            channel: channel.map(|name| name.parse().unwrap()),
            platform: Some("linux".parse().unwrap()),
            arch: Some("amd64".parse().unwrap()),
        };
        NamedScope { scope, are_defaults: [is_default, false, false] }
    }

    fn channels(scopes: &[Scope]) -> Vec<Option<&str>> {
        scopes.iter().map(|scope| scope.dimensions()[0]).collect()
    }

    #[test]
    fn a_scope_is_touched_once() {
        let records = |apps: &[&str]| apps.iter().map(|app| named(app, Some("beta"), false)).collect();
        let before = Affected { records: records(&["b", "a"]), answers: records(&["c"]) };
        let after = Affected { records: records(&["b"]), answers: Vec::new() };
        let both = before.and(after);
        let (scopes, others) = both.records();
        assert_eq!(scopes.iter().map(|scope| scope.app.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert!(others.is_empty());
        assert_eq!(both.folders(), ["o/c/beta/linux/amd64"]);
    }

    #[test]
    fn requests_that_name_nothing_are_touched_too() {
        let of = |channel, is_default| {
            let all = vec![named("a", channel, is_default)];
            Affected { records: all.clone(), answers: all }
        };
        let unused = of(None, false);
        let (scopes, others) = unused.records();
        assert_eq!((channels(&scopes), channels(&others)), (vec![None], vec![Some("default")]));
        assert_eq!(unused.folders(), ["o/a/default/linux/amd64"]);
        let default = of(Some("stable"), true);
        let (scopes, others) = default.records();
        assert_eq!(
            (channels(&scopes), channels(&others)),
            (vec![Some("stable")], vec![None, Some("default")])
        );
        assert_eq!(default.folders(), ["o/a/default/linux/amd64", "o/a/stable/linux/amd64"]);
    }
}
