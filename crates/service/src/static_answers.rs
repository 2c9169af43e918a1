//! Static answers: what checks without a device are answered, as objects in the CDN bucket, for applications with `cdn`
//! on. They are a projection of what is published.
//!
//! A change marks the folders that it makes stale in its own transaction ([`spindrift_db::changes`]). Afterwards it writes them; what it does not
//! get done, later changes of the same owner and maintenance do. See `docs/adr/0019-projections.md`.

mod deadline;
mod folder;
mod objects;

use spindrift_core::{AppName, Timestamp, UserName};
use spindrift_db::projections;
use spindrift_storage::{BucketKind, MAX_LIST_PAGE, Storage};

use self::folder::{WRITE_SECONDS, Writer};
use self::objects::ROOT;
use crate::records::scopes;
use crate::{Failure, Ports, log};

/// Seconds that one run of maintenance takes for all folders together.
const RUN_SECONDS: i64 = 2 * 60;
/// Seconds after which a folder is compared with the storage although nothing has changed: what others did there, and
/// what an older copy of the database does not know, does not last longer.
const CHECK_SECONDS: i64 = 24 * 60 * 60;
/// Folders that one change, or one run of maintenance, looks at.
const BATCH: u32 = 1000;

/// Writes what an owner's changes have left behind, after a change was committed. Whatever goes wrong is logged and left
/// to later: the change is made.
pub(crate) async fn catch_up<P: Ports>(ports: &P, conn: &P::Conn, owner: &UserName) {
    if let Err(failure) = write_behind(ports, conn, owner).await {
        let error = failure.into_api();
        log::warn("static answers are behind", &error.internal().unwrap_or_default());
    }
}

async fn write_behind<P: Ports>(ports: &P, conn: &P::Conn, owner: &UserName) -> Result<(), Failure> {
    let folders = projections::behind(conn, owner, BATCH)?;
    if folders.is_empty() {
        return Ok(());
    }
    let (writer, until) = (Writer::new(ports, conn)?, ports.now().plus_seconds(WRITE_SECONDS));
    for folder in folders {
        writer.bring_up_to_date(&folder, until).await?;
    }
    Ok(())
}

/// Writes what is behind, what was made with other settings or by other code, and what was not compared with the storage
/// for a day. Answers how many objects went. One folder that fails keeps none of the others; the first failure is the
/// answer.
pub async fn maintain<P: Ports>(ports: &P, conn: &P::Conn, storage: &Storage<'_, P>) -> Result<u64, Failure> {
    let now = ports.now();
    for (owner, app) in projections::former(conn)? {
        adopt(conn, storage, (&owner, &app), now).await?;
    }
    let made_with = objects::made_with(ports)?;
    let folders = projections::due(conn, made_with, now.plus_seconds(-CHECK_SECONDS), BATCH)?;
    if folders.is_empty() {
        return Ok(0);
    }
    let writer = Writer::new(ports, conn)?;
    let (mut removed, mut result) = (0, Ok(()));
    for folder in folders {
        let now_of_folder = ports.now();
        if now_of_folder > now.plus_seconds(RUN_SECONDS) {
            break;
        }
        // Whoever did not get to write these may not have got to the records either, and then checks are behind as well.
        for scope in folder::scopes(&folder) {
            scopes::refresh(ports, conn, &scope)?;
        }
        match writer.bring_up_to_date(&folder, now_of_folder.plus_seconds(WRITE_SECONDS)).await {
            Ok(objects) => removed += objects,
            Err(failure) => result = result.and(Err(failure)),
        }
    }
    result.map(|()| removed)
}

/// Marks every folder of an application that has objects: checks once wrote them, for whatever was asked.
async fn adopt<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    (owner, app): (&UserName, &AppName),
    now: Timestamp,
) -> Result<(), Failure> {
    let prefix = format!("{ROOT}{owner}/{app}/");
    let mut next = None;
    loop {
        let page = storage.list(BucketKind::Cdn, &prefix, next.as_deref(), MAX_LIST_PAGE).await?;
        let mut folders: Vec<String> =
            page.objects.iter().filter_map(|object| folder::of_key(object.key.as_str())).collect();
        folders.dedup();
        projections::mark(conn, &folders, now)?;
        next = page.next;
        if next.is_none() {
            return Ok(projections::forget_former(conn, owner, app)?);
        }
    }
}
