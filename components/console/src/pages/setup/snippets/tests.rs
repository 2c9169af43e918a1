//! Checks that every snippet is valid in its format, and contains the names and addresses.

use yaml_rust2::{Yaml, YamlLoader};

use super::guide::Guide;
use super::target::SnippetTarget;
use crate::client_scope::ClientScope;

fn target() -> SnippetTarget {
    let some = |text: &str| Some(text.to_owned());
    let place = ClientScope {
        api_url: "https://updates.example".to_owned(),
        owner: "acme@example".to_owned(),
        app: "My Notes".to_owned(),
        channel: some("stable"),
        platform: some("linux"),
        arch: some("amd64"),
    };
    SnippetTarget { place, tuf: false, private: false, updater: None }
}

const BASE: &str = "https://updates.example/update/acme%40example/My%20Notes/stable";

fn guide(target: &SnippetTarget, id: &str) -> Guide {
    super::guides(target).into_iter().find(|guide| guide.id == id).unwrap()
}

fn text(target: &SnippetTarget, id: &str, file: &str) -> String {
    guide(target, id).snippets.into_iter().find(|snippet| snippet.file == file).unwrap().text
}

fn yaml(text: &str) -> Yaml {
    YamlLoader::load_from_str(text).unwrap().remove(0)
}

#[test]
fn electron_builder_is_yaml() {
    let config = yaml(&text(&target(), "electron-builder", "electron-builder.yml"));
    assert_eq!(config["publish"]["provider"].as_str(), Some("generic"));
    let expected = format!("{BASE}/linux/amd64/${{version}}/");
    assert_eq!(config["publish"]["url"].as_str(), Some(expected.as_str()));
}

/// The names in the documentation.
fn documented() -> SnippetTarget {
    let some = |text: &str| Some(text.to_owned());
    let place = ClientScope {
        api_url: "https://updates.example.com".to_owned(),
        owner: "ada".to_owned(),
        app: "notes".to_owned(),
        channel: some("stable"),
        platform: some("windows"),
        arch: some("amd64"),
    };
    SnippetTarget { place, updater: some("electron-builder"), ..target() }
}

/// The guide and the console show the same configuration.
#[test]
fn electron_builder_is_what_the_guide_says() {
    let guide = include_str!("../../../../../../docs/updaters/electron-builder.md");
    for (file, language) in [("electron-builder.yml", "yaml"), ("main.js", "js")] {
        let block = format!("```{language}\n{}```\n", text(&documented(), "electron-builder", file));
        assert!(guide.contains(&block), "{block}");
    }
}

#[test]
fn the_kit_is_what_its_page_says() {
    let page = include_str!("../../../../../../docs/kits.md");
    let block = format!("```js\n{}```\n", text(&documented(), "kit", "main.js"));
    assert!(page.contains(&block), "{block}");
}

#[test]
fn the_kit_attaches_itself_to_updaters_of_electron() {
    for (updater, module, page) in [
        (Some("squirrel_windows"), Some("from \"electron\";"), "docs/kits.md"),
        (Some("squirrel_darwin"), Some("from \"electron\";"), "docs/kits.md"),
        (Some("tauri"), None, "docs/updaters/tauri.md"),
        (None, None, "docs/client.md"),
    ] {
        let place = ClientScope { channel: None, ..target().place };
        let target = SnippetTarget { place, updater: updater.map(ToOwned::to_owned), ..target() };
        let Guide { purpose, snippets, .. } = guide(&target, "kit");
        assert!(purpose.into_string().contains(page), "{updater:?}");
        assert_eq!(snippets.len(), usize::from(module.is_some()), "{updater:?}");
        for (snippet, module) in snippets.iter().zip(module) {
            assert!(snippet.text.contains(module), "{}", snippet.text);
            assert!(snippet.text.contains("  app: \"My Notes\",\n  reportKey:"), "{}", snippet.text);
        }
    }
}

#[test]
fn tauri_is_json() {
    let endpoint = |target: &SnippetTarget| -> String {
        let text = text(target, "tauri", "tauri.conf.json");
        let config: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(config["bundle"]["createUpdaterArtifacts"], true);
        config["plugins"]["updater"]["endpoints"][0].as_str().unwrap().to_owned()
    };
    let end = "{{current_version}}/tauri.json?bundle_type={{bundle_type}}";
    assert_eq!(endpoint(&target()), format!("{BASE}/{{{{target}}}}/amd64/{end}"));
}

#[test]
fn sparkle_is_a_dictionary() {
    let text = text(&target(), "sparkle", "Info.plist");
    let list = format!("<plist version=\"1.0\"><dict>{text}</dict></plist>");
    let list = roxmltree::Document::parse(&list).unwrap();
    let entries: Vec<_> =
        list.root_element().first_child().unwrap().children().filter(roxmltree::Node::is_element).collect();
    let names: Vec<_> = entries.iter().map(|node| node.tag_name().name()).collect();
    assert_eq!(names, ["key", "string", "key", "string"]);
    assert_eq!(entries[0].text(), Some("SUFeedURL"));
    let expected = format!("{BASE}/linux/amd64/$(MARKETING_VERSION)/appcast.xml");
    assert_eq!(entries[1].text(), Some(expected.as_str()));
}

