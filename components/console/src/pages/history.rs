//! History: who changed what and when, with the values before and after.

mod difference;
mod entries;
mod export;
mod filters;
mod links;
mod recent;

use futures::future::{try_join, try_join3};
use maud::{Markup, html};
use spindrift_api::{AppsBody, AuditBody, AuditHeadBody, TokensBody, UsersBody, WhoamiBody};
use spindrift_web::{Request, Response};

use self::filters::{HistoryFilters, People};
use crate::{Address, ConsoleError, Context, MenuEntry, Result, catalog, parts};

pub(crate) use self::entries::actor_phrase;
pub(crate) use self::export::file;
pub(crate) use self::links::existing;
pub(crate) use self::recent::Recent;

/// Data that the service shows only to admins.
struct AdminData {
    users: UsersBody,
    tokens: TokensBody,
    /// `None`: the service shows it only after a fresh proof.
    head: Option<AuditHeadBody>,
}

impl AdminData {
    async fn load(context: &Context<'_>, me: &WhoamiBody) -> Result<Option<Self>> {
        if !me.is_admin {
            return Ok(None);
        }
        let [users, tokens] = ["/users/list", "/token/list"].map(Address::call);
        let (users, tokens, head) =
            try_join3(context.service.get(&users), context.service.get(&tokens), head(context)).await?;
        Ok(Some(Self { users, tokens, head }))
    }
}

async fn head(context: &Context<'_>) -> Result<Option<AuditHeadBody>> {
    match context.service.get(&Address::call("/audit/head")).await {
        Ok(head) => Ok(Some(head)),
        Err(ConsoleError::FreshLoginRequired) => Ok(None),
        Err(error) => Err(error),
    }
}

/// `GET /console/history`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let filters = HistoryFilters::of(request.query()?)?;
    let (apps, log) = (catalog::brief_apps(), filters.call());
    let loaded = try_join(context.service.get::<AppsBody>(&apps), context.service.get::<AuditBody>(&log));
    let (me, (apps, log)) = context.with_me(loaded).await?;
    let (of_admin, later) =
        try_join(AdminData::load(context, &me), links::later(context, &log.items)).await?;
    let people = of_admin.as_ref().map(|of_admin| People::of(&me, &of_admin.users, &of_admin.tokens));
    let content = html! {
        h1 { "History" }
        (filters.form(&apps, people.as_ref(), &log.items))
        @if log.items.is_empty() { (empty_text(&filters, &me)) } @else {
            (entries::table("History", &log.items, me.is_admin, |item| html! {
                (entries::change_sentence(item, links::existing(item, &later)))
                (difference::of(item))
            }))
            (filters.pages(log.next))
        }
        @if let Some(of_admin) = &of_admin { (export::section(of_admin.head.as_ref())) }
    };
    Ok(context.page("History", &me, MenuEntry::History).with_frequent_refresh().show(&content))
}

fn empty_text(filters: &HistoryFilters, me: &WhoamiBody) -> Markup {
    if filters.is_narrowed() {
        let next = html! { a href=(Address::page(["history"])) { "Show all entries" } };
        return parts::empty("No entry matches.", &next);
    }
    let next = html! {
        "Every change of an application, a release, a user or a key will be listed here. "
        @if !me.is_admin { "You see the entries about your applications." }
    };
    parts::empty("Nothing has been changed yet.", &next)
}
