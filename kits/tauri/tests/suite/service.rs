//! A service that answers on this machine, and notes the requests.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde_json::Value;

/// A request that takes longer is missing.
const LIMIT: Duration = Duration::from_mins(1);
const ACCEPTED: &str = r#"{"status": "accepted", "group_hash": "00", "stored_details": false}"#;

pub(crate) struct Service {
    pub(crate) url: String,
    requests: Receiver<Request>,
}

pub(crate) struct Request {
    /// Method and target.
    pub(crate) line: String,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl Service {
    /// Accepts reports, and answers everything else with the function: status and body for a path.
    pub(crate) fn new<B: Into<Vec<u8>>>(answer: impl Fn(&str, &str) -> (u16, B) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (noted, requests) = channel();
        let own_url = url.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(&stream.unwrap(), &noted, |path| {
                    let (status, body) = answer(&own_url, path);
                    (status, body.into())
                });
            }
        });
        Self { url, requests }
    }

    /// A service without updates.
    pub(crate) fn without_updates() -> Self {
        Self::new(|_, _| (204, String::new()))
    }

    /// The next request.
    pub(crate) fn next(&self) -> Request {
        self.requests.recv_timeout(LIMIT).unwrap()
    }

    /// All requests that are answered, and were not asked for yet.
    pub(crate) fn all(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }

    /// Type and reason of the next request, which is a report.
    pub(crate) fn next_report(&self) -> String {
        let request = self.next();
        assert_eq!(request.line, "POST /reports/ingest");
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(body["application"]["version"], "0.1.0");
        assert_eq!(request.header("authorization"), Some(format!("Bearer {}", crate::REPORT_KEY).as_str()));
        format!("{} {}", body["event"]["type"].as_str().unwrap(), body["event"]["reason"].as_str().unwrap())
    }
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

fn serve(stream: &TcpStream, noted: &Sender<Request>, answer: impl Fn(&str) -> (u16, Vec<u8>)) {
    let Some(request) = read(stream) else { return };
    let path = request.line.split_once(' ').unwrap().1.to_owned();
    let (status, body) =
        if request.line.starts_with("POST ") { (202, ACCEPTED.into()) } else { answer(&path) };
    // Before the answer, so that a test that has an answer finds the request.
    let _test_has_ended = noted.send(request);
    let length = body.len();
    let head = format!("HTTP/1.1 {status} -\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    let _client_has_gone = (&mut &*stream).write_all(&[head.into_bytes(), body].concat());
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        Some(line.trim_end().to_owned())
    };
    let first = line()?;
    let mut headers = HashMap::new();
    while let Some((name, value)) = line()?.split_once(": ") {
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { line: first.strip_suffix(" HTTP/1.1")?.to_owned(), headers, body })
}
