//! Finds applications, releases, people and pages by a part of their names.

use futures::future::{join, try_join_all};
use maud::{Markup, html};
use spindrift_api::{AppsBody, ReleaseEntry, SearchBody, UsersBody, WhoamiBody};
use spindrift_web::{Request, Response};

use crate::menu::MENU;
use crate::pages::release;
use crate::{Address, Context, MenuEntry, Result, catalog, parts};

/// Most results of a kind.
const MOST: usize = 10;
/// How many of the newest releases of an application are looked at.
const RELEASES: usize = 100;
/// Longest text, in characters. The rest is ignored.
const MAX_TEXT_CHARS: usize = 100;

/// The words of a search, in small letters. All of them must occur.
struct Wanted(Vec<String>);

impl Wanted {
    fn of(text: &str) -> Self {
        let text: String = text.chars().take(MAX_TEXT_CHARS).collect();
        Self(text.to_lowercase().split_whitespace().map(ToOwned::to_owned).collect())
    }

    fn is_in(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        !self.0.is_empty() && self.0.iter().all(|word| name.contains(word))
    }

    /// Whether a word could be a part of the name, so that a further word may be a version.
    fn begins_with(&self, app: &str) -> bool {
        let app = app.to_lowercase();
        self.0.first().is_some_and(|word| app.contains(word))
    }
}

/// A result: its text and its page.
type Found = (String, Address);

/// `GET /console/find`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let text = query.get("q").unwrap_or_default();
    let wanted = Wanted::of(text);
    let me = context.me().await?;
    let apps: AppsBody = context.service.get(&catalog::brief_apps()).await?;
    let apps: Vec<String> = apps.apps.into_iter().map(|app| app.app_name).collect();
    let (releases, people) = join(releases(context, &wanted, &apps), people(context, &me, &wanted)).await;
    let (releases, is_whole) = releases?;
    let content = html! {
        h1 { "Find" }
        form.filters method="get" action=(Address::page(["find"])) {
            label { "Applications, releases, people and pages" input type="search" name="q" value=(text); }
            button type="submit" { "Find" }
        }
        (lists(&[
            ("Applications", named(&wanted, &apps)),
            ("Releases", releases),
            ("People", people?),
            ("Pages", pages(&wanted)),
        ]))
        @if !is_whole {
            p.hint {
                "Older releases were not looked at: this page reads the newest " (RELEASES) " of an application. "
                "Its own page lists all."
            }
        }
    };
    Ok(context.page("Find", &me, MenuEntry::Overview).show(&content))
}

fn named(wanted: &Wanted, apps: &[String]) -> Vec<Found> {
    let found = apps.iter().filter(|app| wanted.is_in(app)).take(MOST);
    found.map(|app| (app.clone(), Address::page(["apps", app]))).collect()
}

/// Releases of the applications that the first word fits, or the newest ones with such a version; and whether
/// there are no others.
async fn releases(context: &Context<'_>, wanted: &Wanted, apps: &[String]) -> Result<(Vec<Found>, bool)> {
    if wanted.0.is_empty() {
        return Ok((Vec::new(), true));
    }
    let call = || Address::call("/search").with("changelog", false).with("limit", RELEASES);
    let fitting = apps.iter().filter(|app| wanted.begins_with(app)).take(MOST);
    let mut calls: Vec<Address> = fitting.map(|app| call().with("app_name", app)).collect();
    if calls.is_empty() {
        calls.push(call());
    }
    let answers = try_join_all(calls.iter().map(|call| context.service.get::<SearchBody>(call))).await?;
    let are_all_read = answers.iter().all(|answer| answer.total <= answer.items.len() as u64);
    let all = answers.into_iter().flat_map(|answer| answer.items);
    let text = |one: &ReleaseEntry| format!("{} {}", one.app_name, one.version);
    let found = all.filter(|one| wanted.is_in(&text(one))).take(MOST);
    let found = found.map(|one| (text(&one), release::address(&one.app_name, one.id.as_str()))).collect();
    Ok((found, are_all_read))
}

async fn people(context: &Context<'_>, me: &WhoamiBody, wanted: &Wanted) -> Result<Vec<Found>> {
    if !me.is_admin {
        return Ok(Vec::new());
    }
    let team: UsersBody = context.service.get(&Address::call("/users/list")).await?;
    let found = team.users.into_iter().filter(|user| wanted.is_in(&user.username)).take(MOST);
    Ok(found.map(|user| (user.username, Address::page(["people", "users", user.id.as_str()]))).collect())
}

fn pages(wanted: &Wanted) -> Vec<Found> {
    let below =
        [("Configure clients and pipelines", &["setup", "snippets"][..]), ("Freezes", &["freezes"][..])];
    let menu = MENU.iter().map(|(_, name, path)| (*name, std::slice::from_ref(path)));
    let found = menu.chain(below).filter(|(name, _)| wanted.is_in(name));
    let address = |path: &[&str]| Address::page(path.iter().copied().filter(|segment| !segment.is_empty()));
    found.map(|(name, path)| (name.to_owned(), address(path))).collect()
}

fn lists(all: &[(&str, Vec<Found>)]) -> Markup {
    html! {
        @for (title, found) in all {
            @if !found.is_empty() {
                section {
                    h2 { (title) }
                    ul.found { @for (text, address) in found { li { a href=(address) { (text) } } } }
                }
            }
        }
        @if all.iter().all(|(_, found)| found.is_empty()) {
            (parts::empty("Nothing has such a name.", &html! { "A part of a name is enough: " code { "notes 1.2" } "." }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_must_occur() {
        let wanted = Wanted::of(" Notes  1.2 ");
        assert!(wanted.is_in("field-notes 1.20.0") && wanted.begins_with("notes"));
        assert!(!wanted.is_in("notes 2.0") && !wanted.begins_with("vault"));
        assert!(!Wanted::of("  ").is_in("notes"));
    }

    #[test]
    fn pages_are_found_by_name() {
        let found = |text: &str| -> Vec<String> {
            pages(&Wanted::of(text)).into_iter().map(|(_, address)| address.to_string()).collect()
        };
        assert_eq!(found("over"), ["/console/"]);
        assert_eq!(found("people keys"), ["/console/people"]);
        assert_eq!(found("pipelines"), ["/console/setup/snippets"]);
    }

    #[test]
    fn names_are_text() {
        let apps = ["<b>notes</b>".to_owned()];
        let shown = lists(&[("Applications", named(&Wanted::of("notes"), &apps))]).into_string();
        assert!(shown.contains("&lt;b&gt;notes") && !shown.contains("<b>notes"), "{shown}");
        assert!(lists(&[("People", Vec::new())]).into_string().contains("Nothing has such a name."));
    }
}
