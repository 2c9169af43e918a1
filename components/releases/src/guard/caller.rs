//! The callers of a run, and the releases that they may check.

use spindrift_core::audit::AuditOrigin;
use spindrift_core::{Action, Id};
use spindrift_db::health::GuardLease;
use spindrift_service::requests::operator::has_token;
use spindrift_service::requests::principal::{Principal, authenticate};
use spindrift_service::{Failure, Ports};
use spindrift_settings::MAINTENANCE_TOKEN;
use spindrift_web::Request;

/// The caller that starts a run.
pub(super) struct GuardCaller {
    /// For the audit log.
    pub(super) origin: AuditOrigin,
    /// `None` for the operator, whose run covers all owners.
    pub(super) principal: Option<Principal>,
}

impl GuardCaller {
    /// Accepts an admin, a CI token with the right `guard`, or the maintenance token.
    pub(super) fn of<P: Ports>(ports: &P, conn: &P::Conn, request: &Request) -> Result<Self, Failure> {
        if has_token(request, &MAINTENANCE_TOKEN.read(ports)?) {
            let mut origin = AuditOrigin::maintenance();
            origin.request_id = Some(request.context().id());
            return Ok(Self { origin, principal: None });
        }
        let principal = authenticate(ports, conn, request)?;
        match principal.actor.visible_apps() {
            Some(apps) if principal.is_token() && !apps.is_empty() => {
                apps.iter().try_for_each(|app| principal.require(Action::Guard, Some(app)))?;
            }
            _ => principal.require(Action::Administer, None)?,
        }
        Ok(Self { origin: principal.origin.clone(), principal: Some(principal) })
    }

    /// Each owner has a lease, so that owners do not wait for each other's runs, and an owner does not keep
    /// the operator waiting.
    pub(super) fn lease(&self) -> GuardLease<'_> {
        match &self.principal {
            Some(principal) => GuardLease::Owner(&principal.owner_id),
            None => GuardLease::AllOwners,
        }
    }

    pub(super) fn apps(&self) -> Option<Vec<Id>> {
        self.principal.as_ref().and_then(|principal| principal.actor.visible_apps())
    }
}
