//! The page for a bad release of an application: `docs/bad-release.md`, with its buttons.

use maud::{Markup, html};
use spindrift_api::{AppEntry, ReleaseEntry, SearchBody};
use spindrift_core::{Action, BasisPoints, RolloutState};
use spindrift_web::{Request, Response};

use crate::table::{column, columns, table};
use crate::{Address, Context, MenuEntry, Result, address, catalog, parts, rights, rollout};

/// How many of the newest published releases the page shows.
const RELEASES: usize = 10;

/// `GET /console/apps/{app}/emergency`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let name = address::segment(request.path(), 2)?;
    let published = Address::call("/search")
        .with("app_name", &name)
        .with("state", "published")
        .with("changelog", false)
        .with("limit", RELEASES);
    let loaded = futures::future::try_join(
        catalog::app_named(context, &name),
        context.service.get::<SearchBody>(&published),
    );
    let (me, (app, found)) = context.with_me(loaded).await?;
    let may_stop = rights::actor(&me).may(Action::Stop, Some(&app.id));
    let token = context.form_token();
    let token = may_stop.then_some(token.as_str());
    let above = [("Overview", Address::page([])), (&*name, Address::page(["apps", &name]))];
    let content = html! {
        (stop(&app, &found.items, token))
        @if found.total > found.items.len() as u64 {
            p.hint {
                "These are the newest " (RELEASES) " published releases. "
                a href=(Address::page(["apps", &name])) { "All releases" } " have the same buttons on their pages."
            }
        }
        (look(&name))
        (decide(&app, may_stop))
        (fix(&name, &found.items))
    };
    let page = context.page("A bad release is out", &me, MenuEntry::Overview).with_frequent_refresh();
    Ok(page.with_parents(&above).show_titled(&content))
}

/// `token`: of the forms, for a visitor who may stop releases.
fn stop(app: &AppEntry, releases: &[ReleaseEntry], token: Option<&str>) -> Markup {
    let head = html! { (columns(["Release", "Channel", "Offered to"])) (column("Stop it")) };
    html! {
        section {
            h2 { "1. Stop it" }
            p {
                strong { "If in doubt, halt." } " No further device gets the release, and you can withdraw it later. \
                 Withdraw a release that does harm: users who run it get your reason."
            }
            @if releases.is_empty() { (parts::empty("Nothing is published.", &html! {})) }
            @else { (table("Published releases", &head, &html! { @for one in releases { (row(app, one, token)) } })) }
            @if token.is_some() {
                p {
                    "You do not know which release is bad? "
                    a.button.danger href=(Address::page(["apps", &app.app_name, "stop"])) { "Stop everything" }
                }
            } @else {
                p.hint { "You may not stop releases of this application. Ask its admin, " strong { (app.owner) } "." }
            }
        }
    }
}

fn row(app: &AppEntry, release: &ReleaseEntry, token: Option<&str>) -> Markup {
    let page = Address::page(["apps", &app.app_name, "releases", release.id.as_str()]);
    let part = BasisPoints::new(release.basis_points).unwrap_or(BasisPoints::NONE);
    let is_halted = rollout::state(&release.rollout_state) == RolloutState::Halted;
    let halt = html! {
        button.danger.calm type="submit" name="action" value="halt" formnovalidate data-stop { "Halt " (release.version) }
    };
    html! {
        tr {
            th scope="row" { a href=(page.clone()) { (release.version) } }
            td { (release.channel) }
            td { (rollout::brief(part, &release.rollout_state)) }
            td {
                @if let Some(token) = token {
                    div.links {
                        @if !is_halted { (parts::form(&page.clone().with_segment("rollout"), token, &halt)) }
                        a href=(page.with_segment("withdraw")) { "Withdraw…" }
                    }
                }
            }
        }
    }
}

fn look(app: &str) -> Markup {
    let failures = Address::page(["failures"]).with("app", app).with("status", "open");
    let devices = Address::page(["telemetry"]).with("apps", app).with("range", "week");
    html! {
        section {
            h2 { "2. See who has it" }
            ul {
                li { a href=(failures) { "Open failures" } ": causes, versions, platforms" }
                li { a href=(devices) { "Devices by version" } " of this week" }
                li { "The page of each release compares its failures with the version before." }
            }
        }
    }
}

fn decide(app: &AppEntry, may_stop: bool) -> Markup {
    let lift = Address::page(["apps", &app.app_name]);
    html! {
        section {
            h2 { "3. Decide" }
            dl.pairs {
                dt { "It was a false alarm" } dd { "Resume it on its page. It goes on where it stopped, with a full step." }
                dt { "It is bad" } dd { "Leave it halted until the fix is out. Copies that have it wait for a higher version." }
                dt { "It is bad, and must disappear" } dd { "Withdraw it. Copies that run it take the next update as critical." }
                dt { "Updates are shut off" }
                dd { "Halt or withdraw the bad release, then " a href=(lift) { "lift the shut-off" } ": before that, the fix reaches nobody." }
                dt { "It was withdrawn by mistake" } dd { "Restore it on its page, then publish it." }
            }
            @if may_stop { p.hint { "A stop lasts until a person ends it, even if CI publishes the release again." } }
        }
    }
}

fn fix(app: &str, releases: &[ReleaseEntry]) -> Markup {
    let publish = Address::page(["apps", app, "publish"]);
    html! {
        section {
            h2 { "4. Publish the fix" }
            p { "Give it a higher version, and name the versions that it cures: their copies are offered it first." }
            p {
                @match releases.first() {
                    Some(newest) => {
                        a.button href=(publish.with("cures", &newest.version)) { "Publish a fix for " (newest.version) }
                    }
                    None => { a.button href=(publish) { "Publish a release" } }
                }
            }
            p { a href=(Address::page(["history"]).with("app", app)) { "The history" } " says who did what, when and why." }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn app() -> AppEntry {
        serde_json::from_value(json!({
            "ID": "1", "AppName": "notes", "Logo": "", "Private": false, "Tuf": false, "signed": false,
            "Reports": true, "CdnEdge": false, "download_mode": "login", "Description": "", "Owner": "acme",
            "Updated_at": "t", "get_page": false, "get_page_color": "",
        }))
        .unwrap()
    }

    fn release(version: &str, state: &str) -> ReleaseEntry {
        serde_json::from_value(json!({
            "ID": version, "AppName": "notes", "Version": version, "Channel": "stable", "Published": true,
            "Critical": false, "Intermediate": false, "Changelog": [], "Created_at": "t", "Updated_at": "t",
            "RolloutPercent": 25, "RolloutState": state, "BasisPoints": 2500, "Revision": 1, "State": "published",
            "RolloutSeed": "", "Artifacts": [],
        }))
        .unwrap()
    }

    #[test]
    fn each_release_that_is_offered_has_a_button() {
        let releases = [release("2.0", "running"), release("1.0", "halted")];
        let shown = stop(&app(), &releases, Some("t")).into_string();
        assert!(
            shown.contains("action=\"/console/apps/notes/releases/2.0/rollout\"")
                && shown.contains("Halt 2.0")
        );
        assert!(!shown.contains("Halt 1.0") && shown.contains("halted at 25 %"), "{shown}");
        assert!(shown.contains("/console/apps/notes/releases/1.0/withdraw"), "{shown}");
        let without_right = stop(&app(), &releases, None).into_string();
        assert!(
            !without_right.contains("<form") && without_right.contains("Ask its admin"),
            "{without_right}"
        );
        assert!(fix("notes", &releases).into_string().contains("publish?cures=2.0"));
    }
}
