//! Reading a repository.

use anyhow::Context as _;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use spindrift_tests::trust::client::{Installation, clients_and_library};
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::place::Place;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::served::serve;
use spindrift_tests::{Account, Gate, Release, World};

use crate::figure::{figure, part};
use crate::host::BuildName;
use crate::setup::Setup;
use crate::target::{Server, Target};
use crate::turns::TurnOptions;
use spindrift_tests::Processes;

const OWNER: &str = "bench";
const APP: &str = "notes";
/// Scopes, releases of each, packages of each.
const LISTED: [usize; 3] = [18, 3, 2];

/// Prints the cost of clients' requests and refreshes.
pub(crate) fn report(setup: &Setup, turns: &TurnOptions) -> anyhow::Result<()> {
    let world = setup.world(BuildName::Preview2).in_memory().start();
    let account = world.admin(OWNER);
    let id = account.create_app_with(json!({ "app": APP, "tuf": true }));
    let mut repository = TestRepository::new(OWNER, APP, RootKeys::generation(1), days_ago(1));
    serve(&world, &id, &repository);
    part("A client's refresh");
    let (count, bytes) = refreshes(&world, &id, &mut repository);
    figure(&format!("a target in a list of {count}"), format!("{bytes} bytes"), "480 bytes");
    answers(setup, &world, turns)?;
    checks(&world, &account, turns)
}

/// Prints the loads of clients. Returns the number of targets, and how much of the list each of them takes.
fn refreshes(world: &World, id: &str, repository: &mut TestRepository) -> (usize, usize) {
    let gate = Gate::before(&world.url());
    gate.watch("/tuf/");
    let place = Place::of_service(gate.url(), &repository.path);
    let apps: Vec<_> = clients_and_library()
        .into_iter()
        .map(|client| Installation::new(client, repository.root()))
        .collect();
    let list = |repository: &TestRepository| repository.metadata[&repository.newest("targets")].len();
    // A release that nobody lists, so that nothing but metadata is loaded.
    let nothing = json!({
        "arch": "arch-00", "channel": "stable", "package": "deb", "platform": "linux",
        "repository": format!("{OWNER}/{APP}"), "version": "9.0.0",
    });
    let nothing = TestTarget::new("bench/notes/nothing", b"", nothing);
    let empty = list(repository);
    let print = |what: &str, to_reach: &str| {
        for app in &apps {
            let _not_listed = app.update(&place, &nothing);
            let passed = gate.take_passed();
            let bytes: u64 = passed.iter().map(|passed| passed.bytes).sum();
            let measured = format!("{} requests, {bytes} bytes", passed.len());
            figure(&format!("{}: {what}", app.client().name()), measured, to_reach);
        }
    };
    print("first", "");
    print("nothing new", "2 requests, 3 KB");
    let targets = targets();
    repository.publish(targets.clone(), days_ago(0));
    serve(world, id, repository);
    print(&format!("after a publish, {} targets", targets.len()), "4 requests, 60 KB");
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

fn answers(setup: &Setup, world: &World, turns: &TurnOptions) -> anyhow::Result<()> {
    part("`GET timestamp.json`; to reach: 40 % of the plain hello");
    let (_running, hello) = setup.hello()?;
    turns.announce();
    let timestamp = format!("/tuf/repository/{OWNER}/{APP}/metadata/timestamp.json");
    let targets = [
        Target::new("plain hello", &hello, |_| "/plain-hello".to_owned()),
        Target::new("lean hello", &hello, |_| "/hello".to_owned()),
        Target::new("timestamp.json", &server(world)?, move |_| timestamp.clone()),
    ];
    turns.compare(&targets, || ())
}

/// The world's service.
fn server(world: &World) -> anyhow::Result<Server> {
    let process = world.host_process().context("a host that is a process")?;
    Server::new(&world.url(), Processes::under(process))
}

/// Update checks of an application with a repository, next to one without.
fn checks(world: &World, account: &Account, turns: &TurnOptions) -> anyhow::Result<()> {
    part("Update checks; to reach: at most 2 % slower with a repository");
    account.create_channel("stable");
    account.create_platform("linux");
    account.create_arch("amd64");
    for app in ["plain", "signed"] {
        account.create_app_with(json!({ "app": app, "tuf": true }));
        let release = Release::empty("1.0.0").with("app_name", app).file("app.deb", app);
        account.upload(&release.with_digests().published());
    }
    let publisher = Publisher::new(account, "signed");
    let key = format!("{OWNER}/signed/stable/linux/amd64/signed-1.0.0.deb");
    let custom = json!({
        "arch": "amd64", "channel": "stable", "package": "deb", "platform": "linux",
        "repository": format!("{OWNER}/signed"), "version": "1.0.0",
    });
    let list = publisher.list(&[TestTarget::new(&key, b"signed", custom)]);
    let _ = publisher.start(Some(&list)).expect(202);
    let path = |app: &str| {
        format!(
            "/checkVersion?app_name={app}&version=0.5.0&channel=stable&platform=linux&arch=amd64&owner={OWNER}"
        )
    };
    let (plain, signed) = (path("plain"), path("signed"));
    for path in [&plain, &signed] {
        let offered = world.get(path).send().expect(200).json();
        anyhow::ensure!(offered["update_available"] == true, "{path}: {offered}");
    }
    let server = server(world)?;
    let targets = [
        Target::new("without", &server, move |_| plain.clone()),
        Target::new("with", &server, move |_| signed.clone()),
    ];
    turns.compare(&targets, || ())
}
