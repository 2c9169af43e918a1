//! Publishes an upload session.
//!
//! Every step can be repeated, and the process may end between any two of them:
//!
//! 1. mark the upload session, so that maintenance does not delete its staged objects,
//! 2. look up the objects and compare them with the declaration and with their feeds,
//! 3. claim the final keys,
//! 4. copy,
//! 5. record the artifacts and the state of the upload session in one transaction,
//! 6. delete the staged objects and refresh the data behind update checks.
//!
//! Nothing is visible before step 5. Afterwards the release is complete, and a repeated call only cleans up.

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use spindrift_core::audit::AuditEntry;
use spindrift_core::{BasisPoints, ContentHeaders, Id, SessionFile, Timestamp, UploadSession};
use spindrift_db::changes::{Change, Stale, Subject};
use spindrift_db::{SqlConn, SqlFailure, uploads};
use spindrift_settings::FEED_DIGEST_MAX_BYTES;
use spindrift_storage::{ObjectMeta, Storage, StorageError};

use super::claim::{KeyClaims, claim_keys};
use super::declaration;
use super::digests::{self, DigestComparison, RequiredDigests};
use super::error::PublishError;
use super::existing_release::{find_release, replaced_feeds};
use super::feeds::{self, CheckedFeed};
use super::limits::LIMITS;
pub use super::record::{FollowUp, PublishOutcome};
use super::record::{VerifiedFiles, record};
use super::slots::OccupiedSlots;
pub use super::terms::{DigestSource, PublishTerms};
use crate::objects::location;
use crate::objects::staged::staged_location;
use crate::requests::Session;
use crate::{Ports, changes};

