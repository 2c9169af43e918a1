//! Static answers: the answers to checks without a device, as objects in the CDN bucket, for applications
//! with `cdn` on. They are a projection of the published releases.
//!
//! A change marks the folders that it makes stale in its own transaction ([`spindrift_db::changes`]) and
//! writes them afterwards. Later changes of the same owner, and maintenance, write the folders that it could
//! not. See `docs/adr/0019-projections.md`.

mod folder;
mod objects;

use spindrift_core::{AppName, UserName};
use spindrift_db::projections;

use self::folder::{WRITE_SECONDS, Writer};
use crate::records::scopes;
use crate::{Ports, ServiceError, log};

/// Seconds that one maintenance run may spend on all folders together.
const RUN_SECONDS: i64 = 2 * 60;
/// Seconds after which an unchanged folder is compared with the storage again. This limits how long
/// modifications by others last, and differences after a restore from an older backup of the database.
const CHECK_SECONDS: i64 = 24 * 60 * 60;
/// Maximum number of folders handled by one change or one maintenance run.
const BATCH: u32 = 1000;

/// Writes an owner's stale folders after a committed change. Failures are only logged and left for later,
/// because the change itself has succeeded.
pub(crate) async fn catch_up<P: Ports>(ports: &P, conn: &P::Conn, owner: &UserName) {
    if let Err(error) = write_stale(ports, conn, owner.as_str()).await {
        log::warn("static answers are behind", &error);
    }
}

/// Writes the stale folders of an application, for a change that must become visible there. Fails if one
/// cannot be written. While another call writes them too, they stay marked as stale, and are compared again
/// later.
pub async fn write<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    owner: &UserName,
    app: &AppName,
) -> Result<(), ServiceError> {
    write_stale(ports, conn, &format!("{owner}/{app}")).await
}

/// `within`: see [`projections::behind`]. A folder that fails does not stop the others; the first failure is
/// returned.
async fn write_stale<P: Ports>(ports: &P, conn: &P::Conn, within: &str) -> Result<(), ServiceError> {
    let folders = projections::behind(conn, within, BATCH)?;
    if folders.is_empty() {
        return Ok(());
    }
    let (writer, until) = (Writer::new(ports, conn)?, ports.now().plus_seconds(WRITE_SECONDS));
    let mut first = Ok(());
    for folder in folders {
        first = first.and(writer.bring_up_to_date(&folder, until).await.map(drop));
    }
    first
}

/// Writes folders that are stale, that were made with other settings or another format, or that have not been
/// compared with the storage for a day. Returns how many objects were deleted. A folder that fails does not
/// stop the others; the first failure is returned.
pub async fn maintain<P: Ports>(ports: &P, conn: &P::Conn) -> Result<u64, ServiceError> {
    let now = ports.now();
    let made_with = objects::inputs_digest(ports)?;
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
        // If these folders could not be written, the stored records may not have been renewed either, and
        // checks may be stale too.
        for scope in folder::scopes(&folder) {
            result = result.and(scopes::refresh(ports, conn, &scope).map(drop));
        }
        match writer.bring_up_to_date(&folder, now_of_folder.plus_seconds(WRITE_SECONDS)).await {
            Ok(objects) => removed += objects,
            Err(failure) => result = result.and(Err(failure)),
        }
    }
    result.map(|()| removed)
}
