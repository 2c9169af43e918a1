//! Configuration to paste into clients and pipelines, with the addresses and names of this service.

mod clients;
mod guide;
mod kits;
mod native;
mod pipelines;
mod target;
#[cfg(test)]
mod tests;

use maud::{Markup, html};
use spindrift_api::{AppEntry, PlatformEntry, ReleaseEntry, SearchBody};
use spindrift_web::{Request, Response};

use crate::client_scope::ClientScope;
use crate::{Address, Catalog, ConsoleError, Context, DimensionNames, FormFields, MenuEntry, Result, parts};

use guide::Guide;
use target::SnippetTarget;

/// `GET /console/setup/snippets`.
pub(super) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let chosen = FormFields::from(request.query()?);
    let (me, catalog) = context.with_me(Catalog::load(context)).await?;
    let content = match app(&catalog, &chosen)? {
        None => parts::empty(
            "No applications yet.",
            &html! {
                a href=(Address::page(["setup"])) { "Create one first" } "."
            },
        ),
        Some(app) => {
            let names = DimensionNames::load(context, &me, &catalog, &app.app_name).await?;
            let newest = newest(context, &app.app_name).await?;
            let publish = Address::page(["apps", &app.app_name, "publish"]);
            let target = SnippetTarget::of(&context.api_url, app, &names, &chosen, newest.as_ref());
            let name = target.place.platform.clone();
            let platform = catalog.platforms.iter().find(|one| Some(&one.platform_name) == name.as_ref());
            let target = target.with_updater_of(platform);
            html! {
                @if newest.is_none() {
                    p {
                        "Paste this into your application and your pipeline, or begin here: "
                        a.button href=(publish) { "Publish the first release" }
                    }
                }
                (choice(&catalog, &names, &target.place))
                (of_platform(&guides(&target), platform))
            }
        }
    };
    let content = html! {
        (parts::trail(&[("Setup", Address::page(["setup"]))], "Configure clients"))
        h1 { "Configure clients and pipelines" }
        (content)
    };
    Ok(context.page("Configure clients", &me, MenuEntry::Setup).show(&content))
}

/// The chosen application, or the first.
fn app<'c>(catalog: &'c Catalog, chosen: &FormFields) -> Result<Option<&'c AppEntry>> {
    let name = chosen.one("app");
    if name.is_empty() {
        return Ok(catalog.apps.first());
    }
    let found = catalog.apps.iter().find(|app| app.app_name == name);
    found.map(Some).ok_or(ConsoleError::NoPage)
}

/// The newest release that clients see.
async fn newest(context: &Context<'_>, app: &str) -> Result<Option<ReleaseEntry>> {
    let call = Address::call("/search")
        .with("app_name", app)
        .with("state", "published")
        .with("changelog", false)
        .with("limit", 1);
    let found: SearchBody = context.service.get(&call).await?;
    Ok(found.items.into_iter().next())
}

fn guides(target: &SnippetTarget) -> Vec<Guide> {
    native::guides(target)
        .into_iter()
        .chain([
            kits::kit(target),
            clients::rust(target),
            pipelines::github(target),
            pipelines::gitlab(target),
        ])
        .collect()
}

fn choice(catalog: &Catalog, names: &DimensionNames, place: &ClientScope) -> Markup {
    let apps = catalog.app_names().into_iter().map(|(_, name)| (name, name));
    let select = |name, label, chosen: &Option<String>, names: &[String]| {
        let names = names.iter().map(|name| (name.as_str(), name.as_str()));
        parts::select(name, label, chosen.as_deref().unwrap_or_default(), names)
    };
    html! {
        form.filters method="get" action=(Address::page(["setup", "snippets"])) {
            (parts::select("app", "Application", &place.app, apps))
            @if !names.channels.is_empty() { (select("channel", "Channel", &place.channel, &names.channels)) }
            @if !names.platforms.is_empty() { (select("platform", "Platform", &place.platform, &names.platforms)) }
            @if !names.archs.is_empty() { (select("arch", "Architecture", &place.arch, &names.archs)) }
            button type="submit" { "Show" }
        }
    }
}

/// The guides, with links to them. Guides for updaters that the platform lacks are in a closed
/// section.
fn of_platform(guides: &[Guide], platform: Option<&PlatformEntry>) -> Markup {
    let (others, own): (Vec<&Guide>, Vec<&Guide>) = guides.iter().partition(|guide| lacks(guide, platform));
    html! {
        nav.pages aria-label="On this page" {
            @for guide in own.iter().chain(&others) { a href={ "#" (guide.id) } { (guide.title) } }
        }
        @for guide in own { (guide_section(guide, platform)) }
        @if !others.is_empty() {
            details {
                summary { "Other updaters" }
                @for guide in others { (guide_section(guide, platform)) }
            }
        }
    }
}

/// Whether the platform lacks the guide's updater.
fn lacks(guide: &Guide, platform: Option<&PlatformEntry>) -> bool {
    let (Some(updater), Some(platform)) = (guide.updater, platform) else { return false };
    platform.updaters.iter().all(|one| one.updater != updater.as_str())
}

fn guide_section(guide: &Guide, platform: Option<&PlatformEntry>) -> Markup {
    let missing = guide.updater.zip(platform).filter(|_| lacks(guide, platform));
    html! {
        section #(guide.id) {
            h2 { (guide.title) }
            p { (guide.purpose) }
            @if let Some((updater, platform)) = missing {
                p.hint {
                    "The platform " strong { (platform.platform_name) } " does not have the updater "
                    code { (updater) } " yet: "
                    a href=(Address::page(["setup", "platforms", platform.id.as_str()])) { "add it" } "."
                }
            }
            @for snippet in &guide.snippets { (parts::snippet(snippet.file, &snippet.text)) }
        }
    }
}
