//! `POST /upload`: a release in one call, its bytes through the service.

use std::io::{BufReader, Cursor, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::json;
use spindrift_tests::{
    Account, Driver, HostProcess, Multipart, Noise, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, World,
    electron_yml_of, on_hosts, until,
};

on_hosts! {
    every: [
        one_call_publishes_a_release,
        feed_files_may_be_among_the_files,
        large_files_arrive_in_parts,
        fields_have_their_own_meanings,
        uploads_that_init_refuses_are_refused,
        files_are_checked_together,
        callers_without_the_right_are_refused,
        taken_slots_are_a_conflict,
        an_upload_that_ends_early_leaves_nothing,
        a_sender_that_goes_away_leaves_nothing,
        an_internal_storage_is_enough,
    ],
    in_process: [a_storage_that_fails_is_a_502],
}

const MIB: u64 = 1024 * 1024;

fn acme(world: &World) -> Account {
    world.admin("acme").with_notes()
}

fn data(release: &Release) -> Multipart {
    Multipart::new().field("data", release.data().to_string())
}

/// How many uploads the service remembers that are not finished.
fn sessions(world: &World) -> u32 {
    let count = "SELECT (SELECT count(*) FROM upload_sessions WHERE state <> 'finished') + \
                 (SELECT count(*) FROM incoming_uploads)";
    world.database().query_row(count, [], |row| row.get(0)).unwrap()
}

fn assert_nothing_is_left(world: &World, what: &str) {
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "pending/"), [""; 0], "{what}");
    assert_eq!(sessions(world), 0, "{what}");
}

fn one_call_publishes_a_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = Release::empty("1.0.0").file("My Notes.deb", "for Debian").file("notes.rpm", "for Fedora");

    let answer = acme.upload_in_one(&release.published().with("changelog", "First.")).expect(200).json();

    assert_eq!(answer, json!({ "uploadResult.Uploaded": acme.release("1.0.0").id }));
    let offered = acme.check("0.1");
    assert_eq!((&offered["version"], &offered["changelog"]), (&json!("1.0.0"), &json!("First.")));
    for (package, bytes) in [("deb", "for Debian"), ("rpm", "for Fedora")] {
        let url = offered[&format!("update_url_{package}")].as_str().unwrap();
        assert_eq!(
            url,
            format!(
                "{}/{PUBLIC_BUCKET}/acme/notes/stable/linux/amd64/notes-1.0.0.{package}",
                world.store().url()
            )
        );
        assert_eq!(spindrift_tests::Client::new("").get(url).send().expect(200).text(), bytes);
    }
    assert_nothing_is_left(&world, "after success");
    let _ = acme.upload_in_one(&Release::empty("1.0.0").file("notes.msi", "for Windows")).expect(200);
    assert_eq!(acme.release("1.0.0").artifacts.len(), 3, "artifacts are added");
}

fn feed_files_may_be_among_the_files(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.add_updater("linux", "electron-builder");
    let release = |version: &str| {
        let feed = electron_yml_of(version, "notes.deb", format!("notes {version}").as_bytes());
        Release::new(version).feed("latest.yml", feed).published()
    };

    acme.upload(&release("1.0.0"));
    let offered = |version: &str| acme.check("0.1").to_string().replace(version, "");
    let in_two_steps = offered("1.0.0");
    let _ = acme.upload_in_one(&release("2.0.0")).expect(200);

    assert_eq!(offered("2.0.0"), in_two_steps);
    assert_nothing_is_left(&world, "after success");
}

fn large_files_arrive_in_parts(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    // Two parts and a rest; and exactly one part, after which nothing comes.
    let files: Vec<(&str, Vec<u8>)> = [("notes.deb", 17 * MIB + 5), ("notes.rpm", 8 * MIB)]
        .map(|(name, length)| {
            let mut bytes = Vec::new();
            Noise::new(length, length).read_to_end(&mut bytes).unwrap();
            (name, bytes)
        })
        .into();
    let release = files
        .iter()
        .fold(Release::empty("1.0.0"), |release, (name, bytes)| release.file(name, bytes.clone()));

    let _ = acme.upload_in_one(&release).expect(200);

    for (name, bytes) in &files {
        let key = format!("acme/notes/stable/linux/amd64/notes-1.0.0.{}", &name[6..]);
        assert!(world.store().object(PUBLIC_BUCKET, &key).as_ref() == Some(bytes), "{name}");
    }
    assert_nothing_is_left(&world, "after success");
}

