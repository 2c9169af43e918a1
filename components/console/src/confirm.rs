//! The page that asks before something is deleted or replaced.

use maud::{Markup, html};
use spindrift_service::Ports;

use crate::address::Address;
use crate::context::Context;
use crate::parts;

/// A question with one button.
pub(crate) struct Confirm<'a> {
    /// The question, as the heading.
    pub(crate) title: &'a str,
    /// The consequences.
    pub(crate) what: Markup,
    /// The text of the button.
    pub(crate) button: &'a str,
    /// The address that the form is sent to.
    pub(crate) action: Address,
    /// The page to return to without confirming.
    pub(crate) back: Address,
    /// The reason for a failure of the first attempt.
    pub(crate) problem: Option<&'a str>,
}

impl Confirm<'_> {
    /// The content of the page.
    pub(crate) fn show<P: Ports>(&self, context: &Context<'_, P>) -> Markup {
        let button = html! {
            div.row {
                button.danger type="submit" { (self.button) }
                a href=(self.back) { "Leave it as it is" }
            }
        };
        html! {
            section.alone {
                h1 { (self.title) }
                @if let Some(problem) = self.problem { p.problem role="alert" { (problem) } }
                (self.what)
                (parts::form(&self.action, &context.form_token(), &button))
            }
        }
    }
}
