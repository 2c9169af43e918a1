//! Copies of a release's files, for the clients of another channel.
//!
//! They are made before anything is recorded. Their keys are claimed as if for deletion, and recording the
//! copies releases the claims. So maintenance deletes what a killed or failed call has written.

use futures::{StreamExt as _, TryStreamExt as _};
use spindrift_core::{
    ChannelName, ContentHeaders, Release, Scope, StoredObject, UserName, artifact_path, distinct_path,
};
use spindrift_db::changes::Change;
use spindrift_db::copies::{self, Original};
use spindrift_db::{SqlConn, claims, in_transaction, release_objects};
use spindrift_service::objects::{CONCURRENT_CALLS, PendingDeletion, location};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports};
use spindrift_storage::{LONGEST_COPY, StorageError};
use spindrift_web::ApiError;

/// Seconds for which no other call may write the keys. A copy is started only if it will end before then.
const CLAIM_SECONDS: i64 = 2 * LONGEST_COPY.as_secs().cast_signed();

/// Copied files that are not recorded yet.
pub(super) struct PromotionCopies {
    /// The files, and the locations of their copies.
    files: Vec<(Original, StoredObject)>,
    claimed: PendingDeletion,
}

impl PromotionCopies {
    /// Copies the files of a release inside the storage. Their bytes do not pass through the service.
    pub(super) async fn make(
        session: &Session<'_, impl Ports>,
        promoted: &Release,
        channel: &ChannelName,
    ) -> Result<Self, Failure> {
        let copies = in_transaction(&session.conn, |conn| Self::claim(session, conn, promoted, channel))?;
        copies.copy(session).await?;
        Ok(copies)
    }

    fn claim(
        session: &Session<'_, impl Ports>,
        conn: &impl SqlConn,
        promoted: &Release,
        channel: &ChannelName,
    ) -> Result<Self, Failure> {
        let (call, now) = (session.ports.new_id(), session.ports.now());
        let mut files = Vec::new();
        for original in copies::originals(conn, &promoted.id)? {
            let object = place(session.owner(), promoted, channel, &original);
            // An object that belongs to a release, or that an earlier call has claimed, is left alone: the
            // copy gets a key of its own.
            let is_taken = release_objects::contains(conn, &object)? || claims::is_taken(conn, &object, now)?;
            let key = if is_taken { distinct_path(&object.key, &call) } else { object.key };
            files.push((original, StoredObject { key, ..object }));
        }
        let objects = files.iter().map(|(_, object)| object.clone()).collect();
        Ok(Self { claimed: PendingDeletion::claim_for(session.ports, conn, objects, CLAIM_SECONDS)?, files })
    }

    async fn copy(&self, session: &Session<'_, impl Ports>) -> Result<(), Failure> {
        let (ports, storage) = (session.ports, session.storage()?);
        let last = ports.now().plus_seconds(CLAIM_SECONDS - LONGEST_COPY.as_secs().cast_signed());
        let copy = async |(original, object): &(Original, StoredObject)| {
            let headers = ContentHeaders::of(&original.file_name);
            if ports.now() >= last {
                return Err(ApiError::Busy("the storage is too slow for the files: call again".into()).into());
            }
            match storage.copy(&location(&original.object)?, "", &location(object)?, headers).await {
                Err(StorageError::NoSuchObject) => Err(changed()),
                result => Ok::<_, Failure>(result?),
            }
        };
        futures::stream::iter(&self.files).map(copy).buffer_unordered(CONCURRENT_CALLS).try_collect().await
    }

    /// Records the copies. Fails if the release has other files by now.
    pub(super) fn record(
        &self,
        ports: &impl Ports,
        conn: &Change<'_, impl SqlConn>,
        promoted: &Release,
    ) -> Result<(), Failure> {
        let present = copies::originals(conn, &promoted.id)?;
        if !present.iter().map(|file| &file.id).eq(self.files.iter().map(|(original, _)| &original.id)) {
            return Err(changed());
        }
        for (original, object) in &self.files {
            copies::insert(conn, promoted, &original.id, (&ports.new_id(), object), ports.now())?;
        }
        Ok(self.claimed.keep(conn)?)
    }
}

/// The location of a file's copy, as if it had been uploaded to the channel.
fn place(owner: &UserName, promoted: &Release, channel: &ChannelName, original: &Original) -> StoredObject {
    let scope = Scope {
        owner: owner.clone(),
        app: original.app.clone(),
        channel: Some(channel.clone()),
        platform: original.platform.clone(),
        arch: original.arch.clone(),
    };
    let Original { updater, file_name, package, .. } = original;
    let key = artifact_path(*updater, &scope, &promoted.version, file_name, package);
    StoredObject { bucket: original.object.bucket, key }
}

fn changed() -> Failure {
    ApiError::Conflict("the files of the release have changed meanwhile: call again".into()).into()
}
