//! The details of a report: compressed JSON, checked and stored as sent.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::de::IgnoredAny;
use serde_json::Value;
use spindrift_web::ApiError;

use crate::body::text;
use crate::gunzip::{GunzipError, gunzip};
use crate::settings::ReportLimits;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Details {
    pub(crate) compressed: Bytes,
    /// Uncompressed size, in bytes.
    pub(crate) decompressed_size: usize,
}

impl Details {
    /// Checks a payload as sent: compressed size, compression, uncompressed size, and that it contains a JSON
    /// object.
    pub(crate) fn check(payload: &Value, limits: &ReportLimits) -> Result<Self, ApiError> {
        let compressed =
            decode(text(Some(payload), || "details.payload".to_owned())?, limits.compressed_details)?;
        let unpacked = gunzip(&compressed, limits.decompressed_details).map_err(|error| match error {
            GunzipError::TooLarge => ApiError::TooLarge("decompressed details too large".into()),
            GunzipError::Invalid => invalid_payload(),
        })?;
        if !is_json_object(&unpacked) {
            return Err(invalid_payload());
        }
        Ok(Self { compressed: compressed.into(), decompressed_size: unpacked.len() })
    }
}

fn invalid_payload() -> ApiError {
    ApiError::bad_request("invalid details.payload")
}

fn decode(payload: &str, limit: usize) -> Result<Vec<u8>, ApiError> {
    let too_large = || ApiError::TooLarge("compressed details too large".into());
    // Four characters hold three bytes; the last four may hold fewer.
    if payload.len() / 4 * 3 > limit.saturating_add(2) {
        return Err(too_large());
    }
    let bytes = STANDARD.decode(payload).map_err(|_| invalid_payload())?;
    if bytes.len() > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Builds no value, because a document of many small values would take many times its size in memory.
fn is_json_object(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| {
        text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{')
            && serde_json::from_str::<IgnoredAny>(text).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::gunzip::tests::gzip;

    const LIMITS: ReportLimits = ReportLimits {
        body: 1000,
        compressed_details: 60,
        decompressed_details: 100,
        blobs_per_group: 1,
        per_key_per_minute: 1,
        groups_per_app: 1,
    };

    fn packed(content: &[u8]) -> Value {
        json!(STANDARD.encode(gzip(content)))
    }

    fn error(payload: &Value) -> (u16, String) {
        let error = Details::check(payload, &LIMITS).unwrap_err();
        (error.status().as_u16(), error.to_string())
    }

    #[test]
    fn good_details() {
        let details = Details::check(&packed(b" {\"a\":[1]}\n"), &LIMITS).unwrap();
        assert_eq!(details.decompressed_size, 11);
        assert_eq!(details.compressed, gzip(b" {\"a\":[1]}\n"));
    }

    #[test]
    fn forms() {
        for (payload, text) in [
            (json!("%"), "invalid details.payload"),
            (json!("AAAA"), "invalid details.payload"),
            (json!(1), "invalid details.payload"),
            (json!(null), "missing details.payload"),
            (json!(""), "missing details.payload"),
        ] {
            assert_eq!(error(&payload), (400, text.into()));
        }
    }

    #[test]
    fn only_an_object_is_kept() {
        for content in [&b"[]"[..], b"1", b"", b"{", b"{}{}", b"\"{}\"", b"{\"a\":\"\xff\"}", b"\x0b{}"] {
            assert_eq!(error(&packed(content)), (400, "invalid details.payload".into()), "{content:?}");
        }
    }

    #[test]
    fn sizes() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(93));
        assert_eq!(error(&packed(long.as_bytes())), (413, "decompressed details too large".into()));
        assert!(Details::check(&packed(long.replacen('x', "", 1).as_bytes()), &LIMITS).is_ok());
        for length in [61, 62, 1000] {
            let sent = json!(STANDARD.encode(vec![0; length]));
            assert_eq!(error(&sent), (413, "compressed details too large".into()), "{length}");
        }
    }
}
