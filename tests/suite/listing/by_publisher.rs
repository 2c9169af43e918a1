//! Repositories whose targets the publisher signs.

use serde_json::json;
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{acme, begin, listed_versions, mark, one_file, sign, states};

on_hosts! {
    every: [
        a_release_is_offered_when_it_is_signed,
        files_missing_in_a_list_are_no_longer_offered,
        publishing_and_unpublishing_need_no_signature,
        a_listed_file_that_comes_back_is_offered_at_once,
        the_service_lists_nothing,
        a_renamed_platform_changes_no_offer,
    ],
}

fn a_release_is_offered_when_it_is_signed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    assert_eq!(acme.check("0.9")["version"], "1.0.0");
    sign(&world, &acme, |item| item["version"] == "1.1.0");
    assert_eq!(acme.check("0.9")["version"], "1.1.0");
    let expected = ["1.1.0 deb listed", "1.1.0 rpm listed", "1.0.0 deb legacy", "1.0.0 rpm legacy"];
    assert_eq!(states(&acme), expected, "releases older than the repository stay");
}

fn files_missing_in_a_list_are_no_longer_offered(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    sign(&world, &acme, |_| true);
    assert_eq!(acme.check("0.9")["version"], "1.1.0");
    sign(&world, &acme, |item| item["version"] == "1.0.0");
    assert_eq!(acme.check("0.9")["version"], "1.0.0");
    sign(&world, &acme, |_| false);
    assert_eq!(acme.check("0.9")["error"], "Not found");
}

fn publishing_and_unpublishing_need_no_signature(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin(&acme);
    let id = acme.upload(&one_file("1.0.0"));
    sign(&world, &acme, |_| true);
    assert_eq!(acme.check("0.9")["error"], "Not found", "it is signed, and not published");
    for (publish, version) in [(true, json!("1.0.0")), (false, json!(null)), (true, json!("1.0.0"))] {
        let _ = acme.edit(&id, json!({ "publish": publish })).expect(200);
        assert_eq!(acme.check("0.9")["version"], version);
        assert_eq!(listed_versions(&acme), ["1.0.0"]);
    }
}

fn a_listed_file_that_comes_back_is_offered_at_once(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin(&acme);
    let id = acme.publish(one_file("1.0.0"));
    sign(&world, &acme, |_| true);
    let delete = |id: &str| acme.delete(&format!("/apps/delete?id={id}")).ok();
    delete(&id);
    assert_eq!(listed_versions(&acme), ["1.0.0"], "the next signature removes the entry");
    assert_eq!(acme.check("0.9")["error"], "Not found");

    let other = acme.publish(Release::empty("1.0.0").file("notes.deb", "other bytes").with_digests());
    assert_eq!(states(&acme), ["1.0.0 deb unlisted"]);
    assert_eq!(acme.check("0.9")["error"], "Not found");
    delete(&other);
    acme.publish(one_file("1.0.0"));
    assert_eq!(states(&acme), ["1.0.0 deb listed"]);
    assert_eq!(acme.check("0.9")["version"], "1.0.0");
}

fn the_service_lists_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = acme.release("1.1.0");
    let refused = |path: &str, body| {
        let answer = acme.post_json(path, body).send();
        assert_eq!(answer.refusal(), (409, "targets are signed by the publisher".into()));
        assert_eq!(answer.code(), "signed_by_publisher");
    };
    let publish = json!({ "app_id": acme.app_id("notes"), "version": "1.1.0" });
    refused("/tuf/v1/artifacts/publish", publish);
    let name = super::items(&acme)[0]["name"].clone();
    let delete =
        json!({ "id": release.id, "app_name": "notes", "version": "1.1.0", "artifacts_to_delete": [name] });
    refused("/tuf/v1/artifacts/delete", delete);
    assert_eq!(listed_versions(&acme), [""; 0]);
}

fn a_renamed_platform_changes_no_offer(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    mark(&world, &acme, "1.1.0", ("", "listed"));
    let platform = acme.get("/platform/list").ok()["platforms"][0]["ID"].clone();
    let renamed = json!({ "id": platform, "platform": "gnu" });
    let _ = acme.post_json("/platform/update", renamed).send().expect(200);
    let check = acme.check_path("0.9").replace("linux", "gnu");
    assert_eq!(acme.get(&check).ok()["version"], "1.1.0");
    acme.publish(one_file("1.2.0").with("platform", "gnu"));
    sign(&world, &acme, |item| item["version"] == "1.2.0");
    assert_eq!(acme.get(&check).ok()["version"], "1.2.0");
}
