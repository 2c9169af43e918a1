//! The memory of an installation.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use spindrift_client::{Error, TrustError};
use spindrift_tests::trust::app::App;
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::web::{Reply, Web};

use super::{days_ago, is, is_refused, offering, package, refusal};

/// Replaces every key, as somebody careful does.
fn rotate(repository: &mut TestRepository, generation: u8, ago: i64) {
    let next = RootKeys::generation(generation);
    repository.prepare(&next, days_ago(ago));
    repository.write_root(next, days_ago(ago));
    repository.write_list("targets", days_ago(ago));
    repository.commit(days_ago(ago));
}

#[test]
fn an_older_repository_is_refused_by_who_knows_better() {
    let (web, yesterday, _) = offering(2);
    let mut today = yesterday.clone();
    today.publish([package("stable", "1.2.0")], days_ago(0));
    web.serve(&today);
    let app = App::new(&web, yesterday.root());
    app.refresh().unwrap();
    web.serve(&yesterday);
    is_refused(app.update(), "when we had previously fetched");
    // A new installation cannot know.
    App::new(&web, yesterday.root()).update().unwrap();
}

#[test]
fn what_was_known_before_a_rotation_is_known_after_it() {
    let (web, mut repository, _) = offering(3);
    let pinned = repository.root().to_vec();
    rotate(&mut repository, 2, 2);
    let yesterday = repository.clone();
    repository.publish([package("stable", "1.2.0")], days_ago(0));
    web.serve(&repository);
    let app = App::new(&web, &pinned);
    app.refresh().unwrap();
    web.serve(&yesterday);
    is_refused(app.update(), "when we had previously fetched");
    // The root of before the rotation is not followed again.
    let asked: Vec<_> = web.asked().into_iter().filter(|asked| asked.url.contains(".root.json")).collect();
    let last = &asked.last().unwrap().url;
    assert!(last.ends_with("/3.root.json"), "{last}");
}

#[test]
fn five_rotations_are_followed_with_and_without_state() {
    let (web, mut repository, target) = offering(6);
    let pinned = repository.root().to_vec();
    let app = App::new(&web, &pinned);
    app.refresh().unwrap();
    for generation in 2..=6 {
        rotate(&mut repository, generation, 7 - i64::from(generation));
    }
    web.serve(&repository);
    is(app.update(), &target);
    is(App::new(&web, &pinned).update(), &target);
}

#[test]
fn a_root_that_was_verified_holds_although_the_rest_fails() {
    let (web, mut repository, target) = offering(3);
    let before = repository.clone();
    let pinned = repository.root().to_vec();
    rotate(&mut repository, 2, 2);
    let app = App::new(&web, &pinned);
    // The next root is there, and the timestamp is not.
    let mut files = repository.metadata.clone();
    let _timestamp = files.remove("timestamp.json");
    web.show(&Web::metadata(&repository), &files);
    assert!(matches!(app.update(), Err(Error::RequestFailed(error)) if error.status == Some(404)));
    // Signatures of the old keys no longer count.
    web.serve(&before);
    is_refused(app.update(), "Signature threshold");
    web.serve(&repository);
    is(app.update(), &target);
}

#[test]
fn a_refresh_that_fails_takes_nothing_else_over() {
    let (web, mut repository, target) = offering(3);
    let app = App::new(&web, repository.root());
    app.refresh().unwrap();
    let before = repository.clone();
    repository.publish([package("stable", "1.2.0")], days_ago(1));
    // Of the new set only the timestamp has arrived.
    let mut files = before.metadata.clone();
    files.insert("timestamp.json".to_owned(), repository.metadata["timestamp.json"].clone());
    web.show(&Web::metadata(&repository), &files);
    assert!(matches!(app.update(), Err(Error::RequestFailed(error)) if error.status == Some(404)));
    web.serve(&before);
    is(app.update(), &target);
}

#[test]
fn a_clock_that_went_back_is_an_error_until_it_is_reset() {
    let (web, repository, target) = offering(1);
    let app = App::new(&web, repository.root());
    app.refresh().unwrap();
    let tomorrow = Timestamp::now() + Duration::from_hours(24);
    app.edit_state(|state| state["latest_known_time"] = json!(json!(tomorrow.to_string()).to_string()));
    let asked = web.asked().len();
    for _ in 0..2 {
        let TrustError::ClockWentBack { behind } = refusal(app.update()) else { panic!("another error") };
        assert_eq!(behind.as_secs() / 3600, 23);
    }
    assert_eq!(web.asked().len(), asked, "no mirror can help");
    app.reset_clock();
    is(app.update(), &target);
}

/// The clock is noted only where metadata was good at its time. Otherwise a clock in the far future would be believed.
#[test]
fn a_refresh_that_fails_does_not_note_the_clock() {
    let (web, repository, target) = offering(1);
    let app = App::new(&web, repository.root());
    web.behave(&Web::metadata(&repository), |_| Reply::Dead);
    assert!(app.refresh().is_err());
    assert!(!app.state_file("state.json").exists());
    web.serve(&repository);
    is(app.update(), &target);
}

