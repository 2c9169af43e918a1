//! Publishing what is staged.
//!
//! Every step can be repeated, and the process may end between any two of them:
//!
//! 1. claim the final keys,
//! 2. copy,
//! 3. record artifacts and the session's state in one transaction,
//! 4. delete staged objects, refresh what checks answer from.
//!
//! Before step 3 nothing is visible; after it the release is whole, and a repeated call only does step 4.

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use spindrift_core::{Id, UploadSession};
use spindrift_db::scopes::ScopesOf;
use spindrift_db::uploads;
use spindrift_service::objects::location;
use spindrift_service::staging::staged;
use spindrift_service::{Failure, Ports, scopes};
use spindrift_storage::{Storage, StorageError};

use crate::record::{claim, record};
use crate::{feeds, verify};

/// Copies and deletions that run at the same time.
pub(crate) const CONCURRENT_CALLS: usize = 8;

/// Steps 1 to 3, for staged objects that are as they should be; `sizes` in bytes, in the order of the files. `along` is
/// done in the transaction that records them, just before that, with the identifier of the release if it is there
/// already; what it refuses is not recorded.
pub async fn publish<P: Ports, T>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
    sizes: &[u64],
    along: impl FnOnce(&P::Conn, Option<&Id>) -> Result<T, Failure>,
) -> Result<(Id, T), Failure> {
    let feed = feeds::check_staged(ports, conn, storage, session, sizes).await?;
    claim(ports, conn, session)?;
    copy_all(storage, session).await?;
    record(ports, conn, session, (sizes, feed.as_ref()), along)
}

async fn copy_all<P: Ports>(storage: &Storage<'_, P>, session: &UploadSession) -> Result<(), Failure> {
    let mut copies = futures::stream::iter(&session.files)
        .map(async |file| {
            let (from, to) = (staged(&session.id, &file.name)?, location(&file.object)?);
            match storage.copy(&from, &to).await {
                Err(StorageError::NoSuchObject) => Err(verify::missing(&[&file.name])),
                result => Ok(result?),
            }
        })
        .buffer_unordered(CONCURRENT_CALLS);
    while let Some(result) = copies.next().await {
        result?;
    }
    Ok(())
}

/// Step 4. The release is recorded: a storage that fails here leaves staged objects, and the next call (or
/// maintenance) tries again.
pub async fn clean_up<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
    release: &Id,
) -> Result<(), Failure> {
    let affected = scopes::affected(conn, ScopesOf::Release(release))?;
    scopes::refresh(ports, conn, &session.owner, &affected).await?;
    let deletions: FuturesUnordered<_> =
        session
            .files
            .iter()
            .map(|file| async move {
                storage.delete(&staged(&session.id, &file.name)?).await.map_err(Failure::from)
            })
            .collect();
    let results: Vec<Result<(), Failure>> = deletions.collect().await;
    if results.iter().all(Result::is_ok) {
        uploads::set_finished(conn, &session.id)?;
    }
    Ok(())
}
