//! `GET /get/{owner}/{app}/badge.svg`: name and newest version, for the page of a project.

use http::{HeaderValue, StatusCode};
use maud::{Markup, PreEscaped, html};
use spindrift_core::AccentColor;
use spindrift_service::answers::seconds_until;
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{Request, Response, response};

use crate::address::AppAddress;
use crate::current::Current;
use crate::frame;

const SVG: HeaderValue = HeaderValue::from_static("image/svg+xml");
/// A picture loads nothing and runs nothing, also if it is opened as a page.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The color of the version if the application has none.
const COLOR: &str = "#0a5f86";
const TEXT_COLOR: &str = "#ffffff";

const HEIGHT: usize = 20;
/// The width of a wide character, so that no text is cut off. Texts are stretched to exactly this.
const CHAR_WIDTH: usize = 7;
const PADDING: usize = 6;

pub(crate) fn badge<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let address = AppAddress::of(request)?;
    let current = Current::load(ports, request, &address)?;
    let version = current.version().ok_or(ServiceError::NoBuilds)?;
    let picture = draw(address.app.as_str(), version.as_str(), current.app.page.color.as_ref());
    let mut response = response::respond(StatusCode::OK, SVG, picture.into_string());
    frame::protect(&mut response, POLICY);
    Ok(response::cacheable_for(response, seconds_until(ports.now(), current.valid_until)))
}

fn draw(label: &str, version: &str, color: Option<&AccentColor>) -> Markup {
    let width = |text: &str| text.chars().count() * CHAR_WIDTH;
    let (left, right) = (width(label) + 2 * PADDING, width(version) + 2 * PADDING);
    let (color, text_color) = color.map_or((COLOR, TEXT_COLOR), |color| (color.as_str(), color.text_color()));
    let text = |x: usize, fill: &str, text: &str| {
        html! {
            text x=(x + PADDING) y="14" fill=(fill) textLength=(width(text)) lengthAdjust="spacingAndGlyphs" { (text) }
        }
    };
    html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(left + right) height=(HEIGHT) role="img"
            aria-label={ (label) ": " (version) } font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" {
            title { (label) ": " (version) }
            (PreEscaped(format!(
                "<rect width=\"{left}\" height=\"{HEIGHT}\" fill=\"#444c54\"/>\
                 <rect x=\"{left}\" width=\"{right}\" height=\"{HEIGHT}\" fill=\"{color}\"/>"
            )))
            (text(0, "#ffffff", label))
            (text(left, text_color, version))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let picture = draw("a <b> & \"c\"", "1.0<script>", None).into_string();
        assert!(picture.contains(">a &lt;b&gt; &amp; &quot;c&quot;</text>"), "{picture}");
        assert!(
            picture.contains("aria-label=\"a &lt;b&gt; &amp; &quot;c&quot;: 1.0&lt;script&gt;\""),
            "{picture}"
        );
        assert!(!picture.contains("<script"), "{picture}");
    }

    #[test]
    fn the_version_has_the_color_of_the_application() {
        let color = "#ffd400".parse().unwrap();
        let picture = draw("notes", "2.0.1", Some(&color)).into_string();
        assert!(
            picture.contains("<rect x=\"47\" width=\"47\" height=\"20\" fill=\"#ffd400\"/>"),
            "{picture}"
        );
        assert!(picture.contains("fill=\"#000000\" textLength=\"35\""), "{picture}");
    }
}
