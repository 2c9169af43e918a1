//! A real component on a real host, seen from outside.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::common::{Answer, get, get_with};
use spindrift_host::{Host, HostOptions, Limits, Manifest, Program, build};
use tempfile::TempDir;

/// The manifest of the probe component, which is built once for all tests.
fn manifest() -> &'static Path {
    static MANIFEST: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = MANIFEST.get_or_init(|| {
        let root = root();
        let target = target();
        let text = std::fs::read_to_string(root.join("tests/probe/spin.toml")).unwrap();
        let text = text.replace("../../target", target.to_str().unwrap());
        let text = text.replace("workdir = \"../..\"", &format!("workdir = {:?}", root.to_str().unwrap()));
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("spin.toml");
        std::fs::write(&manifest, text).unwrap();
        build(&Manifest::read(&manifest).unwrap()).unwrap();
        (folder, manifest)
    });
    path
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The probe component, compiled once for all tests.
fn program() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::load(manifest(), &target().join("spindrift-host-cache")).unwrap())
}

struct World {
    host: Host,
    state: TempDir,
}

impl World {
    async fn new() -> Self {
        Self::with(HostOptions::default(), tempfile::tempdir().unwrap()).await
    }

    async fn with(options: HostOptions, state: TempDir) -> Self {
        let options = HostOptions { state_dir: state.path().to_owned(), ..options };
        Self { host: Host::start(program(), options).await.unwrap(), state }
    }

    fn get(&self, target: &str) -> Answer {
        get(&format!("{}{target}", self.host.url()))
    }
}

fn given(variables: &[(&str, &str)]) -> HostOptions {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    HostOptions { variables, ..HostOptions::default() }
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
async fn variables_come_from_the_strongest_source() {
    let world = World::with(given(&[("greeting", "given")]), tempfile::tempdir().unwrap()).await;

    assert_eq!(world.get("/variable?greeting").text, "<given>");
    assert!(world.get("/variable?other").text.contains("Undefined"));
    assert_eq!(world.host.variable("api_url"), Some(world.host.url()));
    assert_eq!(world.host.variable("s3_api_endpoint"), world.host.storage_url());
    assert_eq!(world.host.variable("token").unwrap().len(), 64);
    assert_eq!(World::new().await.get("/variable?greeting").text, "<default>");
}

#[tokio::test(flavor = "multi_thread")]
async fn generated_secrets_survive_a_restart_and_given_ones_win() {
    let world = World::new().await;
    let token = world.host.variable("token").unwrap().to_owned();
    world.host.stop().await;

    let world = World::with(HostOptions::default(), world.state).await;
    assert_eq!(world.host.variable("token"), Some(token.as_str()));
    world.host.stop().await;

    let world = World::with(given(&[("token", "")]), world.state).await;
    assert_eq!(world.host.variable("token"), Some(""));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undeclared_variable_is_refused() {
    let state = tempfile::tempdir().unwrap();
    let options = HostOptions { state_dir: state.path().to_owned(), ..given(&[("typo", "x")]) };

    let error = Host::start(program(), options).await.unwrap_err();

    assert!(error.to_string().contains("typo"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_outbound_host_keeps_the_application_from_loading() {
    let state = tempfile::tempdir().unwrap();
    let options = HostOptions { state_dir: state.path().to_owned(), ..given(&[("s3_api_endpoint", "")]) };

    let error = Host::start(program(), options).await.unwrap_err();

    assert!(error.to_string().contains("allowed outbound host"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_go_out_to_allowed_hosts_only() {
    let world = World::new().await;

    let denied = world.get("/fetch?http://127.0.0.1:1/");
    assert_eq!((denied.status, denied.text.as_str()), (500, "ErrorCode::HttpRequestDenied"));

    // Several in a row use the same connection again.
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
    let world =
        World::with(HostOptions { limits, ..HostOptions::default() }, tempfile::tempdir().unwrap()).await;

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

    let world = World::with(HostOptions::default(), world.state).await;
    assert_eq!(world.get("/increment?n").text, "11");
}

#[tokio::test(flavor = "multi_thread")]
async fn large_bodies_stream_through() {
    const SIZE: usize = 20 << 20;
    let world = World::new().await;
    let authority = world.host.url().strip_prefix("http://").unwrap();
    let mut sending = std::net::TcpStream::connect(authority).unwrap();
    let mut receiving = sending.try_clone().unwrap();

    // The answer begins before the request has ended, so both must go on at the same time.
    let received = std::thread::scope(|scope| {
        scope.spawn(move || {
            let head = format!(
                "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {SIZE}\r\n\r\n"
            );
            sending.write_all(head.as_bytes()).unwrap();
            sending.write_all(&vec![b'x'; SIZE]).unwrap();
        });
        let mut answer = Vec::new();
        receiving.read_to_end(&mut answer).unwrap();
        answer
    });

    let marks: usize = received.iter().map(|byte| usize::from(*byte == b'x')).sum();
    assert_eq!(marks, SIZE);
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

/// What the program says on standard error until it serves, with its compiled code in `cache`.
fn said_at_start(cache: &Path) -> String {
    let state = tempfile::tempdir().unwrap();
    let mut host = Command::new(env!("CARGO_BIN_EXE_spindrift-host"))
        .args(["up", "--no-build", "--listen", "127.0.0.1:0", "--storage-listen", "127.0.0.1:0", "--from"])
        .arg(manifest())
        .args([Path::new("--cache-dir"), cache, Path::new("--state-dir"), state.path()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let serving = BufReader::new(host.stdout.take().unwrap()).lines().map_while(Result::ok).next();
    host.kill().unwrap();
    let said = host.wait_with_output().unwrap().stderr;
    assert!(serving.is_some_and(|line| line.starts_with("Serving ")));
    String::from_utf8(said).unwrap()
}

#[test]
fn a_first_start_says_that_it_compiles() {
    let cache = tempfile::tempdir().unwrap();
    let first = said_at_start(cache.path());
    assert!(first.contains("Compiling bare for this machine"), "{first}");
    let second = said_at_start(cache.path());
    assert!(!second.contains("Compiling"), "{second}");
}
