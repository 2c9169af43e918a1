//! Sparkle 2: reads an appcast, selects the newest item that the app may have, and checks its signature. Also
//! signs archives and writes appcasts.

mod appcast;
mod item;
mod key;
mod version;

pub use appcast::{Archive, appcast};
pub use item::{Enclosure, Item, parse};
pub use key::{SigningKey, verify};
pub use version::compare;

use std::cmp::Ordering;

use crate::fetch::fetch;

#[derive(Debug, Clone)]
pub struct SparkleApp {
    /// URL of the appcast.
    pub feed: String,
    /// `CFBundleVersion`, which may differ from the version shown to people.
    pub build: String,
    /// Version of macOS.
    pub system: String,
    /// Channels of the app, in addition to the default one.
    pub channels: Vec<String>,
    /// `SUPublicEDKey`.
    pub public_key: String,
}

impl SparkleApp {
    /// An app on macOS 15 with only the default channel.
    pub fn new(feed: &str, build: &str, public_key: &str) -> Self {
        Self {
            feed: feed.to_owned(),
            build: build.to_owned(),
            system: "15.0.0".to_owned(),
            channels: Vec::new(),
            public_key: public_key.to_owned(),
        }
    }

    /// Requests the feed. `None`: there is nothing newer.
    pub fn check(&self) -> Result<Option<Item>, String> {
        let body = fetch(&self.feed, &[("accept", "application/rss+xml,*/*;q=0.1")])?.with_status(200)?;
        let items = parse(&body, &self.feed)?;
        let newest = items
            .into_iter()
            .filter(|item| self.may_have(item))
            .max_by(|one, other| compare(&one.build, &other.build));
        Ok(newest.filter(|item| compare(&item.build, &self.build) == Ordering::Greater))
    }

    fn may_have(&self, item: &Item) -> bool {
        let not_below = |limit: &Option<String>, version: &str| {
            limit.as_ref().is_none_or(|limit| compare(version, limit) != Ordering::Less)
        };
        let not_above = |limit: &Option<String>, version: &str| {
            limit.as_ref().is_none_or(|limit| compare(version, limit) != Ordering::Greater)
        };
        item.channel.as_ref().is_none_or(|channel| self.channels.contains(channel))
            && not_below(&item.minimum_system, &self.system)
            && not_above(&item.maximum_system, &self.system)
            && not_below(&item.minimum_update, &self.build)
    }

    /// Downloads the delta from the installed version if there is one, else the archive. Checks length and
    /// signature.
    pub fn download(&self, item: &Item) -> Result<Vec<u8>, String> {
        let delta = item.deltas.iter().find(|delta| delta.delta_from.as_deref() == Some(&self.build));
        let enclosure = delta.unwrap_or(&item.enclosure);
        let bytes = fetch(enclosure.url.as_str(), &[])?.with_status(200)?;
        if enclosure.length.is_some_and(|length| u64::try_from(bytes.len()) != Ok(length)) {
            return Err(format!("{}: {} bytes", enclosure.url, bytes.len()));
        }
        let signature = enclosure.signature.as_deref().ok_or("the update is not signed")?;
        verify(&self.public_key, &bytes, signature)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests;
