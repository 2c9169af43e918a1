//! Everybody at once for a long time: every answer is one that was true when it was given, every device is counted, and
//! neither memory nor stores grow. `docs/reliability.md` has the figures.

mod author;
mod count;
mod device;
mod history;
mod keeper;
mod line;
mod oracle;
mod question;
mod reporter;
mod scene;
mod state;
mod stock;
mod summary;
mod tally;

use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use spindrift_tests::{Account, Beside, Client, Driver, PASSWORD, World, run};

use self::author::{Author, FIRST, TESTERS, TRIAL};
use self::device::Devices;
use self::history::History;
use self::keeper::EMPTY_APP;
use self::line::{Access, LINES, Line, OWNER};
use self::scene::{App, Place, Scene};
use self::state::{Release, State};
use self::stock::Stock;
use self::tally::Tally;

mod in_process {
    #[test]
    fn every_answer_is_true_and_nothing_grows() {
        super::run(super::Driver::InProcess, super::every_answer_is_true_and_nothing_grows);
    }
}

mod spin {
    #[test]
    fn every_answer_is_true_and_nothing_grows() {
        super::run(super::Driver::Spin, super::every_answer_is_true_and_nothing_grows);
    }
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_host-under-test");
/// Its duration in seconds, unless `SPINDRIFT_TEST_SOAK_SECONDS` sets another.
const SECONDS: u64 = 20;
/// Environment variable: the seed of an earlier run, which all actors' choices follow from.
const SEED: &str = "SPINDRIFT_TEST_SOAK_SEED";

fn every_answer_is_true_and_nothing_grows(host: Driver) {
    let seconds = std::env::var("SPINDRIFT_TEST_SOAK_SECONDS").ok().and_then(|text| text.parse().ok());
    let length = Duration::from_secs(seconds.unwrap_or(SECONDS));
    let world = start(host);
    // Only one process at a time runs the program of one machine.
    let has_beside = host == Driver::Spin && world.host_processes().len() == 1;
    let beside = has_beside.then(|| world.beside());
    let acme = world.admin(OWNER);
    let scene = set(&world, beside.as_ref(), &acme, length);
    let hosts = [world.host_processes(), beside.iter().flat_map(Beside::host_processes).collect()].concat();
    println!("seed {}, {length:?}, {} hosts", scene.seed, scene.places.len().max(hosts.len()));

    let before = thread::scope(|scope| {
        play(&scene, scope);
        thread::sleep(length / 4);
        Stock::take(&world, &hosts)
    });

    let sent = count::sent(&scene.tally());
    let counted = count::counted(&world, &sent, || drop(acme.get("/telemetry").send()));
    let after = Stock::take(&world, &hosts);
    let mut tally = scene.tally();
    for problem in after.too_much(&before, &tally).into_iter().chain(count::wrong_reports(&world, &tally)) {
        tally.problem(problem);
    }
    if counted != sent {
        tally.problem(format!("{sent:?} were sent, and {counted:?} are counted"));
    }
    summary::print(&tally, [&before, &after], &counted);
    let (problems, more) = tally.problems();
    for problem in problems {
        println!("PROBLEM: {problem}");
    }
    summary::print_logs(problems, world.dir());
    assert_eq!((problems.len(), more), (0, 0), "problems, printed and not");
}

fn start(host: Driver) -> World {
    let builder = World::builder(host).with_variable("device_hash_key", "a key of the tests");
    // As in production: Redis is quick to write, Spin's local file is not.
    let gathers = builder.are_stores_shared().to_string();
    let builder = builder.with_variable("telemetry_gathered", &gathers);
    match host {
        Driver::InProcess => builder.as_process(Path::new(PROGRAM)).with_log().start(),
        _ => builder.start(),
    }
}

/// Makes the applications, each with its first release.
fn set<'a>(world: &'a World, beside: Option<&Beside>, acme: &Account, length: Duration) -> Scene<'a> {
    acme.create_channel("stable");
    acme.create_channel(TRIAL);
    acme.create_platform_with("linux", &["manual", "electron-builder", "tauri"]);
    acme.create_platform_with("windows", &["squirrel_windows", "velopack"]);
    acme.create_arch("amd64");
    acme.create_app(EMPTY_APP);
    let apps = LINES.iter().map(|line| found(acme, line)).collect();
    let place = |url: &str, acme: Account, staleness: Duration| Place {
        acme,
        nobody: Client::new(url).keeping_connections(),
        staleness,
        takes_changes: staleness == world.staleness(),
    };
    let mut places = vec![place(&world.url(), acme.clone(), world.staleness())];
    if let Some(beside) = beside {
        places.push(place(&beside.url(), beside.login(OWNER, PASSWORD), world.staleness()));
    }
    Scene {
        world,
        places,
        apps,
        download_token: crate::download_modes::regenerate(acme, "vault", None),
        report_key: crate::reports::key(acme, "notes").unwrap(),
        tally: Mutex::new(Tally::default()),
        seed: std::env::var(SEED).map_or(std::process::id().into(), |text| text.parse().unwrap()),
        end: Instant::now() + length,
    }
}

fn found(acme: &Account, line: &'static Line) -> App {
    let mut data =
        json!({ "app": line.app, "cdn": line.access == Access::Cdn, "reports": line.app == "notes" });
    if line.access == Access::Token {
        data["private"] = json!(true);
        data["download_mode"] = json!("token");
    }
    acme.create_app_with(data);
    let first = Release::new(FIRST);
    acme.publish(line.release(&FIRST).with("changelog", first.changelog.as_str()));
    let group = json!({ "app": line.app, "name": TESTERS });
    let group = acme.post_json("/device-groups", group).send().expect(201).json();
    let key = group["key"].as_str().unwrap().to_owned();
    App::new(line, key, History::new(State::new([first]), Instant::now()))
}

/// Starts all actors, who work until the end.
fn play<'scope>(scene: &'scope Scene<'_>, scope: &'scope thread::Scope<'scope, '_>) {
    let mut actors = 0;
    let mut random = || {
        actors += 1;
        scene.random(actors)
    };
    for app in &scene.apps {
        let random = random();
        scope.spawn(move || {
            let mut author = Author::new(scene, app, random);
            scene.pace(author::EVERY, || author.act());
        });
    }
    for _ in 0..device::AT_ONCE {
        let random = random();
        scope.spawn(move || {
            let mut devices = Devices::new(scene, random);
            scene.pace(device::EVERY, || devices.act());
        });
    }
    let (mut reports, mut looks, mut round) = (random(), random(), 0);
    scope.spawn(move || scene.pace(reporter::EVERY, || reporter::burst(scene, &mut reports)));
    scope.spawn(move || scene.pace(keeper::LOOKS_EVERY, || keeper::look(scene, &mut looks)));
    scope.spawn(move || {
        scene.pace(keeper::CHANGES_EVERY, || {
            round += 1;
            keeper::change_catalog(scene, round);
        });
    });
    scope.spawn(move || scene.pace(keeper::MAINTAINS_EVERY, || keeper::maintain(scene)));
}
