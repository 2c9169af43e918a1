//! The page to read the document: complete without a script, and with nothing from elsewhere.

mod call;
mod markdown;
mod read;
mod schema;

use maud::{DOCTYPE, Markup, html};
use serde_json::Value;

use self::markdown::markdown;
use self::read::{Operation, entries, list, text};

/// Renders the document.
pub(crate) fn render(document: &Value) -> String {
    let operations = read::operations(document);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (text(document, "/info/title")) " interface" }
                link rel="stylesheet" href="/docs/style.css";
            }
            body {
                a.skip href="#calls" { "Skip to the calls" }
                (head(document))
                (contents(document))
                main id="calls" {
                    @for noun in list(document, "/tags") { (section(noun, &operations)) }
                    (bodies(document))
                }
            }
        }
    };
    page.into_string() + "\n"
}

fn head(document: &Value) -> Markup {
    html! {
        header {
            h1 { (text(document, "/info/title")) " " small { (text(document, "/info/version")) } }
            (markdown(text(document, "/info/description")))
            p { "For programs: " a href="/openapi.json" { code { "/openapi.json" } } " (OpenAPI 3.1)." }
        }
    }
}

fn contents(document: &Value) -> Markup {
    html! {
        nav aria-label="Calls by noun" {
            ul {
                @for noun in list(document, "/tags") {
                    @let name = text(noun, "/name");
                    li { a href=(format!("#{}", anchor(name))) { (name) } }
                }
                li { a href="#bodies" { "Bodies" } }
            }
        }
    }
}

fn section(noun: &Value, operations: &[Operation<'_>]) -> Markup {
    let name = text(noun, "/name");
    html! {
        section id=(anchor(name)) aria-labelledby=(format!("{}-title", anchor(name))) {
            h2 id=(format!("{}-title", anchor(name))) { (name) }
            (markdown(text(noun, "/description")))
            @for operation in operations.iter().filter(|call| text(call.value, "/tags/0") == name) {
                (call::call(operation))
            }
        }
    }
}

fn bodies(document: &Value) -> Markup {
    html! {
        section id="bodies" aria-labelledby="bodies-title" {
            h2 id="bodies-title" { "Bodies" }
            @for (name, body) in entries(document, "/components/schemas") {
                article id=(schema::anchor(name)) {
                    h3 { (name) }
                    (schema::whole(body))
                }
            }
        }
    }
}

/// The id of a noun's section.
fn anchor(name: &str) -> String {
    name.to_ascii_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests;
