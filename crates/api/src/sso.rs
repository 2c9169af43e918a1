//! Bodies of single sign-on.

use serde::{Deserialize, Serialize};

/// Answer of `GET /sso`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SsoBody {
    /// Whether the service has a provider for single sign-on.
    pub enabled: bool,
    /// Its name, for a button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Body of `POST /sso/begin` and `POST /sso/bind`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SsoBeginBody {
    /// A path of the console to go on with, which comes back at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
}

/// Answer of both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SsoQuestionBody {
    /// The page of the provider to go to. It leads back to `/console/sso`.
    pub address: String,
    /// Sent back with the provider's answer, within ten minutes. It is good once.
    pub challenge: String,
}

/// Body of `POST /sso/finish` and `POST /sso/bind/finish`: the provider's answer. No `Debug`: the code must not get
/// into a log.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SsoFinishBody {
    /// From `POST /sso/begin` or `POST /sso/bind`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge: Option<String>,
    /// The parameter `code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The parameter `state`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The parameter `iss`, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iss: Option<String>,
}

/// Answer of `POST /sso/finish`. No `Debug`, as above.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SsoLoginAnswer {
    /// A JWT, valid for 24 hours.
    pub token: String,
    /// The path that the sign-in began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
}

/// Body of `POST /sso/requirement`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SsoRequirementBody {
    /// Whether team users may log in with a password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_login: Option<bool>,
}
