//! A Redis server for one test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::free_address::free_address;
use crate::wait::until;

const PROGRAM: &str = "redis-server";
/// Time limit for the server to answer after its start.
const START_LIMIT: Duration = Duration::from_secs(30);

/// A running server, initially empty. Dropping it stops it.
pub struct Redis {
    child: Child,
    address: String,
}

impl Redis {
    /// Starts a server on a free port. `None`: Redis is not installed, and a message reports that.
    pub fn start() -> Option<Self> {
        let address = free_address();
        let port = address.rsplit(':').next().unwrap_or_default();
        let mut command = Command::new(PROGRAM);
        command.args(["--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no"]);
        let Ok(child) = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
        else {
            println!("skipped: there is no `{PROGRAM}`");
            return None;
        };
        let redis = Self { child, address };
        until("Redis answers", START_LIMIT, || TcpStream::connect(&redis.address).ok());
        Some(redis)
    }

    /// The URL in the form that Spin requires.
    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// All keys with their values, read on one connection.
    pub(crate) fn entries(&self) -> Vec<(String, Vec<u8>)> {
        let mut connection = self.connect();
        let entry = |key: String| {
            let value = ask(&mut connection, &[b"GET", key.as_bytes()]).pop().flatten()?;
            Some((key, value))
        };
        let keys = ask(&mut self.connect(), &[b"KEYS", b"*"]).into_iter().flatten();
        keys.map(|key| String::from_utf8(key).expect("a key")).filter_map(entry).collect()
    }

    /// Sets the values of many keys on one connection.
    pub(crate) fn set(&self, entries: impl Iterator<Item = (String, Vec<u8>)>) {
        let mut connection = self.connect();
        for (key, value) in entries {
            let done = ask(&mut connection, &[b"SET", key.as_bytes(), &value]);
            assert_eq!(done, [Some(b"OK".to_vec())]);
        }
    }

    fn connect(&self) -> BufReader<TcpStream> {
        BufReader::new(TcpStream::connect(&self.address).expect("a connection to Redis"))
    }
}

/// Sends a command and returns the reply: one value, or the values of a list.
fn ask(connection: &mut BufReader<TcpStream>, words: &[&[u8]]) -> Vec<Option<Vec<u8>>> {
    connection.get_mut().write_all(&command(words)).expect("a command that is taken");
    let first = line(connection);
    match first.strip_prefix('*') {
        Some(count) => (0..number(count))
            .map(|_| {
                let head = line(connection);
                value(&head, connection)
            })
            .collect(),
        None => vec![value(&first, connection)],
    }
}

fn command(words: &[&[u8]]) -> Vec<u8> {
    let mut command = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        command.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        command.extend_from_slice(word);
        command.extend_from_slice(b"\r\n");
    }
    command
}

fn line(answer: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    answer.read_line(&mut line).expect("an answer of Redis");
    line.trim_end().to_owned()
}

fn number(text: &str) -> i64 {
    text.parse().expect("a number")
}

/// Reads the value whose first line is `head`.
fn value(head: &str, answer: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    if let Some(text) = head.strip_prefix('+') {
        return Some(text.as_bytes().to_vec());
    }
    let length = usize::try_from(number(head.strip_prefix('$').expect("a value"))).ok()?;
    let mut bytes = vec![0; length + 2];
    answer.read_exact(&mut bytes).expect("all of a value");
    bytes.truncate(length);
    Some(bytes)
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
