//! Rules for migrations: during a rolling update, two versions of the service use one database.

use std::cell::{Cell, RefCell};

use spindrift_core::Timestamp;

use super::{MIGRATIONS, Migration, is_current, migrate, statements};
use crate::{SqlConn, SqlError, SqlRows, SqlValue};

const NOW: Timestamp = Timestamp::from_millis(0);
const INSERT: &str = "INSERT INTO schema_migrations (version, applied_at) VALUES (?1, ?2)";

/// The migrations of a future version.
fn later() -> Vec<Migration> {
    let next = MIGRATIONS.last().unwrap().0 + 1;
    MIGRATIONS
        .iter()
        .copied()
        .chain([(
            next,
            "ALTER TABLE leases ADD COLUMN a INTEGER;\n\nCREATE INDEX leases_by_a ON leases (a);\n",
        )])
        .collect()
}

/// A database at some version, which notes the changes.
#[derive(Default)]
struct Noted {
    version: Cell<i64>,
    changes: RefCell<Vec<String>>,
    refused: &'static str,
}

impl SqlConn for Noted {
    fn run(&self, sql: &str, params: &[SqlValue]) -> Result<SqlRows, SqlError> {
        if sql.starts_with("SELECT max(version)") {
            let values = vec![vec![self.version.get().into()]];
            return Ok(SqlRows { columns: vec!["version".into()], values });
        }
        if let (INSERT, [SqlValue::Integer(version), _]) = (sql, params) {
            self.version.set(*version);
        }
        if !sql.starts_with("PRAGMA") {
            self.changes.borrow_mut().push(sql.to_owned());
        }
        if sql == self.refused { Err(SqlError::Unavailable(sql.to_owned())) } else { Ok(SqlRows::default()) }
    }
}

impl Noted {
    fn migrated(&self, migrations: &[Migration]) -> Vec<String> {
        let _ = migrate(self, migrations, NOW);
        let mut changes = self.changes.take();
        changes.retain(|sql| !sql.starts_with("CREATE TABLE IF NOT EXISTS schema_migrations"));
        changes
    }
}

#[test]
fn only_missing_migrations_are_applied() {
    let conn = Noted::default();
    assert_eq!(is_current(&conn), Ok(false));
    // Each migration is noted, and all are in one transaction.
    let all: usize = MIGRATIONS.iter().map(|(_, text)| statements(text).count() + 1).sum();
    assert_eq!(conn.migrated(MIGRATIONS).len(), all + 2);
    assert_eq!(is_current(&conn), Ok(true));
    let [alter, index] =
        ["ALTER TABLE leases ADD COLUMN a INTEGER;", "CREATE INDEX leases_by_a ON leases (a);"];
    assert_eq!(conn.migrated(&later()), ["BEGIN IMMEDIATE", alter, index, INSERT, "COMMIT"]);
    assert_eq!(conn.migrated(&later()), ["BEGIN IMMEDIATE", "COMMIT"], "another process was first");
    assert_eq!(is_current(&conn), Ok(true), "the version before goes on");
    assert_eq!(conn.migrated(MIGRATIONS), ["BEGIN IMMEDIATE", "COMMIT"]);
}

#[test]
fn a_migration_that_fails_is_rolled_back() {
    let refused = "CREATE INDEX leases_by_a ON leases (a);";
    let conn = Noted { version: Cell::new(MIGRATIONS.last().unwrap().0), refused, ..Noted::default() };
    let changes = conn.migrated(&later());
    assert_eq!(changes[changes.len() - 2..], [refused, "ROLLBACK"]);
}

#[test]
fn statements_are_split_and_comments_alone_are_none() {
    let text = "-- about\n\nCREATE TABLE a (\n  -- inner; not an end\n  id TEXT\n);\n\nCREATE INDEX b ON a (id);\n-- end\n";
    assert_eq!(statements(text).count(), 2);
}

/// A statement that the previous version could not cope with, but that is acceptable nonetheless: the
/// migration, the beginning of the statement, and the reason.
type Exception = (i64, &'static str, &'static str);

/// The exceptions for the migrations in `sql/`.
const EXCEPTIONS: &[Exception] = &[];

/// A statement without comments, on one line and in capitals.
fn plain(statement: &str) -> String {
    let lines = statement.lines().map(|line| line.split("--").next().unwrap_or_default());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ").to_ascii_uppercase()
}

