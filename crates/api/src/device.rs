//! Bodies of logins that a program asks for, and that a person allows in a browser. The words are those of
//! [RFC 8628](https://www.rfc-editor.org/rfc/rfc8628).

use serde::{Deserialize, Serialize};

/// Body of `POST /device/code`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceCodeBody {
    /// The program and its machine, for the person who decides. At most 100 characters count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

/// Answer of `POST /device/code`. No `Debug`: the device code must not get into a log.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceCodeAnswer {
    /// The secret with which the program asks for its login.
    pub device_code: String,
    /// The code that the person compares.
    pub user_code: String,
    /// The page of the console on which the person enters the code.
    pub verification_uri: String,
    /// The same page with the code.
    pub verification_uri_complete: String,
    /// How long the person has, in seconds.
    pub expires_in: i64,
    /// How long the program waits between two questions, in seconds.
    pub interval: i64,
}

/// Body of `POST /device/token`. No `Debug`, as above.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceTokenBody {
    /// From `POST /device/code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_code: Option<String>,
}

/// Answer of `GET /device`: a program that waits for a login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceBody {
    /// The code that the program shows.
    pub user_code: String,
    /// The program's own words about its machine.
    pub machine: String,
    /// Where the program asked from. `null`: not known.
    pub address: Option<String>,
    /// When it asked, RFC 3339.
    pub created_at: String,
    /// Until when it waits, RFC 3339.
    pub expires_at: String,
}

/// Body of `POST /device/answer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceAnswerBody {
    /// The code that the program shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_code: Option<String>,
    /// Whether the program may log in as the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<bool>,
}
