//! URLs of the service's endpoints.

use spindrift_core::{dimension_or_default, encode_segments};
use url::Url;

use crate::scope::{GROUP, OS_VERSION};
use crate::{CheckOptions, Error, GroupKey};

/// A base URL: `http` or `https`, with an optional path and nothing after it.
pub(crate) fn parse_base_url(text: &str, what: &'static str) -> Result<Url, Error> {
    let url = parse_web_url(text, what)?;
    let bare = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if bare { Ok(url) } else { Err(Error::InvalidUrl(what)) }
}

/// An `http` or `https` URL.
pub(crate) fn parse_web_url(text: &str, what: &'static str) -> Result<Url, Error> {
    let url = Url::parse(text).map_err(|_| Error::InvalidUrl(what))?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        Ok(url)
    } else {
        Err(Error::InvalidUrl(what))
    }
}

/// A URL for errors, without parts that may contain secrets.
pub(crate) fn redact(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // This fails only for URLs without a host, which were refused before.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

/// `{base}/{path}`; the path is already encoded.
pub(crate) fn endpoint(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let prefix = base.path().trim_end_matches('/');
    url.set_path(&format!("{prefix}/{path}"));
    url
}

/// The URL of a check.
pub(crate) fn check(base: &Url, options: &CheckOptions) -> Url {
    let groups: Vec<&str> = options.groups.iter().map(GroupKey::expose).collect();
    let said = [
        ("updater", options.updater()),
        (GROUP, &groups.join(",")),
        (OS_VERSION, options.os_version_to_send().unwrap_or_default()),
        ("interactive", if options.interactive { "1" } else { "" }),
    ];
    query(base, "checkVersion", options, &said)
}

/// The URL of a beacon, which requires every value. `more`: further parameters.
pub(crate) fn beacon(base: &Url, options: &CheckOptions, more: &[(&str, &str)]) -> Url {
    let named = |name: &str| dimension_or_default(Some(name).filter(|name| !name.is_empty())).to_owned();
    let options = CheckOptions {
        channel: named(&options.channel),
        platform: named(&options.platform),
        arch: named(&options.arch),
        ..options.clone()
    };
    query(base, "telemetry/beacon", &options, more)
}

/// Omits empty values from the query.
fn query(base: &Url, path: &str, options: &CheckOptions, more: &[(&str, &str)]) -> Url {
    let given = [
        ("app_name", options.app_name.as_str()),
        ("version", &options.version),
        ("channel", &options.channel),
        ("platform", &options.platform),
        ("arch", &options.arch),
        ("owner", &options.owner),
    ];
    let given = given.iter().chain(more).filter(|(_, value)| !value.is_empty());
    let mut url = endpoint(base, path);
    url.query_pairs_mut().extend_pairs(given);
    url
}

/// The URL of the edge's static answer for an updater; an empty text means the platform's default. `None` if
/// a text cannot be a path segment: the edge then has no answer.
pub(crate) fn static_answer(edge: &Url, options: &CheckOptions, updater: &str) -> Option<Url> {
    let dimension = |text| dimension_or_default(Some(text).filter(|text: &&str| !text.is_empty()));
    let file = format!("{}.json", options.version);
    let scope = [
        &options.owner,
        &options.app_name,
        dimension(&options.channel),
        dimension(&options.platform),
        dimension(&options.arch),
    ];
    let updater = (!updater.is_empty()).then_some(updater);
    let segments: Vec<&str> = scope.into_iter().chain(updater).chain([file.as_str()]).collect();
    // URL parsers treat percent-encoded dots as dots, so such a segment would lead to another path.
    if segments.iter().any(|segment| matches!(*segment, "." | "..")) {
        return None;
    }
    Some(endpoint(edge, &format!("responses/{}", encode_segments(segments))))
}

#[cfg(test)]
mod tests;
