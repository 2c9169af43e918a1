use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use http::HeaderValue;
use spindrift_manifest::Manifest;
use spindrift_native::NativePlatform;
use spindrift_web::response;

use super::*;

const MANIFEST: &str = r#"
spin_manifest_version = 2
[application]
name = "one"
[[trigger.http]]
route = "/..."
component = "one"
[component.one]
source = "one.wasm"
"#;

/// Whether `/hold` is being answered.
static HOLDS_A_PERMIT: AtomicBool = AtomicBool::new(false);

/// A component whose behaviour depends on the path.
const ONE: Component = Component {
    id: "one",
    work: Work::Pool,
    answer: |_, mut request| {
        Box::pin(async move {
            // Components do this first.
            request.context().set_id("mine-1".to_owned());
            assert_ne!(request.path(), "/panic", "on purpose");
            HOLDS_A_PERMIT.fetch_or(request.path() == "/hold", Ordering::SeqCst);
            if ["/forever", "/hold"].contains(&request.path()) {
                std::future::pending::<()>().await;
            }
            let body = request.read_body(usize::MAX).await.unwrap_or_default();
            let text = format!("{} bytes", body.len());
            response::respond(StatusCode::OK, HeaderValue::from_static("text/plain"), text).into()
        })
    },
};

async fn server(work: Work, limits: ServerLimits) -> Server {
    let manifest = Manifest::parse(Path::new("spin.toml"), MANIFEST).unwrap();
    let platform = NativePlatform::new("unused");
    let components = [Component { work, ..ONE }];
    let application = Application::with_components(&manifest, platform, &components).unwrap();
    let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
    Server::start(application, listener, limits, None)
}

fn begin(server: &Server, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

fn ask(server: &Server, request: &str) -> String {
    let mut answer = String::new();
    begin(server, request).read_to_string(&mut answer).unwrap();
    answer
}

fn get(server: &Server, path: &str) -> String {
    ask(server, &format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_ends_its_own_request_only() {
    for work in [Work::Here, Work::Pool] {
        let server = server(work, ServerLimits::default()).await;
        let answer = get(&server, "/panic");
        assert!(
            answer.starts_with("HTTP/1.1 500 ") && answer.contains(r#""request_id":"mine-1""#),
            "{answer}"
        );
        assert!(get(&server, "/").ends_with("0 bytes"), "the next one");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_has_a_time_limit() {
    let limits = ServerLimits { request_timeout: Duration::from_millis(50), ..ServerLimits::default() };
    for work in [Work::Here, Work::Pool] {
        let answer = get(&server(work, limits).await, "/forever");
        assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_body_takes_no_permit_and_is_ended() {
    let limits = ServerLimits {
        concurrent_requests: 1,
        small_body_time: Duration::from_millis(300),
        ..ServerLimits::default()
    };
    let server = server(Work::Pool, limits).await;
    let head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nx";
    let mut slow: Vec<TcpStream> = (0..20).map(|_| begin(&server, head)).collect();
    assert!(get(&server, "/").ends_with("0 bytes"), "nobody holds the only permit");
    for stream in &mut slow {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("connection: close"), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_of_all_sizes_arrive_whole() {
    let limits = ServerLimits { small_body_bytes: 10, ..ServerLimits::default() };
    for work in [Work::Here, Work::Pool] {
        let server = server(work, limits).await;
        for size in [0, 1, 10, 11, 100_000] {
            let body = "x".repeat(size);
            let head = "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
            let answer = ask(&server, &format!("{head}content-length: {size}\r\n\r\n{body}"));
            assert!(answer.ends_with(&format!("\r\n\r\n{size} bytes")), "{answer}");
            let chunk = if size > 0 { format!("{size:x}\r\n{body}\r\n") } else { String::new() };
            let answer = ask(&server, &format!("{head}transfer-encoding: chunked\r\n\r\n{chunk}0\r\n\r\n"));
            assert!(answer.ends_with(&format!("\r\n\r\n{size} bytes")), "{answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_client_leaves_permits_to_others_and_a_login_has_its_own() {
    let limits = ServerLimits { concurrent_requests: 2, requests_per_client: 1, ..ServerLimits::default() };
    let server = server(Work::Pool, limits).await;
    let _first = begin(&server, "GET /hold HTTP/1.1\r\nhost: x\r\n\r\n");
    while !HOLDS_A_PERMIT.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    let mut second = begin(&server, "GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    second.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(second.read(&mut [0]).is_err(), "it waits for the share of its address");

    let login = http::HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static("Bearer a"))]);
    server.application().inner().logins.note(bearer_token(&login).unwrap(), Instant::now());
    let answer =
        ask(&server, "GET / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer a\r\nconnection: close\r\n\r\n");
    assert!(answer.ends_with("0 bytes"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_waits_for_what_runs_and_refuses_what_is_new() {
    let server = server(Work::Pool, ServerLimits::default()).await;
    let url = server.url().to_owned();
    // Its body arrives late, so it is running while the server stops.
    let mut late = begin(&server, "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nx");
    assert!(
        get(&server, "/").ends_with("0 bytes"),
        "connections are taken in turn, so the late one is there"
    );
    let stopping = tokio::spawn(server.stop());
    while TcpStream::connect(url.trim_start_matches("http://")).is_ok() {}
    late.write_all(b"x").unwrap();
    let mut answer = String::new();
    late.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("2 bytes"), "{answer}");
    stopping.await.unwrap();
}
