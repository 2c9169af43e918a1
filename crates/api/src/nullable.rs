//! Fields in which `null` differs from nothing.

use serde::{Deserialize, Deserializer};

/// A value that is present, even if it is `null`.
#[expect(clippy::option_option, reason = "absent, null and a value are three things")]
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
