//! An HTTP/1.1 server on a local port. Every connection serves one request.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    pub(crate) target: String,
    headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl ReceivedRequest {
    /// A header, by lower-case name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// The answer on a connection.
pub(crate) enum Reply {
    /// These bytes, then the connection ends.
    Bytes(Vec<u8>),
    /// The first bytes, a pause until the channel is used or closed, then the other bytes.
    Gated(Vec<u8>, Receiver<()>, Vec<u8>),
    /// No answer; waits for the client to give up.
    Silence,
}

/// An answer with `Content-Length`.
pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Reply {
    let length = body.as_ref().len().to_string();
    let mut all = vec![("Content-Length", length.as_str())];
    all.extend_from_slice(headers);
    Reply::Bytes(raw(status, &all, body))
}

/// The bytes of an answer with exactly these headers.
pub(crate) fn raw(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status} x\r\nConnection: close\r\n").into_bytes();
    for (name, value) in headers {
        bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body.as_ref());
    bytes
}

/// A server that runs until the test process ends.
pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Server {
    /// Answers each request with the result of `reply` for it and its number, counted from 0.
    pub(crate) fn start(reply: impl Fn(usize, &ReceivedRequest) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (reply, record) = (Arc::new(reply), Arc::clone(&seen));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (reply, record) = (Arc::clone(&reply), Arc::clone(&record));
                std::thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    let Some(request) = read(&stream) else { return };
                    let number = {
                        let mut record = record.lock().unwrap();
                        record.push(request.clone());
                        record.len() - 1
                    };
                    serve(&mut stream, reply(number, &request));
                });
            }
        });
        Self { url, seen }
    }

    /// The URL of a server that refuses connections. No test gets this port, which only root may use.
    pub(crate) fn nowhere() -> String {
        "http://127.0.0.1:1".to_owned()
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<ReceivedRequest> {
        self.seen.lock().unwrap().clone()
    }
}

/// A client that has disconnected is not an error.
fn serve(stream: &mut TcpStream, reply: Reply) {
    match reply {
        Reply::Bytes(bytes) => drop(stream.write_all(&bytes)),
        Reply::Gated(first, gate, second) => {
            drop(stream.write_all(&first));
            let _ = gate.recv();
            drop(stream.write_all(&second));
        }
        Reply::Silence => drop(stream.read(&mut [0])),
    }
}

fn read(stream: &TcpStream) -> Option<ReceivedRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(ReceivedRequest { method, target, headers, body })
}
