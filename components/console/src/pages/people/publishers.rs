//! Publishers: CI jobs that prove who they are.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{
    AppEntry, MessageBody, PublisherCreateBody, PublisherEntry, PublisherNames, PublishersBody,
};
use spindrift_core::{Action, Actor, Resource, TokenRight};
use spindrift_web::{Request, Response};

use super::ci_tokens::right_explanation;
use super::pages::{home, parent_pages};
use crate::table::{columns, table};
use crate::{
    Address, Catalog, Confirm, ConsoleError, Context, FormFields, MenuEntry, Notice, Problem, Result,
    address, parts, respond, rights,
};

/// The providers, with their names for people.
const PROVIDERS: [(&str, &str); 3] =
    [("github", "GitHub Actions"), ("gitlab", "GitLab CI"), ("oidc", "another issuer")];

fn new_page(provider: &str) -> Address {
    Address::page(["people", "publishers", "new"]).with("provider", provider)
}

fn editable<'c>(catalog: &'c Catalog, actor: &Actor) -> Vec<&'c AppEntry> {
    let may_edit = |app: &&AppEntry| actor.may(Action::Edit(Resource::App), Some(&app.id));
    catalog.apps.iter().filter(may_edit).collect()
}

/// Whether the visitor can register publishers.
pub(super) fn has_any(catalog: &Catalog, actor: &Actor) -> bool {
    !editable(catalog, actor).is_empty()
}

pub(super) fn section(all: &PublishersBody) -> Markup {
    let head = columns(["Application", "Job", "Rights", "Channels", "Last used", "Actions"]);
    html! {
        section #publishers {
            h2 { "Trusted publishing" }
            @if all.publishers.is_empty() {
                (parts::empty("No CI job is registered.", &html! {
                    "A registered job proves who it is and publishes without a token that could leak."
                }))
            } @else {
                (table("Publishers", &head, &html! { @for one in &all.publishers { (row(one)) } }))
            }
            p { "Register a job of "
                @for (index, (provider, name)) in PROVIDERS.into_iter().enumerate() {
                    @if index > 0 { " · " }
                    a href=(new_page(provider)) { (name) }
                }
            }
        }
    }
}

fn row(one: &PublisherEntry) -> Markup {
    let only = [&one.named.environment, &one.named.ref_pattern, &one.named.reusable];
    html! {
        tr {
            th scope="row" { (one.app) }
            td.words { (one.name)
                @for condition in only.into_iter().flatten() { " " (parts::badge("", condition)) }
                @if one.named.unprotected == Some(true) { " " (parts::badge("warn", "any branch")) }
            }
            td { (one.may.join(", ")) }
            td.words { @match &one.channels { Some(names) => (names.join(", ")), None => "all" } }
            td { @match &one.last_used_at { Some(at) => (parts::time(at)), None => "never" } }
            td { div.links {
                a href=(Address::page(["people", "publishers", one.id.as_str(), "delete"])) { "Remove" }
            } }
        }
    }
}

/// `GET /console/people/publishers/new?provider=`.
pub(super) async fn create_form(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let provider = query.get("provider").unwrap_or(PROVIDERS[0].0).to_owned();
    let app = query.get("app").map(ToOwned::to_owned);
    let may = Some(vec![TokenRight::Upload.to_string()]);
    let provider = Some(provider);
    form(context, &PublisherCreateBody { app, provider, may, ..PublisherCreateBody::default() }, None).await
}

/// `POST /console/people/publishers/new`.
pub(super) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let body = read(&context.form(request).await?.into());
    let call = Address::call("/publishers");
    match context.service.send_json::<PublisherEntry>(Method::POST, &call, &body).await {
        Ok(_) => Ok(respond::see_other(&Notice::Created.add_to(home()))),
        Err(error) => form(context, &body, Some(error.about_form()?)).await,
    }
}

fn read(sent: &FormFields) -> PublisherCreateBody {
    let text = |name: &str| Some(sent.one(name).trim().to_owned()).filter(|text| !text.is_empty());
    let channels: Vec<String> = sent.all("channels").map(ToOwned::to_owned).collect();
    PublisherCreateBody {
        app: text("app"),
        provider: text("provider"),
        may: Some(sent.all("may").map(ToOwned::to_owned).collect()),
        channels: Some(channels).filter(|all| !all.is_empty()),
        named: PublisherNames {
            repository: text("repository"),
            workflow: text("workflow"),
            reusable: text("reusable"),
            project: text("project"),
            unprotected: sent.has("unprotected").then_some(true),
            environment: text("environment"),
            ref_pattern: text("ref"),
            issuer: text("issuer"),
            subject: text("subject"),
        },
    }
}

