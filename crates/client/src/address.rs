//! Addresses of the service's endpoints.

use spindrift_core::{dimension_or_default, encode_segments};
use url::Url;

use crate::{CheckOptions, Error};

/// A base address: `http` or `https`, with or without a path, nothing after it.
pub(crate) fn base(text: &str, what: &'static str) -> Result<Url, Error> {
    let url = web(text, what)?;
    let bare = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if bare { Ok(url) } else { Err(Error::InvalidUrl(what)) }
}

/// An `http` or `https` address.
pub(crate) fn web(text: &str, what: &'static str) -> Result<Url, Error> {
    let url = Url::parse(text).map_err(|_| Error::InvalidUrl(what))?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        Ok(url)
    } else {
        Err(Error::InvalidUrl(what))
    }
}

/// What errors show of an address that may hold secrets.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Only addresses without a host refuse this, and they were refused before.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

/// `{base}/{path}`; the path is encoded already.
pub(crate) fn endpoint(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let prefix = base.path().trim_end_matches('/');
    url.set_path(&format!("{prefix}/{path}"));
    url
}

/// A check.
pub(crate) fn check(base: &Url, options: &CheckOptions) -> Url {
    query(base, "checkVersion", options, &[("updater", options.updater())])
}

/// A beacon.
pub(crate) fn beacon(base: &Url, options: &CheckOptions) -> Url {
    query(base, "telemetry/beacon", options, &[])
}

/// Texts that are empty are not sent.
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

/// The edge's static answer for an updater; the empty text is the platform's default. `None` when a text cannot be a path
/// segment: the edge then has no answer.
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
    // Percent-encoded dots are dots all the same: such a segment would lead to another path.
    if segments.iter().any(|segment| matches!(*segment, "." | "..")) {
        return None;
    }
    Some(endpoint(edge, &format!("responses/{}", encode_segments(segments))))
}

#[cfg(test)]
mod tests;
