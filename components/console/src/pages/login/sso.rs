//! Logins through the provider for single sign-on.

use http::StatusCode;
use spindrift_web::{Request, Response};

use super::password;
use super::session::{TOO_OLD, own_page};
use crate::pages::sso::{self, Purpose};
use crate::{Context, Problem, Result};

/// The longest address of a page to return to, in bytes. The service seals it into the challenge, which a cookie has to
/// hold.
const MAX_THEN_BYTES: usize = 1024;

/// The page to return to: one of the console's, if it is short enough.
fn kept_page(then: &str) -> Option<&str> {
    own_page(then).filter(|page| page.len() <= MAX_THEN_BYTES)
}

/// `POST /console/login/sso`.
pub(crate) async fn begin(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form_to_repeat(request).await?;
    let then = sent.get("then").unwrap_or_default();
    if context.require_token_of(&sent).is_err() {
        let problem = Problem::new(StatusCode::FORBIDDEN, TOO_OLD);
        return Ok(password::form(context, then, Some(problem)).await);
    }
    sso::begin(context, Purpose::Login, kept_page(then)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_leads_to_short_pages_of_the_console() {
        let long = format!("/console/history?{}", "x".repeat(MAX_THEN_BYTES));
        for (then, kept) in [
            ("/console/apps/notes?page=2", Some("/console/apps/notes?page=2")),
            ("", None),
            ("https://evil.example/", None),
            ("//evil.example", None),
            (long.as_str(), None),
        ] {
            assert_eq!(kept_page(then), kept, "{then}");
        }
    }
}
