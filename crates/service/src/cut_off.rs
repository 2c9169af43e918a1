//! Prevents calls that change the catalog from cutting off installed copies unasked; see
//! [`spindrift_core::cut_off`].

use spindrift_core::cut_off::{CatalogChange, CutOff, KnownCopies, SEEN_DAYS, cut_off, cut_off_as_seen_by};
use spindrift_core::{Day, Days};
use spindrift_db::cut_off::{copies, supply};
use spindrift_web::Request;

use crate::requests::Session;
use crate::telemetry::{self, gathered_sightings};
use crate::{Ports, ServiceError};

/// Whether the query of a call forces its change. The body can force it as well.
pub fn is_forced(request: &Request) -> Result<bool, ServiceError> {
    Ok(request.query()?.optional("force")?.unwrap_or_default())
}

/// Fails if the change cuts off installed copies, unless the call forces it. Reads a month of devices, so
/// call it before the transaction of the change.
pub fn require_nobody_cut_off(
    session: &Session<'_, impl Ports>,
    change: &CatalogChange<'_>,
    is_forced: bool,
) -> Result<(), ServiceError> {
    if is_forced {
        return Ok(());
    }
    let (ports, conn, owner) = (session.ports, &session.conn, session.owner_id());
    let supply = supply(conn, owner, session.now)?;
    let found = if telemetry::is_enabled(ports)? {
        gathered_sightings::count(ports, conn);
        let today = Day::of(session.now);
        let counted = copies(conn, owner, Days::until(today, SEEN_DAYS))?;
        let visible = session.principal.actor.visible_apps();
        cut_off_as_seen_by(visible.as_deref(), &supply, change, KnownCopies::Counted(&counted))
    } else {
        cut_off(&supply, change, KnownCopies::Uncounted)
    };
    match found {
        None => Ok(()),
        Some(CutOff { devices }) => Err(ServiceError::WouldCutOff { devices }),
    }
}
