//! The forms of somebody who may change how a release is offered.

use maud::{Markup, html};

use super::entered::Entered;
use crate::{Address, parts};

/// The forms of a release.
pub(super) struct Forms<'f> {
    /// The page of the release.
    pub(super) page: Address,
    /// The revision of its offer.
    pub(super) revision: i64,
    pub(super) entered: &'f Entered,
    pub(super) token: &'f str,
}

impl Forms<'_> {
    /// A form that sends an order. `call`: the last segment of its address.
    pub(super) fn form(&self, call: &str, content: &Markup) -> Markup {
        let content = html! {
            input type="hidden" name="if_revision" value=(self.revision);
            (content)
        };
        parts::form(&self.page.clone().then(call), self.token, &content)
    }
}
