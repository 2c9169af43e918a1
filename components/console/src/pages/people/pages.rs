//! The addresses of the pages about people.

use crate::Address;

/// The page with all users, tokens and keys.
pub(super) fn home() -> Address {
    Address::page(["people"])
}

/// A page about passkeys.
pub(super) fn passkeys<'a>(below: impl IntoIterator<Item = &'a str>) -> Address {
    Address::page(["people", "passkeys"].into_iter().chain(below))
}

/// A page about single sign-on.
pub(super) fn sso<'a>(below: impl IntoIterator<Item = &'a str>) -> Address {
    Address::page(["people", "sso"].into_iter().chain(below))
}

/// The parents of a page below that page.
pub(super) fn parent_pages() -> [(&'static str, Address); 1] {
    [("People and keys", home())]
}
