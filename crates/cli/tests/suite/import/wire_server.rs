//! A server whose answers a test determines.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request.
#[derive(Debug, Clone)]
pub(super) struct WireRequest {
    /// Without the query.
    pub(super) path: String,
    pub(super) query: BTreeMap<String, String>,
    /// Names in lower case.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: String,
}

impl WireRequest {
    pub(super) fn range(&self) -> Option<&str> {
        self.headers.get("range").map(String::as_str)
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub(super) enum WireAnswer {
    /// Status, headers as sent, and body.
    Whole(u16, String, Vec<u8>),
    /// JSON with status 200.
    Json(String),
    /// A redirect.
    To(String),
    /// The headers of a body of this length, and nothing else.
    Announced(u64),
    /// The headers of such a body, with an entity tag, and its first bytes.
    Cut(u64, &'static [u8]),
    /// An endless body of spaces.
    Endless,
    /// A body of this many zeros. The last one is sent when the other side of the channel is
    /// dropped.
    Held(usize, Arc<Mutex<std::sync::mpsc::Receiver<()>>>),
}

pub(super) type WireHandler = Box<dyn Fn(&WireRequest) -> WireAnswer + Send + Sync>;

struct Shared {
    answer: Mutex<Arc<WireHandler>>,
    asked: Mutex<Vec<WireRequest>>,
}

/// The server. It runs until the process ends.
pub(super) struct WireServer {
    url: String,
    shared: Arc<Shared>,
}

impl WireServer {
    pub(super) fn start(answer: WireHandler) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared { answer: Mutex::new(Arc::new(answer)), asked: Mutex::default() });
        let of_thread = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&of_thread);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { url, shared }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn answer(&self, answer: WireHandler) {
        *self.shared.answer.lock().unwrap() = Arc::new(answer);
    }

    /// All requests so far.
    pub(super) fn requests(&self) -> Vec<WireRequest> {
        self.shared.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) {
    let Some(asked) = read(&stream) else { return };
    shared.asked.lock().unwrap().push(asked.clone());
    let answer = Arc::clone(&shared.answer.lock().unwrap());
    // A client that has disconnected does not need the answer.
    let _ = send(&mut stream, answer(&asked));
}

fn read(stream: &TcpStream) -> Option<WireRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let target = line.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let url = url::Url::parse("http://old").unwrap().join(&target).unwrap();
    let query = url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    Some(WireRequest { path: url.path().to_owned(), query, headers, body: String::from_utf8(body).unwrap() })
}

fn send(stream: &mut TcpStream, said: WireAnswer) -> std::io::Result<()> {
    let (status, headers, body) = match said {
        WireAnswer::Whole(status, headers, body) => (status, headers, body),
        WireAnswer::Json(json) => (200, "Content-Type: application/json\r\n".to_owned(), json.into_bytes()),
        WireAnswer::To(url) => (302, format!("Location: {url}\r\n"), Vec::new()),
        WireAnswer::Announced(length) => {
            return write!(
                stream,
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
            );
        }
        WireAnswer::Cut(length, first) => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"1\"\r\nContent-Length: {length}\r\n\r\n"
            )?;
            return stream.write_all(first);
        }
        WireAnswer::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
            let spaces = vec![b' '; 1 << 16];
            loop {
                stream.write_all(&spaces)?;
            }
        }
        WireAnswer::Held(length, until) => {
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n")?;
            let zeros = vec![0; 1 << 20];
            let mut left = length - 1;
            while left > 0 {
                let count = left.min(zeros.len());
                stream.write_all(&zeros[..count])?;
                left -= count;
            }
            // The test releases the last byte by dropping its side.
            let _ = until.lock().unwrap().recv();
            return stream.write_all(&[0]);
        }
    };
    write!(
        stream,
        "HTTP/1.1 {status} x\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    )?;
    stream.write_all(&body)
}
