//! The frame around the content of all pages, and their headers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue, StatusCode, header};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use spindrift_core::AccentColor;
use spindrift_web::{Response, response};

use crate::style;

pub(crate) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// A policy that forbids everything.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'");

/// A page without its content.
pub(crate) struct Frame<'a> {
    title: &'a str,
    accent: Option<&'a AccentColor>,
    /// The address of the logo; empty without one.
    logo: &'a str,
}

impl<'a> Frame<'a> {
    /// A page in the colors of the service.
    pub(crate) const fn new(title: &'a str) -> Self {
        Self { title, accent: None, logo: "" }
    }

    pub(crate) const fn with_accent(self, accent: Option<&'a AccentColor>) -> Self {
        Self { accent, ..self }
    }

    pub(crate) const fn with_logo(self, logo: &'a str) -> Self {
        Self { logo, ..self }
    }

    pub(crate) fn show(&self, status: StatusCode, content: &Markup) -> Response {
        let style = style::with_accent(self.accent);
        let markup = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) }
                    style { (PreEscaped(&style)) }
                }
                body { (content) }
            }
        };
        let mut answer = response::respond(status, HTML, markup.into_string());
        protect(&mut answer, &policy(&style, origin(self.logo)));
        answer
    }
}

/// The [Content Security Policy](https://www.w3.org/TR/CSP3/): no scripts, this one style, and pictures only
/// from the place of the logo.
fn policy(style: &str, pictures: &str) -> String {
    let digest = STANDARD.encode(Sha256::digest(style));
    let pictures = if pictures.is_empty() { String::new() } else { format!(" img-src {pictures};") };
    format!(
        "default-src 'none'; style-src 'sha256-{digest}';{pictures} form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'"
    )
}

/// Adds the security headers. A link may contain a download token, so pages that it leads to do not learn the
/// address of this one.
pub(crate) fn protect(answer: &mut Response, policy: &str) {
    let headers = answer.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        // If a setting contains characters that headers cannot, the page may load nothing at all.
        headers.insert(name, HeaderValue::try_from(value).unwrap_or(NOTHING));
    }
}

/// Scheme and host of an address; empty without one.
fn origin(address: &str) -> &str {
    let after_scheme = address.find("://").map_or(0, |at| at + 3);
    let end = address[after_scheme..].find(['/', '?', '#']).map_or(address.len(), |at| after_scheme + at);
    if after_scheme == 0 { "" } else { &address[..end] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_come_from_the_place_of_the_logo_alone() {
        for (address, expected) in [
            ("", ""),
            ("/logo.png", ""),
            ("https://files.example/bucket/logo.png", "https://files.example"),
            ("http://127.0.0.1:9000/b/l.png?x=1", "http://127.0.0.1:9000"),
            ("https://files.example", "https://files.example"),
        ] {
            assert_eq!(origin(address), expected);
        }
        assert!(!policy("", "").contains("img-src"));
        assert!(policy("", "https://a.example").contains(" img-src https://a.example; "));
    }
}
