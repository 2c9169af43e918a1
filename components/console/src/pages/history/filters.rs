//! Filters of the history.

use maud::{Markup, html};
use spindrift_api::{AppsBody, AuditItem, TokensBody, UsersBody, WhoamiBody};
use spindrift_core::Day;
use spindrift_core::audit::AuditKind;
use spindrift_web::Query;

use crate::{Address, FormFields, Result, parts};

/// Entries on a page.
const ROWS: u32 = 50;
/// Query parameters that select entries. The service uses the same names.
const SELECTING: [&str; 6] = ["app", "release", "kind", "actor", "from", "to"];

/// Choices under a heading: values, with their texts.
type ChoiceGroup = (String, Vec<(String, String)>);

/// The names of people and tokens, as suggestions. Deleted ones can be typed.
pub(super) struct People(Vec<String>);

impl People {
    pub(super) fn of(me: &WhoamiBody, users: &UsersBody, tokens: &TokensBody) -> Self {
        let users = users.users.iter().map(|user| user.username.clone());
        let tokens = tokens.tokens.iter().map(|token| token.entry.name.clone());
        Self(std::iter::once(me.username.clone()).chain(users).chain(tokens).collect())
    }
}

/// The filters, and the place of a page of entries.
pub(super) struct HistoryFilters {
    fields: FormFields,
    from: Option<Day>,
    to: Option<Day>,
}

impl HistoryFilters {
    pub(super) fn of(query: Query) -> Result<Self> {
        let (from, to) = (query.optional("from")?, query.optional("to")?);
        Ok(Self { fields: query.into(), from, to })
    }

    fn one(&self, name: &str) -> &str {
        self.fields.one(name)
    }

    pub(super) fn is_narrowed(&self) -> bool {
        SELECTING.into_iter().any(|name| !self.one(name).is_empty())
    }

    /// The call for the current page. Days are in UTC, and the last day is included.
    pub(super) fn call(&self) -> Address {
        let start = |day: Option<Day>| day.map(|day| day.start().to_rfc3339()).unwrap_or_default();
        let named = ["app", "release", "kind", "actor", "after"].into_iter();
        named
            .fold(Address::call("/audit"), |call, name| call.with(name, self.one(name)))
            .with("from", start(self.from))
            .with("to", start(self.to.map(|day| day.minus(-1))))
            .with("limit", ROWS)
    }

    /// The first page of the selected entries.
    fn newest(&self) -> Address {
        let page = Address::page(["history"]);
        SELECTING.into_iter().fold(page, |page, name| page.with(name, self.one(name)))
    }

    /// Links to older entries, and back.
    pub(super) fn pages(&self, next: Option<u64>) -> Markup {
        let is_newest = self.one("after").is_empty();
        html! {
            @if !is_newest || next.is_some() {
                nav.pages aria-label="Pages" {
                    @if !is_newest { a href=(self.newest()) { "← Newest" } }
                    @if let Some(next) = next { a href=(self.newest().with("after", next)) rel="next" { "Older →" } }
                }
            }
        }
    }

    /// `people`: for admins. `shown`: the selected entries, which may name a deleted release.
    pub(super) fn form(&self, apps: &AppsBody, people: Option<&People>, shown: &[AuditItem]) -> Markup {
        let apps = apps.apps.iter().map(|app| app.app_name.as_str());
        html! {
            form.filters method="get" action=(Address::page(["history"])) role="search" {
                @if !self.one("release").is_empty() { (self.of_release(shown.first())) }
                (suggestion_field("app", "Application", self.one("app"), apps))
                (grouped_select("kind", "Change", self.one("kind"), &kinds()))
                @if let Some(People(people)) = people {
                    (suggestion_field("actor", "Who", self.one("actor"), people.iter().map(String::as_str)))
                }
                label { "From (UTC)" input type="date" name="from" value=(self.one("from")); }
                label { "To (UTC)" input type="date" name="to" value=(self.one("to")); }
                button type="submit" { "Filter" }
                @if self.is_narrowed() { a href=(Address::page(["history"])) { "Show all" } }
            }
        }
    }

    /// A checkbox that restricts the list to the release from whose page the reader came.
    fn of_release(&self, first: Option<&AuditItem>) -> Markup {
        let release = first.and_then(|item| item.app.as_deref().zip(item.release.as_ref()));
        let name = release.map(|(app, release)| format!("{app} {}", release.version));
        let label = format!("Only {}", name.as_deref().unwrap_or("one release"));
        parts::check("release", self.one("release"), &label, true)
    }
}

