//! The forms of somebody who may change how a release is offered.

use maud::{Markup, html};

use super::entered::Entered;
use super::found::CHANNEL;
use crate::{Address, parts};

/// The forms of a release.
pub(super) struct Forms<'f> {
    /// The page of the release.
    pub(super) page: Address,
    /// The revision of its offer.
    pub(super) revision: i64,
    /// The channel of the offer, once several channels offer the release.
    pub(super) channel: Option<String>,
    pub(super) entered: &'f Entered,
    pub(super) token: &'f str,
}

/// Names the channel of the offer that a form is about.
pub(super) fn channel_field(channel: Option<&str>) -> Markup {
    html! { @if let Some(channel) = channel { input type="hidden" name=(CHANNEL) value=(channel); } }
}

impl Forms<'_> {
    /// The page with the same offer.
    pub(super) fn here(&self) -> Address {
        self.page.clone().with(CHANNEL, self.channel.as_deref().unwrap_or_default())
    }

    /// A form that sends an order. `call`: the last segment of its address.
    pub(super) fn form(&self, call: &str, content: &Markup) -> Markup {
        let content = html! {
            input type="hidden" name="if_revision" value=(self.revision);
            (channel_field(self.channel.as_deref()))
            (content)
        };
        parts::form(&self.page.clone().then(call), self.token, &content)
    }
}
