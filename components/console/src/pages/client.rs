//! The page "What would a client get?": the service's explanation of an answer, and the client's
//! own call.

mod answer;
mod answer_content;
mod call;
mod conditions;

use std::str::FromStr;

use futures::future::try_join;
use http::Method;
use maud::{Markup, html};
use spindrift_api::{
    AppEntry, ExplainBody, ExplainedBody, PlatformsBody, ReleaseEntry, SearchBody, UpdaterBody,
};
use spindrift_core::{DeviceId, PlatformUpdater, PlatformUpdaters, Scope, TextRule, Updater};
use spindrift_web::{ApiError, Query, Request, Response, parse_parameter};

use self::call::{ClientCall, ExplainedClient};
use crate::address::segment;
use crate::{Address, Catalog, Context, DimensionNames, MenuEntry, Problem, Result, moment, parts};

/// How many versions the form suggests.
const SUGGESTED: u32 = 25;

/// The fields of the form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClientForm {
    version: String,
    channel: String,
    platform: String,
    arch: String,
    device: String,
    updater: String,
    /// Keys of groups, separated by commas.
    group: String,
    os_version: String,
    /// Whether the user asked for the update.
    interactive: bool,
    /// A time in UTC, as browsers send it. Empty: now.
    at: String,
}

impl ClientForm {
    /// A client with the previous version, in the scope of a release.
    pub(crate) fn for_release(release: &ReleaseEntry, before: Option<&str>) -> Self {
        let artifact = release.artifacts.first();
        let of = |field: fn(&spindrift_api::ArtifactEntry) -> &String| {
            artifact.map(field).cloned().unwrap_or_default()
        };
        Self {
            version: before.unwrap_or(&release.version).to_owned(),
            channel: release.channel.clone(),
            platform: of(|artifact| &artifact.platform),
            arch: of(|artifact| &artifact.arch),
            updater: of(|artifact| &artifact.updater),
            ..Self::default()
        }
    }

    fn of(query: &Query) -> Self {
        let value = |name| query.get(name).unwrap_or_default().trim().to_owned();
        Self {
            // An unencoded `+` in a version.
            version: value("version").replace(' ', "+"),
            channel: value("channel"),
            platform: value("platform"),
            arch: value("arch"),
            device: value("device"),
            updater: value("updater"),
            group: value("group"),
            os_version: value("os_version"),
            interactive: query.get("interactive").is_some(),
            at: value("at"),
        }
    }

    /// The request for an explanation.
    fn body(&self, app: &str) -> ExplainBody {
        let given = |value: &String| Some(value.clone()).filter(|value| !value.is_empty());
        ExplainBody {
            app: Some(app.to_owned()),
            channel: given(&self.channel),
            platform: given(&self.platform),
            arch: given(&self.arch),
            version: given(&self.version),
            updater: given(&self.updater),
            device: given(&self.device),
            group: given(&self.group),
            os_version: given(&self.os_version),
            interactive: self.interactive.then_some(true),
            at: given(&self.at).map(|at| moment::rfc3339(&at)),
        }
    }
}

/// The form. `versions`: suggestions.
pub(crate) fn section(app: &str, asked: &ClientForm, names: &DimensionNames, versions: &[String]) -> Markup {
    let updaters = std::iter::once(("", "platform's default"))
        .chain(Updater::ALL.iter().map(|updater| (updater.as_str(), updater.as_str())));
    html! {
        section {
            h2 { "What would a client get?" }
            form.filters method="get" action=(Address::page(["apps", app, "client"])) {
                label { "It runs version"
                    input type="text" name="version" value=(asked.version) list="versions" required
                        autocomplete="off";
                    datalist #versions { @for version in versions { option value=(version) {} } }
                }
                (choice("channel", "Channel", &asked.channel, &names.channels))
                (choice("platform", "Platform", &asked.platform, &names.platforms))
                (choice("arch", "Architecture", &asked.arch, &names.archs))
                (parts::select("updater", "Updater", &asked.updater, updaters))
                (parts::field("device", "Device id (optional)", &asked.device))
                (parts::field("os_version", "System version (optional)", &asked.os_version))
                (parts::field("group", "Group key (optional)", &asked.group))
                (parts::check("interactive", "1", "The user asked for the update", asked.interactive))
                label { "At (UTC, optional)" input type="datetime-local" name="at" value=(asked.at); }
                button type="submit" { "Ask" }
            }
            p.hint {
                "Without a time this also makes the client's own call, which counts a device id like that of \
                 any device. "
                "With one, up to 90 days ahead, nothing is counted."
            }
        }
    }
}

