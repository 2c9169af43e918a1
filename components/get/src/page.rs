//! `GET /get/{owner}/{app}`: the newest release for the visitor's system, and for others.

use http::{HeaderName, HeaderValue, StatusCode, header};
use maud::{Markup, html};
use spindrift_core::{AppName, Timestamp, Visitor};
use spindrift_db::latest;
use spindrift_pages::{markdown_below, size};
use spindrift_service::answers::seconds_until;
use spindrift_service::{Failure, Ports, links};
use spindrift_web::{Request, Response, response};

use crate::address::AppAddress;
use crate::current::{Current, CurrentFile};
use crate::frame::Frame;
use crate::verify;

/// Asks browsers for hints about the visitor's system.
const ACCEPT_CH: HeaderName = HeaderName::from_static("accept-ch");
const HINTS: HeaderValue = HeaderValue::from_static("Sec-CH-UA-Platform, Sec-CH-UA-Arch");

pub(crate) fn page<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let address = AppAddress::of(request)?;
    let current = Current::load(ports, request, &address)?;
    let logo = links::logo_url(ports, &current.app.logo_key)?;
    let frame =
        Frame::new(address.app.as_str()).with_accent(current.app.page.color.as_ref()).with_logo(&logo);
    let visitor = visitor(request);
    let best = current.best_for(visitor);
    let Some(shown) = best.or_else(|| current.newest()) else {
        let mut answer = frame.show(StatusCode::NOT_FOUND, &nothing_published(&address.app, &logo));
        answer.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_NOTHING);
        return Ok(answer);
    };
    let conn = spindrift_db::open(ports, ports.now())?;
    let notes = latest::notes(&conn, &shown.row.release_id)?;
    let content = html! {
        (head(&address.app, &logo, Some(shown)))
        main {
            (best_download(best, visitor))
            (all_downloads(&current, shown))
            @if !notes.trim().is_empty() {
                section aria-labelledby="notes" {
                    h2 #notes { "Release notes" }
                    (markdown_below(&notes, 2))
                }
            }
            (verify::section(&current.files, shown))
        }
        footer { p { a href=(address.why()) { "Why does my device not get this version?" } } }
    };
    let mut answer = frame.show(StatusCode::OK, &content);
    answer.headers_mut().insert(ACCEPT_CH, HINTS);
    if !current.audience.is_personal() {
        answer = response::cacheable_for(answer, seconds_until(ports.now(), current.valid_until));
    }
    Ok(current.audience.mark(answer))
}

fn visitor(request: &Request) -> Visitor {
    let header = |name| request.header(name).unwrap_or_default();
    Visitor::of(header("user-agent"), header("sec-ch-ua-platform"), header("sec-ch-ua-arch"))
}

/// The name and, if there is a release, its version and date.
fn head(app: &AppName, logo: &str, shown: Option<&CurrentFile>) -> Markup {
    html! {
        header {
            @if !logo.is_empty() { img src=(logo) alt="" width="64" height="64"; }
            div {
                h1 { (app) }
                @if let Some(file) = shown {
                    p.quiet { "Version " (file.row.version) ", " (date(file.row.released_at)) }
                }
            }
        }
    }
}

fn date(at: Timestamp) -> Markup {
    let at = at.to_rfc3339();
    html! { time datetime=(at) { (at.get(..10).unwrap_or(&at)) } }
}

fn nothing_published(app: &AppName, logo: &str) -> Markup {
    html! {
        (head(app, logo, None))
        main { p { "There is nothing to download here yet." } }
    }
}

fn best_download(best: Option<&CurrentFile>, visitor: Visitor) -> Markup {
    html! {
        section aria-labelledby="download" {
            h2 #download { "Download" }
            @match (best, visitor.system) {
                (Some(file), Some(system)) => {
                    p { a.button href=(file.url) { "Download for " (system.name()) } }
                    p.quiet { (details(file)) }
                }
                (_, Some(system)) => p { "There is no download for " (system.name()) ". These are for other systems." },
                (_, None) => p { "Choose the download for your system." },
            }
        }
    }
}

/// A description of a file, in a line.
fn details(file: &CurrentFile) -> Markup {
    let place = file.place();
    html! {
        (file.row.file_name)
        @if !place.is_empty() { ", for " (place) }
        @if file.is_private() { ". Not everybody may download it: you may be asked to log in." }
        @else { ", " (size(file.row.size)) }
    }
}

fn all_downloads(current: &Current, shown: &CurrentFile) -> Markup {
    html! {
        section aria-labelledby="systems" {
            h2 #systems { "All systems" }
            ul.files {
                @for file in &current.files {
                    li {
                        a href=(file.url) { (name(file)) }
                        p.quiet {
                            (details(file))
                            @if file.row.version != shown.row.version { ", version " (file.row.version) }
                        }
                    }
                }
            }
        }
    }
}

/// The text of a link, which says what it leads to also if it is read alone.
fn name(file: &CurrentFile) -> String {
    let (place, package) = (file.place(), file.row.package.as_str());
    let package = if file.row.package.is_no_extension() { "file" } else { package };
    if place.is_empty() { package.to_owned() } else { format!("{place} ({package})") }
}
