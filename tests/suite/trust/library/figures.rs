//! The cost of a refresh.

use spindrift_tests::trust::app::App;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::web::Web;

use super::{days_ago, package, repository};

/// As many as 18 scopes of 3 releases with 2 packages.
const TARGETS: usize = 108;

/// Requests and bytes of one refresh.
fn refresh(app: &App, web: &Web, what: &str) -> (usize, usize) {
    let _before = web.take_asked();
    app.refresh().unwrap();
    let asked = web.take_asked();
    let cost = (asked.len(), asked.iter().map(|asked| asked.bytes).sum());
    println!("{what}: {} requests, {} bytes", cost.0, cost.1);
    cost
}

fn publish(repository: &mut TestRepository, web: &Web, version: &str, ago: i64) {
    repository.publish([package("stable", version)], days_ago(ago));
    web.serve(repository);
}

#[test]
fn nothing_new_is_two_requests_and_a_publish_four() {
    let mut repository = repository(3, &package("stable", "1.0.0"));
    let many = (1..TARGETS).map(|number| TestTarget {
        name: format!("acme/notes/stable/windows/amd64/notes-1.0.{number}.zip"),
        ..package("stable", &format!("1.0.{number}"))
    });
    repository.publish(many, days_ago(3));
    let web = Web::default();
    web.serve(&repository);
    let app = App::new(&web, repository.root());

    let (requests, bytes) = refresh(&app, &web, "first");
    assert!(requests == 4 && bytes < 60_000);
    let (requests, bytes) = refresh(&app, &web, "nothing new");
    assert!(requests == 2 && bytes < 3_000);
    repository.write_timestamp(days_ago(2));
    web.serve(&repository);
    let (requests, bytes) = refresh(&app, &web, "a renewed timestamp");
    assert!(requests == 2 && bytes < 3_000);
    publish(&mut repository, &web, "1.1.0", 1);
    let (requests, bytes) = refresh(&app, &web, "after a publish");
    assert!(requests == 4 && bytes < 60_000);
    let (requests, _) = refresh(&app, &web, "nothing new");
    assert_eq!(requests, 2);
}
