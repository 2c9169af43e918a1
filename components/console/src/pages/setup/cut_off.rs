//! The page that asks before a change cuts off installed copies. It says how many, and repeats the form.

use http::StatusCode;
use maud::html;
use spindrift_web::Response;

use crate::{Address, Confirm, Context, Place, Problem, Result, form_token};

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
    pub(super) async fn show(&self, context: &Context<'_>) -> Result<Response> {
        let me = context.me().await?;
        let own = |name: &str| name == FORCE || name == form_token::FIELD;
        let hidden = html! {
            @for (name, value) in self.fields.iter().filter(|(name, _)| !own(name)) {
                input type="hidden" name=(name) value=(value);
            }
            input type="hidden" name=(FORCE) value="true";
        };
        let confirm = Confirm {
            title: self.title,
            what: html! {
                p {
                    "These copies will find no updates until they ask for existing names, "
                    "or until you undo the change."
                }
            },
            button: self.button,
            action: self.action.clone(),
            back: Address::page(["setup"]),
        };
        let problem = Problem::new(StatusCode::CONFLICT, sentence(self.problem));
        let page = context.page(self.title, &me, Place::Setup).after(Some(problem));
        Ok(confirm.show_with(context, page, &hidden))
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
