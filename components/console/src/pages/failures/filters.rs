//! Filters, order and view of the list of failures.

use spindrift_api::CauseEntry;
use spindrift_web::Query;

use crate::{Address, FormFields};

const ROWS: u32 = 25;
/// Query parameters that select groups. The service uses the same names.
const SELECTING: [&str; 8] = ["app", "type", "reason", "version", "platform", "status", "tag", "search"];
/// The value of `view` for groups.
const GROUPS: &str = "groups";

pub(super) struct FailureFilters(FormFields);

impl FailureFilters {
    pub(super) fn of(query: Query) -> Self {
        Self(query.into())
    }

    pub(super) fn one(&self, name: &str) -> &str {
        self.0.one(name)
    }

    /// Whether the list shows groups instead of causes.
    pub(super) fn are_groups(&self) -> bool {
        self.one("view") == GROUPS
    }

    pub(super) fn is_narrowed(&self) -> bool {
        SELECTING.into_iter().any(|name| !self.one(name).is_empty())
    }

    /// Adds the selection to a call.
    pub(super) fn select(&self, address: Address) -> Address {
        SELECTING.into_iter().fold(address, |address, name| address.with(name, self.one(name)))
    }

    /// The call for the current page of the list.
    pub(super) fn list(&self) -> Address {
        let path = if self.are_groups() { "/reports/groups" } else { "/reports/causes" };
        let call = self.select(Address::call(path)).with("page", self.one("page")).with("limit", ROWS);
        if self.are_groups() { call } else { self.in_order(call) }
    }

    fn in_order(&self, address: Address) -> Address {
        address.with("sort", self.one("sort")).with("order", self.one("order"))
    }

    /// The first page of the list, with the same filters and order.
    pub(super) fn first_page(&self) -> Address {
        self.in_order(self.select(Address::page(["failures"]))).with("view", self.one("view"))
    }

    /// The same filters in the other view.
    pub(super) fn other_view(&self) -> Address {
        let view = if self.are_groups() { "" } else { GROUPS };
        self.select(Address::page(["failures"])).with("view", view)
    }

    /// The causes in another order.
    pub(super) fn with_order(&self, by: &str, order: &str) -> Address {
        self.select(Address::page(["failures"])).with("sort", by).with("order", order)
    }

    /// The default direction for sorting by a column, as in the service.
    pub(super) fn order_by(&self, by: &str) -> Option<&'static str> {
        let sort = Some(self.one("sort")).filter(|sort| !sort.is_empty()).unwrap_or("last_seen");
        if sort != by {
            return None;
        }
        match (self.one("order"), by) {
            ("asc", _) | ("", "reason") => Some("asc"),
            _ => Some("desc"),
        }
    }

    /// The list of a cause's selected groups.
    pub(super) fn groups_of(&self, cause: &CauseEntry) -> Address {
        let own =
            [("app", &cause.app_name), ("type", &cause.event.event_type), ("reason", &cause.event.reason)];
        let value = |name: &str| own.iter().find(|(own, _)| *own == name).map(|(_, value)| value.as_str());
        let page = Address::page(["failures"]);
        let page = SELECTING
            .into_iter()
            .fold(page, |page, name| page.with(name, value(name).unwrap_or_else(|| self.one(name))));
        page.with("view", GROUPS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_is_asked_for_what_is_shown() {
        let of = |query: &str| FailureFilters::of(Query::parse(query).unwrap());
        let filters = of("app=notes&status=open&sort=reports&order=asc&page=2&x=1");
        assert_eq!(
            filters.list().as_str(),
            "/reports/causes?app=notes&status=open&page=2&limit=25&sort=reports&order=asc"
        );
        assert_eq!(
            filters.first_page().as_str(),
            "/console/failures?app=notes&status=open&sort=reports&order=asc"
        );
        let groups = of("app=notes&view=groups&sort=reports");
        assert_eq!(groups.list().as_str(), "/reports/groups?app=notes&limit=25");
        assert_eq!(groups.other_view().as_str(), "/console/failures?app=notes");
    }

    #[test]
    fn one_column_is_the_one_that_sorts() {
        let order = |query: &str, by: &str| FailureFilters::of(Query::parse(query).unwrap()).order_by(by);
        assert_eq!(order("", "last_seen"), Some("desc"));
        assert_eq!(order("", "reports"), None);
        assert_eq!(order("sort=reason", "reason"), Some("asc"));
        assert_eq!(order("sort=reports&order=asc", "reports"), Some("asc"));
    }
}
