//! Squirrel.Mac, which is also Electron's own updater on macOS. It installs any version that the feed names,
//! even an older version or the installed one. Since August 2026 it verifies the archive if the feed has its
//! digest, and downloads a delta instead if the feed has one from the running application's
//! `CFBundleVersion`.

use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;
use serde::Deserialize;
use url::Url;

use crate::fetch::fetch;
use crate::sha256_hex;

/// The answer of a feed. Everything except the URL is optional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacUpdate {
    /// URL of the zip file.
    pub url: Url,
    pub name: Option<String>,
    /// Release notes.
    pub notes: Option<String>,
    /// Date of the release, if the client can parse it.
    pub date: Option<Timestamp>,
    /// Digest of the archive, hex.
    pub sha256: Option<String>,
    /// Length of the archive.
    pub size: Option<u64>,
    /// The delta, if it has all that a client needs.
    pub delta: Option<MacDelta>,
}

/// A patch from one earlier build.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MacDelta {
    /// The `CFBundleVersion` that it begins with.
    pub from_version: String,
    pub url: String,
    /// Its digest, hex.
    pub sha256: String,
    /// Its length.
    pub size: u64,
}

#[derive(Deserialize)]
struct Answer {
    url: String,
    name: Option<String>,
    notes: Option<String>,
    pub_date: Option<String>,
    sha256: Option<String>,
    size: Option<u64>,
    delta: Option<serde_json::Value>,
}

/// Requests a feed by its complete URL. `None`: there is no update.
pub fn check(feed_url: &str) -> Result<Option<MacUpdate>, String> {
    let answer = fetch(feed_url, &[("accept", "application/json")])?;
    if answer.status == 204 {
        return Ok(None);
    }
    if !(200..300).contains(&answer.status) {
        return Err(format!("status {}", answer.status));
    }
    parse(&answer.body).map(Some)
}

