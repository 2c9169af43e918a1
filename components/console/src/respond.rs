//! Responses: pages, redirects and files, with their security headers.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use maud::{DOCTYPE, Markup, html};
use sha2::{Digest as _, Sha256};
use spindrift_web::{Request, Response, ResponseBody, response};

use crate::Address;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
/// Minimum size of a response worth compressing, in bytes.
const MIN_COMPRESSED_BYTES: usize = 1024;
/// Fast, and reduces pages to a sixth.
const COMPRESSION_LEVEL: u8 = 4;

/// Bytes of a page's digest in its tag.
const TAG_BYTES: usize = 16;

/// A policy that forbids everything.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'");

/// Other origins that a page may load from and connect to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Origins of pictures, separated by spaces.
    pub(crate) pictures: String,
    /// Origins that scripts may connect to, separated by spaces.
    pub(crate) connections: String,
}

impl Policy {
    /// The [Content Security Policy](https://www.w3.org/TR/CSP3/): nothing inline, nothing from
    /// other origins.
    fn text(&self) -> String {
        format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; \
             img-src 'self' {}; connect-src 'self' {}; form-action 'self'; base-uri 'none'; \
             frame-ancestors 'none'",
            self.pictures, self.connections
        )
    }
}

pub(crate) fn page(status: StatusCode, markup: Markup, policy: &Policy) -> Response {
    let mut answer = response::respond(status, HTML, markup.into_string());
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    protect(headers, &policy.text());
    answer
}

fn protect(headers: &mut HeaderMap, policy: &str) {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        // If a setting contains characters that headers cannot, the page may load nothing at all.
        let value = HeaderValue::try_from(value).unwrap_or(NOTHING);
        headers.insert(name, value);
    }
}

/// For a page whose address is a secret: nobody else learns it from a browser, and no log of a proxy from the
/// requests that the page causes.
pub(crate) fn without_referrer(mut answer: Response) -> Response {
    answer.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    answer
}

/// Answers 304 if the browser has this page already. Cookies are set all the same.
pub(crate) fn unless_known(mut answer: Response, known: Option<&str>) -> Response {
    let ResponseBody::Full(body) = answer.body() else { return answer };
    let is_page =
        answer.status() == StatusCode::OK && answer.headers().get(header::CONTENT_TYPE) == Some(&HTML);
    if !is_page {
        return answer;
    }
    // Weak, because the same page may be sent compressed.
    let digest = Sha256::digest(body);
    let tag = format!(
        "W/\"{:x}\"",
        digest.iter().take(TAG_BYTES).fold(0_u128, |tag, byte| tag << 8 | u128::from(*byte))
    );
    let is_known = known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag));
    if is_known {
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
        *answer.body_mut() = ResponseBody::Full(Bytes::new());
        answer.headers_mut().remove(header::CONTENT_TYPE);
        answer.headers_mut().remove(header::CONTENT_LENGTH);
    }
    if let Ok(value) = HeaderValue::try_from(tag) {
        answer.headers_mut().insert(header::ETAG, value);
    }
    answer
}

/// Redirects after a form, with 303, so that a reload does not repeat the form.
pub(crate) fn see_other(address: &Address) -> Response {
    let mut answer = response::empty(StatusCode::SEE_OTHER);
    if let Ok(value) = HeaderValue::try_from(address.as_str()) {
        answer.headers_mut().insert(header::LOCATION, value);
    }
    answer.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    answer
}

/// A page that leads on at once, with a link for browsers that do not. `to`: an address; an empty one is that of this
/// page, with its query.
pub(crate) fn lead_on(to: &str) -> Response {
    let order = if to.is_empty() { "0".to_owned() } else { format!("0; url={to}") };
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; meta http-equiv="refresh" content=(order); title { "Spindrift" } }
            body { p { "One moment. " a href=(to) { "Go on" } } }
        }
    };
    page(StatusCode::OK, markup, &Policy::default())
}

/// Adds a cookie to the response, if there is one.
pub(crate) fn with_cookie(mut answer: Response, cookie: Option<HeaderValue>) -> Response {
    answer.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    answer
}

/// A table as CSV ([RFC 4180](https://www.rfc-editor.org/rfc/rfc4180)).
pub(crate) fn csv(name: &str, head: &[&str], rows: &[Vec<String>]) -> Response {
    let mut text = csv_line(head.iter().copied());
    text.extend(rows.iter().map(|row| csv_line(row.iter().map(String::as_str))));
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    file(&format!("{plain}.csv"), HeaderValue::from_static("text/csv; charset=utf-8"), text.into())
}

/// A download that browsers never display. Only letters, digits, `.` and `-` of `name` are used.
pub(crate) fn file(name: &str, content_type: HeaderValue, bytes: Bytes) -> Response {
    let mut answer = response::respond(StatusCode::OK, content_type, bytes);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let headers = answer.headers_mut();
    if let Ok(value) = HeaderValue::try_from(format!("attachment; filename=\"{plain}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    headers.insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    protect(headers, &Policy::default().text());
    answer
}

fn csv_line<'c>(cells: impl Iterator<Item = &'c str>) -> String {
    format!("{}\r\n", cells.map(csv_cell).collect::<Vec<_>>().join(","))
}

/// Prefixes a cell that looks like a formula with an apostrophe, because spreadsheets would run it.
fn csv_cell(cell: &str) -> String {
    let plain =
        if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell.to_owned() };
    if plain.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", plain.replace('"', "\"\"")) } else { plain }
}

