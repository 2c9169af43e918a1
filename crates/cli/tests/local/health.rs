//! `health`, against services with all kinds of answers.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::thread;

/// A server that reads one request and sends `answer`. Returns the request.
fn serve_answer(answer: &'static str) -> (SocketAddr, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut request = [0; 1024];
        let length = client.read(&mut request).unwrap();
        client.write_all(answer.as_bytes()).unwrap();
        // A service that sends nothing keeps the connection open until the client closes it.
        let _ = client.read(&mut [0]);
        String::from_utf8_lossy(&request[..length]).into_owned()
    });
    (address, asked)
}

/// The exit code, and the output: the answer or the error.
fn health(address: SocketAddr) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_spindrift"));
    // A proxy in the environment must not be used for this machine.
    program.env("http_proxy", "http://192.0.2.1:1").env("HTTP_PROXY", "http://192.0.2.1:1");
    let done = program.args(["health", "--wait-seconds", "1", "--listen", &address.to_string()]).output();
    let done = done.unwrap();
    let said = [done.stdout, done.stderr].concat();
    (done.status.code(), String::from_utf8(said).unwrap())
}

#[test]
fn only_a_healthy_service_gives_exit_code_0() {
    for (answer, code, said) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{\"status\":\"healthy\"}", 0, "healthy"),
        ("HTTP/1.1 503 Unavailable\r\ncontent-length: 22\r\n\r\n{\"details\":\"database\"}", 1, "database"),
        ("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", 1, "404"),
        ("", 1, "no answer within 1 s"),
    ] {
        let (address, asked) = serve_answer(answer);
        let (found, text) = health(address);
        assert_eq!(found, Some(code), "{answer}: {text}");
        assert!(text.contains(said), "{text}");
        assert!(asked.join().unwrap().starts_with("GET /health HTTP/1.1\r\n"));
    }
}

#[test]
fn nobody_is_not_healthy() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, said) = health(address);
    assert_eq!(code, Some(1));
    assert!(said.contains(&format!("http://{address}/health")), "{said}");
}
