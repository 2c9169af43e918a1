//! The way to the repository of an application.

use spindrift_core::Id;
use spindrift_service::Ports;
use spindrift_service::requests::Session;

/// The repository of an application, with what all work on it needs: the platform and a connection.
///
/// Calls with a login make one from their session. Maintenance and the work after an answer have no session
/// and make one from its parts. Making one reads nothing, so the application may have no repository; each
/// method says what it does then. Methods that change metadata hold the lease on the repository meanwhile.
///
/// ```ignore
/// AppRepository::of(&session, &app.id).sync_targets().await?;
/// ```
pub struct AppRepository<'a, P: Ports> {
    pub(crate) ports: &'a P,
    pub(crate) conn: &'a P::Conn,
    pub(crate) app: &'a Id,
}

impl<'a, P: Ports> AppRepository<'a, P> {
    pub const fn new(ports: &'a P, conn: &'a P::Conn, app: &'a Id) -> Self {
        Self { ports, conn, app }
    }

    /// The repository of `app`, for the caller of a session.
    pub const fn of(session: &'a Session<'_, P>, app: &'a Id) -> Self {
        Self::new(session.ports, &session.conn, app)
    }
}
