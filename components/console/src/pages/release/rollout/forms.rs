//! The forms of the section.

use maud::{Markup, html};

use super::super::entered::Entered;
use super::offered::Offered;
use crate::{Address, parts};

/// The forms of somebody who may change the rollout.
pub(super) struct Forms<'f> {
    /// The page of the release.
    pub(super) page: Address,
    pub(super) entered: &'f Entered,
    pub(super) token: &'f str,
}

impl Forms<'_> {
    /// A form that sends an order. `call`: the last segment of its address.
    pub(super) fn form(&self, call: &str, offered: &Offered<'_>, content: &Markup) -> Markup {
        let content = html! {
            input type="hidden" name="if_revision" value=(offered.offer.revision);
            (content)
        };
        parts::form(&self.page.clone().then(call), self.token, &content)
    }
}
