//! Backups of a database and a storage that change during the backup.

use std::cell::Cell;

use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::storage::backup::sample::Sample;

struct World {
    folder: TempDir,
    state: StateFiles,
    database: Connection,
    objects: Sample,
}

fn files(folder: &Path) -> StateFiles {
    std::fs::create_dir_all(folder).unwrap();
    StateFiles { database: folder.join("a.db"), storage: folder.join("storage") }
}

impl World {
    /// Two objects that the database refers to.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = files(&folder.path().join("state"));
        let database = Connection::open(&state.database).unwrap();
        database.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE names (name TEXT)").unwrap();
        let world = Self { objects: Sample::open(&state.storage), folder, state, database };
        world.add("first");
        world.add("second");
        world
    }

    fn add(&self, key: &str) {
        self.objects.put(key, key.as_bytes());
        self.database.execute("INSERT INTO names VALUES (?1)", [key]).unwrap();
    }

    fn delete(&self, key: &str) {
        self.database.execute("DELETE FROM names WHERE name = ?1", [key]).unwrap();
        self.objects.delete(key);
    }

    fn place(&self, name: &str) -> StateFiles {
        files(&self.folder.path().join(name))
    }
}

fn names(state: &StateFiles) -> Vec<String> {
    let database = Connection::open(&state.database).unwrap();
    let mut names = database.prepare("SELECT name FROM names ORDER BY name").unwrap();
    names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn is_shared(file: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let inode = |file: &Path| std::fs::metadata(file).unwrap().ino();
        inode(file) == inode(other)
    }
    #[cfg(not(unix))]
    {
        let _ = (file, other);
        true
    }
}

#[test]
fn a_backup_is_restored_with_objects_and_unfinished_uploads() {
    let world = World::new();
    world.objects.put_part("unfinished", b"part");
    let (backup, restored) = (world.place("backup"), world.place("restored"));
    let done = world.state.back_up(&backup, None).unwrap();
    assert_eq!(done, BackupSummary { files: 3, bytes: 15, new_files: 3 });
    world.delete("first");

    assert_eq!(backup.find_missing_file().unwrap(), None);
    backup.restore(&restored, "PRAGMA journal_mode = WAL; INSERT INTO names VALUES ('restored')").unwrap();

    assert_eq!(names(&restored), ["first", "restored", "second"]);
    assert_eq!(names(&backup), ["first", "second"]);
    let objects = Sample::open(&restored.storage);
    assert_eq!(objects.get("first").unwrap(), b"first");
    assert_eq!(objects.part("unfinished"), b"part");
}

#[test]
fn files_of_an_earlier_backup_are_shared() {
    let world = World::new();
    let (earlier, later) = (world.place("earlier"), world.place("later"));
    world.state.back_up(&earlier, None).unwrap();
    world.delete("second");
    world.add("third");

    let done = world.state.back_up(&later, Some(&earlier)).unwrap();

    assert_eq!(done, BackupSummary { files: 2, bytes: 10, new_files: 1 });
    let file = |state: &StateFiles, key| Sample::open(&state.storage).file(key).unwrap();
    assert!(is_shared(&file(&earlier, "first"), &file(&later, "first")));
    assert!(!is_shared(&file(&world.state, "third"), &file(&later, "third")), "the application's own");
    assert_eq!(Sample::open(&earlier.storage).get("second").unwrap(), b"second");
}

#[test]
fn a_file_that_is_not_whole_in_the_earlier_backup_is_copied_again() {
    let world = World::new();
    let (earlier, later) = (world.place("earlier"), world.place("later"));
    world.state.back_up(&earlier, None).unwrap();
    std::fs::write(Sample::open(&earlier.storage).file("first").unwrap(), "fi").unwrap();
    assert_eq!(world.state.back_up(&later, Some(&earlier)).unwrap().new_files, 1);
    assert_eq!(later.find_missing_file().unwrap(), None);
}

#[test]
fn what_changes_after_the_moment_is_not_in_the_backup() {
    let world = World::new();
    let backup = world.place("backup");
    let moment = |state: &StateFiles| {
        let moment = Moment::of(state);
        world.add("third");
        world.delete("first");
        moment
    };
    world.state.back_up_objects(&backup, None, moment).unwrap();
    assert_eq!(names(&backup), ["first", "second"]);
    let objects = Sample::open(&backup.storage);
    assert_eq!(objects.get("first").unwrap(), b"first", "was copied before the moment");
    assert!(objects.get("third").is_none());
}

#[test]
fn a_backup_begins_again_if_a_file_is_gone() {
    let world = World::new();
    let (backup, moments) = (world.place("backup"), Cell::new(0));
    let moment = |state: &StateFiles| {
        moments.set(moments.get() + 1);
        if moments.get() == 1 {
            world.add("short-lived");
            world.delete("first");
        }
        let moment = Moment::of(state);
        if moments.get() == 1 {
            world.delete("short-lived");
        }
        moment
    };
    let done = world.state.back_up_objects(&backup, None, moment).unwrap();
    assert_eq!((moments.get(), done.files), (2, 1));
    assert_eq!(names(&backup), ["second"]);
    assert_eq!(Sample::files(&backup.storage), 1, "files that were copied in vain are removed");
}

#[test]
fn a_file_that_is_missing_each_time_is_named() {
    let world = World::new();
    let file = world.objects.file("second").unwrap();
    std::fs::remove_file(&file).unwrap();
    let error = world.state.back_up(&world.place("backup"), None).unwrap_err().to_string();
    assert!(error.contains(file.to_str().unwrap()) && error.contains("5 attempts"), "{error}");
}

#[test]
fn a_file_without_all_its_bytes_is_not_backed_up() {
    let world = World::new();
    std::fs::write(world.objects.file("second").unwrap(), "sec").unwrap();
    let error = world.state.back_up(&world.place("backup"), None).unwrap_err().to_string();
    assert!(error.contains("3 bytes in place of 6"), "{error}");
}

#[test]
fn an_incomplete_backup_is_not_restored() {
    for what in ["database", "index", "bytes"] {
        let world = World::new();
        let backup = world.place("backup");
        world.state.back_up(&backup, None).unwrap();
        let lost = match what {
            "database" => backup.database.clone(),
            "index" => index_of(&backup.storage),
            _ => Sample::open(&backup.storage).file("first").unwrap(),
        };
        std::fs::remove_file(&lost).unwrap();
        let restored = world.place("restored");
        let error = backup.restore(&restored, "").unwrap_err().to_string();
        assert!(error.contains(lost.to_str().unwrap()), "{error}");
        assert!(!restored.database.exists() && !restored.storage.exists(), "{what}");
    }
}

#[test]
fn objects_may_be_elsewhere() {
    let world = World::new();
    std::fs::remove_dir_all(&world.state.storage).unwrap();
    let (backup, restored) = (world.place("backup"), world.place("restored"));
    assert_eq!(world.state.back_up(&backup, None).unwrap(), BackupSummary::default());
    backup.restore(&restored, "").unwrap();
    assert_eq!(names(&restored), ["first", "second"]);
    assert!(!restored.storage.exists());
}
