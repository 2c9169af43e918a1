//! Dropping metadata that lacks signatures.

use spindrift_db::{repositories, repository_metadata, repository_staged};
use spindrift_service::Ports;
use spindrift_service::changes::edit;
use spindrift_trust::RoleName;

use crate::app_repository::AppRepository;
use crate::error::RepositoryError;
use crate::events::{EventCause, Task};
use crate::staged::{StagedProposal, of_role};

impl<P: Ports> AppRepository<'_, P> {
    /// Drops what is staged for a role, and what was sent with it. This ends a repository that has no root
    /// yet. Fails if nothing is staged.
    pub async fn drop_staged(&self, role: &RoleName, cause: EventCause) -> Result<Task, RepositoryError> {
        self.with_lease(async |lease| {
            let repository = lease.load()?;
            let staged = of_role(self.conn, self.app, role)?;
            let StagedProposal { staged_by, proposal } = staged.ok_or(RepositoryError::NothingStaged)?;
            let files = proposal.files()?;
            let versions =
                files.into_iter().map(|(role, version, _)| (role.to_string(), version.to_string()));
            let message = "Metadata pending signatures was deleted";
            let event = cause.event(self.ports.new_id(), self.app, message, versions, self.ports.now());
            let owner = &repository.row.owner_id;
            edit(self.ports, self.conn, owner, |conn| {
                let audit = cause.record(conn, owner, &event)?;
                repository_staged::delete_of_event(conn, self.app, &staged_by.event)?;
                if repository.root.is_none() {
                    repository_staged::delete_all(conn, self.app)?;
                    repository_metadata::delete_all(conn, self.app)?;
                    repositories::delete(conn, self.app)?;
                }
                Ok::<_, RepositoryError>(((), audit))
            })?;
            Ok(Task::from(&event))
        })
        .await
    }
}
