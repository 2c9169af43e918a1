//! For admins: the log as files, and its last entry.

use http::{HeaderValue, Method};
use maud::{Markup, html};
use spindrift_api::AuditHeadBody;
use spindrift_web::{Request, Response};

use crate::pages::prove;
use crate::{Address, Context, Result, parts, respond};

const JSON_LINES: HeaderValue = HeaderValue::from_static("application/jsonl");
/// Number of entries in a file: the service's page size.
const IN_FILE: u64 = 1000;
/// Maximum number of files to offer. They are the newest.
const FILES: u64 = 20;

/// The section below the entries. Empty if the log has no entries. `None`: the service shows the last one only after a
/// fresh proof.
pub(super) fn section(head: Option<&AuditHeadBody>) -> Markup {
    let Some(head) = head else { return locked() };
    let files = head.seq.div_ceil(IN_FILE);
    let newest = (files.saturating_sub(FILES)..files).rev();
    html! {
        @if head.seq > 0 {
            section {
                h2 { "Keep the log" }
                dl.pairs {
                    dt { "Last entry" } dd { (parts::number(head.seq)) }
                    dt { "Its hash" } dd { (parts::copyable(&head.hash)) }
                }
                p.hint {
                    "Keep both where nobody can change them: "
                    "a log that was cut off or rewritten does not reach this hash."
                }
                p.row { @for file in newest { (link(file * IN_FILE, head.seq)) } }
                p.hint {
                    @if files > FILES { "Earlier entries are not listed here. " }
                    code { "spindrift audit export" } " writes the whole log into one file, and "
                    code { "spindrift audit verify" } " checks it."
                }
            }
        }
    }
}

fn locked() -> Markup {
    html! {
        section {
            h2 { "Keep the log" }
            p {
                "The hash of the last entry, and the log as files, need a fresh proof. "
                a href=(prove::address(&Address::page(["history"]))) { "Prove that it is you" }
            }
        }
    }
}

fn link(after: u64, last: u64) -> Markup {
    let (first, last) = (after + 1, last.min(after + IN_FILE));
    let address = Address::page(["history.jsonl"]).with("after", after);
    html! { a href=(address) download { "Download entries " (parts::number(first)) " to " (parts::number(last)) } }
}

/// `GET /console/history.jsonl`: the entries after a place, as exported by the service.
pub(crate) async fn file(context: &Context<'_>, request: &Request) -> Result<Response> {
    let after: u64 = request.query()?.optional("after")?.unwrap_or(0);
    let call = Address::call("/audit").with("format", "jsonl").with("after", after).with("limit", IN_FILE);
    let lines = context.service.send(Method::GET, &call, None).await?;
    Ok(respond::file(&format!("audit-from-{}.jsonl", after.saturating_add(1)), JSON_LINES, lines.body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_files_are_offered() {
        let shown = |seq| section(Some(&AuditHeadBody { seq, hash: "ab".to_owned() })).into_string();
        assert_eq!(shown(0), "");
        let one = shown(1000);
        let link =
            "<a href=\"/console/history.jsonl?after=0\" download>Download entries 1 to 1\u{202f}000</a>";
        assert!(one.contains(link) && !one.contains("after=1000"), "{one}");
        let many = shown(25_001);
        assert!(
            many.contains("after=25000\" download>Download entries 25\u{202f}001 to 25\u{202f}001"),
            "{many}"
        );
        assert!(many.contains("after=6000\"") && !many.contains("after=5000\""), "{many}");
        assert!(many.contains("Earlier entries are not listed") && !one.contains("Earlier"), "{many}");
    }
}
