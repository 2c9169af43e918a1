//! Which of an application's releases a question is about.

use clap::Args;

/// The flags. Without one, all.
#[derive(Debug, Args)]
pub(crate) struct Scope {
    /// In one channel.
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    /// Of one platform.
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
    /// Of one architecture.
    #[arg(long, value_name = "NAME")]
    arch: Option<String>,
}

impl Scope {
    /// What was given, as the parameters of a query.
    pub(crate) fn query(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [("channel", &self.channel), ("platform", &self.platform), ("arch", &self.arch)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }
}