#[test]
fn a_damaged_state_is_set_aside() {
    let (web, repository, target) = offering(1);
    let whole = {
        let app = App::new(&web, repository.root());
        app.refresh().unwrap();
        assert_eq!(app.damaged_state(), None);
        std::fs::read(app.state_file("state.json")).unwrap()
    };
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let damages =
        [Vec::new(), whole[..whole.len() / 2].to_vec(), flipped(0), flipped(100), flipped(whole.len() - 2)];
    for damaged in damages {
        let app = App::new(&web, repository.root());
        app.refresh().unwrap();
        std::fs::write(app.state_file("state.json"), &damaged).unwrap();
        is(app.update(), &target);
        let set_aside = app.damaged_state().unwrap();
        assert_eq!(std::fs::read(set_aside).unwrap(), damaged);
        is(app.update(), &target);
    }
}

#[test]
fn damaged_or_missing_kept_files_are_fetched_again() {
    let (web, repository, target) = offering(1);
    let app = App::new(&web, repository.root());
    is(app.update(), &target);
    let kept = app.kept();
    assert_eq!(kept, [repository.newest("snapshot"), repository.newest("targets")]);
    for name in &kept {
        let path = app.state_file("metadata").join(name);
        std::fs::write(&path, b"{}").unwrap();
        is(app.update(), &target);
        assert_eq!(std::fs::read(&path).unwrap(), repository.metadata[name]);
        std::fs::remove_file(&path).unwrap();
        is(app.update(), &target);
        assert_eq!(app.kept(), kept);
    }
}

#[test]
fn refreshes_at_the_same_time_do_not_disturb_each_other() {
    let (web, mut repository, _) = offering(2);
    let app = App::new(&web, repository.root());
    for ago in [1, 0] {
        for refreshed in app.refresh_at_once(10) {
            refreshed.unwrap();
        }
        repository.publish([package("stable", "1.2.0")], days_ago(ago));
        web.serve(&repository);
    }
    for refreshed in app.refresh_at_once(10) {
        refreshed.unwrap();
    }
    assert_eq!(app.damaged_state(), None);
    web.offer(Some("1.2.0"));
    is(app.update(), &package("stable", "1.2.0"));
    let entries = std::fs::read_dir(app.state_file("")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["lock", "metadata", "state.json"], "nothing is left over");
}

#[test]
fn a_refresh_waits_for_another_only_so_long() {
    let (web, repository, _) = offering(1);
    let app = App::new(&web, repository.root()).with(|mut config| {
        config.settings.busy_time_out = Duration::ZERO;
        config
    });
    app.refresh().unwrap();
    let lock = std::fs::File::open(app.state_file("lock")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(refusal(app.refresh()), TrustError::Busy { .. }));
    lock.unlock().unwrap();
    app.refresh().unwrap();
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let (web, repository, _) = offering(1);
    let app = App::new(&web, repository.root());
    app.refresh().unwrap();
    let work = app.state_file("work-killed");
    std::fs::create_dir(&work).unwrap();
    let half = app.state_file("metadata").join(".tmpAbCdEf");
    std::fs::write(&half, b"half").unwrap();
    app.refresh().unwrap();
    assert!(!work.exists() && !half.exists());
}

/// A new build that pins the root which installations have followed the old one to.
#[test]
fn a_build_with_the_newest_root_goes_on_from_the_state() {
    let (web, mut repository, _) = offering(3);
    let first = repository.root().to_vec();
    rotate(&mut repository, 2, 2);
    let yesterday = repository.clone();
    repository.publish([package("stable", "1.2.0")], days_ago(0));
    web.serve(&repository);
    let app = App::new(&web, &first);
    app.refresh().unwrap();
    let app = app.with(|mut config| {
        config.root = repository.root().to_vec();
        config
    });
    web.serve(&yesterday);
    is_refused(app.update(), "when we had previously fetched");
}

/// A new build that pins a root which installations have followed the old one to, and have left behind since: keys were
/// replaced again before it was installed.
#[test]
fn a_build_with_a_root_that_was_passed_goes_on_from_the_state() {
    for looks_between in [false, true] {
        let (web, mut repository, target) = offering(5);
        let app = App::new(&web, repository.root());
        app.refresh().unwrap();
        rotate(&mut repository, 2, 4);
        let of_build = repository.root().to_vec();
        let yesterday = repository.clone();
        if looks_between {
            web.serve(&repository);
            app.refresh().unwrap();
        }
        rotate(&mut repository, 3, 2);
        web.serve(&repository);
        app.refresh().unwrap();
        let app = app.with(|mut config| {
            config.root = of_build;
            config
        });
        // The keys of the root that is pinned now do not count any more.
        web.serve(&yesterday);
        is_refused(app.update(), "Signature threshold");
        web.serve(&repository);
        is(app.update(), &target);
        web.serve(&yesterday);
        is_refused(app.update(), "Signature threshold");
    }
}

/// The repository was ended, and another was begun under its name.
#[test]
fn a_build_with_the_root_of_another_repository_begins_again() {
    let (web, mut repository, target) = offering(2);
    let app = App::new(&web, repository.root());
    repository.publish([package("stable", "1.2.0")], days_ago(0));
    web.serve(&repository);
    app.refresh().unwrap();
    let mut next = TestRepository::new("acme", "notes", RootKeys::generation(5), days_ago(1));
    next.publish([target.clone()], days_ago(1));
    web.serve(&next);
    is_refused(app.update(), "Signature threshold");
    let app = app.with(|mut config| {
        config.root = next.root().to_vec();
        config
    });
    is(app.update(), &target);
}
