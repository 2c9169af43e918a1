//! Copies of a world's database, which is put back while the service runs.

use std::path::Path;

use spindrift_tests::World;

/// Copies the database into a new file.
pub(crate) fn copy_to(world: &World, file: &Path) {
    let _rows = world.database().execute("VACUUM INTO ?1", [file.to_str().unwrap()]).unwrap();
}

/// Gives every table the rows of the copy.
pub(crate) fn put_back(world: &World, file: &Path) {
    let database = world.database().into_file().unwrap();
    let _rows = database.execute("ATTACH ?1 AS backup", [file.to_str().unwrap()]).unwrap();
    let texts = |sql: &str| -> Vec<String> {
        let mut query = database.prepare(sql).unwrap();
        query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let tables =
        texts("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    let copy = |table: &String| {
        // Without columns that follow from others.
        let columns = texts(&format!("SELECT name FROM pragma_table_info('{table}')")).join(", ");
        format!("DELETE FROM {table}; INSERT INTO {table} ({columns}) SELECT {columns} FROM backup.{table};")
    };
    let copies: String = tables.iter().map(copy).collect();
    database.execute_batch(&format!("PRAGMA foreign_keys = 0; BEGIN IMMEDIATE; {copies} COMMIT;")).unwrap();
}
