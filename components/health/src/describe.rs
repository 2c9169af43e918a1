//! Description of this component's call.

use spindrift_api::HealthBody;
use spindrift_web::describe::{Call, Who};

pub(crate) fn health() -> Call {
    Call::new("Operation", Who::Anyone, "Whether the service has its stores, and settings that it can use")
        .answers::<HealthBody>(200, "It does.")
        .answers::<HealthBody>(503, "It does not: `details` names the store, or the setting and its rule.")
}
