//! Everybody and every key at a glance.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::{DownloadTokensBody, ReportKeysBody, TokensBody, UserEntry, UsersBody, WhoamiBody};
use spindrift_service::Ports;
use spindrift_web::Response;

use super::names::names;
use super::{account, ci_tokens, download_tokens, permissions, report_keys};
use crate::address::Address;
use crate::catalog::Catalog;
use crate::context::Context;
use crate::error::ConsoleError;
use crate::layout::Place;
use crate::parts;
use crate::respond::{self, Policy};
use crate::rights;

/// `GET /console/people`.
pub(super) async fn show<P: Ports>(context: &Context<'_, P>) -> Result<Response, ConsoleError> {
    let [keys, downloads] = ["/report-keys/list", "/download-tokens/list"].map(Address::call);
    let (me, catalog, keys, downloads) = futures::join!(
        context.me(),
        Catalog::load(context),
        context.service.get::<ReportKeysBody>(&keys),
        context.service.get::<DownloadTokensBody>(&downloads),
    );
    let (me, catalog, keys, downloads) = (me?, catalog?, keys?, downloads?);
    let actor = rights::actor(&me);
    let content = html! {
        h1 { "People and keys" }
        (account::section(context, &me))
        @if me.is_admin { (of_admin(context, &catalog).await?) } @else { (own_permissions(&me, &catalog)) }
        (download_tokens::section(&catalog, &downloads, &actor))
        (report_keys::section(context, &keys, &actor))
    };
    let frame = context.frame("People and keys", &me, Some(Place::People), None);
    Ok(respond::page(StatusCode::OK, frame.around(&content), &Policy::default()))
}

/// The parts that the service shows to admins only.
async fn of_admin<P: Ports>(context: &Context<'_, P>, catalog: &Catalog) -> Result<Markup, ConsoleError> {
    let [users, tokens] = ["/users/list", "/token/list"].map(Address::call);
    let (users, tokens) =
        futures::join!(context.service.get::<UsersBody>(&users), context.service.get::<TokensBody>(&tokens));
    let (users, tokens) = (users?, tokens?);
    Ok(html! { (team(&users.users, catalog)) (ci_tokens::section(&tokens, catalog, context.now)) })
}

fn team(users: &[UserEntry], catalog: &Catalog) -> Markup {
    html! {
        section {
            h2 { "Team" }
            @if users.is_empty() {
                (parts::empty("No team users yet.", &html! { "A team user works on your applications, as far as you allow it." }))
            } @else {
                div.scroll tabindex="0" role="region" aria-label="Team" {
                    table {
                        thead { tr {
                            th scope="col" { "Name" } th scope="col" { "May" } th scope="col" { "Applications" }
                            th.extra scope="col" { "Created" } th scope="col" { "Actions" }
                        } }
                        tbody { @for user in users { (row(user, catalog)) } }
                    }
                }
            }
            p { a.button href=(Address::page(["people", "users", "new"])) { "Add a team user" } }
        }
    }
}

fn row(user: &UserEntry, catalog: &Catalog) -> Markup {
    let page = Address::page(["people", "users", user.id.as_str()]);
    html! {
        tr {
            th scope="row" { (user.username) }
            td.words { (permissions::in_words(&user.permissions)) }
            td.words { (names(&user.permissions.apps.allowed, &catalog.app_names())) }
            td.extra { (parts::time(&user.created_at)) }
            td { div.links { a href=(page) { "Edit" } a href=(page.then("delete")) { "Delete" } } }
        }
    }
}

fn own_permissions(me: &WhoamiBody, catalog: &Catalog) -> Markup {
    let permissions = me.permissions.clone().unwrap_or_default();
    html! {
        section {
            h2 { "Your permissions" }
            dl.pairs {
                dt { "You may" } dd { (permissions::in_words(&permissions)) }
                dt { "Applications" } dd { (names(&permissions.apps.allowed, &catalog.app_names())) }
                dt { "Channels" } dd { (names(&permissions.channels.allowed, &catalog.channel_names())) }
                dt { "Platforms" } dd { (names(&permissions.platforms.allowed, &catalog.platform_names())) }
                dt { "Architectures" } dd { (names(&permissions.archs.allowed, &catalog.arch_names())) }
            }
            p.hint { "Your admin " @if let Some(owner) = &me.owner { strong { (owner) } " " } "decides about this, and keeps the team and the CI tokens." }
        }
    }
}
