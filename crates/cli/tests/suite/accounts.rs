//! Logging in, and the stored login.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

use serde_json::json;
use spindrift_tests::authenticator::{Authenticator, PasskeyAlgorithm};
use spindrift_tests::{Account, Driver, PASSWORD, Release, World, on_hosts};

use crate::shell::{Finished, Shell};

on_hosts! {
    every: [
        a_login_is_remembered_until_logout,
        a_login_is_allowed_in_a_browser,
        an_account_with_a_passkey_needs_a_browser,
        a_team_user_without_a_demanded_passkey_stops_releases,
        logging_out_everywhere_ends_the_logins_of_other_machines,
        team_users_are_shown_with_their_permissions,
        a_role_is_given_by_name,
        an_invitation_is_a_link,
        a_ci_token_may_only_upload,
        things_are_made_changed_and_deleted,
    ],
}

fn a_login_is_remembered_until_logout(driver: Driver) {
    let world = World::new(driver);
    world.admin("ada");
    let shell = Shell::new(&world.url());
    assert!(shell.run(&["whoami"]).error(3).contains("spindrift login"));

    let mut login = shell.command(&["login", "--username", "ada", "--password-stdin"]);
    let mut child = login.env_remove("SPINDRIFT_PASSWORD").stdin(Stdio::piped()).stdout(Stdio::piped());
    child = child.stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
    let done = Finished::from(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!format!("{done:?}").contains(PASSWORD));

    let credentials = shell.config().join("credentials.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&credentials).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // The URL of the service is stored too.
    let known = shell.command(&["whoami", "--json"]).env_remove("SPINDRIFT_URL").output().unwrap();
    assert_eq!(Finished::from(known).json()["username"], "ada");
    shell.ok(&["logout"]);
    assert!(!std::fs::read_to_string(credentials).unwrap().contains("ada"));
    shell.run(&["whoami"]).error(3);
}

/// Starts `spindrift login`, lets ada answer, and returns how it ended.
fn login_in_a_browser(shell: &Shell, ada: &Account, allow: bool) -> Finished {
    let mut login = shell.command(&["login"]);
    login.env_remove("SPINDRIFT_PASSWORD").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = login.spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    assert!(line.starts_with("Open http://") && line.contains("/console/device?code="), "{line}");
    let code = line.trim_end().trim_end_matches('.').rsplit(' ').next().unwrap().to_owned();
    ada.post_json("/device/answer", json!({ "user_code": code, "allow": allow })).ok();
    let mut stderr = String::new();
    told.read_to_string(&mut stderr).unwrap();
    let mut output = child.wait_with_output().unwrap();
    output.stderr = stderr.into_bytes();
    Finished::from(output)
}

fn a_login_is_allowed_in_a_browser(driver: Driver) {
    let world = World::new(driver);
    let ada = world.admin("ada");
    let shell = Shell::new(&world.url());

    let done = login_in_a_browser(&shell, &ada, true);

    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("logged in at") && done.stdout.contains("as ada"), "{done:?}");
    assert!(shell.ok(&["whoami"]).stdout.contains("ada (admin)"));
    let refused = login_in_a_browser(&Shell::new(&world.url()), &ada, false);
    assert!(refused.error(4).contains("this login was refused"), "{refused:?}");
}

/// Where browsers of these tests see the service.
const ORIGIN: &str = "http://localhost:3000";

fn add_passkey(ada: &Account) {
    let mut passkey = Authenticator::new(PasskeyAlgorithm::Es256, ORIGIN);
    let question = ada.post_json("/passkeys/new", json!({ "password": PASSWORD })).ok();
    let credential = passkey.create(&question["options"]);
    let body = json!({ "name": "Laptop", "challenge": question["challenge"], "credential": credential });
    let _ = ada.post_json("/passkeys", body).send().expect(201);
}

fn an_account_with_a_passkey_needs_a_browser(driver: Driver) {
    let world = World::builder(driver).with_variable("api_url", ORIGIN).start();
    let shell = Shell::of_ada(&world);
    add_passkey(&world.login("ada", PASSWORD));

    let refused = shell.run(&["login", "--username", "ada"]);

    assert!(refused.error(3).contains("run `spindrift login` without a name"), "{refused:?}");
    let stale = "UPDATE logins SET proved_at = proved_at - 3600000";
    world.database().execute(stale, []).unwrap();
    let refused = shell.run(&["token", "create", "ci", "--app", "notes"]);
    assert!(refused.error(4).contains("run `spindrift login`, and then this command again"), "{refused:?}");
}

fn a_team_user_without_a_demanded_passkey_stops_releases(driver: Driver) {
    let world = World::builder(driver).with_variable("api_url", ORIGIN).start();
    let ada = world.admin("ada").with_notes();
    for version in ["1.0.0", "2.0.0"] {
        ada.publish(Release::new(version));
    }
    let permissions = json!({ "apps": { "edit": true, "stop": true, "allowed": [ada.app_id("notes")] } });
    let user = json!({ "username": "ann", "password": PASSWORD, "permissions": permissions });
    ada.post_json("/user/create", user).ok();
    add_passkey(&ada);
    ada.post_json("/passkeys/requirement", json!({ "required": true })).ok();
    let shell = Shell::new(&world.url());
    shell.ok(&["login", "--username", "ann"]);

    shell.ok(&["rollout", "halt", "2.0.0", "--app", "notes"]);

    let refused = shell.run(&["rollout", "resume", "2.0.0", "--app", "notes"]);
    assert!(refused.error(4).contains("passkey"), "{refused:?}");
    shell.ok(&["yank", "2.0.0", "--app", "notes"]);
    assert_eq!(ada.check("0.9")["version"], "1.0.0");
    shell.ok(&["shutoff", "add", "--app", "notes", "--reason", "It crashes"]);
    assert_eq!(ada.check("0.9")["update_available"], false);
}

