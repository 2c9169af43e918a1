//! Claiming the final keys, and recording the release.

use spindrift_core::{
    Artifact, FileName, Id, Release, ReleaseFlags, Rollout, SessionFile, StoredObject, Timestamp,
    UploadSession, distinct_path,
};
use spindrift_db::feed_files::FeedFile;
use spindrift_db::{
    SqlConn, artifacts, claims, feed_files, in_transaction, recorded_objects, release_feeds, releases,
    scopes, uploads,
};
use spindrift_service::objects::Doomed;
use spindrift_service::{Failure, Ports, static_answers};
use spindrift_storage::ObjectMeta;
use spindrift_web::ApiError;

use crate::feeds::CheckedFeed;
use crate::place::{Taken, find_release, require_unchanged};
use crate::verify;

/// Seconds for which nobody else may write the final keys of an upload, or take its staged objects away: longer than
/// copying, or reading one file, takes at its slowest. A call that was killed is repeated under the same claim.
pub(crate) const CLAIM_SECONDS: i64 = 15 * 60;

/// Makes sure that the files fit and that nobody else is about to write their keys. A key that an object of some release
/// has is never written: a file that would have it gets one that is the session's own.
pub(crate) fn claim<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    session: &mut UploadSession,
    leaving: &[Id],
) -> Result<(), Failure> {
    let (holder, now) = (holder(session), ports.now());
    let until = now.plus_seconds(CLAIM_SECONDS);
    let files = in_transaction(conn, |conn| {
        if !uploads::begin_work(conn, &session.id, until)? {
            return Err(verify::expired());
        }
        require_unchanged(conn, session)?;
        let release = find_release(conn, &session.app_id, &session.target, &session.release.version)?;
        let taken = Taken::of(conn, release.as_ref(), &session.target, leaving)?;
        let mut files = session.files.clone();
        for file in &mut files {
            taken.require_free(&file.name)?;
            if recorded_objects::contains(conn, &file.object)? {
                file.object.key = distinct_path(&file.object.key, &session.id);
            }
            if !claims::take(conn, &file.object, &holder, now, until)? {
                return Err(busy(file));
            }
        }
        if files != session.files {
            uploads::set_files(conn, &session.id, &files)?;
        }
        Ok(files)
    })?;
    session.files = files;
    Ok(())
}

fn busy(file: &SessionFile) -> Failure {
    ApiError::Conflict(format!("{} is being uploaded or deleted by another call", file.name).into()).into()
}

/// Who holds the claims of a session.
pub(crate) fn holder(session: &UploadSession) -> String {
    format!("upload:{}", session.id)
}

/// What was recorded.
pub struct Recorded<T> {
    /// The release.
    pub release: Id,
    /// What was done in the same transaction.
    pub done: T,
    /// Objects of feed files that new ones have taken the place of.
    pub replaced: Doomed,
}

/// Records release, artifacts, the session's new state, and what `along` does, all or nothing.
pub(crate) fn record<P: Ports, T>(
    ports: &P,
    conn: &P::Conn,
    session: &UploadSession,
    (metas, feed): (&[ObjectMeta], Option<&CheckedFeed>),
    along: impl FnOnce(&P::Conn, Option<&Id>) -> Result<T, Failure>,
) -> Result<Recorded<T>, Failure> {
    let (holder, now) = (holder(session), ports.now());
    let release_id = ports.new_id();
    let seed = ports.new_id();
    let ids: Vec<Id> = session.files.iter().map(|_| ports.new_id()).collect();
    in_transaction(conn, |conn| {
        for file in &session.files {
            if !claims::is_held(conn, &file.object, &holder)? {
                return Err(busy(file));
            }
        }
        require_unchanged(conn, session)?;
        let existing = find_release(conn, &session.app_id, &session.target, &session.release.version)?;
        let done = along(conn, existing.as_ref().map(|release| &release.id))?;
        let taken = Taken::of(conn, existing.as_ref(), &session.target, &[])?;
        session.files.iter().try_for_each(|file| taken.require_free(&file.name))?;
        let release = match existing {
            Some(release) => {
                releases::touch(conn, &release.id, now)?;
                release.id
            }
            None => insert_release(conn, session, release_id, &seed, now)?,
        };
        let mut replaced = Vec::new();
        for ((file, meta), id) in session.files.iter().zip(metas).zip(ids) {
            let stored = Stored { id, file, size: meta.size, at: now };
            replaced.extend(insert_file(conn, session, &release, stored)?);
            claims::release(conn, &file.object, &holder)?;
        }
        if let Some(CheckedFeed { file_name, feed }) = feed {
            release_feeds::upsert(conn, &release, &session.app_id, &session.target, file_name, feed)?;
        }
        static_answers::release_changed(conn, &release, now)?;
        uploads::set_recorded(conn, &session.id, &release)?;
        scopes::bump_revision(conn, &session.owner_id, now)?;
        Ok(Recorded { release, done, replaced: Doomed::claim(ports, conn, replaced)? })
    })
}

fn insert_release(
    conn: &impl SqlConn,
    session: &UploadSession,
    id: Id,
    seed: &Id,
    now: Timestamp,
) -> Result<Id, Failure> {
    let given = &session.release;
    let release = Release {
        id,
        app_id: session.app_id.clone(),
        version: given.version.clone(),
        channel_id: session.target.channel_id.clone(),
        flags: ReleaseFlags {
            published: given.publish,
            critical: given.critical,
            intermediate: given.intermediate,
        },
        rollout: Rollout { percent: given.rollout, seed: seed.as_str().to_owned() },
        changelog: given.changelog.clone(),
    };
    releases::insert(conn, &session.owner_id, &release, now)?;
    Ok(release.id)
}

/// Whether the signature of the upload belongs to this file.
fn is_signed(session: &UploadSession, name: &FileName) -> bool {
    let names: Vec<&FileName> =
        session.files.iter().filter(|file| !file.feed).map(|file| &file.name).collect();
    session.release.updater.is_signed(name, &names)
}

/// A file that is at its final key.
struct Stored<'a> {
    id: Id,
    file: &'a SessionFile,
    size: u64,
    at: Timestamp,
}

/// Answers the object that the file has taken the place of.
fn insert_file(
    conn: &impl SqlConn,
    session: &UploadSession,
    release: &Id,
    stored: Stored<'_>,
) -> Result<Option<StoredObject>, Failure> {
    let Stored { id, file, size, at } = stored;
    let (app, target, updater) = (&session.app_id, &session.target, session.release.updater);
    if file.feed {
        let feed = FeedFile {
            id,
            updater,
            file_name: file.name.clone(),
            object: file.object.clone(),
            size,
            created_at: at,
        };
        let replaced = feed_files::take(conn, release, target, updater, &file.name)?;
        feed_files::insert(conn, release, app, target, &feed)?;
        return Ok(replaced);
    }
    let artifact = Artifact {
        id,
        package: file.name.package(),
        slot: file.name.slot(),
        updater,
        file_name: file.name.clone(),
        object: file.object.clone(),
        size,
        md5: file.md5.clone(),
        sha256: file.sha256.as_ref().map(|text| text.to_ascii_lowercase()),
        sha512: file.sha512.as_ref().map(|text| text.to_ascii_lowercase()),
        signature: session.release.signature.clone().filter(|_| is_signed(session, &file.name)),
        created_at: at,
    };
    artifacts::insert(conn, release, app, target, &artifact)?;
    Ok(None)
}