fn fields_have_their_own_meanings(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = Release::new("1.0.0");
    let refusal = |form: Multipart| acme.post_multipart("/upload", form).send().refusal();
    let refused = |text: &str| (400, text.to_owned());
    let text = release.data().to_string();

    assert_eq!(refusal(Multipart::new()), refused("missing data"));
    assert_eq!(refusal(Multipart::new().file("notes.deb", "x")), refused("missing data"));
    let other = refused("unexpected field other");
    assert_eq!(refusal(Multipart::new().field("other", "x").field("data", &text)), other);
    assert_eq!(refusal(data(&release).field("other", "x")), other);
    let files_around = data(&release).file("notes.deb", "x").field("data", &text).file("notes.rpm", "x");
    assert_eq!(refusal(files_around), refused("unexpected field data"));
    assert_eq!(refusal(Multipart::new().field("data", "{").file("notes.deb", "x")).0, 400);
    let as_json = acme.post_json("/upload", release.data().clone()).send();
    assert_eq!(as_json.status, 415, "{}", as_json.text());
    assert_nothing_is_left(&world, "refused");
}

fn uploads_that_init_refuses_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_platform_with("windows", &["squirrel_windows"]);
    acme.create_app_with(json!({ "app": "secret", "private": true }));
    world.admin("other").create_app("theirs");
    let release = || Release::new("1.0.0");

    for (what, release, status) in [
        ("no application", release().without("app_name"), 400),
        ("no version", release().without("version"), 400),
        ("an invalid version", release().with("version", "latest"), 400),
        ("an invalid rollout", release().with("rollout", 101), 400),
        ("an invalid flag", release().with("publish", "maybe"), 400),
        ("no channel", release().without("channel"), 400),
        ("an unknown channel", release().with("channel", "beta"), 400),
        ("an unknown platform", release().with("platform", "darwin"), 400),
        ("an unknown architecture", release().with("arch", "arm64"), 400),
        ("an updater that the platform has not", release().with("updater", "tauri"), 400),
        (
            "the rules of an updater",
            release().with("platform", "windows").with("updater", "squirrel_windows"),
            400,
        ),
        (
            "an updater that is not for private applications",
            release()
                .with("app_name", "secret")
                .with("platform", "windows")
                .with("updater", "squirrel_windows"),
            400,
        ),
        ("an unknown application", release().with("app_name", "unknown"), 404),
        ("another owner's application", release().with("app_name", "theirs"), 404),
    ] {
        let refusal = acme.upload_in_one(&release).refusal();
        assert_eq!(refusal, acme.init(&release).refusal(), "{what}");
        assert_eq!(refusal.0, status, "{what}: {}", refusal.1);
        assert_nothing_is_left(&world, what);
    }
}

fn files_are_checked_together(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let empty = || Release::empty("1.0.0");

    for (what, release) in [
        ("no files", empty()),
        ("a path", empty().file("a/notes.deb", "x")),
        ("the parent folder", empty().file("..", "x")),
        ("the same name twice", empty().file("notes.deb", "x").file("notes.deb", "y")),
        ("the same package twice", empty().file("notes.deb", "x").file("other.deb", "y")),
    ] {
        let answer = acme.upload_in_one(&release).expect(400);
        assert!(!answer.error().is_empty(), "{what}");
        assert_nothing_is_left(&world, what);
    }
    assert_eq!(acme.releases(), []);
}

fn callers_without_the_right_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let (notes, papers) = (acme.app_id("notes"), acme.create_app("papers"));
    let user = json!({ "username": "ann", "password": "password of a user" });
    acme.post_json("/user/create", user).ok();
    let release = Release::new("1.0.0");

    let form = data(&release).file("notes.deb", "x");
    assert_eq!(world.client().post_multipart("/upload", form).send().status, 401);
    assert_eq!(world.login("ann", "password of a user").upload_in_one(&release).status, 403);
    assert_eq!(acme.ci_token(&[&papers]).upload_in_one(&release).status, 403);
    assert_nothing_is_left(&world, "refused");
    assert_eq!(acme.ci_token(&[&notes]).upload_in_one(&release).status, 200);
}

fn taken_slots_are_a_conflict(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_channel("beta");
    let _ = acme.upload_in_one(&Release::new("1.0.0")).expect(200);

    for release in [
        Release::new("1.0.0"),
        Release::empty("1.0.0").file("renamed.DEB", "x"),
        Release::empty("v1.0.0").file("notes.rpm", "x").with("channel", "beta"),
    ] {
        let refusal = acme.upload_in_one(&release).refusal();
        assert_eq!(refusal, acme.init(&release).refusal());
        assert_eq!(refusal.0, 409, "{}", refusal.1);
        assert_nothing_is_left(&world, &refusal.1);
    }
    let key = "acme/notes/stable/linux/amd64/notes-1.0.0.deb";
    assert_eq!(
        world.store().object(PUBLIC_BUCKET, key).unwrap(),
        b"notes 1.0.0",
        "the first one's bytes stay"
    );
}

