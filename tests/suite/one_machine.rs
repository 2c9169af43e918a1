//! The program of one machine under clients that want all of it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use spindrift_tests::{Account, Client, HostProcess, Release, StreamingProxy};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host-under-test");
/// Connections that send a byte now and then: more than there are places for any kind of caller.
const SLOW: usize = 300;
/// Strangers that try passwords at the same time.
const GUESSERS: usize = 40;
/// Time limit for an answer to everybody else. If they had to wait for slow clients, it would be ten seconds.
const PROMPT: Duration = Duration::from_secs(8);

/// Ends the flood, also if the test fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

struct Scene {
    host: HostProcess,
    acme: Account,
    _state: tempfile::TempDir,
}

fn scene() -> Scene {
    let state = tempfile::tempdir().unwrap();
    let host = HostProcess::start(PROGRAM, state.path());
    let acme = host.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    Scene { host, acme, _state: state }
}

/// Begins calls whose bodies hardly arrive, of each kind: a report, a login, an order without and with a login.
fn slow_clients(url: &str) -> Vec<TcpStream> {
    let calls = ["/reports", "/login", "/releases/x/rollout", "/telemetry/beacon", "/signup"];
    let begin = |n: usize| {
        let mut stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
        let login = if n.is_multiple_of(2) { "authorization: Bearer guess\r\n" } else { "" };
        let path = calls[n % calls.len()];
        let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\n{login}content-length: 1000\r\n\r\n{{");
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    (0..SLOW).map(begin).collect()
}

fn promptly<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    assert!(begun.elapsed() < PROMPT, "{what} took {:?}", begun.elapsed());
    done
}

/// Gives an order to the rollout of a release.
fn give(acme: &Account, id: &str, order: &str) {
    acme.post_json(&format!("/releases/{id}/rollout"), json!({ "action": order })).ok();
}

/// A check, a login and a halt at this address.
fn everybody_is_answered(acme: &Account, client: &Client) {
    promptly("a check", || client.get(&acme.check_path("0.1")).send().expect(200));
    promptly("a wrong password", || {
        let login = json!({ "username": "acme", "password": "guess" });
        assert_eq!(client.post_json("/login", login).send().status, 401);
    });
    let id = acme.release("1.0.0").id.to_string();
    for order in ["halt", "resume"] {
        promptly(order, || give(acme, &id, order));
    }
}

#[test]
fn slow_clients_take_no_places() {
    let Scene { host, acme, _state } = scene();
    let slow = slow_clients(&host.url);
    everybody_is_answered(&acme, &host.client());
    drop(slow);
}

/// Behind a proxy, everybody has the address of the proxy.
#[test]
fn slow_clients_behind_a_proxy_take_no_places() {
    let Scene { host, acme, _state } = scene();
    let Some(proxy) = StreamingProxy::before(&host.url) else { return };
    let slow = slow_clients(proxy.url());
    everybody_is_answered(&acme, &Client::new(proxy.url()));
    drop(slow);
}

#[test]
fn a_body_that_hardly_arrives_is_ended() {
    let Scene { host, .. } = scene();
    let begun = Instant::now();
    let mut stream = slow_clients(&host.url).swap_remove(1);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!((9..60).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

#[test]
fn a_halt_gets_through_a_flood_of_strangers() {
    let Scene { host, acme, _state } = scene();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for n in 0..GUESSERS {
            let (client, is_over) = (host.client(), &is_over);
            scope.spawn(move || {
                let login = json!({ "username": format!("user{n}"), "password": "guess" });
                while !is_over.load(Ordering::SeqCst) {
                    let status = client.post_json("/login", login.clone()).send().status;
                    assert!([401, 429].contains(&status), "{status}");
                }
            });
        }
        let _over = Over(&is_over);
        let id = acme.release("1.0.0").id.to_string();
        for order in ["halt", "resume", "halt"] {
            promptly(order, || give(&acme, &id, order));
            promptly("a check", || host.client().get(&acme.check_path("0.1")).send().expect(200));
        }
    });
}
