//! Query strings, urlencoded forms, and the headers that decide about an answer.

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use futures::executor::block_on;
use http::StatusCode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use spindrift_core::TrustedProxies;
use spindrift_web::response::{cacheable, conditional, etag, respond};
use spindrift_web::{Form, FormLimits, PageQuery, Query, Request, parse_json};

use crate::text::of;
use crate::world::slowly;

/// Longest field of a form here.
const MAX_FIELD: usize = 1024;
const LIMITS: FormLimits = FormLimits { body: 64 * 1024, field: MAX_FIELD, file: 0 };

/// A query is read or refused. A query that is read means the same when it is written and read again; pages are within
/// their limits; an answer is withheld exactly from requests that name its tag.
pub fn queries(data: &[u8]) -> bool {
    form(data);
    body(data);
    let Some(text) = of(data) else { return false };
    if let Ok(query) = Query::parse(text) {
        page(&query);
        let pairs = query.into_pairs();
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let written: Vec<_> =
            pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        assert_eq!(Query::parse(&written.join("&")).map(Query::into_pairs), Ok(pairs));
    }
    tags(text);
    forwarded(text);
    Query::parse(text).is_ok()
}

fn page(query: &Query) {
    if let Ok(page) = PageQuery::parse(query, 20) {
        assert!(page.number >= 1 && (1..=100).contains(&page.limit));
        assert!(page.skip() <= u64::from(u32::MAX) * 100);
    }
    if let Ok(Some(version)) = query.optional_version("version") {
        assert!(query.required_version("version").is_ok_and(|again| again == version));
    }
}

/// A form is a query in a body, without repeated names.
fn form(data: &[u8]) {
    let request =
        http::Request::post("/x").header("content-type", "application/x-www-form-urlencoded").body(());
    let body = slowly(vec![Bytes::copy_from_slice(data)]);
    let request = Request::new(request.expect("a request").into_parts().0, body);
    match block_on(Form::read(request, LIMITS)) {
        Ok(form) => {
            let query = Query::parse(of(data).expect("a form is UTF-8")).expect("a form is a query");
            for (name, value) in query.into_pairs() {
                assert!(value.len() <= MAX_FIELD);
                assert_eq!(form.field(&name), Some(value.as_str()), "each name occurs once");
            }
        }
        Err(refusal) => assert!(matches!(refusal.status().as_u16(), 400 | 413), "{refusal}"),
    }
}

/// An object in JSON is read as by any other reader; everything else is refused.
fn body(data: &[u8]) {
    let usual = serde_json::from_slice(data).ok().filter(serde_json::Value::is_object);
    match parse_json::<serde_json::Value>(data) {
        Ok(value) => assert_eq!(Some(value), usual),
        Err(refusal) => {
            assert_eq!(refusal.status(), StatusCode::BAD_REQUEST);
            assert_eq!(usual, None, "{refusal}");
        }
    }
}

fn tags(text: &str) {
    let body = text.as_bytes();
    let tag = etag(body);
    assert!(tag.len() == 18 && tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    let status = |header: &str| {
        let answer = respond(StatusCode::OK, http::HeaderValue::from_static("text/plain"), body.to_vec());
        let answer = conditional(cacheable(answer), Some(header));
        assert_eq!(
            answer.status() == StatusCode::NOT_MODIFIED,
            answer.body().is_empty() && !is_empty_ok(&answer, body)
        );
        answer.status()
    };
    let is_listed = text.contains(&tag) || text.trim() == "*";
    assert!(status(text) == StatusCode::OK || is_listed, "{text:?}");
    for listed in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), format!("W/{tag} ,\"x\"")] {
        assert_eq!(status(&listed), StatusCode::NOT_MODIFIED, "{listed}");
    }
    let other = etag(&[body, b"."].concat());
    assert!(other == tag || status(&other) == StatusCode::OK);
}

/// Whether an answer is empty because there was nothing to send.
fn is_empty_ok(answer: &spindrift_web::Response, body: &[u8]) -> bool {
    body.is_empty() && answer.status() == StatusCode::OK
}

/// Nobody but a trusted proxy says where a request comes from.
fn forwarded(text: &str) {
    let peer = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    let alone = TrustedProxies::default().client(peer, text.split('\n'));
    assert_eq!(alone, TrustedProxies::default().client(peer, [].into_iter()));
    let trusted: TrustedProxies = "192.0.2.0/24,fd00::/8".parse().expect("networks");
    let subject = trusted.client(peer, text.split('\n')).subject();
    assert!(matches!(subject.len(), 8 | 16) && subject.bytes().all(|b| b.is_ascii_hexdigit()), "{subject}");
    if let Ok(networks) = text.parse::<TrustedProxies>() {
        assert_eq!(text.parse::<TrustedProxies>().as_ref(), Ok(&networks));
        networks.client(peer, text.split(','));
    }
}
