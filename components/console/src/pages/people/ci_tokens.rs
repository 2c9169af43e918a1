//! CI tokens.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{
    ListedTokenEntry, MessageBody, PublisherEntry, TokenCreateBody, TokenCreatedBody, TokenEntry, TokensBody,
};
use spindrift_core::{Day, Id, Timestamp, TokenRight};
use spindrift_web::{Request, Response};

use super::secret::{SecretKind, hand_over};
use crate::table::{column, columns, extra, table};
use crate::{
    Address, Catalog, Confirm, ConsoleError, Context, FormFields, MenuEntry, Notice, Problem, Result,
    address, parts, respond,
};

/// `publishers`: those of all applications.
pub(super) fn section(
    tokens: &TokensBody,
    publishers: &[PublisherEntry],
    catalog: &Catalog,
    now: Timestamp,
) -> Markup {
    let head = html! {
        (column("Name")) (extra("Token")) (columns(["Applications", "Rights"])) (extra("Created"))
        (columns(["Last used", "Expires", "Actions"]))
    };
    html! {
        section {
            h2 { "CI tokens" }
            @if tokens.tokens.is_empty() {
                (parts::empty("No CI tokens yet.", &html! {
                    "A pipeline publishes with one. You choose its applications and its rights."
                }))
            } @else {
                (table("CI tokens", &head, &html! {
                    @for token in &tokens.tokens {
                        (row(token, replacement(&token.entry, publishers, &catalog.app_names()), catalog, now))
                    }
                }))
            }
            @if !tokens.tokens.is_empty() {
                p.hint {
                    "A job on GitHub or GitLab needs no token: " a href="#publishers" { "register it" }
                    ", and revoke its token."
                }
            }
            p { a.button href=(Address::page(["people", "tokens", "new"])) { "Create a CI token" } }
        }
    }
}

/// The name of a publisher whose jobs get all that the token may do. `None`: there is none for each of its applications.
/// `apps`: ids and names.
fn replacement<'p>(
    token: &TokenEntry,
    publishers: &'p [PublisherEntry],
    apps: &[(&Id, &str)],
) -> Option<&'p str> {
    let suffices = |one: &&PublisherEntry, app: &str| {
        one.app == app && one.channels.is_none() && token.may.iter().all(|right| one.may.contains(right))
    };
    let of_app = |id: &Id| {
        let (_, app) = apps.iter().find(|(known, _)| *known == id)?;
        publishers.iter().find(|one| suffices(one, app))
    };
    let found = token.allowed_apps.iter().map(of_app).collect::<Option<Vec<_>>>()?;
    found.first().map(|one| one.name.as_str())
}

fn row(token: &ListedTokenEntry, replacement: Option<&str>, catalog: &Catalog, now: Timestamp) -> Markup {
    let entry = &token.entry;
    let ends = entry.expires_at.as_deref();
    let is_over = ends.and_then(Timestamp::from_rfc3339).is_some_and(|end| end <= now);
    html! {
        tr {
            th scope="row" {
                (entry.name)
                @if let Some(publisher) = replacement {
                    p.hint { "Jobs of " (publisher) " need no token: revoke it once they publish without." }
                }
            }
            td.extra { code { (entry.token_prefix) "…" } }
            td.words { (super::names::names(&entry.allowed_apps, &catalog.app_names())) }
            td { (entry.may.join(", ")) }
            td.extra { (parts::time(&entry.created_at)) }
            td { (time_or_never(token.last_used_at.as_deref())) }
            td { (time_or_never(ends)) @if is_over { " " (parts::badge("bad", "over")) } }
            td { div.links { a href=(Address::page(["people", "tokens", entry.id.as_str(), "delete"])) { "Revoke" } } }
        }
    }
}

fn time_or_never(moment: Option<&str>) -> Markup {
    html! { @match moment { Some(moment) => (parts::time(moment)), None => "never" } }
}

/// `GET /console/people/tokens/new`.
pub(super) async fn create_form(context: &Context<'_>) -> Result<Response> {
    let may = Some(vec![TokenRight::Upload.to_string()]);
    form(context, &TokenCreateBody { name: None, allowed_apps: None, may, expires_at: None }, None).await
}

/// `POST /console/people/tokens/new`: redirects to the page that shows the token.
pub(super) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let body = read(&context.form(request).await?.into());
    let call = Address::call("/token/create");
    match context.service.send_json::<TokenCreatedBody>(Method::POST, &call, &body).await {
        Ok(made) => hand_over(context, SecretKind::CiToken, &made.entry.name, &made.token),
        Err(error) => form(context, &body, Some(error.about_form()?)).await,
    }
}

/// A day is valid until its end.
fn read(sent: &FormFields) -> TokenCreateBody {
    let day = Some(sent.one("expires")).filter(|day| !day.is_empty());
    TokenCreateBody {
        name: Some(sent.one("name").to_owned()),
        allowed_apps: Some(sent.all("apps").map(Id::from_text).collect()),
        may: Some(sent.all("may").map(ToOwned::to_owned).collect()),
        expires_at: day.map(|day| format!("{day}T23:59:59Z")),
    }
}

