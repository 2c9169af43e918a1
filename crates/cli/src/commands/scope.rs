//! Filters for the releases of an application. They come neither from the environment nor from
//! `spindrift.toml`, because a list shows everything unless its command line has a filter.

use clap::Args;

/// The filters. An omitted one matches everything.
#[derive(Debug, Args)]
pub(crate) struct ScopeFilter {
    /// Channel.
    #[arg(long, value_name = "NAME")]
    pub(super) channel: Option<String>,
    /// Platform.
    #[arg(long, value_name = "NAME")]
    pub(super) platform: Option<String>,
    /// Architecture.
    #[arg(long, value_name = "NAME")]
    pub(super) arch: Option<String>,
}

impl ScopeFilter {
    /// The given filters as query parameters.
    pub(crate) fn query(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [("channel", &self.channel), ("platform", &self.platform), ("arch", &self.arch)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }
}
