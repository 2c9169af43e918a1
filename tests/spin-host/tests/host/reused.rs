//! Tests of a component of WASI 0.3, whose instances answer many requests.

use std::time::{Duration, Instant};

use crate::common::get;
use crate::world::{PATIENCE, World};
use spin_host::Limits;
use spindrift_manifest::Values;

async fn world(limits: Limits) -> World {
    World::on(tempfile::tempdir().unwrap(), Values::new(), limits).await
}

/// Asks until a new instance answers.
fn wait_for_a_new_instance(world: &World) {
    let begun = Instant::now();
    while world.get("/reused/count").text != "1" {
        assert!(begun.elapsed() < PATIENCE, "the old instance still answers");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_answers_one_request_after_the_other() {
    let world = World::new().await;

    let counts: Vec<_> = (0..5).map(|_| world.get("/reused/count").text).collect();

    assert_eq!(counts, ["1", "2", "3", "4", "5"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_learns_how_it_was_reached() {
    let world = World::new().await;

    let answer = world.get("/reused/x/headers");

    let url = world.host.url();
    for expected in [
        &format!("{url}\n"),
        &format!("spin-full-url: {url}/reused/x/headers\n"),
        "spin-path-info: /x/headers\n",
        "spin-component-route: /reused\n",
        "spin-client-addr: 127.0.0.1:",
    ] {
        assert!(answer.text.contains(expected), "{expected} in {}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_answers_several_requests_at_the_same_time() {
    let world = world(Limits { component_turns: 1, ..Limits::default() }).await;

    let counts: Vec<u32> = std::thread::scope(|scope| {
        let slow: Vec<_> = (0..8).map(|_| scope.spawn(|| world.get("/reused/slow?1000").text)).collect();
        slow.into_iter().map(|answer| answer.join().unwrap().parse().unwrap()).collect()
    });

    assert!(counts.iter().any(|count| *count > 1), "{counts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_clients_get_their_answers() {
    let world = world(Limits { component_turns: 2, instance_requests: 3, ..Limits::default() }).await;
    let url = format!("{}/reused/increment?n", world.host.url());

    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| (0..20).for_each(|_| assert_eq!(get(&url).status, 200)));
        }
    });

    assert_eq!(world.get("/increment?n").text, "321");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_ends_after_so_many_requests() {
    let world = world(Limits { instance_requests: 2, ..Limits::default() }).await;

    let counts: Vec<_> = (0..4).map(|_| world.get("/reused/count").text).collect();

    assert_eq!(counts, ["1", "2", "1", "2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_without_requests_ends() {
    let world = world(Limits { instance_idle: Duration::ZERO, ..Limits::default() }).await;

    assert_eq!(world.get("/reused/count").text, "1");

    wait_for_a_new_instance(&world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_ends_the_instance_and_not_the_component() {
    let world = World::new().await;

    for target in ["/reused/trap", "/reused/grow?200"] {
        assert_eq!(world.get("/reused/count").text, "1", "before {target}");
        let answer = world.get(target);
        assert_eq!((answer.status, answer.text.as_str()), (500, "{\"error\":\"internal error\"}"));
        assert_eq!(answer.header("content-type"), "application/json");
    }
    assert_eq!(world.get("/reused/count").text, "1");
    assert_eq!(world.get("/reused/error").status, 500);
    assert_eq!(world.get("/reused/count").text, "3", "an error as answer is not a crash");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop_is_ended_and_disturbs_nobody() {
    let limits = Limits { request_timeout: Duration::from_millis(500), ..Limits::default() };
    let world = world(Limits { component_turns: 1, ..limits }).await;

    std::thread::scope(|scope| {
        let loops: Vec<_> = (0..3).map(|_| scope.spawn(|| world.get("/reused/spin"))).collect();
        for answer in loops {
            let answer = answer.join().unwrap();
            assert_eq!(answer.status, 504);
            assert_eq!(answer.header("content-type"), "application/json");
        }
    });
    assert_eq!(world.get("/reused/").text, "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_was_too_slow_takes_no_more_requests() {
    let limits = Limits { request_timeout: Duration::from_millis(200), ..Limits::default() };
    let world = world(limits).await;

    assert_eq!(world.get("/reused/slow?60000").status, 504);

    wait_for_a_new_instance(&world);
}

#[tokio::test(flavor = "multi_thread")]
async fn work_after_the_answer_is_done_before_the_host_stops() {
    let world = world(Limits { instance_idle: PATIENCE * 2, ..Limits::default() }).await;
    for _ in 0..10 {
        assert_eq!(world.get("/reused/later?n").text, "soon");
    }

    tokio::time::timeout(PATIENCE, world.host.stop()).await.expect("idle instances end at once");

    let world = World::on(world.state, Values::new(), Limits::default()).await;
    assert_eq!(world.get("/increment?n").text, "11");
}

#[tokio::test(flavor = "multi_thread")]
async fn components_of_both_kinds_ask_each_other() {
    let world = World::new().await;

    assert_eq!(world.get("/fetch?http://reused.spin.internal/count").text, "200 1");
    assert_eq!(world.get("/fetch?http://reused.spin.internal/count").text, "200 2");
    let greeting = world.get("/reused/fetch?http://probe.spin.internal/variable?greeting");
    assert_eq!(greeting.text, "200 <default>");
    let itself = world.get("/reused/fetch?http://reused.spin.internal/x");
    assert_eq!(itself.text, "200 ok");
    let other = world.get("/reused/fetch?http://bare.spin.internal/");
    assert!(other.text.contains("HttpRequestDenied"), "{}", other.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_stores_do_not_count() {
    let world = world(Limits { open_handles: 10, ..Limits::default() }).await;

    for _ in 0..3 {
        assert_eq!(world.get("/reused/stores?10").text, "10");
    }
    assert_eq!(world.get("/reused/stores?11").status, 500);
}
