//! The page that asks before it forces a change that the service has refused. It shows how many
//! devices are concerned, and repeats the form.

use http::StatusCode;
use maud::html;
use spindrift_web::Response;

use crate::{Address, Confirm, Context, MenuEntry, Problem, Result, form_token};

/// The form field that forces a change.
pub(crate) const FORCE: &str = "force";

/// A change that the service refused for the sake of devices.
pub(crate) struct ForceConfirmation<'a> {
    /// The question, as a heading.
    pub(crate) title: &'a str,
    /// The service's error text, with the number of devices.
    pub(crate) problem: &'a str,
    /// The consequence for these devices.
    pub(crate) consequence: &'a str,
    pub(crate) button: &'a str,
    /// Where the form is sent.
    pub(crate) action: Address,
    /// The page to return to without the change.
    pub(crate) back: Address,
    /// The page's place in the menu.
    pub(crate) place: MenuEntry,
    /// The fields of the refused form.
    pub(crate) fields: &'a [(String, String)],
}

impl ForceConfirmation<'_> {
    pub(crate) async fn show(self, context: &Context<'_>) -> Result<Response> {
        let me = context.me().await?;
        let own = |name: &str| name == FORCE || name == form_token::FIELD;
        let hidden = html! {
            @for (name, value) in self.fields.iter().filter(|(name, _)| !own(name)) {
                input type="hidden" name=(name) value=(value);
            }
            input type="hidden" name=(FORCE) value="true";
        };
        let consequences = html! { p { (self.consequence) } };
        let Self { title, button, action, back, .. } = self;
        let confirm = Confirm { title, consequences, button, action, back };
        let problem = Problem::new(StatusCode::CONFLICT, sentence(self.problem));
        let page = context.page(title, &me, self.place).with_problem(Some(problem));
        Ok(confirm.show_with(context, page, &hidden))
    }
}

/// Turns a message of the service into a sentence.
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
