//! The client library of Spindrift: checks for updates, downloads them and reports failures.
//!
//! ```
//! use spindrift_client::{CheckOptions, Client, Config};
//! # use spindrift_client::{MemoryTransport, Source};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), spindrift_client::Error> {
//! let config = Config::new("https://updates.example").with_edge("https://edge.example");
//! # let service = MemoryTransport::new()
//! #     .with_answer(
//! #         "/responses/acme/notes/stable/linux/amd64/1.2.0.json",
//! #         200,
//! #         r#"{"update_available": true, "critical": false, "version": "1.3.0",
//! #             "update_url_deb": "https://d.example/a.deb"}"#,
//! #     )
//! #     .with_answer("/telemetry/beacon", 204, "");
//! # if false {
//! let client = Client::new(config)?;
//! # }
//! # let config = Config::new("https://updates.example").with_edge("https://edge.example");
//! # let client = Client::with_transport(config, service.clone())?;
//! let options = CheckOptions::new("acme", "notes", "1.2.0")
//!     .with_target("stable", "linux", "amd64")
//!     .with_device_id("7f0c6a1e");
//!
//! match client.check(&options).await? {
//!     Some(update) => {
//!         println!("{} is there: {:?}", update.version, update.url_of("deb"));
//! #       assert_eq!((update.version.as_str(), update.source), ("1.3.0", Source::Edge));
//! #       assert_eq!(update.url_of("deb"), Some("https://d.example/a.deb"));
//!     }
//!     None => println!("up to date"),
//! }
//! # let asked: Vec<String> = service.requests().iter().map(|r| r.uri().path().to_owned()).collect();
//! # assert_eq!(asked, ["/responses/acme/notes/stable/linux/amd64/1.2.0.json", "/telemetry/beacon"]);
//! # Ok(())
//! # }
//! ```
//!
//! - [`Client::check`]: asks the edge first, then the service, and applies the staged rollout.
//!   [`Client::check_result`] returns the whole answer. [`CheckOptions`] can also hold a device id, the groups
//!   of a tester, and the version of the operating system.
//! - [`Client::poller`]: checks regularly, spread so that many installed copies do not check at once.
//! - [`Client::download`]: downloads with resume and verification, by a patch where there is one.
//! - [`Kit`]: keeps a device id, and notices crashes, failed starts and rollbacks.
//! - [`Client::report_event`]: sends failure reports.
//! - `Client::trust`, with the feature `trust`: installs only what was signed for this installed copy.
//! - [`replace_program`]: puts a downloaded program in the place of the running one.
//!
//! All calls are asynchronous. Downloads, the default transport and the default [`Sleep`] need a tokio
//! runtime with IO and time. The feature `http-transport`, on by default, provides the default transport;
//! without it, supply a [`Transport`].

#![warn(missing_docs)]

mod address;
mod answer;
mod blocking;
mod check;
mod client;
mod config;
mod download;
mod error;
mod exchange;
mod follow;
#[cfg(feature = "http-transport")]
mod http_transport;
mod kit;
mod memory_transport;
mod pause;
mod poll;
mod program;
mod report;
mod retry_after;
mod running_target;
mod scope;
mod secret;
mod transport;
#[cfg(feature = "trust")]
mod trust;
mod update;

pub use client::Client;
pub use config::{Config, ReportLimits, Settings};
pub use download::{Download, DownloadLimits, Downloaded, Progress, Way};
pub use error::{Cause, EndpointError, Error};
#[cfg(feature = "http-transport")]
pub use http_transport::{HttpSettings, HttpTransport};
pub use kit::{Kit, KitConfig};
pub use memory_transport::MemoryTransport;
pub use pause::{Sleep, TokioSleep};
pub use poll::{PollSettings, Polled, Poller};
pub use program::replace_program;
pub use report::{Accepted, Report};
pub use running_target::{RunningTarget, running_target};
pub use scope::CheckOptions;
pub use secret::{BearerToken, DownloadToken, GroupKey, InvalidSecret, ReportKey};
pub use spindrift_api::ErrorCode;
pub use spindrift_core::{
    BasisPoints, EventType, Md5Digest, OsRange, OsVersion, Reason, Requirements, Sha256Hex, Sha512Hex,
    WhenUnknown,
};
pub use transport::{Body, Transport, TransportError, body};
#[cfg(feature = "trust")]
pub use trust::{Trust, TrustConfig, TrustError, TrustSettings, Trusted, WITHHELD_AFTER, Withheld};
pub use update::{CheckResult, Offer, PackageUrl, Patch, Rollout, Source, Unmet, Update};

/// The example of the page that package registries show.
#[cfg(all(doctest, feature = "http-transport"))]
#[doc = include_str!("../README.md")]
struct Readme;
