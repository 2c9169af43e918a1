//! `POST /releases/{id}/withdraw` and `/restore`: withdrawing a release from all clients, and undoing that.

use spindrift_api::{RestoreBody, WithdrawBody};
use spindrift_core::audit::AuditKind;
use spindrift_core::{Action, Release, Timestamp};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, public_reason};
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{Request, Response};

use crate::order::{Order, OrderTerms, carry_out};
use crate::show::find;

pub(crate) async fn withdraw<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_to_stop(ports, &request)?;
    let WithdrawBody { reason, force } = request.read_json(MAX_JSON_BYTES).await?;
    let reason = public_reason(reason)?;
    let terms = OrderTerms { reason: Some(reason.clone()), is_forced: force, ..OrderTerms::default() };
    let release = find(&session, &request)?;
    carry_out(&session, &release, &WithdrawOrder { reason, terms }).await
}

pub(crate) async fn restore<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let RestoreBody { if_revision, reason } = request.read_json(MAX_JSON_BYTES).await?;
    let restore = RestoreOrder(OrderTerms::new(None, if_revision, reason)?);
    let release = find(&session, &request)?;
    carry_out(&session, &release, &restore).await
}

struct WithdrawOrder {
    reason: String,
    terms: OrderTerms,
}

impl Order for WithdrawOrder {
    fn terms(&self) -> &OrderTerms {
        &self.terms
    }

    fn needs(&self, _: &Release, _: Timestamp) -> Action {
        Action::Stop
    }

    fn is_stop(&self, _: &Release, _: Timestamp) -> bool {
        true
    }

    fn hides(&self) -> bool {
        true
    }

    fn is_for_all_offers(&self) -> bool {
        true
    }

    fn change(&self, release: Release, now: Timestamp) -> Result<(Release, AuditKind), Failure> {
        Ok((release.withdraw(self.reason.clone(), now), AuditKind::ReleaseWithdraw))
    }
}

struct RestoreOrder(OrderTerms);

impl Order for RestoreOrder {
    fn terms(&self) -> &OrderTerms {
        &self.0
    }

    fn needs(&self, _: &Release, _: Timestamp) -> Action {
        Action::Roll
    }

    fn is_stop(&self, _: &Release, _: Timestamp) -> bool {
        false
    }

    fn is_for_all_offers(&self) -> bool {
        true
    }

    fn change(&self, release: Release, _: Timestamp) -> Result<(Release, AuditKind), Failure> {
        let restored = release.restore().map_err(ServiceError::from)?;
        Ok((restored, AuditKind::ReleaseRestore))
    }
}
