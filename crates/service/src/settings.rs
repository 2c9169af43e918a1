//! Settings: Spin's application variables, parsed. `docs/settings.md` lists them all.

use std::time::Duration;

use spindrift_auth::JwtKey;
use spindrift_core::{DownloadMode, TrustedProxies};
use spindrift_storage::{PublicBase, StorageConfig, StorageConfigError};
use spindrift_web::{ApiError, ErrorCode, Reason, VariableError};

use crate::{Failure, Ports};

/// The text of a setting; undeclared counts as empty.
pub fn text(ports: &impl Ports, name: &str) -> Result<String, VariableError> {
    Ok(ports.variable(name)?.unwrap_or_default())
}

/// The error for an unusable setting: the caller learns its name, the log the reason.
pub(crate) fn unusable(name: &str, why: &str) -> ApiError {
    ApiError::Unavailable {
        public: Reason::new(ErrorCode::SettingsUnavailable, format!("the setting {name} {why}")),
        internal: format!("{name} {why}"),
    }
}

/// `jwt_secret`: signs login tokens. At least 32 bytes, no default.
pub fn jwt_key(ports: &impl Ports) -> Result<JwtKey, Failure> {
    let secret = text(ports, "jwt_secret")?;
    JwtKey::new(&secret).map_err(|_| unusable("jwt_secret", "is missing or shorter than 32 bytes").into())
}

/// A switch: `true` or `false`; empty means `default`.
pub fn flag(ports: &impl Ports, name: &str, default: bool) -> Result<bool, Failure> {
    match text(ports, name)?.as_str() {
        "" => Ok(default),
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(unusable(name, "must be true or false").into()),
    }
}

/// A number in `range`; empty means `default`.
pub fn number(
    ports: &impl Ports,
    name: &str,
    default: u64,
    range: std::ops::RangeInclusive<u64>,
) -> Result<u64, Failure> {
    let text = text(ports, name)?;
    if text.is_empty() {
        return Ok(default);
    }
    text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        let why = format!("must be a number from {} to {}", range.start(), range.end());
        unusable(name, &why).into()
    })
}

/// `enable_private_app_downloading`: who may download files of private applications that have no mode of their own.
pub fn default_download_mode(ports: &impl Ports) -> Result<DownloadMode, Failure> {
    let open_to_all = flag(ports, "enable_private_app_downloading", false)?;
    Ok(if open_to_all { DownloadMode::Unlisted } else { DownloadMode::Login })
}

/// `api_url`: the public URL of the service, without a trailing slash.
pub fn api_url(ports: &impl Ports) -> Result<String, Failure> {
    Ok(text(ports, "api_url")?.trim_end_matches('/').to_owned())
}

/// `s3_public_url`: the base URL of public links.
pub fn public_base(ports: &impl Ports) -> Result<PublicBase, Failure> {
    let base = text(ports, "s3_public_url")?;
    PublicBase::parse(&base)
        .map_err(|reason| StorageConfigError::Invalid { name: "s3_public_url", reason }.into())
}

/// `storage_driver` and all settings that begin with `s3_`.
pub fn storage(ports: &impl Ports) -> Result<StorageConfig, Failure> {
    Ok(StorageConfig::from_lookup(|name| ports.variable(name))?)
}

/// `trusted_proxies`: the proxies whose `X-Forwarded-For` is trusted.
pub fn trusted_proxies(ports: &impl Ports) -> Result<TrustedProxies, Failure> {
    let list = text(ports, "trusted_proxies")?;
    list.parse().map_err(|_| unusable("trusted_proxies", "must be a list of addresses or networks").into())
}

/// Shortest and longest validity of a presigned upload URL, in seconds.
const UPLOAD_URL_TTL_SECONDS: std::ops::RangeInclusive<u64> = 1..=7 * 24 * 60 * 60;
const DEFAULT_UPLOAD_URL_TTL_SECONDS: u64 = 30 * 60;

/// `presigned_upload_url_ttl`: 1 second to 7 days, 30 minutes by default.
pub fn presigned_upload_url_ttl(ports: &impl Ports) -> Result<Duration, Failure> {
    let limits = (UPLOAD_URL_TTL_SECONDS, "must be 1 second to 7 days, like 30m");
    duration(ports, "presigned_upload_url_ttl", DEFAULT_UPLOAD_URL_TTL_SECONDS, limits)
}

/// Shortest and longest time that an upload is kept after its URLs expire, in seconds.
const UPLOAD_GRACE_SECONDS: std::ops::RangeInclusive<u64> = 0..=30 * 24 * 60 * 60;
const DEFAULT_UPLOAD_GRACE_SECONDS: u64 = 24 * 60 * 60;

/// `upload_grace`: how long an upload can still be completed after its URLs expire. Up to 30 days, 24 hours by default.
pub fn upload_grace(ports: &impl Ports) -> Result<Duration, Failure> {
    let limits = (UPLOAD_GRACE_SECONDS, "must be at most 30 days, like 24h");
    duration(ports, "upload_grace", DEFAULT_UPLOAD_GRACE_SECONDS, limits)
}

/// A duration in seconds, or with the unit `s`, `m` or `h`; empty means `default` seconds. `why` describes the allowed
/// range.
fn duration(
    ports: &impl Ports,
    name: &str,
    default: u64,
    (range, why): (std::ops::RangeInclusive<u64>, &str),
) -> Result<Duration, Failure> {
    let text = text(ports, name)?;
    if text.is_empty() {
        return Ok(Duration::from_secs(default));
    }
    let seconds = parse_seconds(&text).filter(|seconds| range.contains(seconds));
    Ok(Duration::from_secs(seconds.ok_or_else(|| unusable(name, why))?))
}

fn parse_seconds(text: &str) -> Option<u64> {
    let (number, unit) = match text.char_indices().next_back()? {
        (i, 's') => (&text[..i], 1),
        (i, 'm') => (&text[..i], 60),
        (i, 'h') => (&text[..i], 3600),
        _ => (text, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::parse_seconds;

    #[test]
    fn durations() {
        for (text, seconds) in [
            ("90", Some(90)),
            ("30m", Some(1800)),
            ("1h", Some(3600)),
            ("5s", Some(5)),
            ("m", None),
            ("1d", None),
            ("-1", None),
        ] {
            assert_eq!(parse_seconds(text), seconds, "{text}");
        }
    }
}
