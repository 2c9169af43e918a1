//! The request of `POST /explain`.

use std::str::FromStr;

use spindrift_api::ExplainBody;
use spindrift_core::{DeviceId, RawClientFacts, Scope, TextRule, Timestamp, UserName, Version};
use spindrift_web::{ApiError, parse_parameter, required};

/// How far ahead answers can be explained, in seconds: 90 days, the maximum length of a plan's
/// step.
const MAX_AHEAD_SECONDS: i64 = 90 * 24 * 60 * 60;

/// A client, with the time of its request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// With the names that it sends.
    pub(super) scope: Scope,
    pub(super) version: Version,
    /// `None`: the platform's default.
    pub(super) updater: Option<String>,
    pub(super) device: Option<DeviceId>,
    /// Further facts that it reports about itself.
    pub(super) facts: RawClientFacts,
    /// The present, or later.
    pub(super) at: Timestamp,
}

impl Asked {
    pub(super) fn parse(body: ExplainBody, owner: &UserName, now: Timestamp) -> Result<Self, ApiError> {
        let scope = Scope {
            owner: owner.clone(),
            app: parse_parameter("app", &required(body.app, "app")?)?,
            channel: named("channel", body.channel)?,
            platform: named("platform", body.platform)?,
            arch: named("arch", body.arch)?,
        };
        Ok(Self {
            scope,
            version: parse_parameter("version", &required(body.version, "version")?)?,
            updater: body.updater,
            device: named("device", body.device)?,
            facts: RawClientFacts {
                group: filled(body.group),
                os_version: filled(body.os_version),
                interactive: body.interactive.map(|is_asked| u8::from(is_asked).to_string()),
            },
            at: at(named("at", body.at)?, now)?,
        })
    }
}

/// An optional text. Empty means missing.
fn filled(value: Option<String>) -> Option<String> {
    value.filter(|text| !text.is_empty())
}

/// An optional parsed value. Empty means missing.
fn named<T: FromStr + TextRule>(name: &'static str, value: Option<String>) -> Result<Option<T>, ApiError> {
    filled(value).map(|text| parse_parameter(name, &text)).transpose()
}

/// An earlier time means now, because the history of rollouts is not stored.
fn at(asked: Option<Timestamp>, now: Timestamp) -> Result<Timestamp, ApiError> {
    let at = asked.map_or(now, |at| at.max(now));
    if at > now.plus_seconds(MAX_AHEAD_SECONDS) {
        return Err(ApiError::invalid("at", "a time in the next 90 days", None));
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

    fn parse(change: &[(&str, Value)]) -> Result<Asked, String> {
        let mut body = json!({ "app": "notes", "version": "1.0+5" });
        for (key, value) in change {
            body[*key] = value.clone();
        }
        let body = serde_json::from_value(body).unwrap();
        Asked::parse(body, &"acme".parse().unwrap(), NOW).map_err(|error| error.to_string())
    }

    #[test]
    fn names_may_be_left_out() {
        let asked = parse(&[("channel", json!("")), ("platform", json!("linux"))]).unwrap();
        assert_eq!(asked.scope.dimensions(), [None, Some("linux"), None]);
        assert_eq!(
            (asked.version.as_str(), asked.updater, asked.device, asked.at),
            ("1.0+5", None, None, NOW)
        );
    }

    #[test]
    fn times_are_up_to_90_days_ahead() {
        let at = |time: Timestamp| parse(&[("at", json!(time.to_rfc3339()))]).map(|asked| asked.at);
        let last = NOW.plus_seconds(MAX_AHEAD_SECONDS);
        assert_eq!((at(NOW.plus_seconds(-60)), at(last)), (Ok(NOW), Ok(last)));
        assert_eq!(
            at(last.plus_seconds(1)),
            Err("invalid at parameter: a time in the next 90 days".to_owned())
        );
    }

    #[test]
    fn errors_name_the_field() {
        for (key, value, error) in [
            ("app", Value::Null, "missing app"),
            ("version", json!(""), "missing version"),
            ("app", json!("a/b"), "invalid app parameter"),
            ("version", json!("new"), "invalid version parameter"),
            ("channel", json!("a/b"), "invalid channel parameter"),
            ("device", json!("ü"), "invalid device parameter"),
            ("at", json!("tomorrow"), "invalid at parameter"),
        ] {
            let told = parse(&[(key, value)]).unwrap_err();
            assert!(told.starts_with(error), "{told}");
        }
    }
}
