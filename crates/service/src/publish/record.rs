//! Records a release and its files in one transaction.

use spindrift_core::audit::{AuditEntry, AuditKind};
use spindrift_core::{
    Action, AdmittedGroups, Artifact, BuiltBy, Course, FileName, Id, Publication, Release, ReleaseChange,
    ReleaseFlags, SessionFile, StoredObject, Timestamp, UploadSession,
};
use spindrift_db::changes::{self, Change, Stale, Subject};
use spindrift_db::claims::{self, Holder};
use spindrift_db::feed_files::FeedFile;
use spindrift_db::{
    Audit, SqlConn, SqlFailure, artifacts, feed_files, release_feeds, releases, requirements, uploads,
};
use spindrift_storage::ObjectMeta;

use super::destination::{require_still_allowed, require_unchanged};
use super::error::PublishError;
use super::existing_release::{find_release, is_visible, replaced_feeds, require_further_channels};
use super::feeds::CheckedFeed;
use super::slots::OccupiedSlots;
use super::terms::{DigestSource, PublishTerms};
use crate::objects::PendingDeletion;
use crate::requests::Session;
use crate::requests::principal::Principal;
use crate::{Ports, ServiceError, audit_entries, device_groups, log};

/// A recorded release.
pub struct PublishOutcome<T> {
    pub release: Id,
    /// The result of `along`, which ran in the same transaction.
    pub result: T,
    pub follow_up: FollowUp,
}

/// The steps that are left after a release is recorded.
pub struct FollowUp {
    /// Replaced objects of feed files.
    pub(crate) replaced: PendingDeletion,
    pub(crate) stale: Stale,
}

/// The files of an upload after verification, with the terms to record them under.
#[derive(Clone, Copy)]
pub(crate) struct VerifiedFiles<'a> {
    /// The storage's metadata, in the order of the upload's files.
    pub(crate) metas: &'a [ObjectMeta],
    pub(crate) feeds: &'a [CheckedFeed],
    pub(crate) terms: PublishTerms<'a>,
}

