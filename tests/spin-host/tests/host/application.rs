//! Tests of a real component on a real host, from outside.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use crate::common::{get, get_with};
use crate::world::{PATIENCE, World, listener, program, values};
use spin_host::{Host, HostError, HostOptions, Limits};
use spindrift_manifest::Values;

/// Starts an application with these variables.
async fn started(variables: &[(&str, &str)]) -> Result<Host, HostError> {
    let state = tempfile::tempdir().unwrap();
    let options = HostOptions { variables: values(variables), ..HostOptions::new(state.path()) };
    Host::start(program(), listener().await, &options)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_learns_how_it_was_reached() {
    let world = World::new().await;

    let answer = world.get("/users/joe/x/headers");

    let url = world.host.url();
    for expected in [
        &format!("spin-full-url: {url}/users/joe/x/headers\n"),
        "spin-path-info: /x/headers\n",
        "spin-matched-route: /users/:name/...\n",
        "spin-raw-component-route: /users/:name/...\n",
        "spin-component-route: /users/:name\n",
        "spin-base-path: /\n",
        "spin-path-match-name: joe\n",
        "spin-client-addr: 127.0.0.1:",
    ] {
        assert!(answer.text.contains(expected), "{expected} in {}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_cannot_say_where_it_comes_from() {
    let world = World::new().await;
    let forged = [("spin-client-addr", "203.0.113.7:80"), ("Spin-Client-Addr", "203.0.113.8:80")];

    let answer = get_with(&format!("{}/users/joe/x/headers", world.host.url()), &forged);

    assert_eq!(answer.text.matches("spin-client-addr: 127.0.0.1:").count(), 1, "{}", answer.text);
    assert_eq!(answer.text.matches("spin-client-addr").count(), 1, "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_given_variable_is_stronger_than_the_default() {
    let world = World::with(&[("greeting", "given")]).await;

    assert_eq!(world.get("/variable?greeting").text, "<given>");
    assert!(world.get("/variable?other").text.contains("Undefined"));
    assert_eq!(World::new().await.get("/variable?greeting").text, "<default>");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_variable_has_a_meaning_of_its_own() {
    let host = started(&[]).await.unwrap();

    assert_eq!(host.variable("token"), Some(""));
    assert_eq!(host.variable("api_url"), Some("http://unset.invalid"));
    assert_eq!(host.variable("missing"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undeclared_variable_is_refused() {
    let error = started(&[("typo", "x")]).await.unwrap_err();

    assert!(error.to_string().contains("typo"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_outbound_host_keeps_the_application_from_loading() {
    let error = started(&[("s3_api_endpoint", "")]).await.unwrap_err();

    assert!(error.to_string().contains("allowed outbound host"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_go_out_to_allowed_hosts_only() {
    let world = World::new().await;

    let denied = world.get("/fetch?http://127.0.0.1:1/");
    assert_eq!((denied.status, denied.text.as_str()), (500, "ErrorCode::HttpRequestDenied"));

    // Several requests in a row reuse one connection.
    for _ in 0..5 {
        let allowed = world.get(&format!("/fetch?{}/variable?greeting", world.host.url()));
        assert_eq!(allowed.text, "200 <default>");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_lose_nothing_under_concurrency() {
    let world = World::new().await;
    let url = format!("{}/increment?n", world.host.url());

    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..10).for_each(|_| assert_eq!(get(&url).status, 200)));
        }
    });

    assert_eq!(world.get("/increment?n").text, "81");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_swap_fails_and_hands_out_the_present_value() {
    let world = World::new().await;

    assert_eq!(world.get("/race?key").text, "saw other, now mine");
    assert_eq!(world.get("/get?key").text, "mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn counting_on_a_text_is_an_error_and_not_a_crash() {
    let world = World::new().await;
    world.get("/set?key=text");

    let answer = world.get("/increment?key");

    assert_eq!(answer.status, 500);
    assert!(answer.text.contains("not a counter"), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_answers_values_and_its_own_error_messages() {
    let world = World::new().await;

    assert_eq!(world.get("/sql?select+1,2.5,'x',null,x'01'").text, "1,2.5,x,null,[1]");
    assert!(world.get("/sql?select+*+from+missing").text.contains("no such table: missing"));
    world.get("/sql?create+table+t(id+integer+primary+key)");
    world.get("/sql?insert+into+t+values(7)");
    assert!(world.get("/sql?insert+into+t+values(7)").text.contains("UNIQUE constraint failed"));
    assert_eq!(world.get("/sql?select+id+from+t;drop+table+t").text, "7");
    assert_eq!(world.get("/sql?select+id+from+t").text, "7");
    assert_eq!(world.get("/sql?attach+'/tmp/other.db'+as+o").status, 500);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_granted_is_denied() {
    let world = World::new().await;

    assert_eq!(world.get("/bare/get?k").text, "Error::AccessDenied");
    assert_eq!(world.get("/bare/sql?select+1").text, "Error::AccessDenied");
    assert_eq!(world.get("/bare/fetch?http://127.0.0.1:1/").text, "ErrorCode::HttpRequestDenied");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_is_one_requests_problem() {
    let world = World::new().await;

    for target in ["/trap", "/grow?200"] {
        let answer = world.get(target);
        assert_eq!((answer.status, answer.text.as_str()), (500, "{\"error\":\"internal error\"}"));
        assert_eq!(answer.header("content-type"), "application/json");
    }
    assert_eq!(world.get("/").text, "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop_is_ended_and_disturbs_nobody() {
    let limits = Limits { request_timeout: Duration::from_millis(300), ..Limits::default() };
    let world = World::on(tempfile::tempdir().unwrap(), Values::new(), limits).await;

    std::thread::scope(|scope| {
        let loops: Vec<_> = (0..4).map(|_| scope.spawn(|| world.get("/spin"))).collect();
        assert_eq!(world.get("/").text, "ok");
        for answer in loops {
            let answer = answer.join().unwrap();
            assert_eq!(answer.status, 504);
            assert_eq!(answer.header("content-type"), "application/json");
        }
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn work_after_the_answer_is_done_before_the_host_stops() {
    let world = World::new().await;
    for _ in 0..10 {
        assert_eq!(world.get("/later?n").text, "soon");
    }
    world.host.stop().await;

    let world = World::on(world.state, Values::new(), Limits::default()).await;
    assert_eq!(world.get("/increment?n").text, "11");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_has_just_connected_is_answered_while_the_host_stops() {
    let limits =
        connections(spindrift_http::ConnectionLimits { stop_first_request: PATIENCE, ..Default::default() });
    let world = World::on(tempfile::tempdir().unwrap(), Values::new(), limits).await;
    let authority = world.host.url().strip_prefix("http://").unwrap().to_owned();
    let connect = || std::net::TcpStream::connect(&authority);
    let mut early = connect().unwrap();
    // Connections are taken in turn, so the host has the early one.
    assert_eq!(world.get("/").text, "ok");
    let stopping = tokio::spawn(world.host.stop());
    while connect().is_ok() {}

    write!(early, "GET / HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();

    let mut answer = String::new();
    early.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("connection: close"), "{answer}");
    stopping.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn large_bodies_stream_through() {
    let world = World::new().await;
    for path in ["/echo", "/reused/echo"] {
        echo_a_large_body(&world, path);
    }
}

fn echo_a_large_body(world: &World, path: &str) {
    const SIZE: usize = 20 << 20;
    let authority = world.host.url().strip_prefix("http://").unwrap();
    let mut sending = std::net::TcpStream::connect(authority).unwrap();
    let mut receiving = sending.try_clone().unwrap();

    // The answer begins before the request has ended, so sending and receiving must run at the same time.
    let received = std::thread::scope(|scope| {
        scope.spawn(move || {
            let head = format!(
                "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {SIZE}\r\n\r\n"
            );
            sending.write_all(head.as_bytes()).unwrap();
            sending.write_all(&vec![b'x'; SIZE]).unwrap();
        });
        let mut answer = Vec::new();
        receiving.read_to_end(&mut answer).unwrap();
        answer
    });

    let marks: usize = received.iter().map(|byte| usize::from(*byte == b'x')).sum();
    assert_eq!(marks, SIZE, "{path}");
}

fn connections(connections: spindrift_http::ConnectionLimits) -> Limits {
    Limits { connections, ..Limits::default() }
}

/// Begins a request whose body stays incomplete. The component answers as soon as it has the head.
fn unfinished(mut stream: std::net::TcpStream, path: &str) -> std::net::TcpStream {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nxxx").unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_stops_arriving_ends() {
    let body_grace = Duration::from_millis(100);
    let limits = connections(spindrift_http::ConnectionLimits { body_grace, ..Default::default() });
    let world = World::on(tempfile::tempdir().unwrap(), Values::new(), limits).await;
    let authority = world.host.url().strip_prefix("http://").unwrap();
    for path in ["/echo", "/reused/echo"] {
        let mut stream = unfinished(std::net::TcpStream::connect(authority).unwrap(), path);

        let mut answer = Vec::new();
        let ended = stream.read_to_end(&mut answer);

        assert!(ended.is_ok(), "{path} is closed: {ended:?} after {}", String::from_utf8_lossy(&answer));
        assert_eq!(world.get("/").text, "ok");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_load_takes_the_kept_code() {
    let world = World::new().await;
    drop(world);
    let begun = std::time::Instant::now();
    let world = World::new().await;
    assert!(begun.elapsed() < Duration::from_secs(2), "starting a host took {:?}", begun.elapsed());
    assert_eq!(world.get("/").text, "ok");
}
