//! Download tokens.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{AppEntry, DownloadTokenBody, DownloadTokensBody, RegenerateDownloadTokenBody};
use spindrift_core::{Action, Actor, Resource};
use spindrift_web::{Request, Response};

use super::secret::{SecretKind, hand_over};
use crate::table::{column, columns, extra, table};
use crate::{Address, Catalog, Confirm, Context, MenuEntry, Result, address, catalog, parts};

/// The `download_mode` of applications whose files a download token opens.
const BY_TOKEN: &str = "token";

/// The application and the channel of a token. An empty channel: all channels.
struct TokenScope {
    app_id: String,
    channel_id: String,
}

impl TokenScope {
    fn page(&self) -> Address {
        Address::page(["people", "download-tokens", &self.app_id]).with("channel_id", &self.channel_id)
    }

    fn read(request: &Request) -> Result<Self> {
        let channel_id = request.query()?.get("channel_id").unwrap_or_default().to_owned();
        Ok(Self { app_id: address::segment(request.path(), 3)?, channel_id })
    }
}

/// The section of the page. Empty if there are no tokens, and no application uses them.
pub(super) fn section(catalog: &Catalog, tokens: &DownloadTokensBody, actor: &Actor) -> Markup {
    let may_edit = |app: &&AppEntry| actor.may(Action::Edit(Resource::App), Some(&app.id));
    let apps: Vec<&AppEntry> = catalog
        .apps
        .iter()
        .filter(|app| app.private && app.download_mode == BY_TOKEN)
        .filter(may_edit)
        .collect();
    html! {
        @if !apps.is_empty() || !tokens.download_tokens.is_empty() {
            section {
                h2 { "Download tokens" }
                p.hint { "Copies of a private application download with one. It is built into them." }
                @if !tokens.download_tokens.is_empty() { (list(tokens)) }
                @for app in apps { (token_form(app, catalog)) }
            }
        }
    }
}

fn list(tokens: &DownloadTokensBody) -> Markup {
    let head =
        html! { (columns(["Application", "Channel", "Token"])) (extra("Changed")) (column("Actions")) };
    let rows = html! {
        @for token in &tokens.download_tokens {
            @let channel_id = token.channel_id.as_ref().map(ToString::to_string).unwrap_or_default();
            @let of = TokenScope { app_id: token.app_id.to_string(), channel_id };
            tr {
                th scope="row" { (token.app_name) }
                td { @match &token.channel_name { Some(name) => (name), None => "all" } }
                td { code { (token.token_prefix) "…" } }
                td.extra { (parts::time(&token.updated_at)) }
                td { div.links { a href=(of.page()) { "Replace" } } }
            }
        }
    };
    table("Download tokens", &head, &rows)
}

/// A form that leads to the confirmation.
fn token_form(app: &AppEntry, catalog: &Catalog) -> Markup {
    let page = TokenScope { app_id: app.id.to_string(), channel_id: String::new() }.page();
    html! {
        form.row method="get" action=(page) {
            label { "Channel of " (app.app_name)
                select name="channel_id" {
                    option value="" { "all channels" }
                    @for (id, name) in catalog.channel_names() { option value=(id.as_str()) { (name) } }
                }
            }
            button.plain type="submit" { "Make a token" }
        }
    }
}

/// `GET /console/people/download-tokens/{app}`.
pub(super) async fn ask(context: &Context<'_>, request: &Request) -> Result<Response> {
    let of = TokenScope::read(request)?;
    let (me, catalog) = context.with_me(Catalog::load(context)).await?;
    let app = catalog.app(&of.app_id)?;
    let channel = catalog.channels.iter().find(|channel| channel.id.as_str() == of.channel_id);
    let confirm = Confirm {
        title: "Make a new download token?",
        consequences: html! {
            p { "For " strong { (app.app_name) } ", "
                @match channel {
                    Some(channel) => { "channel " strong { (channel.channel_name) } }
                    None => "all channels"
                } "."
            }
            p {
                "If there is one already, it ends at once: "
                "copies that have it cannot download anything until they get the new one."
            }
        },
        button: "Make a new token",
        action: of.page(),
        back: super::pages::home(),
    };
    Ok(confirm.show(context, context.page("Make a download token", &me, MenuEntry::People)))
}

/// `POST /console/people/download-tokens/{app}`: redirects to the page that shows the token.
pub(super) async fn replace(context: &Context<'_>, request: Request) -> Result<Response> {
    let of = TokenScope::read(&request)?;
    let _ = context.form(request).await?;
    // Load everything that the page needs first: if a new token cannot be shown, both the new and
    // the old one are lost.
    let app = catalog::app_with_id(context, &of.app_id).await?;
    let body = RegenerateDownloadTokenBody { app_id: Some(of.app_id), channel_id: Some(of.channel_id) };
    let call = Address::call("/download-tokens/regenerate");
    let made: DownloadTokenBody = context.service.send_json(Method::POST, &call, &body).await?;
    hand_over(context, SecretKind::DownloadToken, app.as_ref().map_or("", |app| &app.app_name), &made.token)
}
