//! Details of reports. Installed copies send them, so they may contain anything: the page's script
//! decompresses them in the browser, and shows them only as text.

use http::{HeaderValue, Method};
use maud::{Markup, html};
use spindrift_api::{BlobEntry, BlobsBody};
use spindrift_web::{Request, Response};

use super::failure_group::FailureGroupRef;
use crate::{Context, Result, address, parts, respond};

const GZIP: HeaderValue = HeaderValue::from_static("application/gzip");

/// The section on the group's page.
pub(super) fn section(named: &FailureGroupRef, blobs: &BlobsBody) -> Markup {
    html! {
        section {
            h2 { "Details" }
            @if blobs.items.is_empty() {
                (parts::empty("No details are kept.", &html! {
                    "Reports may include details; the newest are kept for some time."
                }))
            }
            @for blob in &blobs.items { (entry(named, blob)) }
        }
    }
}

fn entry(named: &FailureGroupRef, blob: &BlobEntry) -> Markup {
    let packed = named.page(&["details", blob.id.as_str()]);
    html! {
        details.details data-packed=(packed) data-bytes=(blob.storage.decompressed_size) {
            summary { (parts::time(&blob.created_at)) " " span.quiet { (parts::size(blob.storage.decompressed_size)) } }
            p { a href=(packed) download { "Download, packed with gzip" } }
            pre tabindex="0" aria-live="polite" {}
            noscript { p.hint { "Without scripts, download and unpack it to read it." } }
        }
    }
}

/// `GET /console/failures/{hash}/details/{id}`: the bytes, as stored.
pub(super) async fn read(context: &Context<'_>, request: &Request) -> Result<Response> {
    let named = FailureGroupRef::of(request)?;
    let id = address::segment(request.path(), 4)?;
    let stored = context.service.send(Method::GET, &named.call(&["blobs", &id]), None).await?;
    Ok(respond::file(&format!("report-{id}.json.gz"), GZIP, stored.body))
}
