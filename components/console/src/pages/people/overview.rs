//! All users, tokens and keys at a glance.

use futures::future::{try_join, try_join3, try_join5};
use maud::{Markup, html};
use spindrift_api::{
    DownloadTokensBody, InvitationsBody, LoginsBody, PasskeysBody, PublisherEntry, PublishersBody,
    ReportKeysBody, TokensBody, UserEntry, UsersBody, WhoamiBody,
};
use spindrift_web::Response;

use super::names::{names, names_of_apps};
use super::{
    account, ci_tokens, download_tokens, invitations, logins, passkeys, permissions, publishers, report_keys,
    sso,
};
use crate::pages::sso::provider;
use crate::table::{columns, extra, table};
use crate::{Address, Catalog, Context, MenuEntry, Result, parts, rights};

/// `GET /console/people`.
pub(super) async fn show(context: &Context<'_>) -> Result<Response> {
    let [keys, downloads, own] = ["/report-keys/list", "/download-tokens/list", "/logins"].map(Address::call);
    let [publishers, own_passkeys] = ["/publishers", "/passkeys"].map(Address::call);
    let loaded = try_join5(
        Catalog::load(context),
        context.service.get::<ReportKeysBody>(&keys),
        context.service.get::<DownloadTokensBody>(&downloads),
        try_join(context.service.get::<LoginsBody>(&own), context.service.get::<PasskeysBody>(&own_passkeys)),
        context.service.get::<PublishersBody>(&publishers),
    );
    let (loaded, provider) = futures::join!(context.with_me(loaded), provider(context));
    let (me, (catalog, keys, downloads, (own, own_passkeys), registered)) = loaded?;
    let provider = provider?;
    let provider = provider.as_deref();
    let actor = rights::actor(&me);
    let content = html! {
        h1 { "People and keys" }
        (account::section(context, &me, provider))
        (passkeys::section(&own_passkeys))
        (logins::section(context, &own))
        @if me.is_admin {
            (admin_sections(context, &catalog, &registered.publishers, (own_passkeys.required, provider)).await?)
        } @else { (own_permissions(&me, &catalog)) }
        @if publishers::has_any(&catalog, &actor) { (publishers::section(&registered)) }
        (download_tokens::section(&catalog, &downloads, &actor))
        (report_keys::section(context, &keys, &actor))
    };
    Ok(context.page("People and keys", &me, MenuEntry::People).show(&content))
}

/// The parts that the service shows only to admins, who demand passkeys of the team or do not. `provider`: the name of
/// the provider for single sign-on.
async fn admin_sections(
    context: &Context<'_>,
    catalog: &Catalog,
    publishers: &[PublisherEntry],
    (are_passkeys_required, provider): (bool, Option<&str>),
) -> Result<Markup> {
    let [users, open, tokens] = ["/users/list", "/invitations", "/token/list"].map(Address::call);
    let (users, open, tokens) = try_join3(
        context.service.get::<UsersBody>(&users),
        context.service.get::<InvitationsBody>(&open),
        context.service.get::<TokensBody>(&tokens),
    )
    .await?;
    let is_off = users.password_login_off;
    let switches = html! {
        (passkeys::change_demand(are_passkeys_required))
        @if provider.is_some() || is_off { (sso::change_requirement(is_off)) }
    };
    Ok(
        html! { (team(&users.users, catalog, &switches)) (invitations::section(&open, catalog)) (ci_tokens::section(&tokens, publishers, catalog, context.now)) },
    )
}

/// `switches`: links that change rules of the team.
fn team(users: &[UserEntry], catalog: &Catalog, switches: &Markup) -> Markup {
    let head = html! {
        (columns(["Name", "Role", "Passkey", "May", "Applications"])) (extra("Created"))
        (columns(["Last seen", "Actions"]))
    };
    html! {
        section {
            h2 { "Team" }
            @if users.is_empty() {
                (parts::empty("No team users yet.", &html! {
                    "A team user works on your applications, as far as you allow it."
                }))
            } @else {
                (table("Team", &head, &html! { @for user in users { (row(user, catalog)) } }))
            }
            p.row {
                a.button href=(Address::page(["people", "users", "new"])) { "Add a team user" }
                (switches)
            }
        }
    }
}

fn row(user: &UserEntry, catalog: &Catalog) -> Markup {
    let page = Address::page(["people", "users", user.id.as_str()]);
    html! {
        tr {
            th scope="row" {
                (user.username)
                @if let Some(email) = &user.email { br; span.hint { (email) } }
            }
            td { (user.role) }
            td { @if user.has_passkey { "yes" } @else { "–" } }
            td.words { (permissions::in_words(&user.permissions)) }
            td.words { (names_of_apps(&user.permissions.apps, &catalog.app_names())) }
            td.extra { (parts::time(&user.created_at)) }
            td { @match &user.last_seen_at { Some(hour) => (parts::time(hour)), None => "never" } }
            td { div.links { a href=(page) { "Edit" } a href=(page.with_segment("delete")) { "Delete" } } }
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
                dt { "Applications" } dd { (names_of_apps(&permissions.apps, &catalog.app_names())) }
                dt { "Channels" } dd { (names(&permissions.channels.allowed, &catalog.channel_names())) }
                dt { "Platforms" } dd { (names(&permissions.platforms.allowed, &catalog.platform_names())) }
                dt { "Architectures" } dd { (names(&permissions.archs.allowed, &catalog.arch_names())) }
            }
            p.hint {
                "Your admin " @if let Some(owner) = &me.owner { strong { (owner) } " " }
                "decides about this, and keeps the team and the CI tokens."
            }
        }
    }
}
