//! Ending a repository.

use spindrift_core::{Id, StoredObject};
use spindrift_db::changes::{self, Change, Committed, Subject};
use spindrift_db::{Audited, SqlConn, listings, repositories, repository_metadata, repository_staged};
use spindrift_service::changes::refresh;
use spindrift_service::objects::PendingDeletion;
use spindrift_service::{Ports, log};

use crate::app_repository::AppRepository;
use crate::bucket::found_objects;
use crate::error::RepositoryError;
use crate::events::{EventCause, Task};

impl<P: Ports> AppRepository<'_, P> {
    /// Ends the repository, which `confirm` must name: everything is offered again, and the repository's
    /// files are deleted. Fails if there is none.
    pub async fn end(&self, confirm: &str, cause: &EventCause) -> Result<Task, RepositoryError> {
        self.with_lease(async |lease| {
            let row = repositories::by_app(self.conn, self.app)?.ok_or(RepositoryError::NoRepository)?;
            if row.name != confirm {
                return Err(RepositoryError::NotConfirmed);
            }
            let objects = found_objects(&row, lease.objects(&row).await?);
            let message = "The repository has ended";
            let details = [("repository".to_owned(), row.name.clone())];
            let event = cause.event(self.ports.new_id(), self.app, message, details, self.ports.now());
            let Committed { value: deletion, stale, added } = changes::commit(
                self.conn,
                &row.owner_id,
                Subject::App(self.app),
                self.ports.now(),
                |change| {
                    let audit = cause.record(change, &row.owner_id, &event)?;
                    listings::forget(change, self.app)?;
                    Ok::<_, RepositoryError>((remove(self.ports, change, self.app, objects.clone())?, audit))
                },
            )?;
            log::change(added.as_ref());
            refresh(self.ports, self.conn, &row.owner, &stale).await?;
            deletion.delete(self.conn, lease.storage).await?;
            Ok(Task::from(&event))
        })
        .await
    }

    /// Runs `work`, which deletes the application and, with [`RepositoryRemoval::remove`], its repository in
    /// one transaction. Then deletes the objects that `work` has claimed.
    pub async fn end_with_app<T, E: From<RepositoryError>>(
        &self,
        work: impl AsyncFnOnce(RepositoryRemoval<'_, P>) -> Result<(T, PendingDeletion), E>,
    ) -> Result<T, E> {
        self.with_lease(async |lease| {
            let row = repositories::by_app(self.conn, self.app).map_err(RepositoryError::from)?;
            let objects = match &row {
                Some(row) => found_objects(row, lease.objects(row).await?),
                None => Vec::new(),
            };
            let (value, deletion) =
                work(RepositoryRemoval { ports: self.ports, app: self.app, objects }).await?;
            deletion.delete(self.conn, lease.storage).await.map_err(RepositoryError::from)?;
            Ok(value)
        })
        .await
    }
}

/// Removes a repository, as part of another transaction.
pub struct RepositoryRemoval<'a, P> {
    ports: &'a P,
    app: &'a Id,
    objects: Vec<StoredObject>,
}

impl<P: Ports> RepositoryRemoval<'_, P> {
    /// Deletes the rows, and claims the objects, which are deleted after the transaction.
    pub fn remove(&self, change: &Change<'_, impl SqlConn>) -> Result<PendingDeletion, RepositoryError> {
        remove(self.ports, change, self.app, self.objects.clone())
    }
}

fn remove(
    ports: &impl Ports,
    conn: &impl Audited,
    app: &Id,
    objects: Vec<StoredObject>,
) -> Result<PendingDeletion, RepositoryError> {
    repository_staged::delete_all(conn, app)?;
    repository_metadata::delete_all(conn, app)?;
    repositories::delete(conn, app)?;
    Ok(PendingDeletion::claim(ports, conn, objects)?)
}
