//! The parts of a release's page below its first screen, one at a time.

use maud::{Markup, html};
use spindrift_web::Query;

use super::entered_values::{EnteredValues, FormPart};
use crate::Address;

/// The query parameter and form field with the part.
pub(super) const TAB: &str = "tab";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReleaseTab {
    Failures,
    Files,
    /// The clients that get the release, and why.
    Audience,
    Settings,
    History,
}

const TABS: [(ReleaseTab, &str, &str); 5] = [
    (ReleaseTab::Failures, "failures", "Failures"),
    (ReleaseTab::Files, "files", "Files and notes"),
    (ReleaseTab::Audience, "who", "Who gets it"),
    (ReleaseTab::Settings, "settings", "Settings"),
    (ReleaseTab::History, "history", "History"),
];

impl ReleaseTab {
    /// The part that an address names, or that has the form to edit.
    pub(super) fn of_address(query: &Query) -> Option<Self> {
        match query.get("edit") {
            Some("notes") => Some(Self::Files),
            Some(super::requirements::EDITED) => Some(Self::Audience),
            _ => TABS.into_iter().find(|(_, word, _)| query.get(TAB) == Some(word)).map(|(tab, ..)| tab),
        }
    }

    /// The part with a form. `None`: the form is on the first screen.
    pub(super) const fn of_form(part: FormPart) -> Option<Self> {
        match part {
            FormPart::Buttons | FormPart::Plan | FormPart::Publication => None,
            FormPart::Guard => Some(Self::Settings),
            FormPart::Groups | FormPart::Requirements | FormPart::Promotion => Some(Self::Audience),
        }
    }

    /// The part to show first.
    pub(super) const fn default_for(can_fail: bool) -> Self {
        if can_fail { Self::Failures } else { Self::Files }
    }

    pub(super) fn word(self) -> &'static str {
        TABS.into_iter().find(|(tab, ..)| *tab == self).map_or("", |(_, word, _)| word)
    }

    /// The page with this part, in a channel.
    pub(super) fn of_page(self, page: Address) -> Address {
        page.with(TAB, self.word())
    }
}

/// The page that a sent form leads to.
pub(super) fn page_after(page: Address, form: &Query) -> Address {
    match ReleaseTab::of_form(EnteredValues::of(form).part) {
        Some(tab) => tab.of_page(page),
        None => page,
    }
}

/// Links to the parts. `page`: in the channel that is shown. `note`: a mark beside *Failures*.
pub(super) fn links(shown: ReleaseTab, page: &Address, note: &Markup) -> Markup {
    html! {
        nav #parts .tabs aria-label="Parts" {
            @for (tab, _, title) in TABS {
                a href={ (tab.of_page(page.clone())) "#parts" } aria-current=[(tab == shown).then_some("page")] {
                    (title) @if tab == ReleaseTab::Failures { (note) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_part() {
        for (address, expected) in [
            ("tab=who", Some(ReleaseTab::Audience)),
            ("tab=settings&channel=beta", Some(ReleaseTab::Settings)),
            ("edit=notes", Some(ReleaseTab::Files)),
            ("edit=requirements&platform=mac&tab=files", Some(ReleaseTab::Audience)),
            ("tab=nothing", None),
            ("", None),
        ] {
            assert_eq!(ReleaseTab::of_address(&Query::parse(address).unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn a_form_leads_back_to_its_part() {
        let page = || Address::page(["x"]).with("channel", "beta");
        for (form, expected) in [
            ("part=guard", "/console/x?channel=beta&tab=settings"),
            ("part=groups&groups=qa", "/console/x?channel=beta&tab=who"),
            ("action=halt", "/console/x?channel=beta"),
        ] {
            assert_eq!(page_after(page(), &Query::parse(form).unwrap()).as_str(), expected);
        }
        let shown = links(ReleaseTab::Files, &page(), &html! {}).into_string();
        let files = "<a href=\"/console/x?channel=beta&amp;tab=files#parts\" aria-current=\"page\">Files and notes</a>";
        assert!(shown.contains(files) && shown.matches("aria-current").count() == 1, "{shown}");
    }
}
