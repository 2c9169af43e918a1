//! The menu at the top of every page for a logged-in user.

use maud::{Markup, html};
use spindrift_api::WhoamiBody;

use crate::{Address, assets, form_token};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Overview,
    Telemetry,
    Failures,
    History,
    Setup,
    People,
    Trust,
}

const MENU: &[(Place, &str, &str)] = &[
    (Place::Overview, "Overview", ""),
    (Place::Telemetry, "Telemetry", "telemetry"),
    (Place::Failures, "Failures", "failures"),
    (Place::History, "History", "history"),
    (Place::Setup, "Setup", "setup"),
    (Place::People, "People and keys", "people"),
    (Place::Trust, "Trust", "trust"),
];

pub(crate) struct Menu<'a> {
    pub(crate) me: &'a WhoamiBody,
    /// The page's place in the menu.
    pub(crate) place: Place,
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
