//! The addresses of the pages of groups, and the purpose of groups.

use crate::Address;

pub(crate) const PURPOSE: &str = "Testers get a release before its rollout reaches them.";

pub(crate) fn page(app: &str) -> Address {
    Address::page(["apps", app, "groups"])
}

/// The parents of that page, with their names.
pub(super) fn parent_pages(app: &str) -> [(&str, Address); 2] {
    [("Overview", Address::page([])), (app, Address::page(["apps", app]))]
}
