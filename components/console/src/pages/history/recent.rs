//! The latest entries, as a section of other pages.

use maud::{Markup, html};
use spindrift_api::{AuditBody, AuditItem};
use spindrift_service::log;

use super::entries;
use crate::{Address, Context, parts};

const UNREADABLE: &str = "The history cannot be read at the moment. The rest of this page is complete.";

/// The latest entries. `None`: they could not be loaded, and the page is shown without them.
pub(crate) struct Recent(Option<Vec<AuditItem>>);

impl Recent {
    /// Loads at most `limit` entries of a release.
    pub(crate) async fn load(context: &Context<'_>, release: &str, limit: u32) -> Self {
        let call = Address::call("/audit").with("release", release).with("limit", limit);
        let loaded = context.service.get::<AuditBody>(&call).await;
        let loaded = loaded.inspect_err(|error| log::warn("the audit log could not be read", error));
        Self(loaded.ok().map(|body| body.items))
    }

    /// Entries that were loaded with the rest of the page.
    pub(crate) const fn of(items: Vec<AuditItem>) -> Self {
        Self(Some(items))
    }

    /// The entries. Empty if they could not be loaded.
    pub(crate) fn items(&self) -> &[AuditItem] {
        self.0.as_deref().unwrap_or_default()
    }

    /// The section, without differences to keep the page short. `all`: the complete history.
    /// `link`: makes the link to an entry's object.
    pub(crate) fn section(
        &self,
        title: &str,
        all: &Address,
        is_admin: bool,
        link: impl Fn(&AuditItem, &[AuditItem]) -> Option<Address>,
    ) -> Markup {
        html! {
            section {
                h2 { (title) }
                @match self.0.as_deref() {
                    None => (parts::problem(UNREADABLE)),
                    Some([]) => (parts::empty("No entries.", &html! {
                        "The history has the changes since the service began to record them."
                    })),
                    Some(items) => {
                        (entries::table(title, items, is_admin, |item| entries::change_sentence(item, link(item, items))))
                        p { a href=(all) { "Show in the history" } }
                    }
                }
            }
        }
    }
}