async fn form(
    context: &Context<'_>,
    filled: &PublisherCreateBody,
    problem: Option<Problem>,
) -> Result<Response> {
    let (me, catalog) = context.with_me(Catalog::load(context)).await?;
    let apps = editable(&catalog, &rights::actor(&me));
    if apps.is_empty() {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let provider = filled.provider.as_deref().unwrap_or_default();
    let Some((provider, name)) = PROVIDERS.into_iter().find(|(known, _)| *known == provider) else {
        return Err(ConsoleError::NoPage);
    };
    let names = apps.iter().map(|app| (app.app_name.as_str(), app.app_name.as_str()));
    let fields = html! {
        div.stack {
            input type="hidden" name="provider" value=(provider);
            (parts::select("app", "Application", filled.app.as_deref().unwrap_or_default(), names))
            (named_fields(provider, &filled.named))
            (grant_fields(filled, &catalog))
            div.row { button type="submit" { "Register" } a href=(home()) { "Cancel" } }
        }
    };
    let content = html! {
        p { "Jobs that fit publish without a token. The names count from the first job on together with the ids behind "
            "them: if a name changes hands, the new owner gets nothing." }
        (parts::form(&Address::page(["people", "publishers", "new"]), &context.form_token(), &fields))
    };
    let title = format!("Register a job of {name}");
    let page = context.page(&title, &me, MenuEntry::People).with_problem(problem);
    Ok(page.with_parents(&parent_pages()).show_titled(&content))
}

/// The fields that say which job it is.
fn named_fields(provider: &str, named: &PublisherNames) -> Markup {
    let text = |name: &str, label: &str, value: &Option<String>, example: &str, is_required: bool| {
        html! {
            label { (label)
                input type="text" name=(name) value=(value.as_deref().unwrap_or_default()) placeholder=(example)
                    required[is_required] maxlength="255" autocomplete="off";
            }
        }
    };
    let of_job = |example: &str| {
        html! {
            (text("environment", "Environment; empty for any", &named.environment, "production", false))
            (text("ref", "Branch or tag, with at most one *; empty for any", &named.ref_pattern, example, false))
        }
    };
    html! {
        @match provider {
            "github" => {
                (text("repository", "Repository", &named.repository, "acme/notes", true))
                (text("workflow", "Workflow file in .github/workflows", &named.workflow, "release.yml", true))
                (of_job("refs/tags/v*"))
                (text("reusable", "Reusable workflow; empty if the job is in the file above", &named.reusable,
                    "acme/shared/.github/workflows/publish.yml", false))
            }
            "gitlab" => {
                (text("project", "Project, with its groups", &named.project, "acme/apps/notes", true))
                (of_job("v*"))
                (parts::check("unprotected", "true", "Accept also branches and tags that are not protected",
                    named.unprotected == Some(true)))
            }
            _ => {
                (text("issuer", "Issuer, as in the service's settings", &named.issuer, "https://agent.buildkite.com", true))
                (text("subject", "Subject of the job's token", &named.subject, "organization:acme:pipeline:notes", true))
            }
        }
    }
}

/// The fields that say what a job may do.
fn grant_fields(filled: &PublisherCreateBody, catalog: &Catalog) -> Markup {
    html! {
        fieldset {
            legend { "Its rights" }
            @for right in TokenRight::ALL {
                @let is_chosen = filled.may.iter().flatten().any(|chosen| chosen == right.as_str());
                (parts::check("may", right.as_str(), right_explanation(right), is_chosen))
            }
        }
        @if !catalog.channel_names().is_empty() {
            fieldset {
                legend { "Its channels; none chosen means all" }
                @for (_, name) in catalog.channel_names() {
                    @let is_chosen = filled.channels.iter().flatten().any(|chosen| chosen == name);
                    (parts::check("channels", name, name, is_chosen))
                }
            }
        }
    }
}

/// `GET /console/people/publishers/{id}/delete`.
pub(super) async fn ask_remove(context: &Context<'_>, request: &Request) -> Result<Response> {
    let id = address::segment(request.path(), 3)?;
    let list = Address::call("/publishers");
    let (me, all) = context.with_me(context.service.get::<PublishersBody>(&list)).await?;
    let found = all.publishers.iter().find(|one| one.id.as_str() == id).ok_or(ConsoleError::NoPage)?;
    let confirm = Confirm {
        title: "Remove this publisher?",
        consequences: html! {
            p { "Jobs of " strong { (found.name) } " get no token for " (found.app) " any more, and tokens that they have end at once." }
        },
        button: "Remove it",
        action: Address::page(["people", "publishers", &id, "delete"]),
        back: home(),
    };
    Ok(confirm.show(context, context.page("Remove a publisher", &me, MenuEntry::People)))
}

/// `POST /console/people/publishers/{id}/delete`.
pub(super) async fn remove(context: &Context<'_>, request: Request) -> Result<Response> {
    let call = Address::call("/publishers").with("id", address::segment(request.path(), 3)?);
    let _ = context.form(request).await?;
    let _: MessageBody = context.service.delete(&call).await?;
    Ok(respond::see_other(&Notice::Deleted.add_to(home())))
}
