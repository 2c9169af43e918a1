//! Patches in uploads, in the answers of checks, and in lists.

use serde_json::{Value, json};
use spindrift_tests::{Account, Client, Driver, Edge, Release, World, on_hosts, sha256_hex};

on_hosts! {
    every: [
        a_check_names_the_patch_from_its_version,
        a_file_without_a_digest_has_no_patch,
        a_fallback_has_its_own_patch,
        links_to_patches_carry_the_download_token,
        a_form_can_describe_patches,
        wrong_descriptions_are_refused,
        a_promotion_has_the_patch,
        nobody_else_is_shown_a_patch,
        a_ci_token_finds_what_patches_are_made_from,
        edges_name_patches,
        a_patch_without_a_digest_is_not_offered,
        a_patch_goes_with_the_file_that_it_makes,
        a_replaced_file_has_only_its_own_patches,
        a_promoted_file_takes_its_patch_along,
    ],
    in_process: [
        the_newest_builds_are_those_of_a_release_with_files,
    ],
}

const PATCH: &str = "notes.deb.from-1.0.0.patch";

fn entry(name: &str, base_version: &str) -> Value {
    let base = sha256_hex(format!("notes {base_version}").as_bytes());
    json!({
        "name": name, "package": "deb", "format": "bidiff+brotli", "base_version": base_version,
        "base_sha256": base,
    })
}

/// A release with a patch from 1.0.0. The service does not look into it.
fn patched(version: &str) -> Release {
    Release::new(version)
        .file(PATCH, "a patch")
        .with_digests()
        .with("patches", json!([entry(PATCH, "1.0.0")]))
}

fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0").with_digests());
    acme
}

fn a_check_names_the_patch_from_its_version(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    acme.publish(patched("2.0.0"));
    let answer = acme.check("1.0.0");
    let patch = &answer["patches"]["deb"];
    let expected = json!({
        "url": patch["url"], "length": 7, "format": "bidiff+brotli", "base_sha256": sha256_hex(b"notes 1.0.0"),
        "file_length": 11, "file_sha256": sha256_hex(b"notes 2.0.0"), "sha256": sha256_hex(b"a patch"),
    });
    assert_eq!(answer["patches"], json!({ "deb": expected }));
    assert_eq!(Client::new("").get(patch["url"].as_str().unwrap()).send().body, b"a patch"[..]);
    assert!(answer.get("update_url_patch").is_none(), "{answer}");
    for other in ["0.9.0", "1.0.1", "2.0.0", "3.0.0"] {
        assert!(acme.check(other).get("patches").is_none(), "{other}");
    }
    let static_answer = "/responses/acme/notes/stable/linux/amd64/1.0.0.json";
    assert_eq!(acme.get(static_answer).ok()["patches"], answer["patches"]);
}

fn a_file_without_a_digest_has_no_patch(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    let release = Release::new("2.0.0").file(PATCH, "a patch");
    acme.publish(release.with("patches", json!([entry(PATCH, "1.0.0")])));
    let answer = acme.check("1.0.0");
    assert_eq!((answer["version"].as_str(), answer.get("patches")), (Some("2.0.0"), None));
}

fn a_fallback_has_its_own_patch(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    acme.publish(patched("2.0.0"));
    acme.publish(patched("3.0.0").rollout(50));
    let answer = acme.check("1.0.0");
    let made = |of: &Value| of["patches"]["deb"]["file_sha256"].clone();
    assert_eq!(made(&answer), sha256_hex(b"notes 3.0.0"));
    assert_eq!(made(&answer["fallback"]), sha256_hex(b"notes 2.0.0"));
}

fn links_to_patches_carry_the_download_token(driver: Driver) {
    let world = World::new(driver);
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": "token" }));
    let token = crate::download_modes::regenerate(&acme, "secret", None);
    acme.publish(Release::new("1.0.0").with_digests().with("app_name", "secret"));
    acme.publish(patched("2.0.0").with("app_name", "secret"));
    let path = acme.check_path("1.0.0").replace("app_name=notes", "app_name=secret");
    let path = format!("{path}&download_token={token}");
    let answer = acme.get(&path).ok();
    let url = answer["patches"]["deb"]["url"].as_str().unwrap();
    assert!(url.contains(&format!("download_token={token}")), "{url}");
    let link = Client::new("").get(url).send().expect(302);
    assert_eq!(Client::new("").get(link.header("location")).send().body, b"a patch"[..]);
}

