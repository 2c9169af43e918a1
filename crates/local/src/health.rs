//! `health`: asks the service of this machine whether it has its stores, as container engines do.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use http::Method;
use spindrift_http::local_url;

use crate::client::{call_error, send};
use crate::error::LocalError;
use crate::output::say;

/// The arguments of `health`.
#[derive(Debug, Args)]
pub struct HealthCommand {
    /// Address of the application, as `up` was given it.
    #[arg(long, default_value = "127.0.0.1:3000", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// Time limit for the answer, in seconds.
    #[arg(long, default_value_t = 3, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    wait_seconds: u64,
}

impl HealthCommand {
    /// Reads neither settings nor logins, and uses no proxy: the result is about the service alone.
    pub(crate) async fn run(self) -> Result<(), LocalError> {
        let url = format!("{}/health", local_url(self.listen));
        let limit = Duration::from_secs(self.wait_seconds);
        let late = |_| call_error(&url, format!("no answer within {} s", self.wait_seconds));
        let asked = tokio::time::timeout(limit, send(Method::GET, &url, &[], "")).await.map_err(late)?;
        let answer = asked.map_err(|error| call_error(&url, error))?.ok(&url)?;
        say!("{}", String::from_utf8_lossy(&answer.body));
        Ok(())
    }
}
