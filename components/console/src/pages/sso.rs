//! Single sign-on: the way to the provider and back.

mod begun;
mod finish;
mod refusal;

use http::Method;
use spindrift_api::{SsoBeginBody, SsoBody, SsoQuestionBody};
use spindrift_web::Response;

pub(super) use self::begun::Purpose;
pub(crate) use self::finish::finish;
use self::refusal::refused;
use crate::{Address, ConsoleError, Context, Cookie, Result, respond};

/// A provider without a name.
const UNNAMED: &str = "single sign-on";

/// The name of the provider. `Ok(None)`: the service has none.
pub(super) async fn provider(context: &Context<'_>) -> Result<Option<String>> {
    let sso: SsoBody = context.service.with_token(None).get(&Address::call("/sso")).await?;
    Ok(sso.enabled.then(|| sso.name.unwrap_or_else(|| UNNAMED.to_owned())))
}

/// A page that leads to the provider. A redirect would not do: Chromium applies `form-action` to the redirects after
/// a form too. `then`: the page of the console to show after a login.
pub(super) async fn begin(context: &Context<'_>, purpose: Purpose, then: Option<&str>) -> Result<Response> {
    let (service, call) = match purpose {
        Purpose::Login => (context.service.with_token(None), "/sso/begin"),
        Purpose::Bind => (context.service.clone(), "/sso/bind"),
    };
    let body = SsoBeginBody { then: then.map(ToOwned::to_owned) };
    let asked: Result<SsoQuestionBody> = service.send_json(Method::POST, &Address::call(call), &body).await;
    let asked = match asked {
        Ok(asked) => asked,
        Err(error) => return refused(purpose, error),
    };
    let kept = purpose
        .begun_with(&asked.challenge)
        .ok_or_else(|| ConsoleError::no_answer("the challenge is not a valid cookie value"))?;
    if !is_web_address(&asked.address) {
        return Err(ConsoleError::no_answer("the provider's address is not a web address"));
    }
    let answer = respond::lead_on(&asked.address);
    Ok(respond::with_cookie(answer, Cookie::SignIn.set(&kept, context.is_secure())))
}

/// Whether a page may lead there: a link can also be a script.
fn is_web_address(text: &str) -> bool {
    let has_scheme = text.starts_with("https://") || text.starts_with("http://");
    has_scheme && text.bytes().all(|b| b.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_lead_to_the_web_only() {
        for address in ["https://id.example/authorize?client_id=a&state=b", "http://127.0.0.1:4000/authorize"]
        {
            assert!(is_web_address(address), "{address}");
        }
        for other in ["", "javascript:alert(1)", "//id.example", "/console/", "https://id.example/a b"] {
            assert!(!is_web_address(other), "{other}");
        }
    }
}