/// Parses the answer of a feed.
pub fn parse(body: &[u8]) -> Result<MacUpdate, String> {
    let answer: Answer =
        serde_json::from_slice(body).map_err(|error| format!("invalid JSON response: {error}"))?;
    let url = Url::parse(&answer.url).map_err(|error| format!("{}: {error}", answer.url))?;
    let date = answer.pub_date.as_deref().and_then(date);
    let delta = answer.delta.and_then(|delta| serde_json::from_value(delta).ok());
    let is_usable =
        |delta: &MacDelta| is_digest(&delta.sha256) && delta.size > 0 && Url::parse(&delta.url).is_ok();
    let Answer { name, notes, sha256, size, .. } = answer;
    Ok(MacUpdate { url, name, notes, date, sha256, size, delta: delta.filter(is_usable) })
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Downloads the zip file.
pub fn download(update: &MacUpdate) -> Result<Vec<u8>, String> {
    let bytes = fetch(update.url.as_str(), &[("accept", "application/zip")])?.with_status(200)?;
    verify(&bytes, update.sha256.as_deref(), update.size)?;
    if bytes.starts_with(b"PK") { Ok(bytes) } else { Err("not a zip file".to_owned()) }
}

/// Downloads the delta for an application with this `CFBundleVersion`. `None`: there is none, so the client
/// downloads the archive.
pub fn download_delta(update: &MacUpdate, bundle_version: &str) -> Result<Option<Vec<u8>>, String> {
    let Some(delta) = update.delta.as_ref().filter(|delta| delta.from_version == bundle_version) else {
        return Ok(None);
    };
    let bytes = fetch(&delta.url, &[])?.with_status(200)?;
    verify(&bytes, Some(&delta.sha256), Some(delta.size))?;
    Ok(Some(bytes))
}

fn verify(bytes: &[u8], sha256: Option<&str>, size: Option<u64>) -> Result<(), String> {
    if size.is_some_and(|size| size != bytes.len() as u64) {
        return Err("another length".to_owned());
    }
    if sha256.is_some_and(|digest| !digest.eq_ignore_ascii_case(&sha256_hex(bytes))) {
        return Err("another digest".to_owned());
    }
    Ok(())
}

/// Parses `yyyy-MM-dd'T'HH:mm:ssZZZZZ` or `EEE MMM dd HH:mm:ss Z yyyy`. Other forms count as no date.
fn date(text: &str) -> Option<Timestamp> {
    static ISO: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})$")
            .expect("an expression")
    });
    if ISO.is_match(text) {
        return text.parse().ok();
    }
    Timestamp::strptime("%a %b %d %H:%M:%S %z %Y", text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_server::{Entry, FileServer};
    use crate::native_clients::nupkg::zip;

    #[test]
    fn dates_have_two_forms_and_no_fractions() {
        let seconds = |text: &str| {
            let json = format!(r#"{{"url":"http://h.example/a.zip","pub_date":"{text}"}}"#);
            parse(json.as_bytes()).unwrap().date.map(Timestamp::as_second)
        };
        assert_eq!(seconds("2013-09-18T12:29:53+01:00"), Some(1_379_503_793));
        assert_eq!(seconds("2013-09-18T11:29:53Z"), Some(1_379_503_793));
        assert_eq!(seconds("Wed Sep 18 12:29:53 +0100 2013"), Some(1_379_503_793));
        for dropped in
            ["2013-09-18T11:29:53.000Z", "2013-09-18 11:29:53Z", "2013-09-18T12:29:53+0100", "2013-09-18", ""]
        {
            assert_eq!(seconds(dropped), None, "{dropped}");
        }
    }

    #[test]
    fn an_answer_is_json_with_an_address() {
        let nulls = br#"{"url":"http://h.example/a%20b.zip","name":null,"notes":null,"extra":1}"#;
        assert_eq!(parse(nulls).unwrap().name, None);
        for bad in ["", "{}", r#"{"url":null}"#, r#"{"url":"a.zip"}"#, "null"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_named_file_is_downloaded() {
        let archive = zip(&[("App.app/Contents/Info.plist".to_owned(), b"<plist/>".to_vec())]);
        let server = FileServer::start([
            ("/update", Entry::File(br#"{"url":"http://h.example/","name":"1.1.0","notes":"n"}"#.to_vec())),
            ("/current", Entry::Status(204)),
            ("/broken", Entry::Status(500)),
            ("/moved", Entry::Redirect("/files/a.zip".to_owned())),
            ("/files/a.zip", Entry::File(archive.clone())),
        ]);
        let at = |path: &str| format!("{}{path}", server.url());

        let update = check(&at("/update")).unwrap().unwrap();

        assert_eq!((update.name.as_deref(), update.notes.as_deref()), (Some("1.1.0"), Some("n")));
        assert_eq!(check(&at("/current")).unwrap(), None);
        assert_eq!(check(&at("/broken")).unwrap_err(), "status 500");
        let moved = MacUpdate { url: at("/moved").parse().unwrap(), ..update.clone() };
        assert_eq!(download(&moved).unwrap(), archive);
        let no_archive = MacUpdate { url: at("/update").parse().unwrap(), ..update };
        assert_eq!(download(&no_archive).unwrap_err(), "not a zip file");
        let known =
            MacUpdate { sha256: Some(sha256_hex(&archive)), size: Some(archive.len() as u64), ..moved };
        assert_eq!(download(&known).unwrap(), archive);
        let other = MacUpdate { sha256: Some("ab".repeat(32)), ..known.clone() };
        assert_eq!(download(&other).unwrap_err(), "another digest");
        assert_eq!(download(&MacUpdate { size: Some(1), ..known }).unwrap_err(), "another length");
    }

    #[test]
    fn a_delta_needs_all_its_keys() {
        let of = |delta: serde_json::Value| {
            let answer = serde_json::json!({ "url": "http://h.example/a.zip", "delta": delta });
            parse(answer.to_string().as_bytes()).unwrap().delta
        };
        let whole = serde_json::json!({
            "from_version": "1.0.0", "url": "http://h.example/p", "sha256": "ab".repeat(32), "size": 1,
        });
        assert_eq!(of(whole.clone()).unwrap().from_version, "1.0.0");
        for (key, wrong) in
            [("from_version", 1.into()), ("sha256", "ab".into()), ("size", 0.into()), ("url", "".into())]
        {
            let mut delta = whole.clone();
            delta[key] = wrong;
            assert_eq!(of(delta), None, "{key}");
        }
    }
}
