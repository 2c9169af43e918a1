//! Problems that prevent signing or serving.

use spindrift_core::Timestamp;
use spindrift_trust::{Role as _, RoleName, Signed, TargetsSigner};

use crate::app_keys::AppKeys;
use crate::error::RepositoryError;
use crate::repository::Repository;

/// Days before root expires from which a warning is given.
const ROOT_WARNING_DAYS: i64 = 180;
/// Days before a list expires from which a warning is given.
const LIST_WARNING_DAYS: i64 = 30;
/// Version of root from which a warning is given: clients follow at most 256 roots from the one that they
/// were built with.
const MANY_ROOTS: u64 = 200;

const DAY_SECONDS: i64 = 86_400;

/// The problems of a repository. Empty if all is well.
pub fn problems(
    repository: &Repository,
    keys: &AppKeys,
    now: Timestamp,
) -> Result<Vec<String>, RepositoryError> {
    let mut problems = Vec::new();
    let Some(root) = repository.root.as_ref().map(Signed::role) else {
        return Ok(vec!["root lacks signatures".to_owned()]);
    };
    let generations = repository.generations()?;
    problems.extend(ending("root", root.head().expires.time(), ROOT_WARNING_DAYS, now));
    if root.head().version.number() >= MANY_ROOTS {
        problems.push("clients follow at most 256 roots from the one that they were built with".to_owned());
    }
    if keys.online(root, generations.online).is_err() {
        problems.push("tuf_secret does not give the key that root names".to_owned());
    }
    let signer = TargetsSigner::of(root, &keys.ids(generations)?);
    if !repository.lists.contains_key(&RoleName::Targets) {
        problems.push("there are no targets yet".to_owned());
    }
    for (role, head) in repository.lists.iter().filter(|_| signer == TargetsSigner::Publisher) {
        problems.extend(ending(&role.to_string(), head.expires_at, LIST_WARNING_DAYS, now));
    }
    let row = &repository.row;
    if row.written_revision < row.revision {
        problems.push("the bucket does not show what is current yet".to_owned());
    }
    if row.applied_revision < row.revision {
        problems.push("what is listed is not offered yet".to_owned());
    }
    if let Some(failed_at) = row.refresh_failed_at {
        problems.push(format!("signing again failed at {}", failed_at.to_rfc3339()));
    }
    Ok(problems)
}

fn ending(what: &str, end: Timestamp, days: i64, now: Timestamp) -> Option<String> {
    if end <= now {
        Some(format!("{what} has expired"))
    } else if end <= now.plus_seconds(days * DAY_SECONDS) {
        Some(format!("{what} expires at {}", end.to_rfc3339()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_come_in_time() {
        let now = Timestamp::from_millis(1_795_225_422_000);
        let ending = |seconds: i64| ending("root", now.plus_seconds(seconds), 30, now);
        assert_eq!(ending(30 * DAY_SECONDS + 1), None);
        assert_eq!(ending(30 * DAY_SECONDS).unwrap(), "root expires at 2026-12-21T01:43:42+00:00");
        assert_eq!(ending(0).unwrap(), "root has expired");
    }
}
