//! Entries of the audit log: building entries about releases, and rendering entries for callers.

use serde_json::{Value, json};
use spindrift_api::{AuditActorBody, AuditItem, AuditObjectBody, AuditReleaseBody};
use spindrift_core::audit::{AuditActor, AuditEntry, AuditRecord};
use spindrift_core::{AdmittedGroups, FileName, Id, Pace, Release, Requirements, Target, Timestamp, Version};
use spindrift_db::SqlConn;
use spindrift_db::audit::{AuditRow, PlaceNames, place_names, release_names};

use crate::ServiceError;

/// Adds the names of a release to an entry.
pub fn of_release(
    conn: &impl SqlConn,
    entry: AuditEntry,
    release: &Release,
) -> Result<AuditEntry, ServiceError> {
    let names = release_names(conn, release)?;
    Ok(with_app(entry, &release.app_id, &names).of_release(
        &release.id,
        &release.version,
        names.channel.as_deref(),
    ))
}

/// An entry about files that were added to a release.
pub fn of_files(
    conn: &impl SqlConn,
    entry: AuditEntry,
    (app, release, version): (&Id, &Id, &Version),
    target: &Target,
    files: &[&str],
) -> Result<AuditEntry, ServiceError> {
    let names = place_names(conn, app, target)?;
    let added = json!({ "files": files, "platform": names.platform, "arch": names.arch });
    let entry = with_app(entry, app, &names).of_release(release, version, names.channel.as_deref());
    Ok(entry.adding(added))
}

/// Adds to an upload's entry the requirements that the upload sets.
pub fn with_requirements(entry: AuditEntry, requires: &Requirements) -> AuditEntry {
    entry.adding(json!({ "requires": requires.to_string() }))
}

/// Adds to an upload's entry the feeds of the release that the upload replaces.
pub fn with_replaced_feeds(entry: AuditEntry, feeds: &[FileName]) -> AuditEntry {
    if feeds.is_empty() {
        return entry;
    }
    let names: Vec<&str> = feeds.iter().map(FileName::as_str).collect();
    entry.adding(json!({ "replaced_feeds": names }))
}

fn with_app(entry: AuditEntry, app: &Id, names: &PlaceNames) -> AuditEntry {
    match &names.app {
        Some(name) => entry.of_app(app, name),
        None => entry,
    }
}

/// The fields of an entry that describe how a release is offered.
pub fn offer_fields(release: &Release, now: Timestamp) -> Value {
    let plan = match &release.rollout.pace {
        Pace::Fixed(_) => None,
        Pace::Planned(run) => Some(run.plan.to_string()),
    };
    json!({
        "published": release.flags.published,
        "publish_at": release.publish_at.map(Timestamp::to_rfc3339),
        "rollout": release.rollout.basis_points(now).to_json(),
        "state": release.rollout.state(now).as_str(),
        "plan": plan,
        "groups": groups(release),
        "guard": release.guard,
        "withdrawn": release.withdrawal.as_ref().map(|withdrawal| withdrawal.reason.as_str()),
    })
}

fn groups(release: &Release) -> Option<&AdmittedGroups> {
    Some(&release.admitted_groups).filter(|groups| !groups.is_empty())
}

/// The fields of an entry that describe what people set for a release.
pub fn release_fields(release: &Release, now: Timestamp) -> Value {
    json!({
        "published": release.flags.published,
        "publish_at": release.publish_at.map(Timestamp::to_rfc3339),
        "critical": release.flags.critical,
        "intermediate": release.flags.intermediate,
        "rollout": release.rollout.basis_points(now).to_json(),
        "groups": groups(release),
        "cures": Some(&release.cures).filter(|cures| !cures.is_empty()),
        "guard": release.guard,
        "changelog": release.changelog,
    })
}

/// Renders an entry for callers. Fails if the stored entry cannot be read.
pub fn item(row: &AuditRow) -> Result<AuditItem, ServiceError> {
    let record = AuditRecord::read(&row.entry);
    let AuditRecord { seq, at, entry } = record.ok_or_else(|| unreadable(row.seq))?;
    let text = entry.line();
    let AuditEntry { actor, request_id, kind, app, app_id, channel, release, object, before, after, reason } =
        entry;
    Ok(AuditItem {
        seq,
        at,
        actor: actor_body(actor),
        request_id,
        kind: kind.as_str().to_owned(),
        app,
        app_id,
        channel,
        release: release.map(|release| AuditReleaseBody { id: release.id, version: release.version }),
        object: object.map(|object| AuditObjectBody { id: object.id, name: object.name }),
        before: before.into_iter().collect(),
        after: after.into_iter().collect(),
        reason,
        text,
        hash: row.hash.to_string(),
    })
}

/// Renders an actor for callers.
pub fn actor_body(actor: AuditActor) -> AuditActorBody {
    AuditActorBody { actor_type: actor.actor_type.as_str().to_owned(), id: actor.id, name: actor.name }
}

fn unreadable(seq: u64) -> ServiceError {
    ServiceError::Internal(format!("entry {seq} of the audit log cannot be read"))
}
