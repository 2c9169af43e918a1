//! The frame around the content of all pages.

use maud::{DOCTYPE, Markup, html};
use spindrift_api::WhoamiBody;

use crate::address::Address;
use crate::assets;
use crate::form_token;
use crate::notice::Notice;

/// A place in the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Overview,
    Telemetry,
    Failures,
    Setup,
    People,
    Trust,
}

const MENU: &[(Place, &str, &str)] = &[
    (Place::Overview, "Overview", ""),
    (Place::Telemetry, "Telemetry", "telemetry"),
    (Place::Failures, "Failures", "failures"),
    (Place::Setup, "Setup", "setup"),
    (Place::People, "People and keys", "people"),
    (Place::Trust, "Trust", "trust"),
];

/// The head and frame of a page.
pub(crate) struct Frame<'a> {
    /// Of the tab, before the product's name.
    pub(crate) title: &'a str,
    /// `None`: nobody is logged in, and there is no menu.
    pub(crate) visitor: Option<Visitor<'a>>,
    /// Further scripts of the page.
    pub(crate) scripts: &'a [&'static str],
    /// For a page whose content changes by itself: the seconds after which an open page is loaded again.
    pub(crate) refresh_seconds: Option<u32>,
    /// The result of the form that led to it.
    pub(crate) notice: Option<Notice>,
}

/// The logged-in user.
pub(crate) struct Visitor<'a> {
    pub(crate) me: &'a WhoamiBody,
    pub(crate) place: Option<Place>,
    pub(crate) form_token: String,
}

impl Frame<'_> {
    /// The whole page.
    pub(crate) fn around(&self, content: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="robots" content="noindex";
                    title { (self.title) " · Spindrift" }
                    link rel="icon" href=(assets::address("icon.svg"));
                    link rel="stylesheet" href=(assets::address("console.css"));
                    script type="module" src=(assets::address("console.js")) {}
                    @for script in self.scripts {
                        script type="module" src=(assets::address(script)) {}
                    }
                }
                body {
                    a.skip href="#content" { "Skip to content" }
                    @if let Some(visitor) = &self.visitor { (menu(visitor)) }
                    @if self.refresh_seconds.is_some() { p #freshness role="status" {} }
                    main #content tabindex="-1" data-refresh=[self.refresh_seconds] {
                        @if let Some(notice) = self.notice { p.done role="status" { (notice.text()) } }
                        (content)
                    }
                }
            }
        }
    }
}

fn menu(visitor: &Visitor<'_>) -> Markup {
    html! {
        header.top {
            a.brand href=(Address::page([])) { img src=(assets::address("icon.svg")) alt="" width="22" height="22"; "Spindrift" }
            nav aria-label="Main" {
                @for (place, name, path) in MENU {
                    @let address = Address::page(Some(*path).filter(|path| !path.is_empty()));
                    a href=(address) aria-current=[(visitor.place == Some(*place)).then_some("page")] { (name) }
                }
            }
            form.who method="post" action=(Address::page(["logout"])) {
                input type="hidden" name=(form_token::FIELD) value=(visitor.form_token);
                span title=(role(visitor.me)) { (visitor.me.username) }
                button.plain type="submit" { "Log out" }
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
