//! Checks that installed copies send what rollouts in parts and the guard need.

use std::collections::BTreeSet;

use spindrift_api::{ErrorCode, OverviewBody, PlatformEntry};
use spindrift_core::Updater;

use super::finding::Finding;
use crate::commands::catalog;
use crate::error::CliError;
use crate::service::Service;

const COPIES: &str = "copies";
/// Applications on a page: the most that the service allows.
const PAGE: usize = 100;

/// Finds applications whose copies check for updates, and send no device id or no failures.
pub(super) async fn copies(service: &Service) -> Vec<Finding> {
    if service.token().is_none() {
        return vec![Finding::skipped(COPIES, "no token: log in, or set SPINDRIFT_TOKEN")];
    }
    match findings(service).await {
        Ok(findings) if findings.is_empty() => {
            vec![Finding::good(COPIES, "no application lacks device ids or failure reports")]
        }
        Ok(findings) => findings,
        Err(CliError::Refused(refusal)) if refusal.code == Some(ErrorCode::NotForCiTokens) => {
            vec![Finding::skipped(COPIES, "a CI token may not see the figures of applications: log in")]
        }
        Err(error) => vec![Finding::failed(COPIES, &error)],
    }
}

async fn findings(service: &Service) -> Result<Vec<Finding>, CliError> {
    let missing = missing(service).await?;
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let guides = guides(&catalog::list::<PlatformEntry>(service).await?.platforms);
    let note = |(app, text): (String, String)| Finding::note(COPIES, format!("{app}: {text} See {guides}"));
    Ok(missing.into_iter().map(note).collect())
}

/// Applications, with what their copies do not send.
async fn missing(service: &Service) -> Result<Vec<(String, String)>, CliError> {
    let mut missing = Vec::new();
    for page in 1.. {
        let query = [("limit", PAGE), ("page", page)];
        let overview: OverviewBody = service.get("/telemetry/overview").query(&query).json().await?;
        let is_last = overview.apps.len() < PAGE;
        missing.extend(overview.apps.into_iter().filter_map(|app| Some((app.name, app.missing?))));
        if is_last {
            break;
        }
    }
    Ok(missing)
}

/// The pages of the documentation for the updaters of the owner's platforms. Updaters that this program
/// does not know are left out.
fn guides(platforms: &[PlatformEntry]) -> String {
    let updaters = platforms.iter().flat_map(|platform| &platform.updaters);
    let known = updaters.filter_map(|entry| entry.updater.parse::<Updater>().ok());
    let mut guides: BTreeSet<&str> = known.map(Updater::kit_guide).collect();
    if guides.is_empty() {
        guides.insert(Updater::Manual.kit_guide());
    }
    guides.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    fn platform(updaters: &[&str]) -> PlatformEntry {
        let updater = |name: &&str| json!({ "type": name, "default": false });
        let updaters: Vec<_> = updaters.iter().map(updater).collect();
        serde_json::from_value(json!({
            "ID": "1", "PlatformName": "linux", "Default": false, "Updaters": updaters, "Owner": "ada",
            "Updated_at": "t",
        }))
        .unwrap()
    }

    #[test]
    fn guides_are_those_of_the_updaters() {
        for (platforms, expected) in [
            (vec![], "docs/kits.md"),
            (vec![platform(&["electron-builder", "manual"])], "docs/kits.md"),
            (
                vec![platform(&["velopack"]), platform(&["sparkle", "from-the-future"])],
                "docs/updaters/sparkle.md, docs/updaters/velopack.md",
            ),
        ] {
            assert_eq!(guides(&platforms), expected);
        }
    }

    #[test]
    fn guides_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for updater in Updater::ALL {
            assert!(root.join(updater.kit_guide()).is_file(), "{updater}");
        }
    }
}
