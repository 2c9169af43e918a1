//! A sign-in that failed.
//!
//! The page has only a link, without a form: for the code in its address it sends no referrer, and browsers then hide
//! the origin of its forms as well, so that the console would refuse them.

use maud::html;
use spindrift_web::Response;

use super::Purpose;
use crate::{Address, ConsoleError, ConsolePage, Problem, Result, parts};

/// The page for a sign-in that the service refused. `Err`: another kind of error.
pub(super) fn refused(purpose: Purpose, error: ConsoleError) -> Result<Response> {
    match error {
        ConsoleError::Refused { status, message, request_id } => {
            Ok(show(purpose, Problem::new(status, message), request_id.as_deref()))
        }
        other => Err(other),
    }
}

pub(super) fn show(purpose: Purpose, problem: Problem, request_id: Option<&str>) -> Response {
    let (title, heading, back, button) = match purpose {
        Purpose::Login => ("Log in", "Log in to Spindrift", Address::page(["login"]), "Back to the login"),
        Purpose::Bind => {
            let heading = "Your account is not linked";
            (heading, heading, Address::page(["people"]), "Back to your account")
        }
    };
    let content = html! {
        @if let Some(id) = request_id { (parts::request_id(id)) }
        p { a.button href=(back) { (button) } }
    };
    ConsolePage::new(title).with_problem(Some(problem)).show_alone(heading, &content)
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use spindrift_web::ResponseBody;

    use super::*;

    #[test]
    fn a_refusal_says_why_and_where_the_cause_is() {
        let error = ConsoleError::Refused {
            status: StatusCode::SERVICE_UNAVAILABLE,
            message: "the provider does not answer".to_owned(),
            request_id: Some("r-1".to_owned()),
        };
        let answer = refused(Purpose::Login, error).unwrap();
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        let ResponseBody::Full(text) = answer.body() else { panic!("a full body") };
        let page = String::from_utf8(text.to_vec()).unwrap();
        for part in ["the provider does not answer", "<code>r-1</code>", "href=\"/console/login\""] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("<form"), "{page}");
        assert!(matches!(refused(Purpose::Bind, ConsoleError::LoggedOut), Err(ConsoleError::LoggedOut)));
    }
}