fn logging_out_everywhere_ends_the_logins_of_other_machines(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let other = Shell::new(&world.url());
    other.ok(&["login", "--username", "ada"]);
    shell.ok(&["logout"]);
    other.ok(&["whoami"]);

    shell.ok(&["login", "--username", "ada"]);
    shell.ok(&["logout", "--all"]);

    for ended in [&shell, &other] {
        ended.run(&["whoami"]).error(3);
    }
    assert!(!std::fs::read_to_string(shell.config().join("credentials.json")).unwrap().contains("ada"));
    shell.run(&["logout", "--all"]).error(3);
}

fn team_users_are_shown_with_their_permissions(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let shown = || shell.ok(&["user", "list"]).stdout;

    shell.ok(&["user", "create", "bob", "--may", "upload,edit", "--app", "notes"]);
    assert!(shown().contains("edit, upload"), "{}", shown());
    let users = shell.ok(&["user", "list", "--json"]).json();
    shell.ok(&["user", "update", "bob", "--rename", "rob"]);
    assert!(shown().contains("edit, upload"), "{}", shown());
    // The JSON from the list is accepted unchanged.
    shell.write("all.json", users["users"][0]["permissions"].to_string());
    shell.ok(&["user", "create", "eve", "--permissions-file", "all.json"]);
    assert_eq!(shown().matches("edit, upload").count(), 2, "{}", shown());
    shell.write("none.json", "[]");
    assert!(
        shell
            .run(&["user", "create", "cid", "--permissions-file", "none.json"])
            .error(2)
            .contains("no permissions")
    );
}

fn a_role_is_given_by_name(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let users = || shell.ok(&["user", "list", "--json"]).json()["users"].clone();

    shell.ok(&["user", "create", "joe", "--role", "on-call", "--app", "notes"]);
    assert_eq!(
        (&users()[0]["role"], &users()[0]["permissions"]["Apps"]["Stop"]),
        (&"on-call".into(), &true.into())
    );
    assert!(shell.ok(&["user", "list"]).stdout.contains("stop, triage"));
    shell.ok(&["user", "update", "joe", "--role", "release-manager"]);
    assert_eq!(users()[0]["role"], "release-manager");
    assert_eq!(users()[0]["permissions"]["Apps"]["Allowed"].as_array().unwrap().len(), 1);
    shell.ok(&["user", "update", "joe", "--may", "stop", "--app", "notes"]);
    assert_eq!(users()[0]["role"], "custom");
    for wrong in [&["--role", "boss"][..], &["--role", "support", "--may", "edit"], &["--app", "notes"]] {
        let refused = shell.run(&[&["user", "create", "eve"], wrong].concat());
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.starts_with("error: "), "{refused:?}");
    }
}

fn an_invitation_is_a_link(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let link = shell.ok(&["invitation", "create", "joe", "--role", "on-call", "--app", "notes"]).stdout;
    assert!(link.contains("/console/invitation?secret=sdi_"), "{link}");
    let (_, secret) = link.trim().split_once("secret=").unwrap();
    let open = shell.ok(&["invitation", "list"]).stdout;
    assert!(open.contains("joe") && open.contains("on-call") && !open.contains(secret), "{open}");

    let body = serde_json::json!({ "password": PASSWORD });
    let accepted = world.client().with_token(secret).post_json("/invitations/accept", body).send();
    assert_eq!(accepted.status, 200, "{}", accepted.text());
    assert!(shell.ok(&["user", "list"]).stdout.contains("on-call"));
    let made = shell.ok(&["invitation", "create", "--json"]).json();
    let id = made["id"].as_str().unwrap();
    shell.ok(&["invitation", "revoke", id]);
    assert!(!shell.ok(&["invitation", "list"]).stdout.contains(id));
    shell.run(&["invitation", "revoke", "unknown"]).error(5);
}

fn a_ci_token_may_only_upload(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let token = shell.ok(&["token", "create", "ci", "--app", "notes"]).stdout;
    shell.write("notes.deb", "by CI");
    let ci = |arguments: &[&str]| {
        Finished::from(shell.command(arguments).env("SPINDRIFT_TOKEN", token.trim()).output().unwrap())
    };
    let done = ci(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(ci(&["app", "list"]).error(4).contains("CI token"));
    assert_eq!(shell.check("0.9")["version"], "1.0.0");
    shell.ok(&["token", "delete", "ci"]);
    ci(&Shell::publish("1.0.1", &["notes.deb"])).error(3);
}

fn things_are_made_changed_and_deleted(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    for kind in ["app", "channel", "platform", "arch"] {
        let names = |shell: &Shell| shell.ok(&[kind, "list"]).stdout;
        assert!(shell.ok(&[kind, "create", "first", "--json"]).json()["id"].is_string());
        assert!(shell.run(&[kind, "create", "first"]).error(6).contains("exists"));
        shell.ok(&[kind, "update", "first", "--rename", "second"]);
        assert!(names(&shell).contains("second") && !names(&shell).contains("first"), "{kind}");
        shell.ok(&[kind, "delete", "second"]);
        assert!(!names(&shell).contains("second"), "{kind}");
        assert!(shell.run(&[kind, "delete", "second"]).error(5).contains("\"second\""));
    }
}
