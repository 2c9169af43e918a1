//! Forms that a browser answers with a passkey. Their script asks for it when a person presses the button.

use maud::{Markup, html};
use spindrift_api::{PasskeyAnswerBody, PasskeyQuestionBody};
use spindrift_web::Query;

use crate::form_token;

/// The script of a page with such a form.
pub(crate) const SCRIPT: &str = "passkey.js";

/// The names of the two fields with a question and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PasskeyFields {
    pub(crate) challenge: &'static str,
    /// The script fills it in, with JSON.
    pub(crate) credential: &'static str,
}

impl PasskeyFields {
    /// In a form that is about the passkey.
    pub(crate) const OWN: Self = Self { challenge: "challenge", credential: "credential" };
    /// Beside the fields of any other form, which is sent again with a proof.
    pub(crate) const PROOF: Self = Self { challenge: "proof_challenge", credential: "proof_credential" };

    /// Whether both fields are filled in.
    pub(crate) fn are_in(self, form: &Query) -> bool {
        [self.challenge, self.credential].iter().all(|name| form.get(name).is_some())
    }

    /// The answer in a form. The service refuses an incomplete one.
    pub(crate) fn read(self, form: &Query) -> PasskeyAnswerBody {
        PasskeyAnswerBody {
            challenge: form.get(self.challenge).map(ToOwned::to_owned),
            credential: form.get(self.credential).and_then(|json| serde_json::from_str(json).ok()),
        }
    }
}

/// The browser's function that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasskeyKind {
    /// Makes a new passkey.
    Create,
    /// Uses one.
    Get,
}

impl PasskeyKind {
    const fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Get => "get",
        }
    }
}

/// A form with one button.
pub(crate) struct PasskeyForm<'a> {
    pub(crate) kind: PasskeyKind,
    /// Where it is sent: path and query.
    pub(crate) action: &'a str,
    pub(crate) fields: PasskeyFields,
    pub(crate) button: &'a str,
}

impl PasskeyForm<'_> {
    /// `further`: hidden fields that are sent along.
    pub(crate) fn show(&self, question: &PasskeyQuestionBody, token: &str, further: &Markup) -> Markup {
        html! {
            form method="post" action=(self.action) data-passkey=(self.kind.word()) {
                input type="hidden" name=(form_token::FIELD) value=(token);
                (further)
                input type="hidden" name=(self.fields.challenge) value=(question.challenge);
                input type="hidden" name=(self.fields.credential) data-options=(question.options.get());
                p.problem role="alert" hidden {}
                p.hint data-unanswered { "Your browser needs scripts for passkeys." }
                button type="button" data-answer hidden { (self.button) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_of_the_service_is_only_text() {
        let question =
            serde_json::json!({ "options": { "challenge": "\"><script>" }, "challenge": "sealed" });
        let question: PasskeyQuestionBody = serde_json::from_value(question).unwrap();
        let form = PasskeyForm {
            kind: PasskeyKind::Get,
            action: "/console/x?y=1&z=2",
            fields: PasskeyFields::PROOF,
            button: "Use your passkey",
        };
        let shown = form.show(&question, "t", &html! {}).into_string();
        assert!(!shown.contains("<script>"), "{shown}");
        for part in [
            "action=\"/console/x?y=1&amp;z=2\" data-passkey=\"get\"",
            "name=\"proof_challenge\" value=\"sealed\"",
            "name=\"proof_credential\" data-options=\"{&quot;challenge&quot;:",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn an_answer_has_a_challenge_and_a_credential() {
        let read = |text: &str| {
            let form = Query::parse(text).unwrap();
            (PasskeyFields::OWN.are_in(&form), PasskeyFields::OWN.read(&form))
        };
        let (is_whole, answer) = read("challenge=c&credential=%7B%22id%22%3A%22k%22%7D");
        assert!(is_whole);
        assert_eq!(answer.challenge.as_deref(), Some("c"));
        assert_eq!(answer.credential, Some(serde_json::json!({ "id": "k" })));
        assert_eq!(read("challenge=c&credential=%7B").1.credential, None);
        assert!(!read("challenge=c&credential=").0 && !read("credential=1").0);
    }
}
