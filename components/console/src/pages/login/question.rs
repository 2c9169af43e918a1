//! The page that asks for a passkey.

use maud::html;
use spindrift_api::PasskeyQuestionBody;
use spindrift_web::Response;

use super::recovery;
use crate::passkey_form::SCRIPT;
use crate::{Address, ConsolePage, Context, PasskeyFields, PasskeyForm, PasskeyKind};

/// `asked`: `None` if browsers have no passkeys for the service's address. Then only a recovery code helps.
pub(super) fn show(context: &Context<'_>, then: &str, asked: Option<&PasskeyQuestionBody>) -> Response {
    let Some(asked) = asked else { return recovery::page(context, then, None) };
    let action = Address::page(["login", "answer"]);
    let form = PasskeyForm {
        kind: PasskeyKind::Get,
        action: action.as_str(),
        fields: PasskeyFields::OWN,
        button: "Use your passkey",
    };
    let then_field = html! { input type="hidden" name="then" value=(then); };
    let content = html! {
        p { "Your browser asks for your fingerprint, your face, a PIN or your security key." }
        (form.show(asked, &context.form_token(), &then_field))
        details.choice {
            summary { "No passkey at hand?" }
            (recovery::form(context, then))
        }
        p.hint { a href=(Address::page(["login"]).with("then", then)) { "Log in another way" } }
    };
    ConsolePage::new("Use your passkey").with_script(SCRIPT).show_alone("Use your passkey", &content)
}
