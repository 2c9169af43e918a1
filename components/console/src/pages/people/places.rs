//! The addresses of the pages about people.

use maud::Markup;

use crate::address::Address;

/// The page with all of it.
pub(super) fn home() -> Address {
    Address::page(["people"])
}

/// The steps to a page below it.
pub(super) fn trail(here: &str) -> Markup {
    crate::parts::trail(&[("People and keys", home())], here)
}
