//! Claiming the final keys, and recording the release.

use spindrift_core::{
    Artifact, FileName, Id, Release, ReleaseFlags, Rollout, SessionFile, Timestamp, Updater, UploadSession,
    tauri_artifact,
};
use spindrift_db::feed_files::FeedFile;
use spindrift_db::{
    SqlConn, artifacts, claims, feed_files, in_transaction, release_feeds, releases, scopes, uploads,
};
use spindrift_service::{Failure, Ports, static_answers};
use spindrift_web::ApiError;

use crate::feeds::CheckedFeed;
use crate::place::find_room;
use crate::verify;

/// Seconds for which nobody else may write the final keys of an upload: longer than copying takes at its slowest. A
/// call that was killed is repeated under the same claim.
const CLAIM_SECONDS: i64 = 15 * 60;

/// Makes sure that the files fit and that nobody else is about to write their keys.
pub(crate) fn claim<P: Ports>(ports: &P, conn: &P::Conn, session: &UploadSession) -> Result<(), Failure> {
    let (holder, now) = (holder(session), ports.now());
    in_transaction(conn, |conn| {
        if !uploads::is_staged(conn, &session.id)? {
            return Err(verify::expired());
        }
        if !scopes::exists(conn, &session.app_id, &session.target)? {
            return Err(ApiError::Conflict("what the upload was started for has been deleted".into()).into());
        }
        find_room(conn, &session.app_id, &session.target, &session.release.version, &session.files)?;
        for file in &session.files {
            if !claims::take(conn, &file.object, &holder, now, now.plus_seconds(CLAIM_SECONDS))? {
                return Err(busy(file));
            }
        }
        Ok(())
    })
}

fn busy(file: &SessionFile) -> Failure {
    ApiError::Conflict(format!("{} is being uploaded or deleted by another call", file.name).into()).into()
}

/// Who holds the claims of a session.
pub(crate) fn holder(session: &UploadSession) -> String {
    format!("upload:{}", session.id)
}

/// Records release, artifacts, the session's new state, and what `along` does, all or nothing.
pub(crate) fn record<P: Ports, T>(
    ports: &P,
    conn: &P::Conn,
    session: &UploadSession,
    (sizes, feed): (&[u64], Option<&CheckedFeed>),
    along: impl FnOnce(&P::Conn, Option<&Id>) -> Result<T, Failure>,
) -> Result<(Id, T), Failure> {
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
        let existing =
            find_room(conn, &session.app_id, &session.target, &session.release.version, &session.files)?;
        let done = along(conn, existing.as_ref().map(|release| &release.id))?;
        let release = match existing {
            Some(release) => {
                releases::touch(conn, &release.id, now)?;
                release.id
            }
            None => insert_release(conn, session, release_id, &seed, now)?,
        };
        for ((file, size), id) in session.files.iter().zip(sizes).zip(ids) {
            insert_file(conn, session, &release, Stored { id, file, size: *size, at: now })?;
            claims::release(conn, &file.object, &holder)?;
        }
        if let Some(CheckedFeed { file_name, feed }) = feed {
            release_feeds::upsert(conn, &release, &session.app_id, &session.target, file_name, feed)?;
        }
        static_answers::release_changed(conn, &release, now)?;
        uploads::set_recorded(conn, &session.id, &release)?;
        scopes::bump_revision(conn, &session.owner_id, now)?;
        Ok((release, done))
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

/// Whether the signature of the upload belongs to this file: for Tauri to the one file that its updater downloads, else
/// to every file.
fn is_signed(session: &UploadSession, name: &FileName) -> bool {
    if session.release.updater != Updater::Tauri {
        return true;
    }
    let names: Vec<&FileName> =
        session.files.iter().filter(|file| !file.feed).map(|file| &file.name).collect();
    tauri_artifact(&names) == Some(name)
}

/// A file that is at its final key.
struct Stored<'a> {
    id: Id,
    file: &'a SessionFile,
    size: u64,
    at: Timestamp,
}

fn insert_file(
    conn: &impl SqlConn,
    session: &UploadSession,
    release: &Id,
    stored: Stored<'_>,
) -> Result<(), Failure> {
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
        return Ok(feed_files::upsert(conn, release, app, target, &feed)?);
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
    Ok(artifacts::insert(conn, release, app, target, &artifact)?)
}
