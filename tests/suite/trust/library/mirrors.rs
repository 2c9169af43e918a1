//! Mirrors that are dead, lie, lag, or do not come to an end.

use std::time::{Duration, Instant};

use spindrift_client::{Cause, EndpointError, Error, TransportError, TrustSettings};
use spindrift_tests::trust::app::App;
use spindrift_tests::trust::key::TestKey;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::web::{Reply, Web};

use super::{BUCKET, bucket, days_ago, is, is_refused, offering, package, refusal};

/// Far less than a test may take, and far more than an answer needs.
const TIME_OUT: Duration = Duration::from_millis(300);
/// A byte after this time: enough of them arrive in [`TIME_OUT`].
const PAUSE: Duration = Duration::from_millis(10);

/// The service shows what the test wants, the bucket the repository.
fn two_mirrors() -> (Web, TestRepository, TestTarget, App) {
    let (web, repository, target) = offering(1);
    web.show(&bucket(&repository), &repository.metadata);
    let settings = TrustSettings { time_out: TIME_OUT, ..TrustSettings::default() };
    let app = App::new(&web, repository.root());
    let app = app.with(|config| config.with_bucket(BUCKET).with_settings(settings));
    (web, repository, target, app)
}

/// Why a request failed.
fn failure(result: Result<impl std::fmt::Debug, Error>) -> EndpointError {
    match result {
        Err(Error::RequestFailed(error)) => *error,
        other => panic!("{other:?}"),
    }
}

/// The service answers for some files in another way, and otherwise as it should.
fn but(web: &Web, repository: &TestRepository, which: &'static str, reply: Reply) {
    let files = repository.metadata.clone();
    web.behave(&Web::metadata(repository), move |file| match files.get(file) {
        _ if file.ends_with(which) => reply.clone(),
        Some(bytes) => Reply::File(bytes.clone()),
        None => Reply::Status(404),
    });
}

#[test]
fn the_first_mirror_is_enough() {
    let (web, repository, target, app) = two_mirrors();
    is(app.update(), &target);
    let elsewhere: Vec<_> =
        web.asked().into_iter().filter(|asked| asked.url.starts_with(&bucket(&repository))).collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
}

/// If anything fails at the service, the bucket helps. Without it the failure is an error, also where tough would take it
/// for "there is no newer root".
#[test]
fn a_mirror_that_fails_is_skipped() {
    let replies = [Reply::Dead, Reply::Status(500), Reply::Slow(PAUSE), Reply::Endless];
    for which in ["root.json", "timestamp.json", "snapshot.json", "targets.json"] {
        for reply in &replies {
            let (web, repository, target, app) = two_mirrors();
            but(&web, &repository, which, reply.clone());
            is(app.update(), &target);

            let (web, repository, _, app) = two_mirrors();
            but(&web, &repository, which, reply.clone());
            let alone = app.with(|mut config| {
                config.bucket_url = None;
                config
            });
            let failure = failure(alone.update());
            assert!(failure.url.starts_with(Web::SERVICE) && failure.url.ends_with(which), "{failure}");
            let is_the_cause = match reply {
                Reply::Dead => matches!(failure.cause, Cause::Transport(TransportError::Failed(_))),
                Reply::Slow(_) => matches!(failure.cause, Cause::Transport(TransportError::TimedOut)),
                Reply::Endless => matches!(failure.cause, Cause::TooLarge(_)),
                _ => failure.status == Some(500),
            };
            assert!(is_the_cause, "{failure}");
        }
    }
}

/// A newer root exists, and the mirror fails just there: its old timestamp must not pass.
#[test]
fn a_failure_at_the_next_root_is_not_the_newest_root() {
    let (web, repository, _, app) = two_mirrors();
    but(&web, &repository, "2.root.json", Reply::Dead);
    let alone = app.with(|mut config| {
        config.bucket_url = None;
        config
    });
    assert!(matches!(failure(alone.update()).cause, Cause::Transport(TransportError::Failed(_))));
    for status in [403, 404, 410] {
        but(&web, &repository, "2.root.json", Reply::Status(status));
        alone.update().unwrap();
    }
    for status in [401, 408, 429, 500, 503] {
        but(&web, &repository, "2.root.json", Reply::Status(status));
        assert_eq!(failure(alone.update()).status, Some(status));
    }
}

