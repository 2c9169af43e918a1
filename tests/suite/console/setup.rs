//! Applications, channels, platforms and architectures, each form once.

use serde_json::json;
use spindrift_api::{AppsBody, ChannelsBody, PlatformsBody};
use spindrift_tests::{Driver, Multipart, Release, World, on_hosts};

use super::session::Session;
use crate::reports::team_user;

on_hosts! {
    every: [],
    hosted: [
        an_application_is_set_up,
        dimensions_are_set_up,
        a_change_that_cuts_off_copies_is_asked_again,
        a_default_is_set_and_devices_without_a_name_are_told,
        a_team_user_changes_what_it_may,
    ],
}

const GIF: &[u8] = b"GIF89a\x01\0\x01\0\0\0\0;";

fn an_application_is_set_up(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let session = Session::of(&world, &acme);
    assert!(session.page("setup").contains("set up the first one"));

    let form = Multipart::new()
        .field("name", "notes")
        .field("description", "<script>\r\nlines")
        .field("private", "true")
        .field("reports", "true")
        .field("download_mode", "token")
        .field("get_page", "true")
        .field("get_page_color", " #FFD400 ")
        .file("<img src=x onerror=alert(1)>.gif", GIF);
    assert_eq!(
        session.post_file("setup/apps/new", form).expect(303).header("location"),
        "/console/setup?done=created"
    );
    let app = acme.get("/app/list").read::<AppsBody>().apps.remove(0);
    assert_eq!((app.app_name.as_str(), app.description.as_str()), ("notes", "<script>\nlines"));
    assert_eq!((app.private, app.reports, app.tuf, app.cdn_edge), (true, true, false, false));
    assert_eq!(app.download_mode, "token");
    assert_eq!((app.get_page, app.get_page_color.as_str()), (true, "#ffd400"));
    assert_eq!(app.logo.rsplit('.').next(), Some("gif"), "{}", app.logo);
    let page = session.page("setup");
    assert!(page.contains("<a href=\"/get/acme/notes\">Download page</a>"), "{page}");
    assert!(page.contains(&app.logo) && page.contains("&lt;script&gt;") && !page.contains("<script>\n"));

    let taken = Multipart::new().field("name", "notes").field("description", "kept").file("", b"");
    let again = session.post_file("setup/apps/new", taken).expect(409).text();
    assert!(again.contains("application already exists") && again.contains(">kept</textarea>"), "{again}");

    let edit = format!("setup/apps/{}", app.id);
    assert!(session.page(&edit).contains("name=\"private\" value=\"true\" checked"));
    let form = Multipart::new()
        .field("name", "papers")
        .field("description", "")
        .field("tuf", "true")
        .field("download_mode", "login");
    let _ = session.post_file(&edit, form.file("", b"")).expect(303);
    let changed = acme.get("/app/list").read::<AppsBody>().apps.remove(0);
    assert_eq!((changed.app_name.as_str(), changed.description.as_str()), ("papers", ""));
    assert_eq!((changed.private, changed.reports, changed.tuf), (false, false, true));
    assert_eq!((changed.get_page, changed.get_page_color.as_str()), (false, ""));
    assert_eq!(changed.logo, app.logo, "no other logo was chosen");

    acme.publish(
        Release::new("1.0.0")
            .with_digests()
            .with("app_name", "papers")
            .without("channel")
            .without("platform")
            .without("arch")
            .with("tuf", false),
    );
    let delete = format!("{edit}/delete");
    assert!(session.page(&delete).contains("<strong>papers</strong>"));
    let refused = session.post(&delete, &[]).expect(409).text();
    assert!(refused.contains("application is used by releases"), "{refused}");
    let release = acme.release("1.0.0").id;
    let _ = acme.delete(&format!("/apps/delete?id={release}")).send().expect(200);
    assert_eq!(session.submit(&delete, &[]), "/console/setup");
    assert!(acme.get("/app/list").read::<AppsBody>().apps.is_empty());
    assert_eq!(session.get(&edit).status, 404);
}

fn dimensions_are_set_up(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let session = Session::of(&world, &acme);
    let channels = || acme.get("/channel/list").read::<ChannelsBody>().channels;
    let platforms = || acme.get("/platform/list").read::<PlatformsBody>().platforms;

    assert_eq!(session.submit("setup/channels/new", &[("name", "stable")]), "/console/setup");
    let _ = session.submit("setup/channels/new", &[("name", "beta"), ("includes", "stable")]);
    assert_eq!(channels()[0].includes, ["stable"]);
    let beta = format!("setup/channels/{}", channels()[0].id);
    assert!(session.page(&beta).contains("name=\"includes\" value=\"stable\" checked"));
    let taken = session.post(&beta, &[("name", "stable"), ("includes", "stable")]).expect(409).text();
    assert!(
        taken.contains("channel already exists") && taken.contains("value=\"stable\" required"),
        "{taken}"
    );
    let _ = session.submit(&beta, &[("name", "preview")]);
    assert_eq!((channels()[0].channel_name.as_str(), channels()[0].includes.len()), ("preview", 0));

    let tauri = [("name", "linux"), ("updaters", "manual"), ("updaters", "tauri"), ("default", "tauri")];
    let _ = session.submit("setup/platforms/new", &tauri);
    let of = || -> Vec<_> {
        platforms()[0].updaters.iter().map(|one| (one.updater.clone(), one.default)).collect()
    };
    assert_eq!(of(), [("manual".to_owned(), false), ("tauri".to_owned(), true)]);
    let linux = format!("setup/platforms/{}", platforms()[0].id);
    assert!(session.page(&linux).contains("name=\"default\" value=\"tauri\" checked"));
    let _ = session.submit(&linux, &[("name", "linux"), ("updaters", "sparkle"), ("default", "")]);
    assert_eq!(of(), [("sparkle".to_owned(), false)]);

    let _ = session.submit("setup/archs/new", &[("name", "amd64")]);
    assert!(session.page("setup").contains(">amd64</th>"));
    for kind in ["channels", "platforms", "archs"] {
        let page = session.page("setup");
        let start = page.find(&format!("/console/setup/{kind}/")).unwrap();
        let id = page[start..].split(['/', '"']).nth(4).unwrap().to_owned();
        let delete = format!("setup/{kind}/{id}/delete");
        assert!(session.page(&delete).contains("It can be deleted only while no release uses it."), "{kind}");
        assert_eq!(session.submit(&delete, &[]), "/console/setup");
        assert_eq!(session.get(&delete).status, 404);
    }
    assert_eq!(channels().len(), 1);
    assert_eq!(session.get("setup/colours/new").status, 404);
}

