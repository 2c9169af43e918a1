//! The work of hashing passwords, which may be small only for tests.

use std::net::IpAddr;

use http::Uri;
use spindrift_core::PasswordHashCost;

use crate::{API_URL, PASSWORD_HASH_COST, SettingError, SettingValue, Variables};

impl SettingValue for PasswordHashCost {
    type Range = ();

    fn parse(text: String, (): &()) -> Option<Self> {
        Self::ALL.into_iter().find(|cost| cost.as_str() == text)
    }

    fn describe((): &()) -> String {
        Self::ALL.map(Self::as_str).join(" or ")
    }
}

/// Reads `password_hash_cost`. Clients of a service for tests are on its machine.
///
/// # Errors
/// Any [`SettingError`]: also if the value is `test` and `api_url` is not an address of this machine.
pub fn password_hash_cost(variables: &impl Variables) -> Result<PasswordHashCost, SettingError> {
    let cost = PASSWORD_HASH_COST.read(variables)?;
    if cost == PasswordHashCost::Test && !is_of_this_machine(&API_URL.read(variables)?) {
        return Err(
            PASSWORD_HASH_COST.unusable("must be default, unless api_url is an address of this machine")
        );
    }
    Ok(cost)
}

/// Whether only programs on this machine can reach a URL: `127.0.0.0/8`, `::1`, `localhost`.
fn is_of_this_machine(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default();
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn cheap_hashes_are_for_this_machine_alone() {
        for (cost, api_url, is_usable) in [
            ("default", "https://updates.example.com", true),
            ("", "https://updates.example.com", true),
            ("test", "http://127.0.0.1:3000", true),
            ("test", "http://127.1.2.3", true),
            ("test", "https://[::1]:3000/path", true),
            ("test", "http://LocalHost:3000", true),
            ("test", "https://updates.example.com", false),
            ("test", "http://127.0.0.1.example.com", false),
            ("test", "http://localhost.example.com", false),
            ("test", "http://localhost@example.com", false),
            ("test", "http://0.0.0.0:3000", false),
            ("test", "http://[::]:3000", false),
            ("test", "http://192.168.0.1", false),
            ("test", "", false),
            ("cheap", "http://127.0.0.1:3000", false),
        ] {
            let values = [("password_hash_cost", cost), ("api_url", api_url)];
            let values: BTreeMap<String, String> =
                values.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            let read = password_hash_cost(&values);
            assert_eq!(read.is_ok(), is_usable, "{cost} {api_url}: {read:?}");
        }
    }
}
