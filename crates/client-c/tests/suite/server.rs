//! A service on a local port, which answers from a list. Every connection serves one request.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Status, further headers, body.
pub(crate) type Answer = (u16, &'static str, Vec<u8>);

/// The bytes of the release's file.
pub(crate) const FILE: &[u8] = b"hello";
/// A file of which only the first bytes arrive, until the client goes away.
const ENDLESS: &str = "/endless.deb";

/// A server that runs until the test process ends.
pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// A service with one release, whose file it has itself. `more`: further answers by path.
    pub(crate) fn start(more: impl IntoIterator<Item = (String, Answer)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let offer = format!(
            r#"{{"update_available": true, "critical": true, "version": "1.3.0", "changelog": "Faster – much",
                "update_url_deb": "{url}/notes.deb", "update_url_msi": "{url}{ENDLESS}"}}"#
        );
        let mut answers: BTreeMap<String, Answer> = more.into_iter().collect();
        answers.insert("/checkVersion".into(), (200, "", offer.into_bytes()));
        answers.insert("/notes.deb".into(), (200, "", FILE.into()));
        let answers = Arc::new(answers);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, answers, record) = (stream.unwrap(), Arc::clone(&answers), Arc::clone(&all));
                // A client that has gone away is not an error.
                std::thread::spawn(move || drop(serve(&stream, &answers, &record)));
            }
        });
        Self { url, seen }
    }

    /// The requests so far: method, target and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: &TcpStream,
    answers: &BTreeMap<String, Answer>,
    record: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let request = first.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    record.lock().unwrap().push(format!("{request} {}", String::from_utf8_lossy(&body)));

    let target = request.split(' ').nth(1).unwrap_or_default();
    if target == ENDLESS {
        stream.write_all(b"HTTP/1.1 200 x\r\nContent-Length: 100\r\n\r\nhello")?;
        return stream.read_exact(&mut [0]);
    }
    let nothing = (404, "", Vec::new());
    let (status, headers, body) =
        answers.get(target.split('?').next().unwrap_or_default()).unwrap_or(&nothing);
    write!(
        stream,
        "HTTP/1.1 {status} x\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)
}