/// Runs steps 1 to 5. `before` runs when all files are at their final keys. `along` runs in the recording
/// transaction, before anything is recorded, with the id of the release if it already exists; it may return
/// an entry for the audit log. If one of them fails, nothing is recorded.
pub async fn publish<P: Ports, T, E: SqlFailure + From<PublishError>>(
    session: &Session<'_, P>,
    storage: &Storage<'_, P>,
    upload: &mut UploadSession,
    terms: PublishTerms<'_>,
    (before, along): (
        impl AsyncFnOnce() -> Result<(), E>,
        impl FnMut(&Change<'_, P::Conn>, Option<&Id>) -> Result<(T, Option<AuditEntry>), E>,
    ),
) -> Result<PublishOutcome<T>, E> {
    let conn = &session.conn;
    let until = session.ports.now().plus_seconds(LIMITS.claim_seconds);
    if !uploads::begin_work(conn, &upload.id, until)? {
        return Err(PublishError::UploadExpired.into());
    }
    let published = async {
        let (metas, feeds) = verify_staged(session, storage, upload, terms).await?;
        if !feeds.is_empty() {
            require_feeds_allowed(session, upload, terms, &feeds)?;
        }
        let claims = claim_keys(session, upload, terms)?;
        copy_all(storage, &claims, &metas).await?;
        before().await?;
        let files = VerifiedFiles { metas: &metas, feeds: &feeds, terms };
        record(session, upload, files, along)
    };
    let published = published.await;
    if published.is_err() {
        // If this fails, or another call has got further, the mark expires.
        let _ = uploads::end_work(conn, &upload.id, until);
    }
    published
}

/// Fails if the caller may not replace the release's feeds. This check comes before keys are claimed, so that
/// a refused upload does not block others.
fn require_feeds_allowed(
    session: &Session<'_, impl Ports>,
    upload: &UploadSession,
    terms: PublishTerms<'_>,
    feeds: &[CheckedFeed],
) -> Result<(), PublishError> {
    let (conn, now) = (&session.conn, session.ports.now());
    let (target, new) = (&upload.target, &upload.release);
    let release = find_release(conn, &upload.app_id, target, &new.version)?;
    let occupied = OccupiedSlots::of(conn, release.as_ref(), &new.version, target, terms.pending_removal)?;
    upload.files.iter().try_for_each(|file| occupied.require_free(&file.name, &new.packages))?;
    let updaters = feeds.iter().map(|checked| checked.updater).collect();
    replaced_feeds(conn, &session.principal, release.as_ref(), (target, &updaters), now)?;
    Ok(())
}

/// Step 2. Returns the storage's metadata of the files, and the feeds to record.
async fn verify_staged<P: Ports>(
    session: &Session<'_, P>,
    storage: &Storage<'_, P>,
    upload: &UploadSession,
    terms: PublishTerms<'_>,
) -> Result<(Vec<ObjectMeta>, Vec<CheckedFeed>), PublishError> {
    let (ports, conn) = (session.ports, &session.conn);
    let is_compared = terms.digests == DigestSource::Compared;
    let artifacts = upload.files.iter().filter(|file| !file.is_feed());
    let required = artifacts.map(|file| is_compared.then(|| RequiredDigests::of(file)).transpose());
    let required = required.collect::<Result<Vec<_>, _>>()?;
    let metas = declaration::find_staged_objects(storage, upload, ports.now()).await?;
    let rollout = stated_rollout(conn, upload, terms, ports.now())?;
    let checked = feeds::check_staged(conn, storage, upload, &metas, rollout).await?;
    let max_bytes = FEED_DIGEST_MAX_BYTES.read(ports)?;
    let is_small = |meta: &ObjectMeta| meta.size <= max_bytes;
    let files = upload.files.iter().zip(&metas).filter(|(file, _)| !file.is_feed());
    let comparison = |((file, meta), required)| {
        let listed = if is_small(meta) { feeds::digests_of(&checked, file) } else { Vec::new() };
        let md5 = declaration::unverified_md5(file, meta).filter(|_| terms.digests != DigestSource::Computed);
        DigestComparison { file, meta, md5, required, listed }
    };
    let comparisons: Vec<_> = files.zip(required).map(comparison).collect();
    digests::compare_files(session, storage, upload, &comparisons, &checked).await?;
    Ok((metas, checked))
}

/// The rollout that a feed has to state. Without a feed, no rollout is stated.
fn stated_rollout(
    conn: &impl SqlConn,
    upload: &UploadSession,
    terms: PublishTerms<'_>,
    now: Timestamp,
) -> Result<BasisPoints, PublishError> {
    let new = &upload.release;
    if let Some(rollout) = terms.rollout {
        return Ok(rollout);
    }
    if !upload.files.iter().any(SessionFile::is_feed) {
        return Ok(new.rollout);
    }
    let release = find_release(conn, &upload.app_id, &upload.target, &new.version)?;
    Ok(release.map_or(new.rollout, |release| release.as_of(now).rollout.basis_points(now)))
}

/// Step 4. Copies only the compared objects, because a URL of the upload may have been used again in the
/// meantime. Starts no copy that could end after another call has claimed the key.
async fn copy_all<P: Ports>(
    storage: &Storage<'_, P>,
    claims: &KeyClaims<'_, P>,
    metas: &[ObjectMeta],
) -> Result<(), PublishError> {
    let upload = claims.upload;
    let mut copies = futures::stream::iter(upload.files.iter().zip(metas).enumerate())
        .map(async |(index, (file, meta))| {
            let (from, to) = (staged_location(&upload.id, &file.name)?, location(&file.object)?);
            // The first copies start as soon as the keys are claimed. The others wait for one of them, and
            // renew the claims.
            if index >= LIMITS.concurrent_calls {
                claims.renew()?;
            }
            match storage.copy(&from, &meta.etag, &to, ContentHeaders::of(&file.name)).await {
                Err(StorageError::NoSuchObject) => Err(PublishError::FilesMissing(vec![file.name.clone()])),
                Err(StorageError::Changed) => Err(PublishError::FileInUse(file.name.clone())),
                result => Ok(result?),
            }
        })
        .buffer_unordered(LIMITS.concurrent_calls);
    while let Some(result) = copies.next().await {
        result?;
    }
    Ok(())
}

/// Step 6. `None`: another call recorded the release, and may not have finished this step. If the storage
/// fails here, the release is recorded and only objects are left over; the next call or maintenance tries
/// again.
pub async fn clean_up<P: Ports>(
    session: &Session<'_, P>,
    storage: &Storage<'_, P>,
    upload: &UploadSession,
    follow_up: Option<FollowUp>,
) -> Result<(), PublishError> {
    let conn = &session.conn;
    let (replaced, stale) = if let Some(FollowUp { replaced, stale }) = follow_up {
        (Some(replaced), stale)
    } else {
        let subject = Subject::Release(&upload.app_id, &upload.release.version);
        (None, Stale::of(conn, subject)?)
    };
    changes::refresh(session.ports, conn, &upload.owner, &stale).await?;
    let deletions: FuturesUnordered<_> = upload
        .files
        .iter()
        .map(|file| async move {
            storage.delete(&staged_location(&upload.id, &file.name)?).await.map_err(PublishError::from)
        })
        .collect();
    let results: Vec<Result<(), PublishError>> = deletions.collect().await;
    if results.iter().all(Result::is_ok) {
        uploads::set_finished(conn, &upload.id)?;
    }
    match replaced {
        Some(replaced) => Ok(replaced.delete(conn, storage).await?),
        None => Ok(()),
    }
}
