//! The validated configuration that an application is built with.

use http::HeaderMap;
use spindrift_core::Version;
use std::path::PathBuf;
use url::Url;

use super::choice::TargetScope;
use super::mirror::{Mirror, mirrors};
use super::state::TrustState;
use super::{TrustConfig, TrustError, TrustSettings};
use crate::{CheckOptions, Error, secret};

/// Everything that does not change while the application runs.
pub(super) struct TrustPlan {
    /// The state at the beginning.
    pub(super) pinned: TrustState,
    pub(super) scope: TargetScope,
    /// The installed version.
    pub(super) installed: Version,
    pub(super) state_dir: PathBuf,
    /// In the order in which they are asked.
    pub(super) mirrors: Vec<Mirror>,
    /// The tokens as headers.
    pub(super) secrets: HeaderMap,
    pub(super) settings: TrustSettings,
}

impl TrustPlan {
    /// `service` is the service's address.
    pub(super) fn new(service: &Url, config: &TrustConfig, options: &CheckOptions) -> Result<Self, Error> {
        options.check()?;
        let used = |name: &String| Some(name).filter(|name| !name.is_empty()).cloned();
        let others = config.accept_channels.iter().map(used);
        Ok(Self {
            mirrors: mirrors(service, config)?,
            pinned: TrustState::new(&config.root)?,
            scope: TargetScope {
                repository: config.repository.clone(),
                channels: [used(&options.channel)].into_iter().chain(others).collect(),
                platform: used(&options.platform),
                arch: used(&options.arch),
            },
            installed: options.version.parse().map_err(|_| TrustError::InvalidVersion)?,
            state_dir: config.state_dir.clone(),
            secrets: secret::headers(config.token.as_ref(), config.app_token.as_ref()),
            settings: config.settings,
        })
    }
}