fn an_upload_that_ends_early_leaves_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let large = vec![7; 9 * 1024 * 1024];

    for (what, form) in [
        ("in the fields", data(&Release::new("1.0.0"))),
        ("after a small file", data(&Release::new("1.0.0")).file("notes.deb", "x")),
        ("after a large file", data(&Release::new("1.0.0")).file("notes.deb", &large)),
    ] {
        let mut body = form.unfinished();
        body.truncate(body.len() - 2);
        let call = acme.post("/upload").header("content-type", &Multipart::content_type());
        let answer = call.body(&body).send();
        assert_eq!(answer.status, 400, "{what}: {}", answer.text());
        assert_nothing_is_left(&world, what);
    }
    assert_eq!(acme.releases(), []);
}

fn a_sender_that_goes_away_leaves_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let token = acme.ci_token(&[&acme.app_id("notes")]);
    let authorization = token.authorization();
    let large = vec![7; 20 * 1024 * 1024];
    let body = data(&Release::new("1.0.0")).file("first.rpm", "x").file("notes.deb", &large).unfinished();
    let head = format!(
        "POST /upload HTTP/1.1\r\nHost: x\r\nAuthorization: {authorization}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n",
        Multipart::content_type(),
        2 * body.len(),
    );

    let mut stream = TcpStream::connect(world.url().trim_start_matches("http://")).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body).unwrap();
    let limit = Duration::from_secs(20);
    until("a staged file", limit, || {
        (!world.store().keys(PRIVATE_BUCKET, "pending/").is_empty()).then_some(())
    });
    stream.shutdown(Shutdown::Both).unwrap();

    until("nothing is left", limit, || {
        (world.store().keys(PRIVATE_BUCKET, "pending/").is_empty() && sessions(&world) == 0).then_some(())
    });
    assert_eq!(acme.releases(), []);
    let _ = acme.upload_in_one(&Release::new("1.0.0")).expect(200);
}

fn an_internal_storage_is_enough(host: Driver) {
    let world = World::builder(host).with_variable("storage_driver", "s3_internal").start();
    let acme = acme(&world);
    acme.create_app_with(json!({ "app": "secret", "private": true }));
    let secret = Release::empty("1.0.0").with("app_name", "secret").published();

    assert_eq!(acme.init(&Release::new("1.0.0")).status, 501, "nobody outside can reach the storage");
    let _ = acme.upload_in_one(&Release::new("1.0.0").published()).expect(200);
    let _ = acme.upload_in_one(&secret.file("the secret.deb", "for few eyes")).expect(200);

    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    let url = acme.get(&acme.check_path("0.1").replace("=notes", "=secret")).ok()["update_url_deb"].clone();
    let path = url.as_str().unwrap().strip_prefix(&world.url()).unwrap().to_owned();
    assert_eq!(acme.get(&path).send().expect(200).text(), "for few eyes");
    assert_nothing_is_left(&world, "after success");
}

fn a_storage_that_fails_is_a_502(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    world.store().stop();

    let answer = acme.upload_in_one(&Release::new("1.0.0"));

    assert_eq!(answer.status, 502, "{}", answer.text());
    world.store().start_again();
    let _ = acme.upload_in_one(&Release::new("1.0.0")).expect(200);
}

/// Most memory that the host may have had, in KiB.
const MEMORY_LIMIT_KIB: u64 = 300 * 1024;

/// As large as `SPINDRIFT_TEST_UPLOAD_MIB` says; the memory cost of a smaller one does not depend on its size either.
fn large() -> u64 {
    let given = std::env::var("SPINDRIFT_TEST_UPLOAD_MIB").ok();
    given.map_or(256, |text| text.parse().unwrap()) * MIB
}

#[test]
fn a_large_file_goes_through_the_service_in_little_memory() {
    let state = tempfile::tempdir().unwrap();
    let host = HostProcess::start(env!("CARGO_BIN_EXE_host-under-test"), state.path());
    let acme = host.admin("acme").with_notes();
    let length = large();
    let noise = Noise::new(length, length);
    let (before, after) = data(&Release::new("1.0.0").published()).around_file("notes.deb");

    let start = std::time::Instant::now();
    let total = before.len() as u64 + length + after.len() as u64;
    let body = Cursor::new(before).chain(BufReader::new(noise.clone())).chain(Cursor::new(after));
    let answer = acme.with_time_for(length).post_stream("/upload", &Multipart::content_type(), body, total);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let seconds = start.elapsed().as_secs_f64();

    let url = acme.check("0.1")["update_url_deb"].as_str().unwrap().to_owned();
    let reader = acme.with_time_for(length).get_stream(&url);
    assert!(noise.is_read_from(reader), "other bytes than were uploaded");
    let Some(peak) = host.peak_memory_kib() else {
        println!("this system does not tell how much memory a process has used");
        return;
    };
    println!("{} MiB in {seconds:.1} s; peak memory of the host: {peak} KiB", length / MIB);
    assert!(peak < MEMORY_LIMIT_KIB, "{peak} KiB");
}