fn a_change_that_cuts_off_copies_is_asked_again(host: Driver) {
    let world = crate::telemetry::counting(host);
    let acme = crate::cut_off::with_devices(&world, 2);
    let session = Session::of(&world, &acme);
    let id =
        |kind: &str, name: &str| crate::defaults::entry(&acme, kind, name)["ID"].as_str().unwrap().to_owned();
    let linux = format!("setup/platforms/{}", id("platform", "linux"));
    let tauri = [("name", "linux"), ("updaters", "tauri"), ("default", "tauri")];
    let asked = session.post(&linux, &tauri).expect(409).text();
    assert!(asked.contains("This would cut off 2 devices that were seen in the last 30 days."), "{asked}");
    for (name, value) in [("updaters", "tauri"), ("name", "linux"), ("force", "true")] {
        assert!(asked.contains(&format!("name=\"{name}\" value=\"{value}\"")), "{name}: {asked}");
    }
    assert_eq!(acme.check("0.1")["version"], "1.0.0");

    let stable = format!("setup/channels/{}", id("channel", "stable"));
    let asked = session.post(&stable, &[("name", "main")]).expect(409).text();
    assert!(asked.contains("2 devices") && asked.contains("Change this channel nonetheless?"), "{asked}");
    assert_eq!(session.submit(&stable, &[("name", "main"), ("force", "true")]), "/console/setup");

    let notes = format!("setup/apps/{}", acme.app_id("notes"));
    let form = || Multipart::new().field("name", "papers").field("description", "Papers");
    let asked = session.post_file(&notes, form()).expect(409).text();
    assert!(asked.contains("2 devices") && asked.contains("value=\"Papers\""), "{asked}");
    let _ = session.post_file(&notes, form().field("force", "true")).expect(303);
    let release = acme.release("1.0.0").id;
    acme.delete(&format!("/apps/delete?id={release}")).ok();
    let asked = session.post(&format!("{notes}/delete"), &[]).expect(409).text();
    assert!(asked.contains("2 devices") && asked.contains("nonetheless"), "{asked}");
    assert_eq!(session.submit(&format!("{notes}/delete"), &[("force", "true")]), "/console/setup");
}

fn a_default_is_set_and_devices_without_a_name_are_told(host: Driver) {
    let world = crate::telemetry::counting(host);
    let acme = world.admin("acme");
    acme.create_app("notes");
    acme.publish(Release::new("1.0.0").without("channel").without("platform").without("arch"));
    let check = "/checkVersion?app_name=notes&owner=acme&version=0.1";
    let _ = world.get(check).header("x-device-id", "d").send().expect(200);
    crate::telemetry::figures(&acme, 1);
    let session = Session::of(&world, &acme);
    assert!(!session.page("setup").contains("names no channel"), "there are no channels");
    let _ = session.submit("setup/channels/new", &[("name", "stable")]);
    assert!(session.page("setup").contains("1 device names no channel"));
    acme.publish(Release::new("2.0.0").without("platform").without("arch"));
    let stable = crate::defaults::entry(&acme, "channel", "stable");
    let page = format!("setup/channels/{}", stable["ID"].as_str().unwrap());
    let _ = session.submit(&page, &[("name", "stable"), ("is_default", "true")]);
    assert!(session.page(&page).contains("name=\"is_default\" value=\"true\" checked"));
    assert!(session.page("setup").contains("They get the releases of <strong>stable</strong>"));
    assert_eq!(world.get(check).send().expect(200).json()["version"], "2.0.0");
    let _ = session.submit(&page, &[("name", "stable")]);
    assert_eq!(world.get(check).send().expect(200).json()["version"], "1.0.0");
}

fn a_team_user_changes_what_it_may(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let other = acme.create_app("other");
    let permissions = json!({ "edit": true, "allowed": [acme.app_id("notes")] });
    let bob = team_user(&world, &acme, "bob", permissions);
    let session = Session::of(&world, &bob);
    let page = session.page("setup");
    let notes = format!("setup/apps/{}", acme.app_id("notes"));
    assert!(page.contains(&format!("/console/{notes}\"")), "{page}");
    for absent in ["Create a", ">Delete<", "other", "stable"] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    assert_eq!(session.get(&notes).status, 200);
    for hidden in [&format!("setup/apps/{other}"), "setup/apps/new", "setup/channels/new"] {
        assert_eq!(session.get(hidden).status, 404, "{hidden}");
    }
    let form = Multipart::new().field("name", "more");
    let refused = session.post_file("setup/apps/new", form).expect(403).text();
    assert!(refused.contains("not allowed"), "{refused}");
    assert_eq!(session.post(&format!("{notes}/delete"), &[]).status, 403);
    assert_eq!(session.post("setup/channels/new", &[("name", "x")]).status, 403);
    assert_eq!(acme.get("/app/list").read::<AppsBody>().apps.len(), 2);
}
