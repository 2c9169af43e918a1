//! An edge deployment.

use super::readers::WITH_RECORDS;
use crate::Given;

rows! {
    /// The service that this is an edge of. Also what components may connect to.
    ORIGIN_URL: Option<String> {
        name: "origin_url", default: "", range: "http or https address", readers: WITH_RECORDS,
        // A service with its own database.
        service: Given::Fixed(""), edge: Given::Required,
    }
}
