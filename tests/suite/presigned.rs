//! Presigned URLs: they take the announced file at its announced place, and nothing else.

use http::Method;
use spindrift_tests::{
    Account, Client, Driver, PRIVATE_BUCKET, Release, Upload, World, md5_base64, on_hosts,
};

on_hosts! {
    every: [
        a_url_takes_what_was_announced,
        a_changed_url_is_refused,
        another_key_is_refused,
        other_bytes_are_refused,
        another_length_is_refused,
        changed_or_missing_headers_are_refused,
        a_url_is_for_one_method,
        a_staged_file_is_not_public,
        a_url_that_is_used_after_completion_changes_nothing,
    ],
    in_process: [an_expired_url_is_refused],
}

/// A world, and a granted upload of one file with 13 bytes.
fn granted(host: Driver) -> (World, Account, Upload) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.begin(&Release::empty("1.0.0").file("notes.deb", "thirteen byte"));
    (world, acme, upload)
}

fn assert_nothing_is_stored(world: &World) {
    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), Vec::<String>::new());
}

fn a_url_takes_what_was_announced(host: Driver) {
    let (world, _, upload) = granted(host);

    let _ = upload.files[0].send().expect(200);
    let _ = upload.files[0].send().expect(200);

    let staged = world.store().object(PRIVATE_BUCKET, &format!("pending/{}/notes.deb", upload.id));
    assert_eq!(staged.as_deref(), Some(&b"thirteen byte"[..]));
}

fn a_changed_url_is_refused(host: Driver) {
    let (world, _, upload) = granted(host);
    let file = &upload.files[0];
    let (path, query) = file.url.split_once('?').unwrap();

    let mut changed: Vec<String> = Vec::new();
    for parameter in query.split('&') {
        changed.push(file.url.replacen(parameter, "X=1", 1));
        // Its last character becomes another one that is allowed there.
        let last = if parameter.ends_with('1') { '2' } else { '1' };
        changed.push(file.url.replacen(
            parameter,
            &format!("{}{last}", &parameter[..parameter.len() - 1]),
            1,
        ));
    }
    changed.push(path.to_owned());
    changed.push(file.url.replace("X-Amz-Expires=1800", "X-Amz-Expires=604800"));
    changed.push(file.url.replace("notes.deb", "notes.dec"));
    changed.push(file.url.replace(PRIVATE_BUCKET, "spindrift-public"));
    for url in changed {
        let status = file.send_to(&url).status;
        assert!(status >= 400, "{status} for {url}");
    }

    assert_nothing_is_stored(&world);
}

fn another_key_is_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.begin(&Release::empty("1.0.0").file("a.deb", "same").file("b.rpm", "same"));
    let other = acme.begin(&Release::empty("1.0.1").file("a.deb", "same"));

    let stolen = upload.files[0].url.replace("a.deb", "b.rpm");
    assert_eq!(upload.files[0].send_to(&stolen).status, 403);
    let stolen = upload.files[0].url.replace(&upload.id, &other.id);
    assert_eq!(upload.files[0].send_to(&stolen).status, 403);

    assert_nothing_is_stored(&world);
}

fn an_expired_url_is_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    // The service lives in the past, the storage does not.
    let past = std::time::SystemTime::now() - std::time::Duration::from_mins(31);
    let millis = past.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    world.platform().set_time(spindrift_core::Timestamp::from_millis(millis.try_into().unwrap()));
    let acme = world.login(acme.name(), "correct horse");

    let upload = acme.begin(&Release::new("1.0.0"));

    assert_eq!(upload.files[0].send().status, 403);
    assert_nothing_is_stored(&world);
}

fn other_bytes_are_refused(host: Driver) {
    let (world, _, upload) = granted(host);

    let answer = upload.files[0].send_bytes(b"fourteen byte");

    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains("BadDigest"), "{}", answer.text());
    assert_nothing_is_stored(&world);
}

fn another_length_is_refused(host: Driver) {
    let (world, _, upload) = granted(host);

    for bytes in [&b"thirteen byte and more"[..], b"thirteen", b""] {
        let status = upload.files[0].send_bytes(bytes).status;
        assert!((400..500).contains(&status), "{status}");
    }

    assert_nothing_is_stored(&world);
}

fn changed_or_missing_headers_are_refused(host: Driver) {
    let (world, _, upload) = granted(host);
    let client = Client::new("");
    let url = &upload.files[0].url;

    assert_eq!(client.put(url, b"thirteen byte").send().status, 403, "without Content-MD5");
    let other = md5_base64(b"thirteen bits");
    assert_eq!(client.put(url, b"thirteen bits").header("content-md5", &other).send().status, 403);

    assert_nothing_is_stored(&world);
}

fn a_url_is_for_one_method(host: Driver) {
    let (world, _, upload) = granted(host);
    let _ = upload.files[0].send().expect(200);

    for method in [Method::GET, Method::HEAD, Method::DELETE] {
        let status = Client::new("").call(method.clone(), &upload.files[0].url).send().status;
        assert_eq!(status, 403, "{method}");
    }

    assert_eq!(world.store().keys(PRIVATE_BUCKET, "").len(), 1);
}

fn a_staged_file_is_not_public(host: Driver) {
    let (world, _, upload) = granted(host);
    let _ = upload.files[0].send().expect(200);

    let (path, _) = upload.files[0].url.split_once('?').unwrap();

    assert_eq!(Client::new("").get(path).send().status, 403);
    assert!(world.store().size(PRIVATE_BUCKET, &upload.files[0].staging_key()).is_some());
}

fn a_url_that_is_used_after_completion_changes_nothing(host: Driver) {
    let (world, acme, upload) = granted(host);
    upload.send_all();
    let id = acme.complete(&upload).expect(200).json();

    let _ = upload.files[0].send().expect(200);

    assert_eq!(acme.complete(&upload).expect(200).json(), id);
    let stored = world.store().object("spindrift-public", "acme/notes/stable/linux/amd64/notes-1.0.0.deb");
    assert_eq!(stored.as_deref(), Some(&b"thirteen byte"[..]));
}
