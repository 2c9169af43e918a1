//! The page that asks before something is deleted, replaced or stopped.

use maud::{Markup, html};
use spindrift_web::Response;

use crate::{Address, Context, Page, parts};

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
}

impl Confirm<'_> {
    /// The question on a page of its own.
    pub(crate) fn show(&self, context: &Context<'_>, page: Page<'_>) -> Response {
        self.show_with(context, page, &html! {})
    }

    /// The same with further fields of the form, above its button.
    pub(crate) fn show_with(&self, context: &Context<'_>, page: Page<'_>, further: &Markup) -> Response {
        let fields = html! {
            (further)
            div.row {
                button.danger type="submit" { (self.button) }
                a href=(self.back) { "Leave it as it is" }
            }
        };
        let content = html! {
            (self.what)
            (parts::form(&self.action, &context.form_token(), &fields))
        };
        page.show_alone(self.title, &content)
    }
}
