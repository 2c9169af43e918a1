//! Settings of an edge deployment.

use crate::SettingSource;
use crate::text::ADDRESS;

rows! {
    /// URL of the service that this edge serves. Components may connect only to this URL.
    ORIGIN_URL: Option<String> {
        name: "origin_url", default: "", range: ADDRESS, readers: &["edge"],
        // The service has its own database and needs no origin.
        service: SettingSource::Absent, edge: SettingSource::Required,
    }
}
