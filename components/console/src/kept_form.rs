//! A form that is shown again with all its fields hidden, because it needs a proof of identity.

use maud::{Markup, html};
use spindrift_web::Query;

use crate::form_token;
use crate::passkey_form::PasskeyFields;

/// Fields with secrets, which no page gets back.
const SECRET: [&str; 4] = ["password", "again", "current", "secret"];
/// Fields that are made for each page.
const OF_PAGE: [&str; 3] =
    [form_token::FIELD, PasskeyFields::PROOF.challenge, PasskeyFields::PROOF.credential];

/// The fields of a form, in their order.
pub(crate) struct KeptForm(Vec<(String, String)>);

impl KeptForm {
    /// `None`: the form has a secret.
    pub(crate) fn of(form: &Query) -> Option<Self> {
        if SECRET.iter().any(|name| form.get(name).is_some()) {
            return None;
        }
        let mut fields = form.clone().into_pairs();
        fields.retain(|(name, _)| !OF_PAGE.contains(&name.as_str()));
        Some(Self(fields))
    }

    pub(crate) fn hidden_fields(&self) -> Markup {
        html! {
            @for (name, value) in &self.0 { input type="hidden" name=(name) value=(value); }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(form: &str) -> Option<String> {
        KeptForm::of(&Query::parse(form).unwrap()).map(|form| form.hidden_fields().into_string())
    }

    #[test]
    fn a_form_comes_back_without_its_token_and_earlier_proof() {
        let shown = kept("form_token=t&a=1&proof_challenge=c&a=%3C2%3E&proof_credential=%7B%7D&password=");
        let field =
            |name: &str, value: &str| format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">");
        let expected = [field("a", "1"), field("a", "&lt;2&gt;"), field("password", "")].concat();
        assert_eq!(shown, Some(expected));
    }

    #[test]
    fn secrets_are_not_kept() {
        for name in SECRET {
            assert_eq!(kept(&format!("a=1&{name}=x")), None, "{name}");
        }
    }
}