#[test]
fn data_without_an_end_is_read_to_the_limit() {
    for (which, kib) in
        [("root.json", 64), ("timestamp.json", 8), ("snapshot.json", 256), ("targets.json", 4096)]
    {
        let (web, repository, _, app) = two_mirrors();
        but(&web, &repository, which, Reply::Endless);
        app.update().unwrap();
        let asked = web.asked();
        let endless =
            asked.iter().find(|asked| asked.url.starts_with(Web::SERVICE) && asked.url.ends_with(which));
        let bytes = endless.unwrap().bytes;
        assert!((kib * 1024..=(kib + 1) * 1024).contains(&bytes), "{which}: {bytes}");
    }
}

#[test]
fn a_byte_now_and_then_ends_in_time() {
    let (web, repository, target, app) = two_mirrors();
    but(&web, &repository, "timestamp.json", Reply::Slow(PAUSE));
    let begin = Instant::now();
    is(app.update(), &target);
    assert!(begin.elapsed() >= TIME_OUT);
    let asked = web.asked();
    let slow = asked.iter().find(|asked| asked.url.ends_with("timestamp.json")).unwrap();
    assert!((1..=30).contains(&slow.bytes), "{}", slow.bytes);
}

#[test]
fn a_mirror_may_not_take_long_altogether() {
    let (web, repository, target, app) = two_mirrors();
    but(&web, &repository, "timestamp.json", Reply::Slow(PAUSE));
    let app = app.with(|mut config| {
        config.settings.time_out = Duration::from_mins(1);
        config.settings.mirror_time_out = TIME_OUT;
        config
    });
    is(app.update(), &target);
    let alone = app.with(|mut config| {
        config.bucket_url = None;
        config
    });
    assert!(matches!(failure(alone.update()).cause, Cause::Transport(TransportError::TimedOut)));
}

/// Each of these is skipped, and without another mirror it is refused for its reason.
#[test]
fn a_mirror_that_lies_is_skipped() {
    let (_, repository, target, _) = two_mirrors();
    let strange = |role: &str| {
        let mut lying = repository.clone();
        let stranger = [TestKey::from_seed(250)];
        match role {
            "targets" => lying.write_list_by(role, &stranger, days_ago(0)),
            _ => lying.keys.online = TestKey::from_seed(250),
        }
        lying.commit(days_ago(0));
        lying.metadata
    };
    let replaced = |file: &str, bytes: &[u8]| {
        let mut files = repository.metadata.clone();
        let _old = files.insert(file.to_owned(), bytes.to_vec());
        files
    };
    let old = super::repository(9, &target);
    let lies = [
        (strange("targets"), "Signature threshold"),
        (strange("timestamp"), "Signature threshold"),
        (old.metadata.clone(), "expired"),
        (replaced("timestamp.json", b"<html>Welcome to our hotel</html>"), "Failed to parse"),
        (replaced("2.root.json", b"<html>Welcome to our hotel</html>"), "Failed to parse"),
        (replaced("2.root.json", repository.root()), "version"),
        (replaced(&repository.newest("snapshot"), b"{}"), "Hash mismatch"),
        (replaced(&repository.newest("targets"), b"{}"), "Hash mismatch"),
    ];
    for (files, reason) in lies {
        let (web, repository, target, app) = two_mirrors();
        web.show(&Web::metadata(&repository), &files);
        is(app.update(), &target);
        let (web, repository, _, app) = two_mirrors();
        web.show(&Web::metadata(&repository), &files);
        web.behave(&bucket(&repository), |_| Reply::Dead);
        // The first failure is kept.
        is_refused(app.update(), reason);
    }
}

#[test]
fn a_mirror_that_lags_is_skipped() {
    let (web, mut repository, _, app) = two_mirrors();
    let next = package("stable", "1.2.0");
    repository.publish([next.clone()], days_ago(0));
    web.show(&bucket(&repository), &repository.metadata);
    web.offer(Some("1.2.0"));
    // The metadata at the service is valid, but lacks the offered version.
    is(app.update(), &next);
    // Now the service is behind what is known.
    is(app.update(), &next);
    web.behave(&bucket(&repository), |_| Reply::Dead);
    is_refused(app.update(), "when we had previously fetched");
}

#[test]
fn the_first_error_is_kept() {
    let (web, repository, _, app) = two_mirrors();
    web.offer(Some("1.2.0"));
    web.behave(&bucket(&repository), |_| Reply::Dead);
    assert_eq!(refusal(app.update()).to_string(), "version 1.2.0 is not listed");
    web.behave(&Web::metadata(&repository), |_| Reply::Status(503));
    assert_eq!(failure(app.update()).status, Some(503));
}
