//! The health of one release at the moment, without a guard run.

use spindrift_core::health::{HealthDay, ReleaseHealth};
use spindrift_core::{Day, Release, Version};
use spindrift_db::under_way;
use spindrift_service::{Failure, Ports};

use super::assess;

/// The findings of a guard run at this moment.
pub(crate) struct CurrentHealth {
    pub(crate) health: ReleaseHealth,
    /// The version that `days` compare it with.
    pub(crate) before: Option<Version>,
    pub(crate) days: Vec<HealthDay>,
}

impl CurrentHealth {
    /// `None`: the release is not under way.
    pub(crate) fn of<P: Ports>(
        ports: &P,
        conn: &P::Conn,
        release: &Release,
    ) -> Result<Option<Self>, Failure> {
        let Some(found) = under_way::of_release(conn, release, ports.now())? else { return Ok(None) };
        let counts = assess::counts(ports, conn, &release.app_id, std::slice::from_ref(&found))?;
        let health = assess::assess(ports, conn, &counts, &found)?;
        let before = counts.shown_before(&found.subject, health.before.as_ref());
        let days = counts.by_day(&found.subject, before.as_ref(), Day::of(ports.now()));
        Ok(Some(Self { health, before, days }))
    }
}