async fn form(context: &Context<'_>, filled: &TokenCreateBody, problem: Option<Problem>) -> Result<Response> {
    let (me, catalog) = context.with_me(Catalog::load(context)).await?;
    if !me.is_admin {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let chosen = filled.allowed_apps.as_deref().unwrap_or_default();
    let day = filled.expires_at.as_ref().and_then(|moment| moment.get(..10)).unwrap_or_default();
    let name = filled.name.as_deref().unwrap_or_default();
    let fields = html! {
        div.stack {
            label { "Name"
                input type="text" name="name" value=(name) required maxlength="128" autocomplete="off" autofocus;
            }
            fieldset {
                legend { "Its applications" }
                @if catalog.apps.is_empty() { p.hint { "There are none yet." } }
                @for (id, name) in catalog.app_names() {
                    (parts::check("apps", id.as_str(), name, chosen.contains(id)))
                }
            }
            fieldset {
                legend { "Its rights for them" }
                @for right in TokenRight::ALL {
                    @let is_chosen = filled.may.iter().flatten().any(|chosen| chosen == right.as_str());
                    (parts::check("may", right.as_str(), right_explanation(right), is_chosen))
                }
            }
            label { "Last day (UTC); without one, it never expires"
                input type="date" name="expires" value=(day) min=(Day::of(context.now));
            }
            div.row { button type="submit" { "Create" } a href=(super::pages::home()) { "Cancel" } }
        }
    };
    let content = html! {
        p { "It is shown once, and cannot be changed: create another one and revoke the old one." }
        (parts::form(&Address::page(["people", "tokens", "new"]), &context.form_token(), &fields))
    };
    let page = context.page("Create a CI token", &me, MenuEntry::People).with_problem(problem);
    Ok(page.with_parents(&super::pages::parent_pages()).show_titled(&content))
}

/// Explains a right to people who choose.
pub(super) const fn right_explanation(right: TokenRight) -> &'static str {
    match right {
        TokenRight::Upload => "upload: send releases, and signed lists of their files",
        TokenRight::Publish => "publish: publish drafts, now or at a time, and take a schedule back",
        TokenRight::Stop => "stop: pause, halt, lower a percentage, unpublish, withdraw, shut updates off",
        TokenRight::Roll => "roll: change rollouts and offers in every way, which includes publish and stop",
        TokenRight::Guard => "guard: run the guard, which stops unhealthy releases that have one",
    }
}

/// `GET /console/people/tokens/{id}/delete`.
pub(super) async fn ask_revoke(context: &Context<'_>, request: &Request) -> Result<Response> {
    let id = address::segment(request.path(), 3)?;
    let list = Address::call("/token/list");
    let (me, tokens) = context.with_me(context.service.get::<TokensBody>(&list)).await?;
    let token =
        tokens.tokens.iter().find(|token| token.entry.id.as_str() == id).ok_or(ConsoleError::NoPage)?;
    let confirm = Confirm {
        title: "Revoke this CI token?",
        consequences: html! {
            p {
                strong { (token.entry.name) } " (" code { (token.entry.token_prefix) "…" } ") ends at once. "
                "Pipelines that use it can no longer publish."
            }
            p { "Last used: " (time_or_never(token.last_used_at.as_deref())) "." }
        },
        button: &format!("Revoke {}", token.entry.name),
        action: Address::page(["people", "tokens", &id, "delete"]),
        back: super::pages::home(),
    };
    Ok(confirm.show(context, context.page("Revoke a CI token", &me, MenuEntry::People)))
}

/// `POST /console/people/tokens/{id}/delete`.
pub(super) async fn revoke(context: &Context<'_>, request: Request) -> Result<Response> {
    let call = Address::call("/token/delete").with("id", address::segment(request.path(), 3)?);
    let _ = context.form(request).await?;
    let _: MessageBody = context.service.delete(&call).await?;
    Ok(respond::see_other(&Notice::Revoked.add_to(super::pages::home())))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use spindrift_web::Query;

    use super::*;

    #[test]
    fn a_token_lasts_to_the_end_of_its_day() {
        let read = |text: &str| read(&Query::parse(text).unwrap().into());
        let body = read("name=ci&apps=1&apps=2&may=publish&may=stop&expires=2027-01-31");
        assert_eq!(body.expires_at.as_deref(), Some("2027-01-31T23:59:59Z"));
        assert_eq!(body.allowed_apps.unwrap().len(), 2);
        assert_eq!(body.may.unwrap(), ["publish", "stop"]);
        let bare = read("name=ci&expires=");
        assert_eq!((bare.expires_at, bare.may), (None, Some(Vec::new())));
    }

    fn token(apps: &[&str], may: &[&str]) -> TokenEntry {
        serde_json::from_value(json!({
            "id": "1", "name": "ci", "token_prefix": "sdt_", "allowed_apps": apps, "may": may, "expires_at": null,
            "created_at": "t",
        }))
        .unwrap()
    }

    fn publisher(app: &str, may: &[&str], channels: &Value) -> PublisherEntry {
        serde_json::from_value(json!({
            "id": "2", "app": app, "provider": "github", "name": format!("acme/{app} release.yml"), "may": may,
            "channels": channels, "pinned": false, "last_used_at": null, "created_at": "t",
        }))
        .unwrap()
    }

    #[test]
    fn a_publisher_replaces_a_token_that_may_do_no_more() {
        let (notes, todo) = (Id::from_text("n"), Id::from_text("t"));
        let apps = [(&notes, "notes"), (&todo, "todo")];
        let publishers = [
            publisher("notes", &["upload", "publish"], &Value::Null),
            publisher("todo", &["upload"], &json!(["beta"])),
        ];
        for (allowed, may, expected) in [
            (&["n"][..], &["upload"][..], Some("acme/notes release.yml")),
            (&["n"], &["upload", "publish"], Some("acme/notes release.yml")),
            (&["n"], &["upload", "stop"], None),
            (&["t"], &["upload"], None),
            (&["n", "t"], &["upload"], None),
            (&[], &["upload"], None),
            (&["gone"], &["upload"], None),
        ] {
            assert_eq!(
                replacement(&token(allowed, may), &publishers, &apps),
                expected,
                "{allowed:?} {may:?}"
            );
        }
    }
}
