//! Moving from the program of one machine to Spin, with the commands of `docs/move-to-spin.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use spindrift_tests::{
    Client, DATABASE_FILE, Driver, HostProcess, PASSWORD, Release, Store, World, WorldBuilder, are_installed,
    free_address, on_hosts,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host-under-test");

on_hosts! {
    every: [the_commands_of_the_page_move_everything],
}

/// The `bash` blocks of the page below the heading with this number.
fn steps(number: usize) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/move-to-spin.md");
    let text = fs::read_to_string(page).unwrap();
    let section = text.split("\n## ").nth(number).unwrap();
    assert!(section.starts_with(&format!("{number}. ")), "{section}");
    section.split("```bash\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// Replaces what the page has as an example. Each of it must be there.
fn replaced(text: &str, replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from} in {text}");
        text.replace(from, to)
    })
}

fn run(folder: &Path, script: &str) {
    let mut command = Command::new("bash");
    command.args(["-euo", "pipefail", "-c", script]).current_dir(folder);
    // No setting of this machine, such as one of another S3 client.
    command.env_clear().env("HOME", folder).env("PATH", std::env::var_os("PATH").unwrap());
    let run = command.output().unwrap();
    let output = [run.stdout, run.stderr].concat();
    assert!(run.status.success(), "{}: {script}", String::from_utf8_lossy(&output));
}

/// The values of the page's variables, for these two storages.
fn named_sides(old_storage: &str, new: &Store) -> String {
    let new: BTreeMap<_, _> = new.variables().into_iter().collect();
    replaced(
        &steps(2),
        &[
            ("state=.spindrift ", "state=old "),
            ("https://updates.example.com", "http://127.0.0.1"),
            ("https://s3.eu-central-1.example.com", &new["s3_api_endpoint"]),
            ("https://downloads.example.com", &new["s3_public_url"]),
            ("region=eu-central-1", &format!("region={}", new["s3_region"])),
            ("access_key=...", &format!("access_key={}", new["s3_access_key"])),
            ("secret_key=...", &format!("secret_key={}", new["s3_secret_key"])),
            ("http://127.0.0.1:9000", old_storage),
        ],
    )
}

fn the_commands_of_the_page_move_everything(host: Driver) {
    if !are_installed(&["rclone", "jq", "sqlite3"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let state = folder.join("old");
    fs::create_dir(&state).unwrap();
    let old = HostProcess::start_with_generated_secrets(PROGRAM, &state);
    let acme = old.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let notes = acme.get("/app/list").ok()["apps"][0]["ID"].clone();
    let body = json!({ "name": "ci", "allowed_apps": [notes] });
    let token = acme.post_json("/token/create", body).send().expect(201).json()["token"].clone();
    // A world for its buckets, which exist before the service moves to them.
    let buckets = World::new(host);
    let known = named_sides(old.objects.url(), buckets.store());

    run(folder, &[known.clone(), steps(3)].join("\n"));
    // After most files were copied.
    acme.publish(Release::new("2.0.0"));
    let entries = acme.get("/audit/head").ok()["seq"].clone();
    let storage_listen = old.objects.url().trim_start_matches("http://").to_owned();
    drop(old);
    let up = format!("{PROGRAM} up --storage-listen {storage_listen} ");
    let rest = replaced(&steps(5), &[("spindrift up ", &up), ("127.0.0.1:3999", &free_address())]);
    run(folder, &[known, rest, steps(6)].join("\n"));

    let world = moved(host, folder).start();
    let acme = world.login("acme", PASSWORD);
    assert_eq!(acme.get("/audit/head").ok()["seq"], entries);
    let answer = acme.check("1.0.0");
    assert_eq!(answer["version"], "2.0.0");
    let url = answer["update_url_deb"].as_str().unwrap();
    assert!(url.starts_with(buckets.store().url()), "{url}");
    let file = Client::new(url).get("").send().expect(200);
    assert!(file.header("content-disposition").starts_with("attachment"), "{:?}", file.headers);
    let maintained = acme.post("/maintenance/run").ok();
    assert_eq!(maintained["bucket_of_another_database"], false, "{maintained}");
    acme.with_credential(token.as_str().unwrap()).publish(Release::new("3.0.0"));
    assert_eq!(acme.check("1.0.0")["version"], "3.0.0");
}

/// A world with the database and the settings that the page leaves in a folder.
fn moved(host: Driver, folder: &Path) -> WorldBuilder {
    let state = folder.join("new");
    fs::create_dir(&state).unwrap();
    fs::rename(folder.join("spin.db"), state.join(DATABASE_FILE)).unwrap();
    let settings: toml::Table = fs::read_to_string(folder.join("settings.toml")).unwrap().parse().unwrap();
    // The world has another address, with no proxy before it.
    let given = settings.iter().filter(|(name, _)| *name != "api_url");
    given.fold(World::builder(host).with_state(&state), |world, (name, value)| {
        world.with_variable(name, value.as_str().unwrap())
    })
}
