//! Rows and counters past their time.

use spindrift_api::MaintenanceBody;
use spindrift_service::{Failure, Ports};

pub(crate) fn remove<P: Ports>(_ports: &P, _conn: &P::Conn, _body: &mut MaintenanceBody) -> Result<(), Failure> {
    Ok(())
}