/// The existing names, and none. A name that was chosen stays in the list even if it no longer
/// exists.
fn choice(field: &str, label: &str, chosen: &str, names: &[String]) -> Markup {
    let gone = Some(chosen).filter(|chosen| !chosen.is_empty() && !names.iter().any(|name| name == chosen));
    let choices = names.iter().map(String::as_str).chain(gone).map(|name| (name, name));
    parts::select(field, label, chosen, std::iter::once(("", "none named")).chain(choices))
}

/// `GET /console/apps/{app}/client`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let name = segment(request.path(), 2)?;
    let asked = ClientForm::of(&request.query()?);
    let (me, catalog) = context.with_me(Catalog::load_for(context, &name)).await?;
    let app = catalog.app_named(&name)?;
    let (names, versions) =
        try_join(DimensionNames::load(context, &me, &catalog, &name), newest_versions(context, &name))
            .await?;
    let result = if asked.version.is_empty() {
        html! {}
    } else {
        result(context, app, &asked).await?
    };
    let trail = [("Overview", Address::page([])), (&*name, Address::page(["apps", &name]))];
    let content = html! {
        (parts::trail(&trail, "What would a client get?"))
        h1 { (name) }
        (section(&name, &asked, &names, &versions))
        (result)
    };
    Ok(context.page(format!("{name}: a client"), &me, MenuEntry::Overview).show(&content))
}

/// Versions that copies may run: those of the newest releases.
async fn newest_versions(context: &Context<'_>, app: &str) -> Result<Vec<String>> {
    let call = Address::call("/search")
        .with("app_name", app)
        .with("state", "published")
        .with("changelog", false)
        .with("limit", SUGGESTED);
    let found: SearchBody = context.service.get(&call).await?;
    Ok(found.items.into_iter().map(|release| release.version).collect())
}

async fn result(context: &Context<'_>, app: &AppEntry, asked: &ClientForm) -> Result<Markup> {
    let platforms = Address::call("/platform/list");
    let platforms: PlatformsBody = context.service.get(&platforms).await?;
    let platform = platforms.platforms.iter().find(|platform| platform.platform_name == asked.platform);
    let client = match client(asked, app, platform.map(|platform| &*platform.updaters)) {
        Ok(client) => client,
        Err(problem) => return Ok(parts::problem(&problem)),
    };
    let question = asked.body(&app.app_name);
    let explained = explain(context, &question);
    let (explained, asked) = if asked.at.is_empty() {
        let call = ClientCall::of(&client);
        let (explained, answer) = try_join(explained, call.send(context)).await?;
        (explained, Some((call, answer)))
    } else {
        (explained.await?, None)
    };
    let explained = explained.as_ref().map_err(|problem| problem.text.as_str());
    Ok(answer::show(explained, asked.as_ref().map(|(call, answer)| (call, answer)), &client))
}

/// The explanation, or why the service refuses to give one.
async fn explain(context: &Context<'_>, body: &ExplainBody) -> Result<Result<ExplainedBody, Problem>> {
    let explained = context.service.send_json(Method::POST, &Address::call("/explain"), body).await;
    match explained {
        Ok(explained) => Ok(Ok(explained)),
        Err(error) => Ok(Err(error.about_form()?)),
    }
}

