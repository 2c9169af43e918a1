//! A service that lies: it passes requests on to the real service, except for those that a test
//! changes.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// How to handle a request.
pub(super) enum Answer {
    /// Pass the request on, and return the answer.
    Real,
    /// Do not pass the request on. Return this JSON with status 200.
    Json(String),
    /// Pass the request on, and lose the answer.
    Lost,
}

/// Starts a liar in front of `upstream` that runs until the process ends. `decide` gets the request
/// line and the body. Returns the liar's URL.
pub(super) fn before(
    upstream: &str,
    decide: impl Fn(&str, &[u8]) -> Answer + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let upstream = upstream.strip_prefix("http://").unwrap().to_owned();
    let decide = Arc::new(decide);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (upstream, decide) = (upstream.clone(), Arc::clone(&decide));
            // A client that has disconnected does not need the answer.
            std::thread::spawn(move || answer(stream, &upstream, &*decide));
        }
    });
    url
}

fn answer(
    mut stream: TcpStream,
    upstream: &str,
    decide: &(impl Fn(&str, &[u8]) -> Answer + ?Sized),
) -> Option<()> {
    let (head, body) = read_request(&mut stream)?;
    let line = head.lines().next()?.to_owned();
    let answer = match decide(&line, &body) {
        Answer::Json(json) => {
            let length = json.len();
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \
                     {length}\r\nConnection: close\r\n\r\n{json}"
            )
            .into_bytes()
        }
        Answer::Real => pass_on(upstream, &head, &body)?,
        Answer::Lost => {
            pass_on(upstream, &head, &body)?;
            Vec::new()
        }
    };
    stream.write_all(&answer).ok()
}

fn read_request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    let end = loop {
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let mut body = bytes.split_off(end);
    let head = String::from_utf8(bytes).ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    while body.len() < length.unwrap_or(0) {
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        body.extend_from_slice(&buffer[..count]);
    }
    Some((head, body))
}

fn pass_on(upstream: &str, head: &str, body: &[u8]) -> Option<Vec<u8>> {
    let mut real = TcpStream::connect(upstream).ok()?;
    let is_other = |line: &&str| !line.to_ascii_lowercase().starts_with("connection:");
    let mut lines: Vec<&str> = head.trim_end().lines().filter(is_other).collect();
    lines.push("Connection: close");
    real.write_all(format!("{}\r\n\r\n", lines.join("\r\n")).as_bytes()).ok()?;
    real.write_all(body).ok()?;
    let mut answer = Vec::new();
    real.read_to_end(&mut answer).ok()?;
    Some(answer)
}
