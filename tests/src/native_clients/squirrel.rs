//! Squirrel.Windows: reads `RELEASES` and decides what to download, by the rules of the client's last
//! version.
//!
//! It is strict: the whole check fails if one line is malformed, or if the highest version has no full
//! package.

mod entry;
mod version;

pub use entry::{Entry, parse};
pub use version::PackageVersion;

use super::nupkg::sha1_hex;
use crate::fetch::fetch;

#[derive(Debug, Clone)]
pub struct SquirrelApp {
    /// Base URL of the feed.
    pub base: String,
    pub id: String,
    /// Installed version. `None`: a setup that installs for the first time.
    pub version: Option<String>,
    /// UUID of the installation, which decides about staged releases. A setup has none.
    pub beta_id: Option<String>,
}

/// The decision of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The newest full package that this installation may have.
    pub newest: Entry,
    /// The packages to download and apply, in this order; empty if there is nothing newer.
    pub apply: Vec<Entry>,
}

impl SquirrelApp {
    /// Requests the feed and decides.
    pub fn check(&self) -> Result<Plan, String> {
        let base = self.base.trim_end_matches('/');
        let query = self.version.as_ref().map(|version| {
            // The bitness of the system, not of the app.
            format!("?id={}&localVersion={version}&arch=amd64", self.id)
        });
        let url = format!("{base}/RELEASES{}", query.unwrap_or_default());
        let body = fetch(&url, &[])?.with_status(200)?;
        let local = self.version.as_deref().map(PackageVersion::parse).transpose()?;
        plan(&parse(&body)?, local.as_ref(), self.beta_id.as_deref())
    }

    /// Downloads a package, and checks its size and digest.
    pub fn download(&self, entry: &Entry) -> Result<Vec<u8>, String> {
        let base = entry.base_url.as_deref().unwrap_or(&self.base);
        let url = format!("{}/{}{}", base.trim_end_matches('/'), entry.file_name, entry.query);
        // Like .NET, encodes characters that are not allowed in a URL.
        let url = url::Url::parse(&url).map_err(|error| format!("{url}: {error}"))?;
        let bytes = fetch(url.as_str(), &[])?.with_status(200)?;
        if u64::try_from(bytes.len()) != Ok(entry.size) {
            return Err(format!("{}: {} bytes instead of {}", entry.file_name, bytes.len(), entry.size));
        }
        if !sha1_hex(&bytes).eq_ignore_ascii_case(&entry.sha1) {
            return Err(format!("{}: wrong SHA-1", entry.file_name));
        }
        Ok(bytes)
    }
}

/// The decision of a client with the version `local` for a feed.
pub fn plan(
    entries: &[Entry],
    local: Option<&PackageVersion>,
    beta_id: Option<&str>,
) -> Result<Plan, String> {
    let position = beta_id.map(bucket).transpose()?;
    let mine: Vec<&Entry> = entries
        .iter()
        .filter(|entry| match (entry.staging_percent, position) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(percent), Some(position)) => position < f64::from(percent) / 100.0,
        })
        .collect();
    let highest = mine.iter().map(|entry| &entry.version).max();
    let Some(highest) = highest else { return Err("Remote release File is empty or corrupted".to_owned()) };
    let newest = mine.iter().find(|entry| entry.version == *highest && !entry.is_delta);
    let Some(&newest) = newest else {
        return Err("There should always be at least one full release".to_owned());
    };
    let apply = match local {
        None => vec![newest.clone()],
        Some(local) if *local >= newest.version => Vec::new(),
        Some(local) => steps(&mine, local, newest),
    };
    Ok(Plan { newest: newest.clone(), apply })
}

/// All newer deltas if they are smaller than the full package, else the full package.
fn steps(mine: &[&Entry], local: &PackageVersion, newest: &Entry) -> Vec<Entry> {
    let mut deltas: Vec<Entry> = mine
        .iter()
        .filter(|entry| entry.is_delta && entry.version > *local)
        .map(|&entry| entry.clone())
        .collect();
    deltas.sort_by(|one, other| one.version.cmp(&other.version));
    let size: u64 = deltas.iter().map(|entry| entry.size).sum();
    if size > 0 && size < newest.size { deltas } else { vec![newest.clone()] }
}

/// Position of an installation between 0 and 1, from the last four bytes of its id in little-endian order.
fn bucket(beta_id: &str) -> Result<f64, String> {
    let hex: String = beta_id.chars().filter(|letter| *letter != '-').collect();
    let bad = || format!("not a UUID: {beta_id}");
    let last = hex.get(24..32).filter(|_| hex.len() == 32).ok_or_else(bad)?;
    let number = u32::from_str_radix(last, 16).map_err(|_| bad())?;
    Ok(f64::from(number.swap_bytes()) / f64::from(u32::MAX))
}

/// `RELEASES` as the packager writes it: a BOM, then a line for each package.
pub fn releases(packages: &[(&str, &[u8])]) -> Vec<u8> {
    let lines = packages.iter().map(|(name, bytes)| format!("{} {name} {}", sha1_hex(bytes), bytes.len()));
    format!("\u{feff}{}", lines.collect::<Vec<_>>().join("\n")).into_bytes()
}

#[cfg(test)]
mod tests;
