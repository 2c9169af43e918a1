//! New keys.

use spindrift_tests::trust::client::{Client, clients_and_library};
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::place::Places;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;

use super::{Installation, OLDER, days_ago, gets, installations_of, package, refuses, repository};

#[test]
fn every_key_is_replaced_five_times_between_two_looks() {
    let (old, new) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let mut repository = repository(6, &old);
    let first = repository.root().to_vec();
    let places = Places::of(&repository);
    let mut apps = installations_of(&clients_and_library(), &places, &first);
    for (place, app) in &apps {
        gets(app, place, &old);
    }
    for (generation, ago) in (2..).zip([5, 4, 3, 2, 1]) {
        let next = RootKeys::generation(generation);
        repository.prepare(&next, days_ago(ago));
        repository.write_root(next, days_ago(ago));
        repository.write_list("targets", days_ago(ago));
        repository.commit(days_ago(ago));
    }
    assert_eq!(repository.version("root"), 6);
    repository.publish([new.clone()], days_ago(0));
    places.show(&repository);
    apps.extend(installations_of(&clients_and_library(), &places, &first));
    for (place, app) in &apps {
        gets(app, place, &new);
        gets(app, place, &new);
    }
}

#[test]
fn both_roots_verify_while_keys_are_replaced() {
    let target = package("stable", "1.0.0");
    let mut repository = repository(2, &target);
    let root = repository.root().to_vec();
    let places = Places::of(&repository);
    let apps = installations_of(&clients_and_library(), &places, &root);
    let next = RootKeys::generation(2);
    repository.prepare(&next, days_ago(1));
    places.show(&repository);
    for (place, app) in &apps {
        gets(app, place, &target);
    }
    repository.write_root(next, days_ago(0));
    places.show(&repository);
    for (place, app) in apps.iter().chain(&installations_of(&clients_and_library(), &places, &root)) {
        gets(app, place, &target);
    }
}

/// The steps at a mirror while keys are replaced: nothing new, signatures of both keys, the new root,
/// signatures of the new keys alone.
fn steps(target: &TestTarget) -> [TestRepository; 4] {
    let before = repository(4, target);
    let next = RootKeys::generation(2);
    let mut prepared = before.clone();
    prepared.prepare(&next, days_ago(3));
    let mut rooted = prepared.clone();
    rooted.write_root(next, days_ago(2));
    let mut after = rooted.clone();
    after.write_list("targets", days_ago(1));
    after.commit(days_ago(1));
    [before, prepared, rooted, after]
}

/// Refreshes begin before a change of the mirror and end after it, with all numbers of requests between. `seen`: what the
/// installation knows. Answers the errors with the number of requests before the change.
fn in_the_middle(
    client: Client,
    seen: Option<&TestRepository>,
    [from, to]: [&TestRepository; 2],
    target: &TestTarget,
) -> Vec<(usize, String)> {
    let mut errors = Vec::new();
    for requests in 0.. {
        let places = Places::of(seen.unwrap_or(from));
        let (bucket, app) = (places.bucket(), Installation::new(client, first_root(from)));
        if seen.is_some() {
            gets(&app, &bucket, target);
        }
        places.show(from);
        let before = places.asked().len();
        places.show_after(requests, to);
        let first = app.update(&bucket, target);
        let asked = places.asked().len() - before;
        errors.extend(first.err().map(|said| (requests, said)));
        // The next attempt succeeds in any case.
        places.show(to);
        gets(&app, &bucket, target);
        if requests >= asked {
            assert!(requests >= 3, "a refresh asks for more than {requests} files");
            break;
        }
    }
    errors
}

fn first_root(repository: &TestRepository) -> &[u8] {
    &repository.metadata["1.root.json"]
}

#[test]
fn a_rotation_in_the_middle_of_a_refresh() {
    let target = package("stable", "1.0.0");
    let [before, prepared, rooted, after] = &steps(&target);
    for client in clients_and_library() {
        for change in [[before, prepared], [prepared, rooted], [rooted, after], [before, rooted]] {
            for seen in [None, Some(before), Some(change[0])] {
                assert_eq!(in_the_middle(client, seen, change, &target), [], "{}", client.name());
            }
        }
    }
}

/// Why both keys sign first, and why the old one goes later: a refresh that has asked for the root meets signatures of a key
/// that it does not know. The next attempt heals it.
#[test]
fn a_rotation_without_signatures_of_both_keys_disturbs_refreshes() {
    let target = package("stable", "1.0.0");
    let [before, _, _, after] = &steps(&target);
    for client in clients_and_library() {
        let errors = in_the_middle(client, None, [before, after], &target);
        // The request for the next root comes first.
        let positions: Vec<_> = errors.iter().map(|(requests, _)| *requests).collect();
        assert_eq!(positions.first(), Some(&1), "{}: {errors:?}", client.name());
    }
}

#[test]
fn what_was_known_before_a_rotation_is_known_after_it() {
    let (old, new) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let mut repository = repository(3, &old);
    let first = repository.root().to_vec();
    let next = RootKeys::generation(2);
    repository.prepare(&next, days_ago(2));
    repository.write_root(next, days_ago(2));
    repository.write_list("targets", days_ago(2));
    repository.commit(days_ago(2));
    let yesterday = repository.clone();
    repository.publish([new.clone()], days_ago(0));

    for client in clients_and_library() {
        let places = Places::of(&repository);
        let app = Installation::new(client, &first);
        gets(&app, &places.bucket(), &new);
        places.show(&yesterday);
        refuses(&app, &places.bucket(), &old, OLDER);
    }

    // Begun with the pinned root it meets the rotation again each time, and forgets.
    let places = Places::of(&repository);
    let app = Installation::new(Client::ToughFromPinnedRoot, &first);
    gets(&app, &places.bucket(), &new);
    places.show(&yesterday);
    gets(&app, &places.bucket(), &old);
}
