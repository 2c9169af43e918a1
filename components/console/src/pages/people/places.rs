//! The addresses of the pages about people.

use crate::Address;

/// The page with all of it.
pub(super) fn home() -> Address {
    Address::page(["people"])
}

/// The pages above one that is below it.
pub(super) fn above() -> [(&'static str, Address); 1] {
    [("People and keys", home())]
}