/// The client that the form describes, or why it is invalid.
fn client(
    asked: &ClientForm,
    app: &AppEntry,
    updaters: Option<&[UpdaterBody]>,
) -> Result<ExplainedClient, String> {
    let device = Some(&asked.device).filter(|device| !device.is_empty());
    let device: Option<DeviceId> = device
        .map(|device| device.parse())
        .transpose()
        .map_err(|_| "A device id has 1 to 128 printable ASCII characters.".to_owned())?;
    let entry = |entry: &UpdaterBody| {
        Some(PlatformUpdater { updater: entry.updater.parse().ok()?, default: entry.default })
    };
    let known = updaters.unwrap_or_default().iter().filter_map(entry).collect();
    let known = PlatformUpdaters::new(known).map_err(|error| error.to_string())?;
    let updater = known
        .resolve(Some(&asked.updater))
        .map_err(|_| format!("The platform does not have the updater {}.", asked.updater))?;
    let scope = scope(asked, app).map_err(|error| error.to_string())?;
    let version = parse_parameter("version", &asked.version).map_err(|error| error.to_string())?;
    let facts = [
        ("group", asked.group.clone()),
        ("os_version", asked.os_version.clone()),
        ("interactive", u8::from(asked.interactive).to_string()),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty() && value != "0").collect();
    Ok(ExplainedClient { scope, version, device, facts, updater })
}

fn scope(asked: &ClientForm, app: &AppEntry) -> Result<Scope, ApiError> {
    Ok(Scope {
        owner: parse_parameter("owner", &app.owner)?,
        app: parse_parameter("app", &app.app_name)?,
        channel: parse_name("channel", &asked.channel)?,
        platform: parse_name("platform", &asked.platform)?,
        arch: parse_name("arch", &asked.arch)?,
    })
}

fn parse_name<T: FromStr + TextRule>(field: &'static str, text: &str) -> Result<Option<T>, ApiError> {
    if text.is_empty() { Ok(None) } else { parse_parameter(field, text).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(version: &str, updater: &str, device: &str) -> ClientForm {
        ClientForm {
            version: version.to_owned(),
            updater: updater.to_owned(),
            device: device.to_owned(),
            ..ClientForm::default()
        }
    }

    fn app() -> AppEntry {
        serde_json::from_value(serde_json::json!({
            "ID": "1", "AppName": "My App", "Logo": "", "Private": false, "Tuf": false, "signed": false,
            "Reports": false, "CdnEdge": false, "download_mode": "login", "Description": "", "Owner": "acme",
            "get_page": false, "get_page_color": "",
            "Updated_at": "t",
        }))
        .unwrap()
    }

    #[test]
    fn a_client_is_read_as_the_service_reads_it() {
        let tauri = [UpdaterBody { updater: "tauri".to_owned(), default: true }];
        let app = app();
        let updater = |asked: &ClientForm, known: Option<&[UpdaterBody]>| {
            client(asked, &app, known).map(|client| client.updater)
        };
        assert_eq!(updater(&asked("1.0.0", "", ""), None), Ok(Updater::Manual));
        assert_eq!(updater(&asked("1.0.0", "", ""), Some(&tauri)), Ok(Updater::Tauri));
        assert_eq!(
            updater(&asked("1.0.0", "sparkle", ""), Some(&tauri)),
            Err("The platform does not have the updater sparkle.".to_owned())
        );
        assert!(client(&asked("new", "", ""), &app, None).is_err());
        assert!(client(&asked("1.0.0", "", "ü"), &app, None).is_err());
    }

    #[test]
    fn the_service_is_asked_as_the_form_is_filled_in() {
        let form = "version=1.0.0&channel=&platform=linux&at=2026-11-26T10%3A00";
        let body = ClientForm::of(&Query::parse(form).unwrap()).body("notes");
        let expected = ExplainBody {
            app: Some("notes".to_owned()),
            platform: Some("linux".to_owned()),
            version: Some("1.0.0".to_owned()),
            at: Some("2026-11-26T10:00:00Z".to_owned()),
            ..ExplainBody::default()
        };
        assert_eq!(body, expected);
    }

    #[test]
    fn a_version_keeps_its_plus() {
        assert_eq!(ClientForm::of(&Query::parse("version=1.0.0+5").unwrap()).version, "1.0.0+5");
    }
}
