//! Reading a repository.

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use spindrift_tests::trust::client::{Installation, clients_and_library};
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::place::Place;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::served::serve;
use spindrift_tests::{Driver, Gate, Hello, World};

use crate::load::Target;
use crate::turns::Turns;

const OWNER: &str = "bench";
const APP: &str = "notes";
/// Scopes, releases of each, packages of each.
const LISTED: [usize; 3] = [18, 3, 2];

/// Prints what requests and refreshes of clients cost.
pub(crate) fn report(host: Driver, turns: &Turns) -> anyhow::Result<()> {
    let world = World::builder(host).in_memory().start();
    let id = world.admin(OWNER).create_app_with(json!({ "app": APP, "tuf": true }));
    let mut repository = TestRepository::new(OWNER, APP, RootKeys::generation(1), days_ago(1));
    serve(&world, &id, &repository);
    let (count, bytes) = refreshes(&world, &id, &mut repository);
    println!("{count} targets: {bytes} bytes each in the list");
    throughput(host, &world, turns)
}

/// Prints what clients load. Returns the number of targets, and how much of the list each of them takes.
fn refreshes(world: &World, id: &str, repository: &mut TestRepository) -> (usize, usize) {
    let gate = Gate::before(&world.url());
    gate.watch("/tuf/");
    let place = Place::of_service(gate.url(), &repository.path);
    let apps: Vec<_> = clients_and_library()
        .into_iter()
        .map(|client| Installation::new(client, repository.root()))
        .collect();
    let list = |repository: &TestRepository| repository.metadata[&repository.newest("targets")].len();
    let nothing = TestTarget::new("bench/notes/nothing", b"", json!({}));
    let empty = list(repository);
    println!("{:<28} {:>10} {:>10}", "a client's refresh", "requests", "bytes");
    let print = |what: &str| {
        for app in &apps {
            // A name that nobody lists, so that nothing but metadata is loaded.
            let _not_listed = app.update(&place, &nothing);
            let passed = gate.take_passed();
            let bytes: u64 = passed.iter().map(|passed| passed.bytes).sum();
            println!("{:<28} {:>10} {:>10}", format!("{}, {what}", app.client().name()), passed.len(), bytes);
        }
    };
    print("first");
    print("nothing new");
    let targets = targets();
    repository.publish(targets.clone(), days_ago(0));
    serve(world, id, repository);
    print(&format!("{} targets", targets.len()));
    (targets.len(), (list(repository) - empty) / targets.len())
}

fn targets() -> Vec<TestTarget> {
    let [scopes, releases, packages] = LISTED;
    let target = |number: usize| {
        let (scope, release) = (number % scopes, number / scopes % releases);
        let (arch, version) = (format!("arch-{scope:02}"), format!("1.{release}.0"));
        let package = ["deb", "rpm"][number / scopes / releases];
        let key = format!("{OWNER}/{APP}/stable/linux/{arch}/{APP}-{version}.{package}");
        let custom = json!({
            "arch": arch, "channel": "stable", "package": package, "platform": "linux",
            "repository": format!("{OWNER}/{APP}"), "version": version,
        });
        TestTarget::new(&key, key.as_bytes(), custom)
    };
    (0..scopes * releases * packages).map(target).collect()
}

fn days_ago(days: i64) -> Timestamp {
    Timestamp::now() - SignedDuration::from_hours(24 * days)
}

fn throughput(host: Driver, world: &World, turns: &Turns) -> anyhow::Result<()> {
    let hello = Hello::start(host);
    turns.announce();
    let timestamp = format!("/tuf/repository/{OWNER}/{APP}/metadata/timestamp.json");
    let targets = [
        Target::new("plain hello", &hello.url(), |_| "/plain-hello".to_owned())?,
        Target::new("lean hello", &hello.url(), |_| "/hello".to_owned())?,
        Target::new("timestamp.json", &world.url(), move |_| timestamp.clone())?,
    ];
    turns.compare(&targets).map(drop)
}
