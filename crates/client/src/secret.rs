//! Secrets, whose `Debug` hides them.

use std::fmt;
use std::str::FromStr;

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Prefix of all report keys.
const REPORT_KEY_PREFIX: &str = "rpk_";
/// Prefix of all download tokens.
const DOWNLOAD_TOKEN_PREFIX: &str = "sdd_";
/// Prefix of all keys of groups.
const GROUP_KEY_PREFIX: &str = "grp_";
/// Header with the download token.
const DOWNLOAD_TOKEN: HeaderName = HeaderName::from_static("x-download-token");
/// Hexadecimal digits after a prefix.
const DIGITS: usize = 64;
/// Hexadecimal digits after the prefix of a group's key.
const GROUP_KEY_DIGITS: usize = 32;

/// A text that is not a valid secret. The error does not repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid {0}")]
pub struct InvalidSecret(&'static str);

/// The key that an application sends with failure reports: `rpk_` and 64 hexadecimal digits. Every copy of
/// the application contains it, so it proves little. It still must not be logged, and `Debug` hides it.
///
/// ```
/// use spindrift_client::ReportKey;
///
/// let key: ReportKey = format!("rpk_{}", "0".repeat(64)).parse()?;
/// assert_eq!(format!("{key:?}"), "ReportKey([redacted])");
/// # Ok::<(), spindrift_client::InvalidSecret>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ReportKey(String);

impl ReportKey {
    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        bearer(&self.0)
    }
}

impl FromStr for ReportKey {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        if has_form(text, REPORT_KEY_PREFIX, DIGITS) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSecret("report key"))
        }
    }
}

fn has_form(text: &str, prefix: &str, length: usize) -> bool {
    let digits = text.strip_prefix(prefix).unwrap_or_default();
    digits.len() == length && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The token with which copies of a private application download: `sdd_` and 64 hexadecimal digits. It must
/// not be logged, and `Debug` hides it.
///
/// ```
/// use spindrift_client::DownloadToken;
///
/// let token: DownloadToken = format!("sdd_{}", "0".repeat(64)).parse()?;
/// assert_eq!(format!("{token:?}"), "DownloadToken([redacted])");
/// # Ok::<(), spindrift_client::InvalidSecret>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DownloadToken(String);

impl DownloadToken {
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        sensitive(&self.0)
    }
}

impl FromStr for DownloadToken {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        if has_form(text, DOWNLOAD_TOKEN_PREFIX, DIGITS) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSecret("download token"))
        }
    }
}

/// The key of a group of testers, which they type into the application: `grp_` and 32 hexadecimal digits.
/// Releases may be for such a group before they are for everybody. It must not be logged, and `Debug` hides
/// it.
///
/// ```
/// use spindrift_client::GroupKey;
///
/// let key: GroupKey = format!("grp_{}", "0".repeat(32)).parse()?;
/// assert_eq!(format!("{key:?}"), "GroupKey([redacted])");
/// # Ok::<(), spindrift_client::InvalidSecret>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct GroupKey(String);

impl GroupKey {
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl FromStr for GroupKey {
    type Err = InvalidSecret;

    /// Accepts what a tester may have typed: spaces around the key, and capital letters.
    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        let key = text.trim().to_ascii_lowercase();
        if has_form(&key, GROUP_KEY_PREFIX, GROUP_KEY_DIGITS) {
            Ok(Self(key))
        } else {
            Err(InvalidSecret("group key"))
        }
    }
}

/// A login token, for downloads of private applications. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken(String);

impl BearerToken {
    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        bearer(&self.0)
    }
}

impl FromStr for BearerToken {
    type Err = InvalidSecret;

    /// Accepts printable ASCII characters without spaces.
    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        if !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSecret("token"))
        }
    }
}

/// The headers that authenticate a download.
pub(crate) fn headers(token: Option<&BearerToken>, app_token: Option<&DownloadToken>) -> HeaderMap {
    let authorization = token.and_then(BearerToken::authorization);
    let download_token = app_token.and_then(DownloadToken::header);
    [(header::AUTHORIZATION, authorization), (DOWNLOAD_TOKEN, download_token)]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

fn bearer(secret: &str) -> Option<HeaderValue> {
    sensitive(&format!("Bearer {secret}"))
}

fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl fmt::Debug for ReportKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReportKey([redacted])")
    }
}

impl fmt::Debug for DownloadToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DownloadToken([redacted])")
    }
}

impl fmt::Debug for GroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroupKey([redacted])")
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_report_keys_are_report_keys() {
        let digits = "0123456789abcdefABCDEF".repeat(3)[..64].to_owned();
        assert!(format!("rpk_{digits}").parse::<ReportKey>().is_ok());
        for bad in ["", "rpk_", &digits, &format!("rpk_{digits}0"), &format!("rpk_{}", "g".repeat(64))] {
            assert!(bad.parse::<ReportKey>().is_err(), "{bad}");
        }
    }

    #[test]
    fn only_download_tokens_are_download_tokens() {
        let digits = "0f".repeat(32);
        let token: DownloadToken = format!("sdd_{digits}").parse().unwrap();
        assert!(token.header().unwrap().is_sensitive());
        for bad in ["", "sdd_", &format!("rpk_{digits}"), &format!("sdd_{digits}&x")] {
            assert!(bad.parse::<DownloadToken>().is_err(), "{bad}");
        }
    }

    #[test]
    fn keys_of_groups_are_accepted_as_testers_type_them() {
        let key = format!("grp_{}", "0f".repeat(16));
        for typed in [key.clone(), format!(" {key}\n"), key.to_uppercase()] {
            assert_eq!(typed.parse::<GroupKey>().unwrap().expose(), key);
        }
        for bad in ["", "grp_", &format!("{key}0"), &format!("{key},{key}"), &"0".repeat(36)] {
            assert!(bad.parse::<GroupKey>().is_err(), "{bad}");
        }
    }

    #[test]
    fn no_secret_prints() {
        let token: BearerToken = "a.b.c".parse().unwrap();
        assert_eq!(format!("{token:?}"), "BearerToken([redacted])");
        assert!(token.authorization().unwrap().is_sensitive());
        for bad in ["", "a b", "a\nb", "ä"] {
            assert!(bad.parse::<BearerToken>().is_err(), "{bad:?}");
        }
    }
}
