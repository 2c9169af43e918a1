use std::path::Path;
use std::time::Instant;

use super::*;
use crate::limits::Limits;

fn store(folder: &Path) -> FileStore {
    let limits = Limits { result_bytes: 1024, ..Limits::default() };
    FileStore::new("default", Arc::new(KeyValueFile::open(&folder.join("kv.db"), limits).unwrap()))
}

impl FileStore {
    fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        self.set_many(&[(key, value)])
    }
}

#[test]
fn a_write_of_another_process_is_seen_at_the_next_look() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (store(folder.path()), store(folder.path()));
    here.set("k", b"1").unwrap();
    assert_eq!(here.get("k").unwrap().unwrap(), b"1");
    there.set("k", b"2").unwrap();
    assert!(here.file.look());
    assert_eq!(here.get("k").unwrap().unwrap(), b"2");
}

#[test]
fn labels_do_not_see_each_other_and_large_values_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = store(folder.path());
    let second = FileStore::new("second", first.file.clone());
    first.set("k", b"1").unwrap();
    assert_eq!(second.get("k").unwrap(), None);
    first.set("k", &[0; 2000]).unwrap();
    assert!(first.get("k").unwrap_err().contains("1024"));
}

#[test]
fn a_file_that_is_locked_costs_everybody_the_time_limit_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.set("k", b"1").unwrap();
    let other = Connection::open(folder.path().join("kv.db")).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();

    std::thread::scope(|scope| {
        let writes: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let began = Instant::now();
                    assert!(store.set("k", b"2").is_err());
                    began.elapsed()
                })
            })
            .collect();
        for write in writes {
            let took = write.join().unwrap();
            assert!(took < 2 * Limits::default().store_wait, "{took:?}");
        }
    });
    assert_eq!(store.get("k").unwrap().unwrap(), b"1", "reading does not wait");
    other.execute_batch("ROLLBACK").unwrap();
    store.set("k", b"2").unwrap();
}

#[test]
fn a_file_that_is_no_database_is_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kv.db");
    for damage in [&[7_u8; 5000][..], b"SQLite format 3\0 and then something else, long enough"] {
        std::fs::write(&file, damage).unwrap();
        std::fs::write(folder.path().join("kv.db-wal"), [7; 100]).unwrap();
        let store = store(folder.path());
        store.set("n", b"new").unwrap();
        assert_eq!(store.get("n").unwrap().unwrap(), b"new");
        assert_eq!(std::fs::read(folder.path().join("kv.db.damaged")).unwrap(), damage);
    }
    drop(store(folder.path()));
    assert_eq!(store(folder.path()).get("n").unwrap().unwrap(), b"new", "a good file stays");
}
