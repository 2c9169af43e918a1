//! The lines of an exported log, which are verified one by one.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use spindrift_api::AuditLine;
use spindrift_core::audit::{AuditChain, BrokenChain};

use crate::error::CliError;
use crate::service::{Service, read};

/// Page size: the maximum that the service allows.
const PAGE: &str = "1000";

/// Adds the whole log of the service. Passes each verified page to `take`.
pub(super) async fn add_service(
    chain: &mut AuditChain,
    service: &Service,
    mut take: impl FnMut(&[u8]) -> Result<(), CliError>,
) -> Result<(), CliError> {
    loop {
        let query = [("format", "jsonl"), ("limit", PAGE), ("after", &chain.seq().to_string())];
        let page = read(service, service.get("/audit").query(&query).ok().await?).await?;
        if page.is_empty() {
            return Ok(chain.end()?);
        }
        for line in page.split_inclusive(|byte| *byte == b'\n') {
            add(chain, line)?;
        }
        take(&page)?;
    }
}

/// Adds an exported file.
pub(super) fn add_file(chain: &mut AuditChain, path: &Path) -> Result<(), CliError> {
    let mut lines = BufReader::new(File::open(path).map_err(CliError::file(path))?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).map_err(CliError::file(path))? > 0 {
        add(chain, &line)?;
        line.clear();
    }
    Ok(chain.end()?)
}

fn add(chain: &mut AuditChain, line: &[u8]) -> Result<(), BrokenChain> {
    let no_entry = BrokenChain::NoEntry { after: chain.seq() };
    let Ok(AuditLine { hash, entry }) = serde_json::from_slice(line) else { return Err(no_entry) };
    let Ok(hash) = hash.parse() else { return Err(no_entry) };
    chain.add(&entry, hash)
}
