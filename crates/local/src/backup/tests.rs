use super::*;

/// A state folder with an empty database, which has no tables, and the folder for its backups.
fn state() -> (TempDir, BackupCommand) {
    let folder = tempfile::tempdir().unwrap();
    let state_dir = folder.path().join("state");
    std::fs::create_dir(&state_dir).unwrap();
    std::fs::write(state_dir.join("sqlite_db.db"), "").unwrap();
    std::fs::write(Secrets::path(&state_dir), r#"{"api_key":"secret"}"#).unwrap();
    let backup = BackupCommand { to: folder.path().join("backups"), state_dir, keep: None };
    (folder, backup)
}

fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

#[test]
fn a_backup_is_named_after_the_time_and_replaces_none() {
    let (_folder, backup) = state();
    let made = backup.make(at("2026-11-25T18:30:00+02:00")).unwrap();
    assert_eq!(made.path, backup.to.join("2026-11-25T16-30-00Z"));
    assert_eq!(std::fs::read_to_string(Secrets::path(&made.path)).unwrap(), r#"{"api_key":"secret"}"#);
    assert!(made.path.join("sqlite_db.db").is_file() && !made.path.join("storage").exists());

    let error = backup.make(at("2026-11-25T16:30:00.9Z")).unwrap_err().to_string();
    assert!(error.contains("exists already"), "{error}");
    assert_eq!(backup.to.read_dir().unwrap().count(), 1, "no draft is left");
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_a_backup() {
    use std::os::unix::fs::PermissionsExt as _;

    let (_folder, backup) = state();
    let secrets = Secrets::path(&backup.state_dir);
    std::fs::set_permissions(secrets, std::fs::Permissions::from_mode(0o644)).unwrap();
    let made = backup.make(Timestamp::now()).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&backup.to), mode(&made.path), mode(&Secrets::path(&made.path))), (0o700, 0o700, 0o600));
}

#[test]
fn the_newest_backup_is_found_among_other_folders() {
    let (_folder, backup) = state();
    assert!(backup.make(at("2026-11-25T16:30:00Z")).is_ok());
    let newest_made = backup.make(at("2026-12-01T00:00:00Z")).unwrap().path;
    for other in [".new-2027-01-01T00-00-00Z", "2027-01-01", "notes"] {
        std::fs::create_dir(backup.to.join(other)).unwrap();
    }
    assert_eq!(newest(&backup.to).unwrap(), Some(newest_made));
}

#[test]
fn the_oldest_backups_are_deleted_and_nothing_else() {
    let (_folder, backup) = state();
    let days = ["2026-11-25", "2026-11-26", "2026-11-27", "2026-11-28"];
    let made = days.map(|day| backup.make(at(&format!("{day}T16:30:00Z"))).unwrap().path);
    // None of these is a complete backup.
    let others = ["2020-01-01T00-00-00Z", "2020-01-01", ".new-2020-01-02T00-00-00Z", "notes"];
    for other in others {
        std::fs::create_dir(backup.to.join(other)).unwrap();
    }
    std::fs::write(backup.to.join("2020-01-03T00-00-00Z"), "").unwrap();

    let keep = |count| delete_older(&backup.to, NonZeroUsize::new(count).unwrap()).unwrap();
    assert_eq!((keep(5), keep(2)), (0, 2));
    assert_eq!(made.map(|path| path.exists()), [false, false, true, true]);
    assert!(others.iter().all(|other| backup.to.join(other).exists()));
    assert_eq!(backup.to.read_dir().unwrap().count(), 2 + others.len() + 1);
}

#[test]
fn a_folder_without_a_database_has_nothing_to_back_up() {
    let (_folder, mut backup) = state();
    backup.state_dir.push("elsewhere");
    let error = backup.make(Timestamp::now()).unwrap_err().to_string();
    assert!(error.contains("nothing to back up") && error.contains("elsewhere"), "{error}");
    assert!(!backup.to.exists());
}

#[test]
fn it_says_what_is_in_the_backup_and_what_is_not() {
    let finished = |objects, has_secrets| FinishedBackup { path: "b/1".into(), objects, has_secrets }.lines();
    let objects = BackupSummary { files: 120, bytes: 3 * BYTES_PER_MIB - 1, new_files: 4 };
    assert_eq!(
        finished(Some(objects), true),
        ["Backup b/1", "Objects: 120 files, 3 MiB. 4 are new, the others are shared with earlier backups"]
    );
    let lines = finished(None, false);
    assert!(lines[1].contains("back up its buckets") && lines[2].contains("no secrets.json"), "{lines:?}");
}
