//! Errors as pages.

use http::{HeaderMap, StatusCode, header};
use maud::html;
use spindrift_web::Response;

use crate::frame::{self, Frame};

/// Replaces the body of an error by a page. Status and headers stay, so a page says when to try again, and
/// caches do not store it. The body depends on nothing else, so an application without a page looks like an
/// unknown one.
pub(crate) fn in_html(mut response: Response) -> Response {
    let status = response.status();
    let is_page = response.headers().get(header::CONTENT_TYPE) == Some(&frame::HTML);
    if !(status.is_client_error() || status.is_server_error()) || is_page {
        return response;
    }
    let (title, text) = texts(status);
    let content = html! {
        main {
            h1 { (title) }
            p { (text) }
            @if let Some(seconds) = retry_seconds(response.headers()) {
                p { "Please try again in " (seconds) @if seconds == "1" { " second." } @else { " seconds." } }
            }
        }
    };
    let page = Frame::new(title).show(status, &content);
    let (parts, body) = page.into_parts();
    *response.body_mut() = body;
    response.headers_mut().extend(parts.headers);
    response
}

const fn texts(status: StatusCode) -> (&'static str, &'static str) {
    match status {
        StatusCode::NOT_FOUND => ("There is no page here", "Please check the address."),
        StatusCode::BAD_REQUEST => ("The address is not valid", "Please check what follows the `?`."),
        StatusCode::TOO_MANY_REQUESTS => {
            ("Too many questions", "Only a few questions a minute are answered for each network address.")
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            ("This page is not available at the moment", "The service cannot read its data.")
        }
        _ => ("Something went wrong", "The page could not be shown."),
    }
}

fn retry_seconds(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::RETRY_AFTER)?.to_str().ok()
}
