//! Renders the page from the document, so that no request waits for it.

#[path = "renderer/page.rs"]
mod page;

use std::error::Error;
use std::path::PathBuf;

const DOCUMENT: &str = "pages/openapi.json";

fn main() -> Result<(), Box<dyn Error>> {
    for input in ["build.rs", "renderer", DOCUMENT] {
        println!("cargo::rerun-if-changed={input}");
    }
    let document = std::fs::read(DOCUMENT)?;
    let document = serde_json::from_slice(&document).map_err(|error| format!("{DOCUMENT}: {error}"))?;
    let folder = PathBuf::from(std::env::var("OUT_DIR")?);
    Ok(std::fs::write(folder.join("page.html"), page::render(&document))?)
}
