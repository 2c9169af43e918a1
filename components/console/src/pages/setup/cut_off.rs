//! The page that asks before a change cuts off installed copies. It says how many, and repeats the form.

use http::StatusCode;
use maud::html;
use spindrift_api::WhoamiBody;
use spindrift_service::Ports;
use spindrift_web::Response;

use crate::address::Address;
use crate::context::Context;
use crate::form_token;
use crate::layout::Place;
use crate::parts;
use crate::respond::{self, Policy};

/// The field that forces a change.
pub(super) const FORCE: &str = "force";

/// A change that the service refused because it would cut off installed copies.
pub(super) struct Insist<'a> {
    /// The heading: the question.
    pub(super) title: &'a str,
    /// The service's error text, with the number of devices.
    pub(super) problem: &'a str,
    /// The text of the button.
    pub(super) button: &'a str,
    /// The address that the form is sent to.
    pub(super) action: Address,
    /// The fields that were sent.
    pub(super) fields: &'a [(String, String)],
}

impl Insist<'_> {
    pub(super) fn show<P: Ports>(&self, context: &Context<'_, P>, me: &WhoamiBody) -> Response {
        let back = Address::page(["setup"]);
        let own = |name: &str| name == FORCE || name == form_token::FIELD;
        let inner = html! {
            @for (name, value) in self.fields.iter().filter(|(name, _)| !own(name)) {
                input type="hidden" name=(name) value=(value);
            }
            input type="hidden" name=(FORCE) value="true";
            div.row {
                button.danger type="submit" { (self.button) }
                a href=(back) { "Leave it as it is" }
            }
        };
        let content = html! {
            section.alone {
                h1 { (self.title) }
                p.problem role="alert" { (sentence(self.problem)) }
                p { "These copies will find no updates until they ask for existing names, or until you undo the change." }
                (parts::form(&self.action, &context.form_token(), &inner))
            }
        };
        let frame = context.frame(self.title, me, Some(Place::Setup), None);
        respond::page(StatusCode::CONFLICT, frame.around(&content), &Policy::default())
    }
}

/// Turns a text of the service into a sentence.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}

#[cfg(test)]
mod tests {
    #[test]
    fn sentences() {
        assert_eq!(super::sentence("this is it"), "This is it.");
    }
}
