//! The calls of the form's script: JSON in, JSON out. The script never gets the login.

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};
use serde::{Deserialize, Serialize};
use spindrift_api::{CompleteBody, ErrorBody, UploadFileBody, UploadInitBody, UploadedBody};
use spindrift_core::{FileName, NameFacts, OperatingSystem, Processor, Timestamp, updater_of_feeds};
use spindrift_service::log;
use spindrift_web::{Request, Response, response};

use crate::address::segment;
use crate::pages::release;
use crate::{Address, ConsoleError, Context, Result, ServiceAnswer};

/// Maximum size of the request that starts an upload, in bytes: the list of files, the notes, and
/// feed files. These are usually kilobytes; larger uploads need the command line.
pub(super) const MAX_INIT_BYTES: usize = 16 * 1024 * 1024;
/// Maximum size of other requests, in bytes: names and identifiers.
pub(super) const MAX_SMALL_BYTES: usize = 256 * 1024;
/// The header with the form's token: forms on other sites cannot set headers.
const TOKEN_HEADER: &str = "x-form-token";
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The names of the chosen files, and the names to choose from in the form.
#[derive(Deserialize)]
struct PlanBody {
    names: Vec<String>,
    platforms: Vec<String>,
    archs: Vec<String>,
}

/// The kind of each file, in the same order, and what their names say. `None`: they do not say it.
#[derive(Serialize)]
struct FilesPlan {
    files: Vec<PlannedFile>,
    /// The updater of their feeds. `None`: there are no feeds.
    updater: Option<&'static str>,
    /// Why the feeds do not determine an updater.
    problem: Option<String>,
    version: Option<String>,
    platform: Option<String>,
    arch: Option<String>,
}