#[test]
fn pipelines_are_yaml() {
    let without_channels = ClientScope { channel: None, ..target().place };
    for target in [target(), SnippetTarget { tuf: true, place: without_channels, ..target() }] {
        let workflow = yaml(&text(&target, "github", ".github/workflows/release.yml"));
        let job = &workflow["jobs"]["publish"];
        let with = &job["steps"][1]["with"];
        assert_eq!(with["url"].as_str(), Some("https://updates.example"));
        assert_eq!(with["app"].as_str(), Some("My Notes"));
        assert_eq!(with["owner"].as_str(), Some(target.place.owner.as_str()));
        assert_eq!(with["channel"].as_str(), target.place.channel.as_deref());
        assert_eq!(with["publish"].as_bool(), Some(true));
        assert_eq!(job["env"]["SPINDRIFT_TARGETS_KEY"].is_badvalue(), !target.tuf);

        let pipeline = yaml(&text(&target, "gitlab", ".gitlab-ci.yml"));
        let job = &pipeline["publish"];
        assert_eq!(job["variables"]["SPINDRIFT_URL"].as_str(), Some("https://updates.example"));
        let command = job["script"][1].as_str().unwrap();
        assert!(command.contains("--app \"My Notes\" --version \"$CI_COMMIT_TAG\""), "{command}");
        assert_eq!(command.contains("--channel \"stable\""), target.place.channel.is_some(), "{command}");
        assert_eq!(command.contains("--tuf"), target.tuf, "{command}");
    }
}

/// The platform's updaters decide, not the last release.
#[test]
fn pipelines_name_the_updater() {
    let platform = |updaters: serde_json::Value| -> spindrift_api::PlatformEntry {
        serde_json::from_value(serde_json::json!({
            "ID": "1", "PlatformName": "linux", "Default": false, "Updaters": updaters, "Owner": "acme", "Updated_at": "",
        }))
        .unwrap()
    };
    let of = |updaters| target().with_updater_of(Some(&platform(updaters)));
    let updater = |name: &str, default: bool| serde_json::json!({ "type": name, "default": default });
    for (updaters, expected) in [
        (serde_json::json!([updater("manual", true)]), None),
        (
            serde_json::json!([updater("manual", true), updater("electron-builder", false)]),
            Some("electron-builder"),
        ),
        (serde_json::json!([updater("sparkle", false), updater("velopack", true)]), Some("velopack")),
    ] {
        let target = of(updaters);
        let workflow = yaml(&text(&target, "github", ".github/workflows/release.yml"));
        let named = &workflow["jobs"]["publish"]["steps"][1]["with"]["updater"];
        assert_eq!(named.as_str(), expected);
        let pipeline = yaml(&text(&target, "gitlab", ".gitlab-ci.yml"));
        let command = pipeline["publish"]["script"][1].as_str().unwrap();
        let flag = expected.map(|updater| format!("--updater \"{updater}\""));
        assert!(flag.as_ref().is_none_or(|flag| command.contains(flag)), "{command}");
        assert_eq!(command.contains("--updater"), expected.is_some(), "{command}");
    }
}

/// Every input in the workflow is one that the action has.
#[test]
fn the_action_has_these_inputs() {
    let action = yaml(include_str!("../../../../../../action.yml"));
    let target = SnippetTarget { tuf: true, updater: Some("tauri".to_owned()), ..target() };
    let workflow = yaml(&text(&target, "github", ".github/workflows/release.yml"));
    let with = workflow["jobs"]["publish"]["steps"][1]["with"].as_hash().unwrap();
    for name in with.keys() {
        assert!(!action["inputs"][name.as_str().unwrap()].is_badvalue(), "{name:?}");
    }
    assert_eq!(with.len(), 11);
}

#[test]
fn the_rust_client_is_toml_and_names_everything() {
    for tuf in [false, true] {
        let target = SnippetTarget { tuf, ..target() };
        let manifest: toml_edit::DocumentMut = text(&target, "rust", "Cargo.toml").parse().unwrap();
        assert_eq!(manifest["dependencies"]["spindrift-client"].get("features").is_some(), tuf);
        let program = text(&target, "rust", "main.rs");
        for part in [
            "Config::new(\"https://updates.example\")",
            "CheckOptions::new(\"acme@example\", \"My Notes\", env!(",
            ".with_target(\"stable\", \"linux\", \"amd64\")",
            "match client.check(&options).await? {",
        ] {
            assert!(program.contains(part), "{program}");
        }
    }
}

#[test]
fn the_others_have_their_addresses() {
    let program = text(&target(), "velopack", "Program.cs");
    let address = "\"https://updates.example/velopack/acme%40example/My%20Notes/stable/linux/amd64\"";
    assert!(program.contains(address), "{program}");
    for (id, end) in [("squirrel-windows", "\"/\""), ("squirrel-mac", "\"/squirrel.json\"")] {
        let program = text(&target(), id, "main.js");
        let address = format!("\"{BASE}/linux/amd64/\" + encodeURIComponent(app.getVersion()) + {end}");
        assert!(program.contains(&address), "{program}");
    }
}
