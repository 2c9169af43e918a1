//! Publishes an upload session.
//!
//! Every step can be repeated, and the process may end between any two of them:
//!
//! 1. mark the session, so that maintenance does not delete its staged objects,
//! 2. look up the objects and compare them with the declaration and with their feeds,
//! 3. claim the final keys,
//! 4. copy,
//! 5. record the artifacts and the session's state in one transaction,
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
use crate::objects::staged::staged_location;
use crate::objects::{delete_claimed, location};
use crate::{Ports, changes};

/// Runs steps 1 to 5. `before` runs when all files are at their final keys. `along` runs in the recording
/// transaction, before anything is recorded, with the id of the release if it already exists; it may return
/// an entry for the audit log. If one of them fails, nothing is recorded.
pub async fn publish<P: Ports, T, E: SqlFailure + From<PublishError>>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &mut UploadSession,
    terms: PublishTerms<'_>,
    (before, along): (
        impl AsyncFnOnce() -> Result<(), E>,
        impl FnMut(&Change<'_, P::Conn>, Option<&Id>) -> Result<(T, Option<AuditEntry>), E>,
    ),
) -> Result<PublishOutcome<T>, E> {
    let until = ports.now().plus_seconds(LIMITS.claim_seconds);
    if !uploads::begin_work(conn, &session.id, until)? {
        return Err(PublishError::UploadExpired.into());
    }
    let published = async {
        let (metas, feeds) = verify_staged(ports, conn, storage, session, terms).await?;
        if !feeds.is_empty() {
            require_feeds_allowed(conn, session, terms, (&feeds, ports.now()))?;
        }
        let claims = claim_keys(ports, conn, session, terms)?;
        copy_all(storage, &claims, &metas).await?;
        before().await?;
        let files = VerifiedFiles { metas: &metas, feeds: &feeds, terms };
        record(ports, conn, session, files, along)
    };
    let published = published.await;
    if published.is_err() {
        // If this fails, or another call has got further, the mark expires.
        let _ = uploads::end_work(conn, &session.id, until);
    }
    published
}

/// Fails if the caller may not replace the release's feeds. This check comes before keys are claimed, so that
/// a refused upload does not block others.
fn require_feeds_allowed(
    conn: &impl SqlConn,
    session: &UploadSession,
    terms: PublishTerms<'_>,
    (feeds, now): (&[CheckedFeed], Timestamp),
) -> Result<(), PublishError> {
    let (target, new) = (&session.target, &session.release);
    let release = find_release(conn, &session.app_id, target, &new.version)?;
    let occupied = OccupiedSlots::of(conn, release.as_ref(), &new.version, target, terms.pending_removal)?;
    session.files.iter().try_for_each(|file| occupied.require_free(&file.name, &new.packages))?;
    let updaters = feeds.iter().map(|checked| checked.updater).collect();
    replaced_feeds(conn, terms.principal, release.as_ref(), (target, &updaters), now)?;
    Ok(())
}

/// Step 2. Returns the storage's metadata of the files, and the feeds to record.
async fn verify_staged<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
    terms: PublishTerms<'_>,
) -> Result<(Vec<ObjectMeta>, Vec<CheckedFeed>), PublishError> {
    let is_compared = terms.digests == DigestSource::Compared;
    let artifacts = session.files.iter().filter(|file| !file.is_feed());
    let required = artifacts.map(|file| is_compared.then(|| RequiredDigests::of(file)).transpose());
    let required = required.collect::<Result<Vec<_>, _>>()?;
    let metas = declaration::find_staged_objects(storage, session, ports.now()).await?;
    let rollout = stated_rollout(conn, session, terms, ports.now())?;
    let checked = feeds::check_staged(conn, storage, session, &metas, rollout).await?;
    let max_bytes = FEED_DIGEST_MAX_BYTES.read(ports)?;
    let is_small = |meta: &ObjectMeta| meta.size <= max_bytes;
    let files = session.files.iter().zip(&metas).filter(|(file, _)| !file.is_feed());
    let comparison = |((file, meta), required)| {
        let listed = if is_small(meta) { feeds::digests_of(&checked, file) } else { Vec::new() };
        let md5 = declaration::unverified_md5(file, meta).filter(|_| terms.digests != DigestSource::Computed);
        DigestComparison { file, meta, md5, required, listed }
    };
    let comparisons: Vec<_> = files.zip(required).map(comparison).collect();
    digests::compare_files(ports, conn, storage, session, &comparisons, &checked).await?;
    Ok((metas, checked))
}

/// The rollout that a feed has to state. Without a feed, no rollout is stated.
fn stated_rollout(
    conn: &impl SqlConn,
    session: &UploadSession,
    terms: PublishTerms<'_>,
    now: Timestamp,
) -> Result<BasisPoints, PublishError> {
    let new = &session.release;
    if let Some(rollout) = terms.rollout {
        return Ok(rollout);
    }
    if !session.files.iter().any(SessionFile::is_feed) {
        return Ok(new.rollout);
    }
    let release = find_release(conn, &session.app_id, &session.target, &new.version)?;
    Ok(release.map_or(new.rollout, |release| release.as_of(now).rollout.basis_points(now)))
}

/// Step 4. Copies only the compared objects, because a URL of the upload may have been used again in the
/// meantime. Starts no copy that could end after another call has claimed the key.
async fn copy_all<P: Ports>(
    storage: &Storage<'_, P>,
    claims: &KeyClaims<'_, P>,
    metas: &[ObjectMeta],
) -> Result<(), PublishError> {
    let session = claims.session;
    let mut copies = futures::stream::iter(session.files.iter().zip(metas).enumerate())
        .map(async |(index, (file, meta))| {
            let (from, to) = (staged_location(&session.id, &file.name)?, location(&file.object)?);
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
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
    follow_up: Option<FollowUp>,
) -> Result<(), PublishError> {
    let (replaced, stale) = if let Some(FollowUp { replaced, stale }) = follow_up {
        (Some(replaced), stale)
    } else {
        let subject = Subject::Release(&session.app_id, &session.release.version);
        (None, Stale::of(conn, subject)?)
    };
    changes::refresh(ports, conn, &session.owner, &stale).await?;
    let deletions: FuturesUnordered<_> = session
        .files
        .iter()
        .map(|file| async move {
            storage.delete(&staged_location(&session.id, &file.name)?).await.map_err(PublishError::from)
        })
        .collect();
    let results: Vec<Result<(), PublishError>> = deletions.collect().await;
    if results.iter().all(Result::is_ok) {
        uploads::set_finished(conn, &session.id)?;
    }
    match replaced {
        Some(replaced) => Ok(delete_claimed(ports, conn, storage, &replaced).await?),
        None => Ok(()),
    }
}
