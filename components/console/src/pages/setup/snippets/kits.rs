//! The kit, or how copies without one send the same: `docs/kits.md`.

use maud::{Markup, html};
use spindrift_core::Updater;

use super::guide::{Guide, Snippet, quoted};
use super::target::SnippetTarget;

pub(super) fn kit(target: &SnippetTarget) -> Guide {
    let named = target.updater.as_deref().and_then(|name| name.parse::<Updater>().ok());
    let updater = named.unwrap_or(Updater::Manual);
    let program = program(target, updater);
    let snippets = program.into_iter().map(|text| Snippet { file: "main.js", text }).collect();
    Guide { id: "kit", title: "Kit", updater: None, purpose: purpose(updater), snippets }
}

fn purpose(updater: Updater) -> Markup {
    let page = html! { code { (updater.kit_guide()) } };
    html! {
        "Rollouts in parts need a device id from each copy, and the guard also needs its failures. "
        @match updater {
            Updater::ElectronBuilder | Updater::SquirrelWindows | Updater::SquirrelDarwin => {
                "The kit for JavaScript sends both: see " (page) ". The console shows the report key under "
                em { "People and keys" } ", once the application takes failure reports."
            }
            Updater::Manual => {
                "There are kits for JavaScript (" (page) ") and in the Rust client ("
                code { "docs/client.md" } ")."
            }
            Updater::Tauri | Updater::Velopack | Updater::Sparkle => {
                "How clients of " code { (updater) } " send them: see " (page) "."
            }
        }
    }
}

/// The program that attaches the kit. `None`: there is no kit that attaches itself to the updater.
fn program(target: &SnippetTarget, updater: Updater) -> Option<String> {
    let (module, check) = match updater {
        Updater::ElectronBuilder => ("electron-updater", "checkForUpdatesAndNotify"),
        Updater::SquirrelWindows | Updater::SquirrelDarwin => ("electron", "checkForUpdates"),
        Updater::Manual | Updater::Tauri | Updater::Velopack | Updater::Sparkle => return None,
    };
    let place = &target.place;
    let (url, owner, app) = (quoted(&place.api_url), quoted(&place.owner), quoted(&place.app));
    let channel = place.channel.as_deref().map(|name| format!("  channel: {},\n", quoted(name)));
    let channel = channel.unwrap_or_default();
    Some(format!(
        "import {{ spindrift }} from \"@spindrift/kit\";\n\
         import {{ autoUpdater }} from \"{module}\";\n\n\
         const kit = spindrift({{\n  \
           url: {url},\n  \
           owner: {owner},\n  \
           app: {app},\n\
         {channel}  \
           reportKey: \"rpk_...\", // of the application\n\
         }});\n\
         kit.attach(autoUpdater);\n\
         autoUpdater.{check}();\n"
    ))
}
