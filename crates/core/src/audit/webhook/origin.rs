//! Restricts the addresses of webhooks.

use std::str::FromStr;

/// Maximum length of an address, in bytes.
const MAX_BYTES: usize = 2048;
/// Suffix of host names that never exist ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606)).
const NOWHERE: &str = ".invalid";

/// The text is not an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an https address without a path, or an http address of this machine")]
pub struct InvalidWebhookOrigin;

/// Maximum number of origins that webhooks may have: each is a setting and a grant of its own.
pub const MAX_WEBHOOK_ORIGINS: usize = 4;

/// An origin that webhooks may have: `https://hooks.example.com`, or `http://127.0.0.1:8080` for a
/// receiver on the machine of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookOrigin(String);

impl WebhookOrigin {
    /// Whether its host can never exist, so that no webhook can have it.
    pub fn is_nowhere(&self) -> bool {
        host(authority(&self.0)).ends_with(NOWHERE)
    }

    /// The text, without a slash at the end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether an address has this origin, and can be requested.
    pub fn has(&self, url: &str) -> bool {
        let is_plain = |c: char| c.is_ascii_graphic() && c != '#' && c != '\\';
        let rest = url.strip_prefix(&self.0).filter(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
        rest.is_some() && url.len() <= MAX_BYTES && url.chars().all(is_plain)
    }
}

impl FromStr for WebhookOrigin {
    type Err = InvalidWebhookOrigin;

    fn from_str(text: &str) -> Result<Self, InvalidWebhookOrigin> {
        let text = text.strip_suffix('/').unwrap_or(text);
        let authority = authority(text);
        let is_name = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
        let is_here = matches!(host(authority), "127.0.0.1" | "localhost" | "[::1]");
        let is_scheme = text.starts_with("https://") || (text.starts_with("http://") && is_here);
        let is_valid = is_scheme && !host(authority).is_empty() && authority.chars().all(is_name);
        if is_valid { Ok(Self(text.to_owned())) } else { Err(InvalidWebhookOrigin) }
    }
}

/// The origins that webhooks may have. If there is none, webhooks are off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookOrigins(Vec<WebhookOrigin>);

impl WebhookOrigins {
    /// Whether there is none, so that webhooks are off.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an address has one of the origins, and can be requested.
    pub fn have(&self, url: &str) -> bool {
        self.0.iter().any(|origin| origin.has(url))
    }

    /// The texts, in the order of the settings.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(WebhookOrigin::as_str)
    }
}

/// Leaves out origins that cannot exist, and repetitions.
impl FromIterator<WebhookOrigin> for WebhookOrigins {
    fn from_iter<I: IntoIterator<Item = WebhookOrigin>>(origins: I) -> Self {
        let mut all = Vec::new();
        for origin in origins {
            if !origin.is_nowhere() && !all.contains(&origin) {
                all.push(origin);
            }
        }
        Self(all)
    }
}

fn authority(origin: &str) -> &str {
    origin.split_once("://").map_or("", |(_, rest)| rest)
}

/// An authority without its port.
fn host(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_origin() {
        let origin: WebhookOrigin = "https://hooks.example.com/".parse().unwrap();
        for (url, is_allowed) in [
            ("https://hooks.example.com/a", true),
            ("https://hooks.example.com", true),
            ("https://hooks.example.com?a=b", true),
            ("https://hooks.example.com/a#b", false),
            ("https://hooks.example.com/a b", false),
            ("https://hooks.example.com.evil.test/a", false),
            ("https://hooks.example.com@evil.test/a", false),
            ("https://hooks.example.com:8443/a", false),
            ("http://hooks.example.com/a", false),
        ] {
            assert_eq!(origin.has(url), is_allowed, "{url}");
        }
        assert!(!origin.has(&format!("https://hooks.example.com/{}", "a".repeat(2048))));
    }

    #[test]
    fn origins_that_cannot_exist_are_left_out() {
        let of =
            |texts: &[&str]| -> WebhookOrigins { texts.iter().map(|text| text.parse().unwrap()).collect() };
        let (nowhere, slack, discord) =
            ("https://webhooks.invalid", "https://hooks.slack.com", "https://discord.com/");
        assert!(of(&[nowhere; MAX_WEBHOOK_ORIGINS]).is_empty());
        let some = of(&[nowhere, slack, discord, slack]);
        assert_eq!(some.texts().collect::<Vec<_>>(), [slack, "https://discord.com"]);
        assert!(some.have("https://discord.com/api") && some.have("https://hooks.slack.com/a"));
        assert!(!some.have("https://webhooks.invalid/a") && !some.have("https://example.com"));
    }

    #[test]
    fn origins_are_https_or_this_machine() {
        for text in ["https://a.example", "https://a.example:8443", "http://127.0.0.1:80", "http://[::1]:80/"]
        {
            assert!(!text.parse::<WebhookOrigin>().unwrap().is_nowhere(), "{text}");
        }
        assert!("https://webhooks.invalid".parse::<WebhookOrigin>().unwrap().is_nowhere());
        for text in
            ["", "a.example", "http://a.example", "https://", "https://a.example/b", "https://a@b.example"]
        {
            assert_eq!(text.parse::<WebhookOrigin>(), Err(InvalidWebhookOrigin), "{text}");
        }
    }
}
