//! The keys of records in the key-value store.

use sha2::{Digest, Sha256};
use spindrift_core::{AppName, Scope, Updater, UserName};
use spindrift_web::response::push_hex;

/// The format of the values. A new format takes a new number; records in the old one are never read again.
const FORMAT: &str = "1";
/// Longest key that every key-value store accepts, in characters.
const MAX_KEY_LENGTH: usize = 255;

/// The key of the record of a scope, or of an updater in it.
pub(crate) fn of(scope: &Scope, updater: Option<Updater>) -> String {
    match updater {
        None => key("scope.", &names(scope)),
        Some(updater) => key(&["feed.", updater.as_str(), "."].concat(), &names(scope)),
    }
}

/// The key of the record of an application's newest builds.
pub(crate) fn of_latest(owner: &UserName, app: &AppName) -> String {
    key("latest.", &[owner.as_str(), app.as_str()])
}

/// The key of the record of an owner's names.
pub(crate) fn of_names(owner: &UserName) -> String {
    key("names.", &[owner.as_str()])
}

/// The key of the record of all owners' names.
pub(crate) fn of_owners() -> String {
    key("owners.", &[])
}

/// The key of the revisions of all owners.
pub(crate) fn of_revisions() -> String {
    key("revisions.", &[])
}

/// The key of the time at which a problem with a record was last logged.
pub(crate) fn of_log_line(key: &str) -> String {
    digest("logged.", key)
}

fn names(scope: &Scope) -> [&str; 5] {
    let [channel, platform, arch] = scope.dimensions().map(Option::unwrap_or_default);
    [scope.owner.as_str(), scope.app.as_str(), channel, platform, arch]
}

/// `kind`, the format and the names, readable. Only names that are too long together are hashed, because
/// hashing takes a tenth of a check's own time.
fn key(kind: &str, names: &[&str]) -> String {
    let mut key = String::with_capacity(MAX_KEY_LENGTH);
    key.push_str(kind);
    key.push_str(FORMAT);
    for name in names {
        key.push_str(":.");
        push_name(&mut key, name);
    }
    if key.len() > MAX_KEY_LENGTH { digest(kind, &key) } else { key }
}

/// Names can contain two characters that keys cannot. They are escaped with `:`, which no name contains.
fn push_name(key: &mut String, name: &str) {
    if !name.bytes().any(|byte| matches!(byte, b' ' | b'@')) {
        return key.push_str(name);
    }
    for character in name.chars() {
        match character {
            ' ' => key.push_str(":s"),
            '@' => key.push_str(":a"),
            other => key.push(other),
        }
    }
}

/// A hashed key. It cannot equal a readable key, because it contains no `:`.
fn digest(kind: &str, key: &str) -> String {
    let mut short = [kind, FORMAT, "."].concat();
    push_hex(&mut short, &Sha256::digest(key));
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(owner: &str, app: &str, channel: Option<&str>, platform: Option<&str>) -> Scope {
        Scope {
            owner: owner.parse().unwrap(),
            app: app.parse().unwrap(),
            channel: channel.map(|name| name.parse().unwrap()),
            platform: platform.map(|name| name.parse().unwrap()),
            arch: None,
        }
    }

    #[test]
    fn names_stay_readable() {
        let acme = scope("acme", "My App", Some("stable"), None);
        assert_eq!(super::of(&acme, None), format!("scope.{FORMAT}:.acme:.My:sApp:.stable:.:."));
        assert_eq!(
            super::of(&acme, Some(Updater::Tauri)),
            format!("feed.tauri.{FORMAT}:.acme:.My:sApp:.stable:.:.")
        );
        assert_eq!(super::of_latest(&acme.owner, &acme.app), format!("latest.{FORMAT}:.acme:.My:sApp"));
    }

    #[test]
    fn scopes_do_not_share_keys() {
        let long = "x".repeat(64);
        let scopes = [
            scope("acme", "app", Some("a"), None),
            scope("acme", "app", None, Some("a")),
            scope("acme", "app", None, None),
            scope("a@me", "app", None, None),
            scope("a", "sapp", None, None),
            scope("a", "s app", None, None),
            scope(&long, &long, Some(&long), Some(&long)),
            scope(&"@".repeat(64), &long, Some(&long), Some(&long)),
        ];
        let keys: std::collections::BTreeSet<_> = scopes.iter().map(|scope| super::of(scope, None)).collect();
        assert_eq!(keys.len(), scopes.len());
        for key in keys {
            assert!(key.len() <= MAX_KEY_LENGTH, "{key}");
            assert!(key.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b)), "{key}");
        }
    }
}
