//! The client library: `docs/client.md`.

use maud::html;
use spindrift_core::Updater;

use super::guide::{Guide, Snippet, quoted};
use super::target::SnippetTarget;

pub(super) fn rust(target: &SnippetTarget) -> Guide {
    let features = if target.tuf { ", features = [\"trust\"]" } else { "" };
    let manifest = format!(
        "[dependencies]\nspindrift-client = {{ path = \"spindrift/crates/client\"{features} }}\n\
         tokio = {{ version = \"1\", features = [\"rt-multi-thread\", \"macros\"] }}\n"
    );
    Guide {
        id: "rust",
        title: "Rust client",
        updater: Some(Updater::Manual),
        purpose: html! {
            "An application updates itself with the library, which needs the updater " code { "manual" } "."
            @if target.tuf {
                " Its feature " code { "trust" } " takes only files that you have signed: see "
                code { "docs/client.md" } "."
            }
            @if target.private { " Downloads need a token: see " code { "docs/client.md" } "." }
        },
        snippets: vec![
            Snippet { file: "Cargo.toml", text: manifest },
            Snippet { file: "main.rs", text: program(target) },
        ],
    }
}

fn program(target: &SnippetTarget) -> String {
    let text = |name: &Option<String>| quoted(name.as_deref().unwrap_or_default());
    let (url, owner, app) =
        (quoted(&target.place.api_url), quoted(&target.place.owner), quoted(&target.place.app));
    let scope =
        [text(&target.place.channel), text(&target.place.platform), text(&target.place.arch)].join(", ");
    format!(
        "use spindrift_client::{{CheckOptions, Client, Config, Error}};\n\n\
         #[tokio::main]\n\
         async fn main() -> Result<(), Error> {{\n    \
             let client = Client::new(Config::new({url}))?;\n    \
             let options = CheckOptions::new({owner}, {app}, env!(\"CARGO_PKG_VERSION\"))\n        \
                 .with_target({scope});\n    \
             match client.check(&options).await? {{\n        \
                 Some(update) => println!(\"{{}} is there: {{:?}}\", update.version, update.package_urls),\n        \
                 None => println!(\"up to date\"),\n    \
             }}\n    \
             Ok(())\n\
         }}\n"
    )
}