/// Atomically records the release, its artifacts, the upload's new state and the effects of `along`. If
/// `along` returns an entry for the audit log, the files are added to it.
pub(crate) fn record<P: Ports, T, E: SqlFailure + From<PublishError>>(
    session: &Session<'_, P>,
    upload: &UploadSession,
    files: VerifiedFiles<'_>,
    mut along: impl FnMut(&Change<'_, P::Conn>, Option<&Id>) -> Result<(T, Option<AuditEntry>), E>,
) -> Result<PublishOutcome<T>, E> {
    let (ports, principal) = (session.ports, &session.principal);
    let (holder, now) = (Holder::upload(&upload.id), ports.now());
    let release_id = ports.new_id();
    let seed = ports.new_id();
    let ids: Vec<Id> = upload.files.iter().map(|_| ports.new_id()).collect();
    let subject = Subject::Release(&upload.app_id, &upload.release.version);
    let committed = changes::commit(&session.conn, &upload.owner_id, subject, now, |conn| {
        for file in &upload.files {
            if !claims::is_held(conn, &file.object, &holder)? {
                return Err(PublishError::FileInUse(file.name.clone()).into());
            }
        }
        require_unchanged(conn, upload, principal)?;
        require_still_allowed(conn, upload, principal)?;
        let existing = find_release(conn, &upload.app_id, &upload.target, &upload.release.version)?;
        let (result, audit) = along(conn, existing.as_ref().map(|release| &release.id))?;
        let version = &upload.release.version;
        let occupied = OccupiedSlots::of(conn, existing.as_ref(), version, &upload.target, &[])?;
        let packages = &upload.release.packages;
        upload.files.iter().try_for_each(|file| occupied.require_free(&file.name, packages))?;
        if let Some(release) = &existing {
            require_further_channels(conn, principal, release)?;
        }
        if let Some(release) = existing.as_ref().filter(|_| !occupied.is_empty()) {
            require_same_requirements(conn, upload, release, (principal, now))?;
        }
        let updaters = files.feeds.iter().map(|checked| checked.updater).collect();
        let scope = (&upload.target, &updaters);
        let replaced_feeds = replaced_feeds(conn, principal, existing.as_ref(), scope, now)?;
        let (release, new) = if let Some(release) = existing {
            releases::touch(conn, &release.id, now)?;
            (release.id, None)
        } else {
            let new = insert_release(conn, upload, release_id.clone(), &seed, now)?;
            (new.id.clone(), Some(new))
        };
        let mut replaced = Vec::new();
        for ((file, meta), id) in upload.files.iter().zip(files.metas).zip(&ids) {
            let digests = files.terms.digests;
            let built_by = principal.built_by.as_ref();
            let stored = StoredFile { id: id.clone(), file, size: meta.size, digests, built_by, at: now };
            replaced.extend(insert_file(conn, upload, &release, stored)?);
            claims::release(conn, &file.object, &holder)?;
        }
        for CheckedFeed { file_name, feed, .. } in files.feeds {
            release_feeds::upsert(conn, &release, &upload.app_id, &upload.target, file_name, feed)?;
        }
        if let Some(requires) = &upload.release.requires {
            requirements::set(conn, &release, &upload.target, Some(requires))?;
        }
        uploads::set_recorded(conn, &upload.id, &release)?;
        let replaced = PendingDeletion::claim(ports, conn, replaced).map_err(PublishError::from)?;
        let entry = audit.unwrap_or_else(|| new_entry(principal, new.as_ref(), now));
        let entry = audit_entries::with_replaced_feeds(entry, &replaced_feeds);
        let audit = with_files(conn, entry, upload, &release)?;
        Ok::<_, E>(((release, result, replaced), audit))
    })?;
    log::change(committed.added.as_ref());
    let (release, result, replaced) = committed.value;
    Ok(PublishOutcome { release, result, follow_up: FollowUp { replaced, stale: committed.stale } })
}

/// 403 if the upload changes the requirements of visible files, and the caller may not do that: it could keep
/// the release from all clients.
fn require_same_requirements(
    conn: &impl SqlConn,
    upload: &UploadSession,
    release: &Release,
    (principal, now): (&Principal, Timestamp),
) -> Result<(), PublishError> {
    let Some(requires) = &upload.release.requires else { return Ok(()) };
    if !is_visible(conn, principal, release, now)?
        || requirements::of_place(conn, &release.id, &upload.target)?.as_ref() == Some(requires)
    {
        return Ok(());
    }
    let places = std::slice::from_ref(&upload.target);
    Ok(principal.require_in(Action::Roll, &upload.app_id, places)?)
}

/// The audit entry of an upload that changes nothing else.
fn new_entry(principal: &Principal, new: Option<&Release>, now: Timestamp) -> AuditEntry {
    match new {
        Some(new) => {
            principal.entry(AuditKind::ReleaseCreate).adding(audit_entries::release_fields(new, now))
        }
        None => principal.entry(AuditKind::ReleaseAdd),
    }
}

fn with_files(
    conn: &impl SqlConn,
    entry: AuditEntry,
    upload: &UploadSession,
    release: &Id,
) -> Result<Audit, PublishError> {
    let files: Vec<&str> = upload.files.iter().map(|file| file.name.as_str()).collect();
    let about = (&upload.app_id, release, &upload.release.version);
    let entry = match &upload.release.requires {
        Some(requires) => audit_entries::with_requirements(entry, requires),
        None => entry,
    };
    Ok(audit_entries::of_files(conn, entry, about, &upload.target, &files)?.into())
}

fn insert_release(
    conn: &Change<'_, impl SqlConn>,
    upload: &UploadSession,
    id: Id,
    seed: &Id,
    now: Timestamp,
) -> Result<Release, PublishError> {
    let given = &upload.release;
    let seed = seed.as_str().to_owned();
    let draft = Release {
        id,
        app_id: upload.app_id.clone(),
        version: given.version.clone(),
        channel_id: upload.target.channel_id.clone(),
        is_promoted: false,
        flags: ReleaseFlags { published: false, critical: given.critical, intermediate: given.intermediate },
        rollout: match &given.plan {
            Some(plan) => Course::planned(plan.clone(), seed),
            None => Course::fixed(given.rollout, seed),
        },
        changelog: given.changelog.clone(),
        publish_at: None,
        planned_at: None,
        withdrawal: None,
        offered_at: None,
        admitted_groups: given.groups.clone(),
        cures: given.cures.clone(),
        guard: given.guard,
        round_at: None,
        revision: 0,
    };
    let publication = given.publish_at.map_or(Publication::of(given.publish), Publication::At);
    let publication = ReleaseChange { publication: Some(publication), ..ReleaseChange::default() };
    let release = draft.apply_change(&publication, now).map_err(ServiceError::from)?;
    // Another clock may be ahead, so limit the time to the present.
    let created_at = given.created_at.map_or(now, |given| given.min(now));
    releases::insert(conn, &upload.owner_id, &release, created_at, now)?;
    device_groups::require_admissible(
        conn,
        &release.app_id,
        &AdmittedGroups::default(),
        &release.admitted_groups,
    )?;
    Ok(release)
}

/// Whether the upload's signature belongs to this file.
fn is_signed(upload: &UploadSession, name: &FileName) -> bool {
    let packages = &upload.release.packages;
    let may_be_signed = |file: &&SessionFile| {
        !file.is_feed() && !file.name.package().is_patch() && !packages.is_named(&file.name)
    };
    let names: Vec<&FileName> = upload.files.iter().filter(may_be_signed).map(|file| &file.name).collect();
    upload.release.updater.is_signed(name, &names)
}

/// A file at its final key.
struct StoredFile<'a> {
    id: Id,
    file: &'a SessionFile,
    size: u64,
    digests: DigestSource,
    built_by: Option<&'a BuiltBy>,
    at: Timestamp,
}

/// Returns the replaced object, if any.
fn insert_file(
    conn: &Change<'_, impl SqlConn>,
    upload: &UploadSession,
    release: &Id,
    stored: StoredFile<'_>,
) -> Result<Option<StoredObject>, PublishError> {
    let StoredFile { id, file, size, digests: source, built_by, at } = stored;
    let (app, target, updater) = (&upload.app_id, &upload.target, upload.release.updater);
    let Some(digests) = file.digests() else {
        let feed = FeedFile { updater, file_name: file.name.clone(), object: file.object.clone() };
        let replaced = feed_files::take(conn, release, target, updater, &file.name)?;
        feed_files::insert(conn, release, target, &feed)?;
        return Ok(replaced);
    };
    let artifact = Artifact {
        id,
        package: upload.release.packages.of(&file.name),
        slot: upload.release.packages.slot(&file.name),
        updater,
        file_name: file.name.clone(),
        object: file.object.clone(),
        size,
        md5: digests.md5.clone(),
        sha256: digests.sha256.as_ref().map(|text| text.to_ascii_lowercase()),
        sha512: digests.sha512.as_ref().map(|text| text.to_ascii_lowercase()),
        are_digests_verified: source != DigestSource::Declared,
        signature: upload.release.signature.clone().filter(|_| is_signed(upload, &file.name)),
        patch: upload.release.patches.get(&file.name).cloned(),
        built_by: built_by.cloned(),
        created_at: at,
    };
    artifacts::insert(conn, release, app, target, &artifact)?;
    Ok(None)
}
