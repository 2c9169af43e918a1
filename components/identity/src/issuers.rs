//! The OpenID issuers that the settings name. Nothing that a token says is an address to ask.

use spindrift_core::PublisherConditions;
use spindrift_service::Ports;
use spindrift_settings::{
    GITHUB_ISSUER, GITLAB_ISSUER, OIDC_ISSUER, OIDC_ISSUER_PATH, OIDC_KEYS_ORIGIN, SettingError,
};

/// The end of an address that stands for none: [RFC 2606 §2](https://www.rfc-editor.org/rfc/rfc2606#section-2).
pub(crate) const NONE: &str = ".invalid";

/// The issuers whose tokens can be exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Issuers {
    github: String,
    gitlab: String,
    /// `None`: the settings name no other issuer.
    pub(crate) oidc: Option<String>,
    /// Where the other issuer's keys are, if they are elsewhere.
    keys_origin: String,
    /// Where the keys of the provider for single sign-on are, with its issuer.
    sso_keys: Option<(String, String)>,
}

impl Issuers {
    pub(crate) fn read(ports: &impl Ports) -> Result<Self, SettingError> {
        let origin = |text: String| text.trim_end_matches('/').to_owned();
        let oidc = origin(OIDC_ISSUER.read(ports)?);
        let path = OIDC_ISSUER_PATH.read(ports)?;
        Ok(Self {
            github: origin(GITHUB_ISSUER.read(ports)?),
            gitlab: origin(GITLAB_ISSUER.read(ports)?),
            oidc: (!oidc.ends_with(NONE)).then(|| format!("{oidc}{path}")),
            keys_origin: origin(OIDC_KEYS_ORIGIN.read(ports)?),
            sso_keys: None,
        })
    }

    /// Besides, a provider for single sign-on, whose keys may be at this origin.
    pub(crate) fn with_sso(mut self, issuer: &str, keys_origin: String) -> Self {
        self.sso_keys = Some((issuer.to_owned(), keys_origin));
        self
    }

    /// The issuer of the tokens that a publisher accepts. `None`: the settings do not name it any more.
    pub(crate) fn of<'a>(&'a self, conditions: &PublisherConditions) -> Option<&'a str> {
        match conditions {
            PublisherConditions::Github(_) => Some(&self.github),
            PublisherConditions::Gitlab(_) => Some(&self.gitlab),
            PublisherConditions::Oidc(oidc) => self.oidc.as_deref().filter(|issuer| *issuer == oidc.issuer),
        }
    }

    /// Whether the keys of `issuer` may be at this origin, besides its own.
    pub(crate) fn may_keep_keys_at(&self, issuer: &str, origin: &str) -> bool {
        let is_sso = |(sso, keys): &(String, String)| sso == issuer && keys == origin;
        self.oidc.as_deref() == Some(issuer) && self.keys_origin == origin
            || self.sso_keys.as_ref().is_some_and(is_sso)
    }
}

#[cfg(test)]
impl Issuers {
    /// Issuers of which only the other one matters.
    pub(crate) fn of_tests(oidc: &str) -> Self {
        Self {
            github: "https://github.example".to_owned(),
            gitlab: "https://gitlab.example".to_owned(),
            oidc: Some(oidc.to_owned()),
            keys_origin: "https://keys.example".to_owned(),
            sso_keys: None,
        }
    }
}
