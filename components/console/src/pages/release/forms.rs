//! Common parts of the forms that change how a release is offered.

use maud::{Markup, html};

use super::entered_values::EnteredValues;
use super::requested_release::CHANNEL;
use crate::{Address, parts};

/// Data that these forms share.
pub(super) struct Forms<'f> {
    pub(super) page: Address,
    pub(super) revision: i64,
    /// The channel of the offer, if several channels offer the release.
    pub(super) channel: Option<String>,
    pub(super) entered: &'f EnteredValues,
    pub(super) token: &'f str,
}

/// The hidden field with the channel of the offer.
pub(super) fn channel_field(channel: Option<&str>) -> Markup {
    html! { @if let Some(channel) = channel { input type="hidden" name=(CHANNEL) value=(channel); } }
}

impl Forms<'_> {
    /// The page that shows the same offer.
    pub(super) fn offer_page(&self) -> Address {
        self.page.clone().with(CHANNEL, self.channel.as_deref().unwrap_or_default())
    }

    /// A form. `call`: the last segment of its address.
    pub(super) fn form(&self, call: &str, content: &Markup) -> Markup {
        let content = html! {
            input type="hidden" name="if_revision" value=(self.revision);
            (channel_field(self.channel.as_deref()))
            (content)
        };
        parts::form(&self.page.clone().with_segment(call), self.token, &content)
    }
}