fn a_form_can_describe_patches(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    let _ = acme.upload_in_one(&patched("2.0.0").published()).expect(200);
    assert_eq!(acme.check("1.0.0")["patches"]["deb"]["length"], 7);
}

fn wrong_descriptions_are_refused(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    let with = |patches: Value| patched("2.0.0").with("patches", patches);
    for (release, text) in [
        (with(json!("x")), "invalid patches: a list of objects, not \"x\""),
        (with(json!([{ "name": PATCH }])), "invalid patches[0].package: a package like deb"),
        (
            with(json!([])),
            "a file with the extension .patch needs an entry in patches: notes.deb.from-1.0.0.patch",
        ),
        (
            with(json!([entry(PATCH, "1.0.0"), entry("other.patch", "1.0.0")])),
            "no such file for a patch: other.patch",
        ),
        (
            Release::empty("2.0.0").file(PATCH, "a patch").with("patches", json!([entry(PATCH, "1.0.0")])),
            "notes.deb.from-1.0.0.patch makes a file with the package deb, which is not in this upload",
        ),
    ] {
        let refused = acme.init(&release).expect(400).json();
        assert!(refused["error"].as_str().unwrap().starts_with(text), "{refused}");
    }
    acme.publish(patched("2.0.0"));
}

fn a_promotion_has_the_patch(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    acme.create_channel("beta");
    let id = acme.publish(patched("2.0.0").with("channel", "beta"));
    let order = json!({ "channel": "stable", "publish": true });
    let _ = acme.post_json(&format!("/releases/{id}/promote"), order).send().expect(201);
    assert_eq!(acme.check("1.0.0")["patches"]["deb"]["length"], 7);
}

fn nobody_else_is_shown_a_patch(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    acme.publish(patched("2.0.0").file("notes.rpm", "notes"));
    let latest = acme.get("/apps/latest?app_name=notes&owner=acme&channel=stable").ok();
    let packages = latest["stable"]["linux"]["amd64"].as_object().unwrap();
    assert_eq!(packages.keys().collect::<Vec<_>>(), ["deb", "rpm"]);
    let found = acme.get("/search?app_name=notes").ok();
    let artifacts = found["items"][0]["Artifacts"].as_array().unwrap();
    let patches: Vec<&Value> = artifacts.iter().filter_map(|artifact| artifact.get("patch")).collect();
    assert_eq!(patches.len(), 1, "{artifacts:?}");
    let mut expected = entry(PATCH, "1.0.0");
    expected.as_object_mut().unwrap().remove("name");
    assert_eq!(*patches[0], expected);
}

fn a_ci_token_finds_what_patches_are_made_from(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    acme.create_app("other");
    acme.publish(Release::new("5.0.0").with("app_name", "other"));
    let job = acme.ci_token(&[&acme.app_id("notes")]);
    let found = job.get("/search").ok();
    let apps: Vec<&str> =
        found["items"].as_array().unwrap().iter().filter_map(|item| item["AppName"].as_str()).collect();
    assert_eq!(apps, ["notes"]);
}

fn edges_name_patches(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    acme.publish(patched("2.0.0"));
    let edge = Edge::of(&world, driver);
    let path = acme.check_path("1.0.0");
    assert_eq!(edge.get(&path).ok(), acme.get(&path).ok());
}

/// Without a digest, the client could not verify that it arrived as it was published.
fn a_patch_without_a_digest_is_not_offered(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    let release = patched("2.0.0").published();
    let mut manifest = release.manifest();
    let of_patch = manifest.as_array_mut().unwrap().iter_mut().find(|file| file["name"] == PATCH).unwrap();
    of_patch.as_object_mut().unwrap().remove("sha256");
    let form = [("data", release.data().to_string()), ("files", manifest.to_string())];
    let form = form.each_ref().map(|(name, value)| (*name, value.as_str()));
    let upload = spindrift_tests::Upload::new(
        &release,
        acme.post_form("/upload/init", &form).send().expect(200).read(),
    );
    upload.send_all();
    let _ = acme.complete(&upload).expect(200);
    let answer = acme.check("1.0.0");
    assert_eq!((answer["version"].as_str(), answer.get("patches")), (Some("2.0.0"), None));
}