impl FilesPlan {
    fn of(PlanBody { names, platforms, archs }: &PlanBody) -> Self {
        let valid: Vec<FileName> = names.iter().filter_map(|name| name.parse().ok()).collect();
        let (updater, problem) = match updater_of_feeds(&valid) {
            Ok(found) => (found.map(|(updater, _)| updater.as_str()), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let NameFacts { version, system, processor } = NameFacts::of(&valid);
        let is_platform = |platform: &str| {
            let platform = platform.parse().ok();
            platform.is_some_and(|platform| OperatingSystem::of_platform(&platform) == system)
        };
        let is_arch = |arch: &str| {
            let found = Processor::from_name(&arch.to_ascii_lowercase());
            found.is_some() && found == processor
        };
        Self {
            files: names.iter().map(|name| PlannedFile::of(name)).collect(),
            updater,
            problem,
            version,
            platform: system.and_then(|_| only(platforms, is_platform)),
            arch: only(archs, is_arch),
        }
    }
}

/// The only name that fits.
fn only(names: &[String], fits: impl Fn(&str) -> bool) -> Option<String> {
    let mut fitting = names.iter().filter(|name| fits(name));
    fitting.next().filter(|_| fitting.next().is_none()).cloned()
}

#[derive(Serialize, PartialEq, Eq, Debug)]
struct PlannedFile {
    /// The updater of the feed. `None`: the file is sent to the storage.
    feed: Option<&'static str>,
    /// Whether the file can be published under its name.
    is_valid: bool,
}

impl PlannedFile {
    fn of(name: &str) -> Self {
        let name = name.parse::<FileName>().ok();
        let feed = name.as_ref().and_then(FileName::feed_updater).map(spindrift_core::Updater::as_str);
        Self { feed, is_valid: name.is_some() }
    }
}

/// How to send the files of an upload. It has a duration instead of a time, because the browser's
/// clock may be wrong.
#[derive(Serialize)]
struct UploadGrant {
    upload_id: String,
    /// How long the addresses are valid, in seconds from now.
    valid_seconds: i64,
    files: Vec<UploadFileBody>,
}

/// The address of the published release.
#[derive(Serialize)]
struct PublishedPage {
    release: String,
}

/// `POST /console/apps/{app}/publish/plan`.
pub(crate) async fn plan(context: &Context<'_>, mut request: Request) -> Result<Response> {
    require_script(context, &request)?;
    let sent: PlanBody = request.read_json(MAX_SMALL_BYTES).await?;
    json(StatusCode::OK, &FilesPlan::of(&sent))
}

/// `POST /console/apps/{app}/publish/init`: the form of `POST /upload/init`.
pub(crate) async fn init(context: &Context<'_>, mut request: Request) -> Result<Response> {
    require_script(context, &request)?;
    let content_type = request.header_values(header::CONTENT_TYPE.as_str()).into_iter().next();
    let body = request.read_body(MAX_INIT_BYTES).await?;
    let body = content_type.map(|content_type| (content_type, body));
    let answer = context.service.ask(Method::POST, &Address::call("/upload/init"), body, &[]).await?;
    upload_grant(context, answer)
}

/// `POST /console/apps/{app}/publish/renew`: the body of `POST /upload/renew`.
pub(crate) async fn renew(context: &Context<'_>, request: Request) -> Result<Response> {
    let answer = about_upload(context, "/upload/renew", request).await?;
    upload_grant(context, answer)
}

fn upload_grant(context: &Context<'_>, answer: ServiceAnswer) -> Result<Response> {
    if answer.status != StatusCode::OK {
        return Ok(pass_on(answer));
    }
    let UploadInitBody { upload_id, expires_at, files } = answer.read()?;
    let ends = Timestamp::from_rfc3339(&expires_at)
        .ok_or_else(|| ConsoleError::NoAnswer(format!("`{expires_at}` is not a time")))?;
    let valid_seconds = (ends.as_millis() - context.now.as_millis()) / 1000;
    json(StatusCode::OK, &UploadGrant { upload_id, valid_seconds, files })
}

/// Sends a body that names an upload.
async fn about_upload(
    context: &Context<'_>,
    call: &'static str,
    mut request: Request,
) -> Result<ServiceAnswer> {
    require_script(context, &request)?;
    let body: CompleteBody = request.read_json(MAX_SMALL_BYTES).await?;
    let body = serde_json::to_vec(&body).map_err(ConsoleError::no_answer)?;
    context.service.ask(Method::POST, &Address::call(call), Some((JSON, Bytes::from(body))), &[]).await
}

/// `POST /console/apps/{app}/publish/complete`: the body of `POST /upload/complete`.
pub(crate) async fn complete(context: &Context<'_>, request: Request) -> Result<Response> {
    let app = segment(request.path(), 2)?;
    let answer = about_upload(context, "/upload/complete", request).await?;
    if answer.status != StatusCode::OK {
        return Ok(pass_on(answer));
    }
    let uploaded: UploadedBody = answer.read()?;
    let page = release::address(&app, uploaded.release.as_str());
    json(StatusCode::OK, &PublishedPage { release: page.to_string() })
}

/// Checks that a script of the console's own pages makes the call, for a logged-in user.
pub(super) fn require_script(context: &Context<'_>, request: &Request) -> Result<()> {
    if !context.service.has_token() {
        return Err(ConsoleError::LoggedOut);
    }
    context.require_own_page(request)?;
    context.require_token(request.header(TOKEN_HEADER).unwrap_or_default())
}

/// The service's answer, unchanged. It must not be cached, because it contains write credentials.
pub(super) fn pass_on(answer: ServiceAnswer) -> Response {
    without_caching(response::respond(answer.status, JSON, answer.body))
}

pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Result<Response> {
    Ok(without_caching(response::json(status, body)?))
}

fn without_caching(mut answer: Response) -> Response {
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}

/// The response for the script, which reads errors too.
pub(crate) fn for_script(answer: Result<Response>) -> Response {
    answer
        .or_else(|error| {
            if let ConsoleError::NoAnswer(reason) = &error {
                log::warn("a call of the console failed", reason);
            }
            let body = ErrorBody {
                error: error.to_string(),
                code: None,
                files: Vec::new(),
                devices: None,
                passkey: None,
                request_id: None,
            };
            json(error.status(), &body)
        })
        .unwrap_or_else(|_| without_caching(response::empty(StatusCode::INTERNAL_SERVER_ERROR)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_are_told_from_files() {
        for (name, feed, is_valid) in [
            ("notes.deb", None, true),
            ("RELEASES", Some("squirrel_windows"), true),
            ("latest-mac.yml", Some("electron-builder"), true),
            ("appcast.xml", Some("sparkle"), true),
            ("<img src=x onerror=alert(1)>.deb", None, true),
            ("a/b", None, false),
            ("", None, false),
        ] {
            assert_eq!(PlannedFile::of(name), PlannedFile { feed, is_valid }, "{name}");
        }
    }

    #[test]
    fn feeds_say_which_updater_the_files_are_for() {
        for (names, updater, has_problem) in [
            (&["notes.deb", "a/b"][..], None, false),
            (&["latest-linux.yml", "notes.AppImage"], Some("electron-builder"), false),
            (&["RELEASES", "releases.win.json"], Some("velopack"), false),
            (&["latest-mac.yml", "appcast.xml"], None, true),
        ] {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            let planned = FilesPlan::of(&PlanBody { names, platforms: Vec::new(), archs: Vec::new() });
            let names = planned.files.len();
            assert_eq!((planned.updater, planned.problem.is_some()), (updater, has_problem), "{names:?}");
        }
    }

    #[test]
    fn names_fill_in_the_form() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let planned = |names: &[&str], platforms: &[&str], archs: &[&str]| {
            let sent = PlanBody { names: texts(names), platforms: texts(platforms), archs: texts(archs) };
            let FilesPlan { version, platform, arch, .. } = FilesPlan::of(&sent);
            [version, platform, arch].map(Option::unwrap_or_default)
        };
        let deb = &["notes_1.2.0_amd64.deb"][..];
        assert_eq!(planned(deb, &["", "linux", "mac"], &["", "arm64", "x64"]), ["1.2.0", "linux", "x64"]);
        assert_eq!(planned(deb, &["linux", "debian"], &["amd64", "x86_64"]), ["1.2.0", "", ""]);
        assert_eq!(planned(&["notes.zip"], &["linux", "kiosk"], &["amd64", "own"]), ["", "", ""]);
    }
}
