//! The filters of an application's page.

use spindrift_web::Query;

use crate::Address;
use crate::pages::telemetry;

/// Releases on a page.
const ROWS: u32 = 25;

/// Selects which releases and figures the page shows.
#[derive(Clone)]
pub(super) struct ReleaseFilters {
    pub(super) channel: String,
    pub(super) platform: String,
    pub(super) arch: String,
    pub(super) state: String,
    pub(super) range: String,
    pub(super) page: String,
}

impl ReleaseFilters {
    pub(super) fn of(query: &Query) -> Self {
        let value = |name| query.get(name).unwrap_or_default().to_owned();
        Self {
            channel: value("channel"),
            platform: value("platform"),
            arch: value("arch"),
            state: value("state"),
            range: query.get("range").unwrap_or("month").to_owned(),
            page: value("page"),
        }
    }

    pub(super) fn search(&self, app: &str) -> Address {
        Address::call("/search")
            .with("app_name", app)
            .with("channel", &self.channel)
            .with("platform", &self.platform)
            .with("arch", &self.arch)
            .with("state", &self.state)
            .with("changelog", false)
            .with("page", &self.page)
            .with("limit", ROWS)
    }

    pub(super) fn adoption(&self, app: &str) -> Address {
        Address::call("/telemetry/adoption").with("app", app).with("range", &self.range)
    }

    /// The same range on the telemetry page, whose files this page links to.
    pub(super) fn telemetry(&self, app: &str) -> telemetry::TelemetryFilters {
        telemetry::TelemetryFilters::of_app(app, &self.range)
    }

    pub(super) fn adoption_file(&self, app: &str) -> Address {
        Address::page(["apps", app, "adoption.csv"]).with("range", &self.range)
    }

    /// The first page of this list, with the same filters.
    pub(super) fn first_page(&self, app: &str) -> Address {
        Address::page(["apps", app])
            .with("channel", &self.channel)
            .with("platform", &self.platform)
            .with("arch", &self.arch)
            .with("state", &self.state)
            .with("range", &self.range)
    }

    pub(super) fn is_narrowed(&self) -> bool {
        [&self.channel, &self.platform, &self.arch, &self.state].iter().any(|filter| !filter.is_empty())
    }
}
