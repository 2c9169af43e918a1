//! Attackers that control an edge have its answers, and nothing else.

use std::collections::BTreeSet;

use http::Method;
use serde_json::json;
use spindrift_tests::{Driver, Edge, Release, World, on_hosts, routes};

use crate::download_modes::regenerate;

on_hosts! {
    every: [
        edges_fetch_only_published_releases,
        an_edge_has_no_call_that_needs_a_login,
    ],
}

fn edges_fetch_only_published_releases(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": "token" }));
    let release = |version: &str| Release::new(version).with("app_name", "secret");
    acme.publish(release("1.0.0").with("changelog", "The first release"));
    acme.upload(&release("2.0.0").with("changelog", "Nobody knows of this"));
    let token = regenerate(&acme, "secret", None);

    let path = format!("/responses/acme/secret/stable/linux/amd64/scope.json?download_token={token}");
    let record = world.get(&path).header("x-download-token", &token).send().expect(200).text();

    assert!(record.contains("1.0.0") && record.contains("The first release"), "{record}");
    for hidden in ["2.0.0", "Nobody knows of this", "sdd_", "X-Amz-"] {
        assert!(!record.contains(hidden), "{hidden} in {record}");
    }
}

/// A login that is sent to an edge by mistake reaches nothing that would use it.
fn an_edge_has_no_call_that_needs_a_login(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let edge = Edge::of(&world, host);
    let of_login: BTreeSet<String> = routes()
        .into_iter()
        .filter(|route| route.method == Method::GET)
        .filter(|route| world.get(&route.path).send().status == 401)
        .map(|route| route.path)
        .collect();
    assert!(of_login.contains("/app/list"));

    for path in of_login {
        let answer = edge.get(&path).header("authorization", acme.authorization()).send();
        assert_eq!(answer.status, 404, "{path}: {}", answer.text());
    }
    let _ = edge.get(&acme.check_path("0.9.0")).send().expect(200);
}
