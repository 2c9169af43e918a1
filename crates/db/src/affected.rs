//! The scopes that a change can affect.

use spindrift_core::{Id, Scope, Version};

use crate::row::{Row, to_json};
use crate::{SqlConn, SqlError, SqlValue};

/// The subject of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The release of an application with this version, whether it exists or not.
    Release(&'a Id, &'a Version),
    /// The releases of an application with these versions, whether they exist or not, of which nothing changes but whether
    /// they are listed.
    Releases(&'a Id, &'a [Version]),
    /// An application.
    App(&'a Id),
    /// Everything that an owner has.
    Owner(&'a Id),
}

/// The affected scopes, by their current names. A scope of a channel that others include also counts for those
/// channels.
#[derive(Debug, Default)]
pub(crate) struct Affected {
    /// Scopes that have artifacts, published or not: kept records answer their checks.
    pub(crate) records: Vec<Scope>,
    /// Scopes in which a version was ever published, for applications with static answers.
    pub(crate) answers: Vec<Scope>,
}

impl Affected {
    pub(crate) fn of(conn: &impl SqlConn, subject: Subject<'_>) -> Result<Self, SqlError> {
        let (release, version, params): (_, _, Vec<SqlValue>) = match subject {
            Subject::Release(app, version) => (
                "r.app_id = ?1 AND r.version_key = ?2",
                "s.app_id = ?1 AND s.version_key = ?2",
                vec![app.as_str().into(), version.sort_key().into()],
            ),
            Subject::Releases(app, versions) => (
                "r.app_id = ?1 AND r.version_key IN (SELECT value FROM json_each(?2))",
                "s.app_id = ?1 AND s.version_key IN (SELECT value FROM json_each(?2))",
                vec![
                    app.as_str().into(),
                    to_json(&versions.iter().map(Version::sort_key).collect::<Vec<_>>())?.into(),
                ],
            ),
            Subject::App(app) => ("r.app_id = ?1", "s.app_id = ?1", vec![app.as_str().into()]),
            Subject::Owner(owner) => ("r.owner_id = ?1", "a.owner_id = ?1", vec![owner.as_str().into()]),
        };
        let sql = format!(
            "SELECT DISTINCT 0 AS is_answer, {NAMES} \
             FROM (SELECT DISTINCT r.app_id, r.channel_id, x.platform_id, x.arch_id \
               FROM releases r JOIN artifacts x ON x.release_id = r.id WHERE {release}) s {JOINS} \
             UNION ALL SELECT DISTINCT 1, {NAMES} \
             FROM (SELECT DISTINCT s.app_id, s.channel_id, s.platform_id, s.arch_id \
               FROM apps a JOIN scope_versions s ON s.app_id = a.id WHERE a.cdn = 1 AND {version}) s {JOINS}"
        );
        let scopes: Vec<(bool, Scope)> =
            conn.run(&sql, &params)?.all(|row| Ok((row.get("is_answer")?, scope(row)?)))?;
        let (answers, records): (Vec<_>, Vec<_>) = scopes.into_iter().partition(|(is_answer, _)| *is_answer);
        let only_scopes = |scopes: Vec<(bool, Scope)>| scopes.into_iter().map(|(_, scope)| scope).collect();
        Ok(Self { records: only_scopes(records), answers: only_scopes(answers) })
    }

    /// The scopes of both, each once.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            records: distinct([self.records, other.records].concat()),
            answers: distinct([self.answers, other.answers].concat()),
        }
    }

    pub(crate) fn retain(&mut self, is_touched: impl Fn(&Scope) -> bool) {
        self.records.retain(&is_touched);
        self.answers.retain(&is_touched);
    }
}

const NAMES: &str =
    "u.username AS owner, a.name AS app, c.name AS channel, p.name AS platform, h.name AS arch";
const JOINS: &str = "JOIN apps a ON a.id = s.app_id JOIN users u ON u.id = a.owner_id \
 LEFT JOIN channels c ON c.id = s.channel_id \
  OR c.id IN (SELECT channel_id FROM channel_includes WHERE included_id = s.channel_id) \
 LEFT JOIN platforms p ON p.id = s.platform_id LEFT JOIN archs h ON h.id = s.arch_id";

fn scope(row: &Row<'_>) -> Result<Scope, SqlError> {
    Ok(Scope {
        owner: row.get("owner")?,
        app: row.get("app")?,
        channel: row.get("channel")?,
        platform: row.get("platform")?,
        arch: row.get("arch")?,
    })
}

fn distinct(mut scopes: Vec<Scope>) -> Vec<Scope> {
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_touched_once() {
        let scope = |app: &str| Scope {
            owner: "o".parse().unwrap(),
            app: app.parse().unwrap(),
            channel: None,
            platform: None,
            arch: None,
        };
        let before = Affected { records: vec![scope("b"), scope("a")], answers: vec![scope("c")] };
        let after = Affected { records: vec![scope("b")], answers: Vec::new() };
        let both = before.and(after);
        assert_eq!((both.records, both.answers), (vec![scope("a"), scope("b")], vec![scope("c")]));
    }
}