/// Why the previous version may fail after this statement. `None` if the statement only adds something. `new`
/// holds the tables that the same migration has created so far, which the previous version does not use.
fn problem(statement: &str, new: &[String]) -> Option<&'static str> {
    let plain = plain(statement);
    let words: Vec<&str> = plain.split([' ', '(', ';']).filter(|word| !word.is_empty()).collect();
    let is_new = |table: Option<&&str>| table.is_some_and(|table| new.iter().any(|new| new == table));
    match words.as_slice() {
        ["CREATE", "TABLE" | "VIEW", ..] | ["CREATE", "INDEX", _, "ON", ..] => None,
        ["CREATE", "UNIQUE", "INDEX", _, "ON", table, ..] => {
            if is_new(Some(table)) {
                None
            } else {
                Some("refuses rows that the version before writes")
            }
        }
        ["INSERT", rest @ ..] => {
            let table = rest.iter().skip_while(|word| **word != "INTO").nth(1);
            if is_new(table) { None } else { Some("adds rows that the version before shows") }
        }
        ["ALTER", "TABLE", _, "ADD", "COLUMN", column @ ..] => {
            let has = |word: &str| column.contains(&word);
            if has("UNIQUE") || has("PRIMARY") || has("REFERENCES") || has("CHECK") {
                return Some("refuses rows that the version before writes");
            }
            // SQLite itself refuses NOT NULL without a default only if the table contains rows.
            if has("NULL") && has("NOT") && !has("DEFAULT") {
                Some("the version before writes no value")
            } else {
                None
            }
        }
        _ => Some("changes or removes what the version before uses"),
    }
}

fn table_of(statement: &str) -> Option<String> {
    let plain = plain(statement);
    let name = plain.strip_prefix("CREATE TABLE ")?.split([' ', '(']).next()?;
    Some(name.to_owned())
}

/// The statements after which the previous version may fail. The first migration has no previous version.
fn problems(migrations: &[Migration], exceptions: &[Exception]) -> Vec<&'static str> {
    let mut found = Vec::new();
    for (version, text) in &migrations[1..] {
        let mut new = Vec::new();
        for statement in statements(text) {
            let is_excepted = exceptions
                .iter()
                .any(|(of, begin, _)| of == version && plain(statement).starts_with(&plain(begin)));
            if !is_excepted && problem(statement, &new).is_some() {
                found.push(statement);
            }
            new.extend(table_of(statement));
        }
    }
    found
}

#[test]
fn migrations_only_add() {
    assert_eq!(problems(MIGRATIONS, EXCEPTIONS), Vec::<&str>::new());
}

#[test]
fn an_exception_is_of_one_migration() {
    let first = (1, "CREATE TABLE leases (a TEXT);\nDROP TABLE leases;\n");
    let fill = (2, "CREATE TABLE b (c TEXT);\nINSERT INTO b (c) VALUES ('d');\nUPDATE leases SET a = 'e';\n");
    let migrations = [first, fill, (3, "UPDATE leases SET a = 'e';\n")];
    assert_eq!(problems(&migrations, &[]), ["UPDATE leases SET a = 'e';"; 2]);
    assert_eq!(problems(&migrations, &[(2, "UPDATE leases", "")]), ["UPDATE leases SET a = 'e';"]);
}

#[test]
fn what_does_not_only_add_is_noticed() {
    for (statement, is_refused) in [
        ("CREATE TABLE t (a TEXT NOT NULL, b TEXT REFERENCES users (id));", false),
        ("CREATE INDEX i ON users (username);", false),
        ("ALTER TABLE users ADD COLUMN a TEXT;", false),
        ("ALTER TABLE users ADD COLUMN a INTEGER NOT NULL DEFAULT 0;", false),
        ("-- about\nALTER TABLE users ADD COLUMN a TEXT NOT NULL;", true),
        ("ALTER TABLE users ADD COLUMN a TEXT UNIQUE;", true),
        ("ALTER TABLE users ADD COLUMN a TEXT REFERENCES apps (id);", true),
        ("alter table users drop column revision;", true),
        ("ALTER TABLE users RENAME COLUMN revision TO r;", true),
        ("ALTER TABLE users RENAME TO people;", true),
        ("DROP TABLE leases;", true),
        ("DROP INDEX users_by_owner;", true),
        ("CREATE UNIQUE INDEX i ON users (username);", true),
        ("CREATE UNIQUE INDEX i ON fresh (a);", false),
        ("CREATE TRIGGER x AFTER INSERT ON users BEGIN SELECT 1; END;", true),
        ("INSERT OR IGNORE INTO fresh (a) SELECT id FROM users;", false),
        ("INSERT INTO users (id) VALUES ('a');", true),
        ("UPDATE users SET revision = 0;", true),
        ("DELETE FROM leases;", true),
    ] {
        assert_eq!(problem(statement, &["FRESH".to_owned()]).is_some(), is_refused, "{statement}");
    }
}

#[test]
fn every_file_is_a_migration_in_its_order() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sql");
    let mut files: Vec<(i64, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sql"))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name.split('_').next().unwrap().parse().unwrap(), std::fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    let known: Vec<(i64, String)> =
        MIGRATIONS.iter().map(|(version, text)| (*version, (*text).to_owned())).collect();
    assert_eq!(files, known);
}
