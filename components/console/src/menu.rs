//! The menu at the top of every page for a logged-in user.

use maud::{Markup, html};
use spindrift_api::WhoamiBody;

use crate::{Address, assets, form_token};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MenuEntry {
    Overview,
    Telemetry,
    Failures,
    History,
    Setup,
    People,
    Trust,
}

/// The entries: place, name, and path below the console; empty for its first page.
pub(crate) const MENU: &[(MenuEntry, &str, &str)] = &[
    (MenuEntry::Overview, "Overview", ""),
    (MenuEntry::Telemetry, "Telemetry", "telemetry"),
    (MenuEntry::Failures, "Failures", "failures"),
    (MenuEntry::History, "History", "history"),
    (MenuEntry::Setup, "Setup", "setup"),
    (MenuEntry::People, "People and keys", "people"),
    (MenuEntry::Trust, "Trust", "trust"),
];

pub(crate) struct Menu<'a> {
    pub(crate) me: &'a WhoamiBody,
    /// The page's place in the menu.
    pub(crate) place: MenuEntry,
    pub(crate) form_token: String,
}

impl Menu<'_> {
    pub(crate) fn show(&self) -> Markup {
        html! {
            header.top {
                a.brand href=(Address::page([])) {
                    img src=(assets::address("icon.svg")) alt="" width="22" height="22"; "Spindrift"
                }
                nav aria-label="Main" {
                    @for (place, name, path) in MENU {
                        @let address = Address::page(Some(*path).filter(|path| !path.is_empty()));
                        a href=(address) aria-current=[(self.place == *place).then_some("page")] { (name) }
                    }
                }
                form.find method="get" action=(Address::page(["find"])) role="search" aria-label="Console" {
                    input #find type="search" name="q" placeholder="Find (/)" aria-keyshortcuts="/"
                        aria-label="Find applications, releases, people and pages";
                }
                form.who method="post" action=(Address::page(["logout"])) {
                    input type="hidden" name=(form_token::FIELD) value=(self.form_token);
                    span title=(role(self.me)) { (self.me.username) }
                    button.plain type="submit" { "Log out" }
                }
            }
        }
    }
}

fn role(me: &WhoamiBody) -> String {
    match &me.owner {
        Some(owner) => format!("in the team of {owner}"),
        None => "admin".to_owned(),
    }
}