/// A text field with suggestions.
fn suggestion_field<'a>(
    name: &str,
    label: &str,
    value: &str,
    suggestions: impl Iterator<Item = &'a str>,
) -> Markup {
    let list = format!("of-{name}");
    html! {
        label { (label)
            input type="text" name=(name) value=(value) list=(list) placeholder="any" autocomplete="off";
            datalist id=(list) { @for suggestion in suggestions { option value=(suggestion) {} } }
        }
    }
}

/// A select field with groups. A value that was chosen stays chosen even if it is not in the list.
fn grouped_select(name: &str, label: &str, chosen: &str, groups: &[ChoiceGroup]) -> Markup {
    let is_gone = !chosen.is_empty()
        && !groups.iter().any(|(_, choices)| choices.iter().any(|(value, _)| value == chosen));
    html! {
        label { (label)
            select name=(name) {
                option value="" { "any" }
                @if is_gone { option value=(chosen) selected { (chosen) } }
                @for (group, choices) in groups.iter().filter(|(_, choices)| !choices.is_empty()) {
                    optgroup label=(group) {
                        @for (value, text) in choices { option value=(value) selected[value == chosen] { (text) } }
                    }
                }
            }
        }
    }
}

/// All kinds by object, each with a choice for all kinds of the object.
fn kinds() -> Vec<ChoiceGroup> {
    let by_thing = AuditKind::ALL.chunk_by(|one, other| one.object_noun() == other.object_noun());
    by_thing
        .filter_map(|kinds| Some((kinds.first()?.object_noun(), kinds)))
        .map(|(thing, kinds)| {
            let things = plural(thing);
            let all = (format!("{thing}.*"), format!("everything about {}", things.to_lowercase()));
            let each = kinds.iter().map(|kind| (kind.as_str().to_owned(), kind.general_text()));
            (things, std::iter::once(all).chain(each).collect())
        })
        .collect()
}

/// The heading for an object in kinds.
fn plural(thing: &str) -> String {
    match thing {
        "app" => "Applications".to_owned(),
        "arch" => "Architectures".to_owned(),
        "artifact" => "Files of releases".to_owned(),
        "cause" => "Causes of failure".to_owned(),
        "report" => "Failure reports".to_owned(),
        "trust" => "Signed metadata".to_owned(),
        _ => {
            let (first, rest) = thing.split_at(thing.len().min(1));
            format!("{}{}s", first.to_uppercase(), rest.replace('_', " "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filters(query: &str) -> HistoryFilters {
        HistoryFilters::of(Query::parse(query).unwrap()).unwrap()
    }

    #[test]
    fn the_last_day_is_included() {
        let days = filters("app=notes&from=2026-11-01&to=2026-11-30&after=7&x=1");
        assert_eq!(
            days.call().as_str(),
            "/audit?app=notes&after=7&from=2026-11-01T00%3A00%3A00%2B00%3A00\
             &to=2026-12-01T00%3A00%3A00%2B00%3A00&limit=50"
        );
        assert_eq!(days.newest().as_str(), "/console/history?app=notes&from=2026-11-01&to=2026-11-30");
        assert!(days.is_narrowed() && !filters("after=7").is_narrowed());
        assert!(HistoryFilters::of(Query::parse("from=yesterday").unwrap()).is_err());
    }

    #[test]
    fn kinds_are_grouped_by_thing() {
        let shown = grouped_select("kind", "Change", "release.*", &kinds()).into_string();
        let releases = "<optgroup label=\"Releases\"><option value=\"release.*\" selected>everything about \
            releases</option><option value=\"release.create\">uploaded a release</option>";
        assert!(shown.contains(releases), "{shown}");
        assert!(shown.contains("<optgroup label=\"Download tokens\">"), "{shown}");
    }

    #[test]
    fn a_choice_that_is_gone_stays_chosen() {
        let groups =
            [("Users".to_owned(), vec![("1".to_owned(), "ann".to_owned())]), ("Tokens".to_owned(), vec![])];
        let shown = grouped_select("kind", "Change", "2", &groups).into_string();
        assert!(shown.contains("<option value=\"2\" selected>2</option>"), "{shown}");
        assert!(!shown.contains("Tokens"), "{shown}");
    }
}
