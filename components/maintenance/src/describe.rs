//! Description of this component's call.

use spindrift_api::{ErrorCode, MaintenanceBody};
use spindrift_web::describe::{Call, Who};

pub(crate) fn run() -> Call {
    Call::new("Operation", Who::Maintainer, "Removes expired data, and keeps signed metadata alive")
        .details("One run handles a bounded number of items; the next run continues.")
        .answers::<MaintenanceBody>(200, "The numbers of removed items and signed files.")
        .refuses(409, &[ErrorCode::Busy])
        .storing()
}
