//! The name of a webhook, by which people tell webhooks apart.

use crate::check_plain;

/// Maximum length of a name, in characters.
pub const MAX_WEBHOOK_NAME_CHARS: usize = 64;

/// The text cannot be a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("1 to {MAX_WEBHOOK_NAME_CHARS} printable characters on one line")]
pub struct InvalidWebhookName;

/// Reads a name. Names need not be unique.
///
/// # Errors
/// The text is empty, too long, or not on one line.
pub fn webhook_name(text: &str) -> Result<String, InvalidWebhookName> {
    let text = text.trim();
    let is_short = (1..=MAX_WEBHOOK_NAME_CHARS).contains(&text.chars().count());
    if is_short && check_plain(text).is_ok() { Ok(text.to_owned()) } else { Err(InvalidWebhookName) }
}

/// The name of a webhook without one: the beginning of the host in its address. The rest may be a secret.
pub fn default_webhook_name(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    authority.chars().take(MAX_WEBHOOK_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_on_one_line() {
        assert_eq!(webhook_name(" on call "), Ok("on call".to_owned()));
        for text in ["", " ", "a\nb", "\u{202e}a", &"ä".repeat(65)] {
            assert_eq!(webhook_name(text), Err(InvalidWebhookName), "{text}");
        }
        assert!(webhook_name(&"ä".repeat(64)).is_ok());
    }

    #[test]
    fn without_a_name_it_is_called_by_its_host() {
        for (url, name) in [
            ("https://hooks.slack.com/services/T0/B0/secret", "hooks.slack.com"),
            ("http://127.0.0.1:8080?a=b", "127.0.0.1:8080"),
            ("https://discord.com", "discord.com"),
        ] {
            assert_eq!(default_webhook_name(url), name);
        }
        assert_eq!(default_webhook_name(&format!("https://{}/", "a".repeat(200))).len(), 64);
    }
}
