//! The pages of groups, and what groups are for.

use crate::Address;

/// The reason to have groups.
pub(crate) const PURPOSE: &str = "Testers get a release before its rollout reaches them.";

/// The page of an application's groups.
pub(crate) fn page(app: &str) -> Address {
    Address::page(["apps", app, "groups"])
}

/// The pages above that page, with their names.
pub(super) fn above(app: &str) -> [(&str, Address); 2] {
    [("Overview", Address::page([])), (app, Address::page(["apps", app]))]
}
