//! The JSON answer of Squirrel.Mac, also read by Electron for MSIX.
//!
//! A client installs whatever it gets, be it the version that it has: "no update" is status 204 and no body.
//! See [Squirrel.Mac](https://github.com/Squirrel/Squirrel.Mac#update-json-format).

use serde::Serialize;

use crate::Timestamp;

/// Body of an answer with an update. Clients ignore what is not theirs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SquirrelMacBody<'a> {
    /// Absolute address of a zip archive.
    pub url: &'a str,
    /// Shown to users: the version.
    pub name: &'a str,
    /// Release notes.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub notes: &'a str,
    /// RFC 3339 with an offset and without fractions: clients drop any other form.
    pub pub_date: String,
    /// True: there is no body without an update.
    pub update_available: bool,
    /// Whether it should not be postponed.
    pub critical: bool,
    /// The version.
    pub version: &'a str,
    /// The signature given at upload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<&'a str>,
}

impl<'a> SquirrelMacBody<'a> {
    /// An update to `version` at `url`.
    pub fn new(version: &'a str, url: &'a str, released_at: Timestamp) -> Self {
        Self {
            url,
            name: version,
            notes: "",
            pub_date: released_at.to_rfc3339(),
            update_available: true,
            critical: false,
            version,
            signature: None,
        }
    }

    /// With release notes; may be empty.
    #[must_use]
    pub fn notes(self, notes: &'a str) -> Self {
        Self { notes, ..self }
    }

    /// With the flag.
    #[must_use]
    pub fn critical(self, critical: bool) -> Self {
        Self { critical, ..self }
    }

    /// With a signature.
    #[must_use]
    pub fn signature(self, signature: Option<&'a str>) -> Self {
        Self { signature, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body() {
        let released_at = Timestamp::from_millis(1_795_225_422_999);
        let body = SquirrelMacBody::new("1.2.0", "https://h.example/a.zip", released_at);
        let text =
            serde_json::to_string(&body.clone().notes("New").critical(true).signature(Some("s"))).unwrap();
        assert_eq!(
            text,
            r#"{"url":"https://h.example/a.zip","name":"1.2.0","notes":"New","pub_date":"2026-11-21T01:43:42+00:00","update_available":true,"critical":true,"version":"1.2.0","signature":"s"}"#
        );
        let text = serde_json::to_string(&body).unwrap();
        assert!(!text.contains("notes") && !text.contains("signature"), "{text}");
    }
}
