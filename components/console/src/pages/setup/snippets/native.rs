//! Native updaters: `docs/api/feeds.md`.

use maud::{Markup, html};
use spindrift_core::Updater;

use super::guide::{Guide, Snippet, quoted};
use super::target::SnippetTarget;

pub(super) fn guides(target: &SnippetTarget) -> Vec<Guide> {
    vec![
        electron_builder(target),
        tauri(target),
        velopack(target),
        sparkle(target),
        squirrel_windows(target),
        squirrel_mac(target),
    ]
}

fn electron_builder(target: &SnippetTarget) -> Guide {
    let url = quoted(&target.place.address(Updater::ElectronBuilder, "${version}"));
    let config = format!(
        "publish:\n  provider: generic\n  url: {url}\n  \
         useMultipleRangeRequest: false # object storage answers one range at a time\n"
    );
    let program =
        "import { autoUpdater } from \"electron-updater\";\n\nautoUpdater.checkForUpdatesAndNotify();\n";
    Guide {
        id: "electron-builder",
        title: "electron-builder",
        updater: Some(Updater::ElectronBuilder),
        purpose: html! {
            "electron-builder writes the version into the address, and electron-updater reads it from there. "
            "Publish the " code { "latest*.yml" } " with the files that it lists."
        },
        snippets: vec![
            Snippet { file: "electron-builder.yml", text: config },
            Snippet { file: "main.js", text: program.to_owned() },
        ],
    }
}

fn tauri(target: &SnippetTarget) -> Guide {
    let mut updater = serde_json::json!({
        "endpoints": [target.place.address(Updater::Tauri, "")],
        "pubkey": "the content of your public key: `tauri signer generate` makes it",
    });
    if target.place.api_url.starts_with("http://") {
        updater["dangerousInsecureTransportProtocol"] = true.into();
    }
    let config = serde_json::json!({
        "bundle": { "createUpdaterArtifacts": true },
        "plugins": { "updater": updater },
    });
    Guide {
        id: "tauri",
        title: "Tauri",
        updater: Some(Updater::Tauri),
        purpose: html! { "Publish each installer with the content of its " code { ".sig" } " file as the signature." },
        snippets: vec![Snippet { file: "tauri.conf.json", text: format!("{config:#}\n") }],
    }
}

fn velopack(target: &SnippetTarget) -> Guide {
    let url = quoted(&target.place.address(Updater::Velopack, ""));
    let text = format!(
        "using Velopack;\n\n\
         var manager = new UpdateManager({url});\n\
         var update = await manager.CheckForUpdatesAsync();\n\
         if (update != null)\n{{\n    \
             await manager.DownloadUpdatesAsync(update);\n    \
             manager.ApplyUpdatesAndRestart(update);\n}}\n"
    );
    Guide {
        id: "velopack",
        title: "Velopack",
        updater: Some(Updater::Velopack),
        purpose: html! { "Publish what " code { "vpk pack" } " makes: the packages, and " code { "releases.*.json" } "." },
        snippets: vec![Snippet { file: "Program.cs", text }],
    }
}

fn sparkle(target: &SnippetTarget) -> Guide {
    let dictionary = html! {
        key { "SUFeedURL" }
        string { (target.place.address(Updater::Sparkle, "$(MARKETING_VERSION)")) }
        key { "SUPublicEDKey" }
        string { "the public key that generate_keys prints" }
    };
    let text = dictionary.into_string().replace("</key>", "</key>\n").replace("</string>", "</string>\n");
    Guide {
        id: "sparkle",
        title: "Sparkle",
        updater: Some(Updater::Sparkle),
        purpose: html! {
            "Xcode fills in the version that it builds. Publish the appcast that " code { "generate_appcast" }
            " writes with its archives."
        },
        snippets: vec![Snippet { file: "Info.plist", text }],
    }
}

fn squirrel_windows(target: &SnippetTarget) -> Guide {
    Guide {
        id: "squirrel-windows",
        title: "Squirrel.Windows",
        updater: Some(Updater::SquirrelWindows),
        purpose: html! {
            "Publish " code { "RELEASES" } " and the packages that it lists. Outside of Electron, give "
            code { "UpdateManager" } " the same address, with the running version."
        },
        snippets: vec![Snippet { file: "main.js", text: electron(target, "/") }],
    }
}

fn squirrel_mac(target: &SnippetTarget) -> Guide {
    Guide {
        id: "squirrel-mac",
        title: "Squirrel.Mac",
        updater: Some(Updater::SquirrelDarwin),
        purpose: electron_on_mac(),
        snippets: vec![Snippet { file: "main.js", text: electron(target, "/squirrel.json") }],
    }
}

fn electron_on_mac() -> Markup {
    html! {
        "For Electron's own " code { "autoUpdater" } " on macOS. Publish the signed application as " code { ".zip" } "."
    }
}

/// Electron's built-in updater, which uses one of the two Squirrels.
fn electron(target: &SnippetTarget, end: &str) -> String {
    let (feed, end) = (quoted(&format!("{}/", target.place.feed())), quoted(end));
    format!(
        "const {{ app, autoUpdater }} = require(\"electron\");\n\n\
         autoUpdater.setFeedURL({{ url: {feed} + encodeURIComponent(app.getVersion()) + {end} }});\n\
         autoUpdater.checkForUpdates();\n"
    )
}