fn packages(acme: &Account, version: &str) -> Vec<String> {
    acme.release(version).artifacts.into_iter().map(|artifact| artifact.package).collect()
}

/// Deletes the `.deb`, and returns the link to its patch.
fn delete_deb(acme: &Account, version: &str) -> String {
    let url = acme.check("1.0.0")["patches"]["deb"]["url"].as_str().unwrap().to_owned();
    let release = acme.release(version);
    let deb = release.artifacts.iter().find(|artifact| artifact.package == "deb").unwrap();
    let data = json!({
        "id": release.id, "app_name": "notes", "version": version, "artifacts_to_delete": [deb.id],
    });
    let _ = acme.post_form("/artifact/delete", &[("data", &data.to_string())]).send().expect(200);
    url
}

fn a_patch_goes_with_the_file_that_it_makes(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    acme.publish(patched("2.0.0").file("notes.rpm", "notes"));
    let url = delete_deb(&acme, "2.0.0");
    assert_eq!(packages(&acme, "2.0.0"), ["rpm"]);
    assert_eq!(Client::new("").get(&url).send().status, 404, "its object is deleted too");
    acme.upload(&Release::empty("2.0.0").file("notes.deb", "other bytes").with_digests());
    let answer = acme.check("1.0.0");
    assert_eq!((answer["version"].as_str(), answer.get("patches")), (Some("2.0.0"), None), "{answer}");
    assert!(answer["update_url_deb"].is_string(), "{answer}");
}

fn a_replaced_file_has_only_its_own_patches(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    let id = acme.publish(patched("2.0.0").file("notes.rpm", "notes"));
    let replace = |new: Release| {
        let release = acme.release("2.0.0");
        let deb = release.artifacts.iter().find(|artifact| artifact.package == "deb").unwrap();
        let change = json!({ "artifacts_to_delete": [deb.id] });
        let _ = acme.edit_with_files(&id, &new.with_digests(), &change).expect(200);
        acme.check("1.0.0")
    };
    let answer = replace(Release::empty("2.0.0").file("notes.deb", "other bytes"));
    assert!(answer.get("patches").is_none(), "{answer}");
    assert_eq!(packages(&acme, "2.0.0"), ["rpm", "deb"]);
    let new = Release::empty("2.0.0").file("notes.deb", "third bytes").file(PATCH, "another patch");
    let answer = replace(new.with("patches", json!([entry(PATCH, "1.0.0")])));
    let patch = &answer["patches"]["deb"];
    let made = (patch["length"].as_u64(), patch["file_sha256"].as_str().unwrap());
    assert_eq!(made, (Some(13), sha256_hex(b"third bytes").as_str()));
}

fn a_promoted_file_takes_its_patch_along(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    acme.create_channel("beta");
    let release = patched("2.0.0").file("notes.rpm", "notes").with("channel", "beta");
    let id = acme.publish(release);
    let order = json!({ "channel": "stable", "publish": true });
    let _ = acme.post_json(&format!("/releases/{id}/promote"), order).send().expect(201);
    let url = delete_deb(&acme, "2.0.0");
    let answer = acme.check("1.0.0");
    assert!(answer.get("patches").is_none() && answer.get("update_url_deb").is_none(), "{answer}");
    assert_eq!(Client::new("").get(&url).send().status, 404);
}

/// From a patch alone nothing can be installed.
fn the_newest_builds_are_those_of_a_release_with_files(driver: Driver) {
    let world = World::new(driver);
    let acme = acme(&world);
    let id = acme.upload(&patched("2.0.0"));
    let deleted = world
        .database()
        .execute("DELETE FROM artifacts WHERE release_id = ?1 AND patch IS NULL", [&id])
        .unwrap();
    assert_eq!(deleted, 1);
    let _ = acme.edit(&id, json!({ "publish": true })).expect(200);
    assert_eq!(acme.check("0.9.0")["version"], "1.0.0");
    let newest = acme.get("/apps/latest?app_name=notes&owner=acme&channel=stable").send().expect(302);
    assert_eq!(Client::new("").get(newest.header("location")).send().body, b"notes 1.0.0"[..]);
}
