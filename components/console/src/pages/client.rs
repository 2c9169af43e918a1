//! The page "What would a client get?": the real call, its answer, and the reasons for it.

mod answer;
mod call;
mod offered;
mod why;

use std::str::FromStr;

use futures::future::{try_join, try_join3};
use maud::{Markup, html};
use spindrift_api::{AppEntry, ChannelsBody, PlatformsBody, ReleaseEntry, SearchBody, UpdaterBody};
use spindrift_core::{DeviceId, PlatformUpdater, PlatformUpdaters, Scope, Updater};
use spindrift_web::{ApiError, Query, Request, Response, parse_parameter};

use self::why::{Client, Why};
use crate::address::segment;
use crate::{Address, Catalog, Context, Names, Place, Result, parts};

/// Versions that the form suggests.
const SUGGESTED: u32 = 25;
/// Releases for a page of a search.
const PAGE: u32 = 100;
/// Pages that are read, so that an application with a long history is answered too: its newest releases decide.
const MAX_PAGES: u32 = 5;

/// The content of the form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    version: String,
    channel: String,
    platform: String,
    arch: String,
    device: String,
    updater: String,
}

impl Asked {
    /// A client of the version before, in the place of a release.
    pub(crate) fn about(release: &ReleaseEntry, before: Option<&str>) -> Self {
        let artifact = release.artifacts.first();
        let of = |field: fn(&spindrift_api::ArtifactEntry) -> &String| {
            artifact.map(field).cloned().unwrap_or_default()
        };
        Self {
            version: before.unwrap_or(&release.version).to_owned(),
            channel: release.channel.clone(),
            platform: of(|artifact| &artifact.platform),
            arch: of(|artifact| &artifact.arch),
            device: String::new(),
            updater: of(|artifact| &artifact.updater),
        }
    }

    fn of(query: &Query) -> Self {
        let value = |name| query.get(name).unwrap_or_default().trim().to_owned();
        Self {
            // A `+` of a version that was not encoded.
            version: value("version").replace(' ', "+"),
            channel: value("channel"),
            platform: value("platform"),
            arch: value("arch"),
            device: value("device"),
            updater: value("updater"),
        }
    }
}

/// The form. `versions`: the versions to suggest.
pub(crate) fn section(app: &str, asked: &Asked, names: &Names, versions: &[String]) -> Markup {
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
                button type="submit" { "Ask" }
            }
            p.hint {
                "This makes the client's own call. A device id is counted in the telemetry, like that of any device."
            }
        }
    }
}

/// The existing names, or none. A name that was asked for stays in the list even if it no longer exists.
fn choice(field: &str, label: &str, chosen: &str, names: &[String]) -> Markup {
    let gone = Some(chosen).filter(|chosen| !chosen.is_empty() && !names.iter().any(|name| name == chosen));
    let choices = names.iter().map(String::as_str).chain(gone).map(|name| (name, name));
    parts::select(field, label, chosen, std::iter::once(("", "none named")).chain(choices))
}

/// `GET /console/apps/{app}/client`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let name = segment(request.path(), 2)?;
    let asked = Asked::of(&request.query()?);
    let (me, catalog) = context.with_me(Catalog::load_for(context, &name)).await?;
    let app = catalog.app_named(&name)?;
    let (names, versions) =
        try_join(Names::load(context, &me, &catalog, &name), newest_versions(context, &name)).await?;
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
    Ok(context.page(format!("{name}: a client"), &me, Place::Overview).show(&content))
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

async fn result(context: &Context<'_>, app: &AppEntry, asked: &Asked) -> Result<Markup> {
    let (channels, platforms) = (Address::call("/channel/list"), Address::call("/platform/list"));
    let (releases, channels, platforms) = try_join3(
        releases(context, &app.app_name),
        context.service.get::<ChannelsBody>(&channels),
        context.service.get::<PlatformsBody>(&platforms),
    )
    .await?;
    let platform = platforms.platforms.iter().find(|platform| platform.platform_name == asked.platform);
    let client = match client(asked, app, platform.map(|platform| &*platform.updaters)) {
        Ok(client) => client,
        Err(problem) => return Ok(parts::problem(&problem)),
    };
    let includes = channels.channels.iter().find(|channel| channel.channel_name == asked.channel);
    let why = Why::of(&client, &releases, includes.map_or(&[], |channel| &channel.includes));
    let call = call::Call::of(&client);
    let answer = call.send(context).await?;
    Ok(answer::show(&call, &answer, &why, &client))
}

/// All releases of the application, newest first.
async fn releases(context: &Context<'_>, app: &str) -> Result<Vec<ReleaseEntry>> {
    let mut releases = Vec::new();
    for page in 1..=MAX_PAGES {
        let call = Address::call("/search")
            .with("app_name", app)
            .with("changelog", false)
            .with("limit", PAGE)
            .with("page", page);
        let found: SearchBody = context.service.get(&call).await?;
        releases.extend(found.items);
        if releases.len() as u64 >= found.total {
            break;
        }
    }
    Ok(releases)
}

/// The client that the form describes, or what is wrong with it.
fn client(asked: &Asked, app: &AppEntry, updaters: Option<&[UpdaterBody]>) -> Result<Client, String> {
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
    Ok(Client { scope, version, device, updater })
}

fn scope(asked: &Asked, app: &AppEntry) -> Result<Scope, ApiError> {
    Ok(Scope {
        owner: parse_parameter("owner", &app.owner)?,
        app: parse_parameter("app", &app.app_name)?,
        channel: named("channel", &asked.channel)?,
        platform: named("platform", &asked.platform)?,
        arch: named("arch", &asked.arch)?,
    })
}

fn named<T: FromStr>(field: &'static str, text: &str) -> Result<Option<T>, ApiError> {
    if text.is_empty() { Ok(None) } else { parse_parameter(field, text).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(version: &str, updater: &str, device: &str) -> Asked {
        Asked {
            version: version.to_owned(),
            updater: updater.to_owned(),
            device: device.to_owned(),
            ..Asked::default()
        }
    }

    fn app() -> AppEntry {
        serde_json::from_value(serde_json::json!({
            "ID": "1", "AppName": "My App", "Logo": "", "Private": false, "Tuf": false, "signed": false,
            "Reports": false, "CdnEdge": false, "download_mode": "login", "Description": "", "Owner": "acme",
            "Updated_at": "t",
        }))
        .unwrap()
    }

    #[test]
    fn a_client_is_read_as_the_service_reads_it() {
        let tauri = [UpdaterBody { updater: "tauri".to_owned(), default: true }];
        let app = app();
        let updater = |asked: &Asked, known: Option<&[UpdaterBody]>| {
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
    fn a_version_keeps_its_plus() {
        assert_eq!(Asked::of(&Query::parse("version=1.0.0+5").unwrap()).version, "1.0.0+5");
    }
}