/// Compresses the body if the browser accepts that, and it is not compressed yet. `deflate` means
/// the zlib format: [RFC 9110 §8.4.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2).
pub(crate) fn compress(mut answer: Response, accepted: Option<&str>) -> Response {
    let is_accepted = accepted.is_some_and(|list| {
        list.split(',').any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            name.trim() == "deflate"
                && !matches!(weight.trim().strip_prefix("q="), Some("0" | "0.0" | "0.00" | "0.000"))
        })
    });
    response::vary_by(answer.headers_mut(), "Accept-Encoding");
    let ResponseBody::Full(body) = answer.body() else { return answer };
    let is_compressed = answer.headers().contains_key(header::CONTENT_ENCODING);
    if !is_accepted || is_compressed || body.len() < MIN_COMPRESSED_BYTES {
        return answer;
    }
    let smaller = miniz_oxide::deflate::compress_to_vec_zlib(body, COMPRESSION_LEVEL);
    *answer.body_mut() = ResponseBody::Full(Bytes::from(smaller));
    answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("deflate"));
    answer
}

/// The codings that the browser accepts.
pub(crate) fn accepted_codings(request: &Request) -> Option<&str> {
    request.header("accept-encoding")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_never_formulas() {
        for (cell, expected) in [
            ("1.0.0", "1.0.0"),
            ("=1+1", "'=1+1"),
            ("-1", "'-1"),
            ("a,b", "\"a,b\""),
            ("say \"x\"\n", "\"say \"\"x\"\"\n\""),
        ] {
            assert_eq!(csv_cell(cell), expected);
        }
    }

    /// Names and versions are free text, in the header row as well.
    #[test]
    fn files_hold_no_formulas() {
        let answer = csv("notes: =1+1\"", &["Day", "=1+1"], &[vec!["2026-11-21".into(), "@SUM(1,2)".into()]]);
        let ResponseBody::Full(text) = answer.body() else { panic!("a full body") };
        assert_eq!(text, "Day,'=1+1\r\n2026-11-21,\"'@SUM(1,2)\"\r\n");
        let name = &answer.headers()[header::CONTENT_DISPOSITION];
        assert_eq!(name, "attachment; filename=\"notes---1-1-.csv\"");
    }

    #[test]
    fn a_page_leads_on_with_an_order_and_a_link() {
        for (to, order, link) in [
            ("", "content=\"0\"", "href=\"\""),
            (
                "https://a.example/?b=1&c=2",
                "content=\"0; url=https://a.example/?b=1&amp;c=2\"",
                "href=\"https://",
            ),
        ] {
            let answer = lead_on(to);
            let ResponseBody::Full(text) = answer.body() else { panic!("a full body") };
            let page = String::from_utf8(text.to_vec()).unwrap();
            assert!(page.contains(order) && page.contains(link), "{page}");
        }
    }

    #[test]
    fn a_page_that_is_known_is_not_sent_again() {
        let answer = |text: &'static str, known: Option<&str>| {
            unless_known(response::respond(StatusCode::OK, HTML, text), known)
        };
        let first = answer("a page", None);
        let tag = first.headers()[header::ETAG].to_str().unwrap().to_owned();
        assert_eq!(first.status(), StatusCode::OK);
        for (text, known, expected) in [
            ("a page", tag.clone(), StatusCode::NOT_MODIFIED),
            ("a page", format!("\"x\", {tag}"), StatusCode::NOT_MODIFIED),
            ("another page", tag.clone(), StatusCode::OK),
            ("a page", "\"x\"".to_owned(), StatusCode::OK),
        ] {
            let answer = answer(text, Some(&known));
            assert_eq!(answer.status(), expected, "{text} {known}");
            let ResponseBody::Full(body) = answer.body() else { panic!("a full body") };
            assert_eq!(body.is_empty(), expected == StatusCode::NOT_MODIFIED);
        }
        let refused = unless_known(response::respond(StatusCode::NOT_FOUND, HTML, "a page"), Some(&tag));
        assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn only_clients_that_accept_it_get_compressed_pages() {
        let page = || response::respond(StatusCode::OK, HTML, "x".repeat(5000));
        for (accepted, is_compressed) in [
            (Some("gzip, deflate, br"), true),
            (Some("deflate;q=0"), false),
            (Some("gzip"), false),
            (None, false),
        ] {
            let answer = compress(page(), accepted);
            assert_eq!(
                answer.headers().contains_key(header::CONTENT_ENCODING),
                is_compressed,
                "{accepted:?}"
            );
            assert_eq!(answer.headers()[header::VARY], "Accept-Encoding");
            let ResponseBody::Full(body) = answer.body() else { panic!("a full body") };
            assert_eq!(body.len() < 1000, is_compressed);
        }
    }
}
