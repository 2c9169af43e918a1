//! The page that asks for a confirmation before something is deleted, replaced or stopped.

use maud::{Markup, html};
use spindrift_web::Response;

use crate::{Address, ConsolePage, Context, parts};

/// A question with one button.
pub(crate) struct Confirm<'a> {
    /// The question, as a heading.
    pub(crate) title: &'a str,
    /// The consequences.
    pub(crate) consequences: Markup,
    pub(crate) button: &'a str,
    /// Where the form is sent.
    pub(crate) action: Address,
    /// The page to return to without a confirmation.
    pub(crate) back: Address,
}

impl Confirm<'_> {
    /// Shows the question as a page.
    pub(crate) fn show(&self, context: &Context<'_>, page: ConsolePage<'_>) -> Response {
        self.show_with(context, page, &html! {})
    }

    /// Like [`Self::show`], with further fields above the button.
    pub(crate) fn show_with(
        &self,
        context: &Context<'_>,
        page: ConsolePage<'_>,
        further: &Markup,
    ) -> Response {
        let fields = html! {
            (further)
            div.row {
                button.danger type="submit" { (self.button) }
                a href=(self.back) { "Leave it as it is" }
            }
        };
        let content = html! {
            (self.consequences)
            (parts::form(&self.action, &context.form_token(), &fields))
        };
        page.show_alone(self.title, &content)
    }
}
