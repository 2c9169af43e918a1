//! All routes of all components at once.

use spindrift_tests::{Driver, World, component_of, on_hosts, routes};

on_hosts! {
    every: [without_credentials_only_what_is_public_answers],
}

/// The public calls, and those that make credentials.
const PUBLIC: [&str; 28] = [
    "/health",
    "/openapi.json",
    "/docs",
    "/docs/",
    "/docs/style.css",
    "/checkVersion",
    "/apps/latest",
    "/signup",
    "/login",
    "/tokens/exchange",
    "/passkeys/login/new",
    "/passkeys/login",
    "/passkeys/recover",
    "/sso",
    "/sso/begin",
    "/sso/finish",
    "/device/code",
    "/device/token",
    "/telemetry/beacon",
    "/update/owner/app/channel/platform/arch/version/",
    "/update/owner/app/channel/platform/arch/version/file",
    "/update/owner/app/channel/platform/arch/version/files/file",
    "/velopack/owner/app/platform/arch/file",
    "/velopack/owner/app/channel/platform/arch/file",
    "/responses/owner/app/channel/platform/arch/file",
    "/responses/owner/app/channel/platform/arch/updater/file",
    "/tuf/repository/owner/app/metadata/file",
    "/tuf/repository/owner/app/targets/name...",
];

#[test]
fn every_route_of_a_component_is_in_spin_toml() {
    for route in routes() {
        assert_eq!(
            component_of(&route.path).as_deref(),
            Some(route.component),
            "{} {}",
            route.method,
            route.path
        );
    }
}

fn without_credentials_only_what_is_public_answers(host: Driver) {
    let world = World::builder(host).with_variable("metrics_token", "a-token").start();

    for route in routes() {
        let answer = world.client().call(route.method.clone(), &route.path).send();
        let refused = answer.status == 401 && answer.headers.contains_key("www-authenticate");
        assert_eq!(
            !refused,
            PUBLIC.contains(&route.path.as_str()),
            "{route:?}: {} {}",
            answer.status,
            answer.text()
        );
        assert_ne!(answer.status, 405, "{route:?}");
    }
}
