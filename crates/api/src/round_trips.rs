//! Tests: reading a body and writing it again gives the same JSON.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use spindrift_core::{Guard, GuardAction, Plan};

use crate::*;

/// Reads a body and writes it again.
fn round_trip<T: Serialize + DeserializeOwned>(json: &Value) -> Result<Value, serde_json::Error> {
    serde_json::to_value(serde_json::from_value::<T>(json.clone())?)
}

type RoundTrip = fn(&Value) -> Result<Value, serde_json::Error>;

fn check(table: &[(RoundTrip, Value)]) {
    for (again, json) in table {
        assert_eq!(&again(json).unwrap_or_else(|error| panic!("{error}: {json}")), json);
    }
}

fn permissions() -> Value {
    let dimension = json!({ "Create": false, "Delete": false, "Edit": true, "Allowed": ["1"] });
    let apps = json!({
        "Create": false, "Delete": false, "Edit": true, "Download": true, "Upload": true, "Stop": true,
        "Triage": false, "Allowed": ["2"],
    });
    json!({ "Apps": apps, "Channels": dimension, "Platforms": dimension, "Archs": dimension })
}

#[test]
fn accounts() {
    let user = json!({ "username": "joe", "password": "correct horse", "permissions": permissions() });
    let listed = json!({
        "id": "1", "username": "joe", "role": "custom", "permissions": permissions(), "created_at": "t",
        "last_seen_at": "t", "updated_at": "t",
    });
    let token = json!({
        "id": "1", "name": "ci", "token_prefix": "sdt_0123", "allowed_apps": ["2"], "may": ["upload"], "expires_at": null,
        "created_at": "t", "last_used_at": null,
    });
    let created = json!({
        "token": "sdt_0", "id": "1", "name": "ci", "token_prefix": "sdt_0123", "allowed_apps": [], "may": [],
        "expires_at": "t", "created_at": "t",
    });
    check(&[
        (round_trip::<SignupBody>, json!({ "username": "ada", "password": "correct horse", "api_key": "k" })),
        (round_trip::<SignupState>, json!({ "has_admin": true })),
        (round_trip::<SignupAnswer>, json!({ "result": "Successfully created admin user." })),
        (round_trip::<LoginBody>, json!({ "username": "ada", "password": "correct horse" })),
        (round_trip::<LoginAnswer>, json!({ "token": "e.y.J" })),
        (round_trip::<WhoamiBody>, json!({ "id": "1", "username": "ada", "is_admin": true })),
        (
            round_trip::<WhoamiBody>,
            json!({
                "id": "1", "username": "joe", "is_admin": false, "owner": "ada", "role": "custom",
                "permissions": permissions(),
            }),
        ),
        (round_trip::<AdminUpdateBody>, json!({ "id": "1", "username": "ada" })),
        (round_trip::<UserBody>, user),
        (round_trip::<UserBody>, json!({ "id": "1" })),
        (round_trip::<UserBody>, json!({ "id": "1", "role": "on-call" })),
        (round_trip::<UsersBody>, json!({ "users": [listed] })),
        (round_trip::<MessageBody>, json!({ "message": "User created" })),
        (round_trip::<IdBody>, json!({ "id": "1" })),
        (
            round_trip::<TokenCreateBody>,
            json!({ "name": "ci", "allowed_apps": ["1"], "may": ["publish"], "expires_at": "t" }),
        ),
        (round_trip::<TokenCreatedBody>, created),
        (round_trip::<TokensBody>, json!({ "tokens": [token] })),
    ]);
}

#[test]
fn logins_and_invitations() {
    let entry = json!({
        "id": "1", "username": null, "role": "custom", "permissions": permissions(), "created_at": "t",
        "expires_at": "t",
    });
    let mut created = entry.clone();
    created["link"] = json!("http://localhost/console/invitation?secret=sdi_0");
    created["secret"] = json!("sdi_0");
    let login =
        json!({ "id": "1", "is_current": true, "created_at": "t", "last_used_at": null, "expires_at": "t" });
    check(&[
        (
            round_trip::<PasswordBody>,
            json!({ "current_password": "wrong horse", "password": "correct horse" }),
        ),
        (round_trip::<LoginsBody>, json!({ "logins": [login] })),
        (round_trip::<InvitationCreateBody>, json!({})),
        (
            round_trip::<InvitationCreateBody>,
            json!({ "username": "joe", "role": "support", "permissions": permissions() }),
        ),
        (round_trip::<InvitationCreatedBody>, created),
        (round_trip::<InvitationsBody>, json!({ "invitations": [entry] })),
        (
            round_trip::<OwnInvitationBody>,
            json!({ "owner": "ada", "username": "joe", "role": "support", "expires_at": "t" }),
        ),
        (round_trip::<InvitationAcceptBody>, json!({ "username": "joe", "password": "correct horse" })),
        (round_trip::<InvitationAcceptedBody>, json!({ "username": "joe" })),
    ]);
}

#[test]
fn catalog() {
    let app = json!({
        "ID": "1", "AppName": "notes", "Logo": "", "Private": true, "Tuf": false, "Reports": true,
        "CdnEdge": false, "download_mode": "token", "Description": "", "Owner": "ada", "Updated_at": "t",
        "signed": true, "get_page": true, "get_page_color": "#0a5f86",
    });
    let channel =
        json!({ "ID": "1", "ChannelName": "beta", "Default": true, "Owner": "ada", "Updated_at": "t" });
    let including = json!({
        "ID": "1", "ChannelName": "beta", "Default": false, "Includes": ["stable"], "Owner": "ada", "Updated_at": "t",
    });
    let updater = json!({ "type": "manual", "default": true });
    let platform = json!({
        "ID": "1", "PlatformName": "linux", "Default": false, "Updaters": [updater], "Owner": "ada", "Updated_at": "t",
    });
    let arch = json!({ "ID": "1", "ArchID": "arm64", "Default": false, "Owner": "ada", "Updated_at": "t" });
    check(&[
        (
            round_trip::<AppData>,
            json!({
                "app": "notes", "description": "d", "private": true, "tuf": false, "reports": true,
                "cdn": false, "download_mode": "login",
            }),
        ),
        (round_trip::<AppData>, json!({ "id": "1" })),
        (round_trip::<AppsBody>, json!({ "apps": [app] })),
        (round_trip::<ChannelBody>, json!({ "channel": "beta", "includes": ["stable"] })),
        (round_trip::<ChannelsBody>, json!({ "channels": [channel, including] })),
        (round_trip::<PlatformBody>, json!({ "id": "1", "platform": "linux", "updaters": [updater] })),
        (round_trip::<PlatformsBody>, json!({ "platforms": [platform] })),
        (round_trip::<ArchBody>, json!({ "arch": "arm64" })),
        (round_trip::<ArchsBody>, json!({ "archs": [arch] })),
        (round_trip::<ResultBody<spindrift_core::Id>>, json!({ "createAppResult.Created": "1" })),
        (round_trip::<ResultBody<bool>>, json!({ "updateArchResult.Updated": true })),
        (round_trip::<ResultBody<u64>>, json!({ "deleteChannelResult.DeletedCount": 1 })),
    ]);
    assert_eq!(
        serde_json::to_value(ResultBody::updated(CatalogKind::Platform)).unwrap(),
        json!({ "updatePlatformResult.Updated": true })
    );
}

#[test]
fn releases() {
    let data = json!({
        "app_name": "notes", "version": "1.2.3", "channel": "stable", "platform": "linux", "arch": "amd64",
        "publish": true, "critical": false, "intermediate": false, "rollout": 25, "changelog": "new",
        "updater": "manual", "signature": "s",
    });
    let file = json!({ "name": "a.deb", "md5": "0", "sha256": "1", "sha512": "2", "length": 5 });
    let granted = json!({
        "name": "a.deb", "method": "PUT", "url": "https://s3/a", "headers": { "Content-Md5": "x" },
    });
    let part = json!({ "number": 1, "method": "PUT", "url": "https://s3/a", "headers": {} });
    let found = json!({
        "ID": "1", "AppName": "notes", "Version": "1.2.3", "Channel": "stable", "Published": true,
        "Critical": false, "Intermediate": false, "RolloutPercent": 100, "BasisPoints": 10_000,
        "RolloutState": "complete", "RolloutSeed": "s", "Created_at": "t", "Updated_at": "t", "State": "scheduled", "PublishAt": "t", "Revision": 2,
        "Artifacts": [{ "id": "2", "link": "l", "platform": "linux", "arch": "amd64", "package": "deb",
            "updater": "manual", "size": 5, "md5": "0", "sha256": "1", "sha512": "2",
            "has_signature": false, "offered": true, "TufSigned": true, "TufTaskID": "3" }],
        "Changelog": [{ "Version": "1.2.3", "Changes": "new", "Date": "t" }],
    });
    check(&[
        (round_trip::<ReleaseData>, data),
        (round_trip::<ManifestEntry>, file),
        (round_trip::<ManifestEntry>, json!({ "name": "a.deb", "md5": "0" })),
        (round_trip::<UploadInitBody>, json!({ "upload_id": "u", "expires_at": "t", "files": [granted] })),
        (
            round_trip::<PartsBody>,
            json!({ "upload_id": "u", "name": "a", "part_length": 5_242_880, "md5": ["0"], "multipart_id": "m" }),
        ),
        (round_trip::<PartsAnswer>, json!({ "multipart_id": "m", "expires_at": "t", "parts": [part] })),
        (round_trip::<CompleteBody>, json!({ "upload_id": "u" })),
        (round_trip::<UploadedBody>, json!({ "uploadResult.Uploaded": "1" })),
        (
            round_trip::<ReleaseUpdateData>,
            json!({
                "id": "1", "publish": true, "critical": false, "intermediate": true, "changelog": "c",
                "rollout": 0, "groups": ["qa"], "cures": ["1.2.2"], "requires": {}, "artifacts_to_delete": [0, "2"],
            }),
        ),
        (round_trip::<ReleaseUpdatedBody>, json!({ "updatedResult.Updated": true })),
        (round_trip::<ReleaseDeletedBody>, json!({ "deleteSpecificAppResult.DeletedCount": 1 })),
        (
            round_trip::<ArtifactsDeleteData>,
            json!({ "id": "1", "app_name": "notes", "version": "1.2.3", "artifacts_to_delete": ["2"], "force": true }),
        ),
        (round_trip::<ArtifactsDeletedBody>, json!({ "deleteSpecificArtifactResult": true })),
        (round_trip::<SearchBody>, json!({ "items": [found], "total": 1, "page": 1, "limit": 9 })),
        (round_trip::<DownloadBody>, json!({ "download_url": "https://s3/a?signed" })),
        (round_trip::<LatestBody>, json!({ "stable": { "linux": { "amd64": { "deb": { "url": "u" } } } } })),
    ]);
}

fn patch_entry((name, patch): (&spindrift_core::FileName, &spindrift_core::Patch)) -> PatchEntry {
    PatchEntry {
        name: name.to_string(),
        package: patch.package.to_string(),
        format: patch.format.to_string(),
        base_version: patch.base_version.to_string(),
        base_sha256: patch.base_sha256.to_string(),
    }
}

/// The service reads the upload metadata field by field, so its names must be the ones written here.
#[test]
fn the_service_reads_upload_metadata_as_written() {
    let text = |text: &str| Some(text.to_owned());
    let plan: Plan = "0.1:12h,5,100 @ Mon-Thu 09:00-16:00 +01:00".parse().unwrap();
    let data = ReleaseData {
        app_name: "notes".into(),
        version: "1.2.3".into(),
        channel: text("stable"),
        platform: text("linux"),
        arch: text("amd64"),
        publish: false,
        publish_at: text("2026-12-01T09:00:00+00:00"),
        critical: true,
        intermediate: true,
        rollout: None,
        plan: Some(PlanBody::from(&plan)),
        guard: Some(GuardBody::from(Guard::new(GuardAction::Halt))),
        groups: vec!["qa".to_owned()],
        cures: vec!["1.2.1".to_owned(), "1.2.2".to_owned()],
        requires: Some(RequiresBody::at_least(&"12".parse().unwrap())),
        changelog: text("new"),
        updater: text("tauri"),
        signature: text("s"),
        patches: vec![PatchEntry {
            name: "a.deb.patch".into(),
            package: "deb".into(),
            format: "bidiff+brotli".into(),
            base_version: "1.2.2".into(),
            base_sha256: "ab".repeat(32),
        }],
        packages: [("a-portable.deb".to_owned(), "portable".to_owned())].into(),
        created_at: text("2024-02-29T10:00:00+00:00"),
    };
    let read = spindrift_core::ReleaseMetadata::parse(&serde_json::to_string(&data).unwrap()).unwrap();
    let read = ReleaseData {
        app_name: read.app_name.into(),
        version: read.version.to_string(),
        channel: read.channel.map(Into::into),
        platform: read.platform.map(Into::into),
        arch: read.arch.map(Into::into),
        publish: read.publish,
        publish_at: read.publish_at.map(spindrift_core::Timestamp::to_rfc3339),
        critical: read.critical,
        intermediate: read.intermediate,
        rollout: None,
        plan: read.plan.as_ref().map(PlanBody::from),
        guard: read.guard.map(GuardBody::from),
        groups: read.groups.iter().map(ToString::to_string).collect(),
        cures: read.cures.iter().map(ToString::to_string).collect(),
        requires: read.requires.as_ref().map(RequiresBody::from),
        changelog: Some(read.changelog),
        updater: read.updater,
        signature: read.signature,
        patches: read.patches.iter().map(patch_entry).collect(),
        packages: read
            .packages
            .iter()
            .map(|(file, package)| (file.to_string(), package.to_string()))
            .collect(),
        created_at: read.created_at.map(spindrift_core::Timestamp::to_rfc3339),
    };
    assert_eq!(read, data);
}

#[test]
fn the_service_reads_manifests_as_written() {
    let (sha256, sha512) = (Some("1".repeat(64)), Some("2".repeat(128)));
    let (name, md5, package) = ("a.deb".to_owned(), "0".repeat(32), Some("portable".to_owned()));
    let file = ManifestEntry { name, md5, sha256, sha512, length: Some(5), package };
    let json = serde_json::to_string(&[&file]).unwrap();
    let (mut entries, packages) = spindrift_core::parse_manifest(&json).unwrap();
    let read = entries.remove(0);
    let read = ManifestEntry {
        name: read.name.to_string(),
        md5: read.md5.to_string(),
        package: Some(packages.of(&read.name).to_string()),
        sha256: read.sha256,
        sha512: read.sha512,
        length: read.length,
    };
    assert_eq!(read, file);
}

#[test]
fn checks() {
    let links = json!({ "update_url": "u", "update_url_deb": "d", "signature": "s" });
    let patch = json!({
        "url": "p", "length": 10, "format": "bidiff+brotli", "base_sha256": "ab", "file_length": 100,
        "file_sha256": "cd", "sha256": "ef",
    });
    let mut offered = json!({
        "patches": { "deb": patch },
        "update_available": true, "critical": true, "version": "2.0", "changelog": "c",
        "is_intermediate_required": true, "possible_rollback": true, "error": "Not found",
        "rollout": { "percent": 25, "seed": "s" },
        "fallback": {
            "critical": false, "version": "1.9", "update_url_app.tar.gz": "t", "changelog": "c",
            "is_intermediate_required": true,
        },
    });
    offered.as_object_mut().unwrap().extend(links.as_object().unwrap().clone());
    check(&[
        (round_trip::<CheckBody<'_>>, offered),
        (round_trip::<CheckBody<'_>>, json!({ "update_available": false, "critical": false })),
        (round_trip::<HealthBody>, json!({ "status": "healthy" })),
        (round_trip::<HealthBody>, json!({ "status": "unhealthy", "details": "database" })),
        (
            round_trip::<MaintenanceBody>,
            json!({
                "uploads_expired": 1, "objects_deleted": 2, "telemetry_deleted": 3, "blobs_deleted": 4,
                "counters_deleted": 5,
                "metadata_signed": 6,
                "metadata_expiring": 7,
                "bucket_of_another_database": true,
                "webhooks_sent": 8,
            }),
        ),
    ]);
}

#[test]
fn explanations() {
    let question = json!({
        "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "1.0", "updater": "manual",
        "device": "d", "at": "t",
    });
    let outside = json!({
        "code": "outside_rollout", "text": "s", "position": 2782, "basis_points": 10,
        "next": { "percent": 28, "at": "t" },
    });
    let surpassed = json!({ "code": "surpassed", "text": "s", "by": "2.0" });
    let releases =
        [("2.0", outside), ("1.1", json!({ "code": "offered", "text": "s" })), ("1.0.1", surpassed)];
    let releases: Vec<_> = releases
        .into_iter()
        .map(|(version, because)| {
            let offered = because["code"] == "offered";
            json!({ "version": version, "channel": "stable", "offered": offered, "because": [because] })
        })
        .collect();
    let answer = json!({
        "update_available": true, "version": "1.1", "critical": false, "shut_off": false, "withdrawn": "it crashes",
    });
    check(&[
        (round_trip::<ExplainBody>, question),
        (round_trip::<ExplainBody>, json!({ "app": "notes", "version": "1.0" })),
        (
            round_trip::<ExplainedBody>,
            json!({
                "at": "t", "answer": answer, "releases": releases,
                "others": [{ "updater": "tauri", "version": "1.0" }, { "updater": "velopack" }],
            }),
        ),
        (
            round_trip::<ExplainedBody>,
            json!({ "at": "t", "answer": { "update_available": false, "critical": false, "shut_off": true }, "releases": [] }),
        ),
    ]);
}

#[test]
fn receipts() {
    let line = json!({
        "channel": "stable", "platform": "linux", "arch": "amd64", "updater": "manual", "state": "draft",
        "outcome": "behind", "text": "s", "before": "1.0", "devices": 3,
    });
    let mut silent = line.clone();
    silent.as_object_mut().unwrap().retain(|key, _| key != "before" && key != "devices");
    let data = json!({ "app_name": "notes", "version": "1.1", "publish": true, "critical": false, "intermediate": false });
    check(&[
        (round_trip::<ReceiptAskBody>, json!({ "data": data, "files": ["a.deb"] })),
        (
            round_trip::<ReceiptBody>,
            json!({
                "app": "notes", "version": "1.1", "lines": [line, silent], "truncated": false, "behind": true,
                "nobody": true, "warnings": ["s"],
            }),
        ),
    ]);
}

#[test]
fn reports() {
    let application = json!({ "name": "notes", "version": "1.2.3", "channel": "stable" });
    let system = json!({ "platform": "linux", "arch": "amd64" });
    let event = json!({ "type": "crash", "reason": "segv" });
    let group = json!({
        "id": "1", "group_hash": "9f", "app_id": "2", "application": application, "system": system,
        "event": event, "status": "open", "tags": ["a"], "note": "", "created_at": "t", "updated_at": "t",
        "trend": [0, 1],
        "stats": {
            "count": 1, "first_seen": "t", "last_seen": "t", "details_stored": 0, "details_rejected": 0,
        },
    });
    let blob = json!({
        "id": "1", "group_hash": "9f", "app_id": "2", "application": application, "system": system,
        "event": event, "url": null, "expires_at": null, "created_at": "t",
        "storage": {
            "driver": "s3", "key": "k", "compressed_size": 1, "decompressed_size": 2,
            "content_type": "application/json", "encoding": "gzip",
        },
    });
    let key =
        json!({ "id": "1", "app_id": "2", "app_name": "notes", "key_value": "rpk_0", "updated_at": "t" });
    let details =
        json!({ "encoding": DETAILS_ENCODING, "content_type": DETAILS_CONTENT_TYPE, "payload": "H4" });
    let report = json!({ "application": application, "system": system, "event": event, "details": details });
    let accepted = json!({ "status": "accepted", "group_hash": "9f", "stored_details": false });
    let cause = json!({
        "app_id": "1", "app_name": "notes", "event": event, "reports": 3, "groups": 1, "open_groups": 1,
        "resolved_groups": 0, "muted_groups": 0, "first_seen": "t", "last_seen": "t", "trend": [0, 1],
        "latest": [group],
    });
    let causes = json!([{ "app_id": "1", "type": "crash", "reason": "segv" }]);
    check(&[
        (round_trip::<ReportBody>, report),
        (round_trip::<CausesBody>, json!({ "items": [cause], "total": 1, "page": 1, "limit": 20 })),
        (round_trip::<CausesPatchBody>, json!({ "causes": causes, "status": "muted" })),
        (round_trip::<CausesUpdatedBody>, json!({ "updated": 2 })),
        (round_trip::<AcceptedBody>, accepted),
        (round_trip::<GroupsBody>, json!({ "items": [group], "total": 1, "page": 1, "limit": 20 })),
        (round_trip::<GroupPatchBody>, json!({ "status": "muted", "tags": [], "note": "n" })),
        (round_trip::<GroupUpdatedBody>, json!({ "group_hash": "9f", "updated": true })),
        (round_trip::<GroupDeletedBody>, json!({ "group_hash": "9f", "deleted": true })),
        (
            round_trip::<FailuresByVersionBody>,
            json!({
                "versions": [
                    { "version": "1.0", "groups": 2, "open_groups": 1, "reports": 3, "devices": 4 },
                ],
            }),
        ),
        (round_trip::<BlobsBody>, json!({ "items": [blob] })),
        (round_trip::<RegenerateBody>, json!({ "app_id": "1", "key_value": "rpk_0" })),
        (round_trip::<KeyBody>, json!({ "app_id": "1", "key_value": "rpk_0" })),
        (round_trip::<ReportKeysBody>, json!({ "report_keys": [key] })),
    ]);
}

#[test]
fn figures_and_download_tokens() {
    let token = json!({
        "id": "1", "app_id": "2", "app_name": "notes", "channel_id": null, "channel_name": null,
        "token_prefix": "dlt_0", "updated_at": "t",
    });
    let day = json!({
        "date": "2026-11-21", "total_requests": 1, "unique_clients": 1, "clients_using_latest_version": 1,
        "clients_outdated": 0,
    });
    let figures = json!({
        "date": "2026-11-21", "date_range": ["2026-11-21"], "admin": "ada",
        "summary": {
            "total_requests": 1, "unique_clients": 1, "clients_using_latest_version": 1,
            "clients_outdated": 0, "total_active_apps": 1,
        },
        "versions": {
            "used_versions_count": 1, "known_versions": ["1.0"],
            "usage": [{ "version": "1.0", "client_count": 1 }],
        },
        "platforms": [{ "platform": "linux", "client_count": 1 }],
        "architectures": [{ "arch": "amd64", "client_count": 1 }],
        "channels": [{ "channel": "stable", "client_count": 1 }],
        "daily_stats": [day],
    });
    check(&[
        (round_trip::<TelemetryBody>, figures),
        (round_trip::<DownloadTokensBody>, json!({ "download_tokens": [token] })),
        (round_trip::<RegenerateDownloadTokenBody>, json!({ "app_id": "1", "channel_id": "2" })),
        (round_trip::<DownloadTokenBody>, json!({ "app_id": "1", "channel_id": null, "token": "dlt_0" })),
    ]);
}

#[test]
fn overview_and_adoption() {
    let newest = json!({
        "channel": "stable", "version": "1.0", "created_at": "t", "rollout_percent": 100,
        "basis_points": 10_000, "rollout_state": "complete",
    });
    let app = json!({
        "id": "1", "name": "notes", "logo": "", "description": "", "private": false, "tuf": false,
        "reports": true, "newest": [newest], "drafts": 1, "releases": 2, "devices_today": 3, "devices": 4,
        "devices_on_newest": 5, "daily": [0, 3], "open_groups": 6, "open_causes": 4, "signed": true,
        "missing": "s",
    });
    let warning = json!({ "kind": "maintenance_overdue", "app": null, "text": "s", "since_or_until": null });
    let release = json!({
        "id": "1", "app": "notes", "channel": "stable", "version": "2.0", "state": "running", "percent": 0.1,
        "next": { "percent": 5, "at": "t" }, "verdict": "healthy", "why": "w",
    });
    let overview = json!({
        "apps": [app], "total": 1, "page": 1, "limit": 24, "maintenance": "t", "devices_today": 3,
        "devices": 4, "apps_total": 1, "releases_total": 2, "drafts_total": 1, "open_groups_total": 6,
        "open_causes_total": 4,
        "warnings": [warning],
        "now": { "rollouts": [release], "failing": [], "activity": [] },
    });
    let adoption = json!({
        "days": ["2026-11-21"], "versions": [{ "version": "1.0", "clients": [1] }], "other": [0],
    });
    check(&[(round_trip::<OverviewBody>, overview), (round_trip::<AdoptionBody>, adoption)]);
}

#[test]
fn health() {
    let series = json!({
        "k": 5, "n": 50, "per_1000": 100.0, "baseline": { "version": "1.0", "k": 10, "n": 1000, "per_1000": 10.0 },
        "ln_e": 3.7, "needed": 5.3,
    });
    let cause = json!({
        "type": "crash", "reason": "segv", "new": 5, "before": 1, "devices": 5, "versions": ["2.0"],
        "platforms": ["linux"],
    });
    let health = json!({
        "since": "t", "at": "t", "verdict": "unknown", "why": "w", "guard": { "on_unhealthy": "pause" }, "devices": 50,
        "running": series, "updating": { "k": 0, "n": 0, "per_1000": null, "needed": 5.3 },
        "causes": [cause],
        "now": {
            "verdict": "unknown", "why": "w", "failing": true, "devices": 50, "running": series, "updating": series,
            "causes": [cause], "before": "1.0",
            "days": [{
                "date": "2026-12-01", "platform": "linux", "devices": 50, "failing": 5, "devices_before": 9,
                "failing_before": 0,
            }],
        },
        "failing_round": {
            "since": "t", "at": "t", "verdict": "unhealthy", "why": "w", "devices": 50, "running": series,
            "updating": series, "ended_by": { "type": "user", "id": "1", "name": "ada" }, "reason": "r",
        },
    });
    let acted = json!({
        "id": "1", "app": "notes", "channel": "", "version": "2.0", "action": "pause", "why": "w",
    });
    let run =
        json!({ "looked_at": 2, "acted": [acted], "unhealthy": 1, "unknown": 1, "failed": 1, "left": 3 });
    check(&[(round_trip::<ReleaseHealthBody>, health), (round_trip::<GuardRunBody>, run)]);
}

#[test]
fn repositories() {
    let key =
        json!({ "keyid": "0a", "keytype": "ed25519", "scheme": "ed25519", "keyval": { "public": "0b" } });
    let file = json!({ "signatures": [], "signed": { "version": 1 } });
    let started = json!({ "data": { "task_id": "1", "last_update": "t" }, "message": "m" });
    let result = json!({
        "status": true, "task": "bootstrap", "message": "m", "last_update": "t", "details": { "root": "1" },
    });
    let config = json!({
        "root_expiration": 730, "root_threshold": 1, "root_num_keys": 2, "targets_expiration": 365,
        "targets_threshold": 1, "targets_num_keys": 1, "snapshot_expiration": 30, "snapshot_threshold": 1,
        "snapshot_num_keys": 1, "timestamp_expiration": 7, "timestamp_threshold": 1, "timestamp_num_keys": 1,
        "targets_online_key": false, "keep": 5, "refresh_after": null, "problems": ["p"],
    });
    check(&[
        (
            round_trip::<BootstrapBody>,
            json!({
                "data": {
                    "bootstrap": true, "state": "waiting", "id": "1", "repository": "ada/notes", "online_key": key,
                    "next_online_key": key, "targets_key": key, "next_targets_key": key,
                },
                "message": "m",
            }),
        ),
        (
            round_trip::<BootstrapRequest>,
            json!({
                "appName": "notes", "settings": { "roles": { "timestamp": { "expiration": 7 } } },
                "metadata": { "root": file, "targets": file }, "root_history": [file],
            }),
        ),
        (round_trip::<BootstrapRequest>, json!({ "appName": "notes", "metadata": { "root": file } })),
        (round_trip::<RepositoryRequest>, json!({ "appName": "notes" })),
        (round_trip::<TaskStartedBody>, started),
        (
            round_trip::<TaskBody>,
            json!({ "data": { "task_id": "1", "state": "PENDING", "result": result }, "message": "m" }),
        ),
        (round_trip::<RepositoryConfigBody>, json!({ "data": config, "message": "m" })),
        (
            round_trip::<RepositoryConfigRequest>,
            json!({ "settings": { "expiration": { "timestamp": 3 }, "keep": 0 } }),
        ),
    ]);
}

fn requires() -> serde_json::Value {
    json!({ "os_version": { "min": "12", "max": "14", "not": ["13.2"] }, "unknown": "offer" })
}

#[test]
fn conditions() {
    check(&[
        (
            round_trip::<RequiresChangeBody>,
            json!({ "platform": "macos", "arch": "arm64", "requires": requires(), "reason": "x" }),
        ),
        (round_trip::<RequiresChangeBody>, json!({ "requires": {}, "if_revision": 3 })),
        (round_trip::<DeviceGroupCreateBody>, json!({ "app": "notes", "name": "qa", "reason": "x" })),
        (round_trip::<DeviceGroupDevicesBody>, json!({ "add": ["1"], "remove": ["2"], "reason": "x" })),
        (round_trip::<DeviceGroupSizeBody>, json!({ "devices": 1 })),
        (
            round_trip::<DeviceGroupsBody>,
            json!({ "groups": [{ "id": "1", "app": "notes", "name": "qa", "devices": 1, "created_at": "t", "key": "k" }] }),
        ),
    ]);
}

#[test]
fn rollouts() {
    let plan = json!([{ "percent": 0.1, "for": "12h" }, { "percent": 5 }, { "percent": 100 }]);
    let order = json!({
        "action": "start", "plan": plan, "channel": "stable", "if_revision": 3, "reason": "Friday",
    });
    let rollout = json!({
        "state": "running", "percent": 0, "basis_points": 10, "seed": "s", "plan": plan, "step": 0,
        "next": { "percent": 5, "at": "2026-11-26T10:00:00+00:00" }, "later": [{ "percent": 100, "at": "t" }],
    });
    let begin = json!({ "days": "Mon-Thu", "from": "09:00", "to": "16:00", "offset": "+01:00" });
    let timed = json!({ "steps": plan, "begin": begin });
    let offer = json!({
        "channel": "stable", "own": true, "state": "scheduled", "revision": 3, "publish_at": "t", "held_until": "t",
        "offered_at": "t",
        "rollout": rollout, "groups": ["qa"], "guard": { "on_unhealthy": "pause", "alpha": 0.01 }, "verdict": "unhealthy",
    });
    check(&[
        (round_trip::<RolloutActionBody>, order),
        (round_trip::<PlanBody>, timed.clone()),
        (round_trip::<RolloutActionBody>, json!({ "action": "start", "plan": timed })),
        (round_trip::<RolloutActionBody>, json!({ "action": "set", "percent": 12.25 })),
        (
            round_trip::<ReleaseBody>,
            json!({
                "id": "1", "app": "notes", "version": "2.0", "withdrawn": { "at": "t", "reason": "bad" },
                "requires": [{ "platform": "macos", "arch": "arm64", "requires": requires() }],
                "cures": ["1.9", "1.9.1"], "shut_off": true, "offers": [offer],
            }),
        ),
        (round_trip::<OfferChangeBody>, json!({ "publish": true, "plan": plan, "reason": "tag" })),
        (round_trip::<OfferChangeBody>, json!({ "publish_at": null, "if_revision": 1 })),
        (round_trip::<OfferChangeBody>, json!({ "publish_at": "t", "rollout": 5, "channel": "stable" })),
        (round_trip::<OfferChangeBody>, json!({ "guard": { "on_unhealthy": "halt", "max_failing": 20 } })),
        (round_trip::<OfferChangeBody>, json!({ "guard": null })),
        (round_trip::<OfferChangeBody>, json!({ "groups": ["qa"] })),
        (round_trip::<WithdrawBody>, json!({ "reason": "bad" })),
        (round_trip::<RestoreBody>, json!({ "if_revision": 3, "reason": "not bad" })),
    ]);
}

#[test]
fn stops_freezes_and_webhooks() {
    check(&[
        (
            round_trip::<ShutoffCreateBody>,
            json!({ "app": "notes", "channel": "stable", "platform": "linux", "reason": "bad" }),
        ),
        (
            round_trip::<FreezeCreateBody>,
            json!({ "app": "notes", "from": "t", "to": "t", "reason": "holidays" }),
        ),
        (
            round_trip::<FreezesBody>,
            json!({ "freezes": [{
                "id": "1", "app": "", "from": "t", "to": "t", "reason": "holidays", "created_by": "ada", "created_at": "t",
            }] }),
        ),
        (
            round_trip::<WebhookCreateBody>,
            json!({
                "url": "https://a.example/", "name": "on call", "kinds": ["*"], "app": "notes", "halt_links": true,
            }),
        ),
        (round_trip::<WebhookUpdateBody>, json!({ "name": "on call", "halt_links": false })),
        (round_trip::<WebhookUpdateBody>, json!({})),
        (
            round_trip::<HaltLinkBody>,
            json!({
                "id": "1", "app": "notes", "version": "2.0", "channel": "stable", "state": "running",
                "expires_at": "t",
            }),
        ),
        (
            round_trip::<WebhooksBody>,
            json!({ "webhooks": [
                {
                    "id": "1", "name": "on call", "url": "https://a.example/", "kinds": ["health.*"], "app": "notes",
                    "halt_links": true, "delivered_seq": 7,
                    "failing_since": "t", "last_failure": "bad", "next_try": "t", "off_at": "t", "created_at": "t",
                    "secret": "whsec_x",
                },
                {
                    "id": "2", "name": "a.example", "url": "https://a.example/", "kinds": ["*"], "app": "",
                    "halt_links": false, "delivered_seq": 7, "created_at": "t",
                },
            ], "origins": ["https://a.example"] }),
        ),
        (
            round_trip::<ShutoffsBody>,
            json!({ "shutoffs": [{
                "id": "1", "app": "notes", "channel": "", "platform": "linux", "reason": "bad", "created_by": "ada",
                "created_at": "t",
            }] }),
        ),
    ]);
}

#[test]
fn signed_metadata() {
    let file = json!({ "signatures": [], "signed": { "version": 1 } });
    let target = json!({
        "name": "ada/notes/x", "version": "1.0.0", "channel": "stable", "package": "deb", "length": 1,
        "hashes": { "sha256": "0a" }, "state": "legacy", "published": true, "needed": false,
    });
    check(&[
        (round_trip::<RootBody>, json!({ "data": { "trusted_root": file } })),
        (round_trip::<TargetsBody>, json!({ "data": { "trusted_targets": null } })),
        (round_trip::<DelegatedBody>, json!({ "data": { "trusted_delegated": file } })),
        (round_trip::<MetadataRequest>, json!({ "metadata": { "targets": file }, "base": 7 })),
        (
            round_trip::<DelegatedRotateRequest>,
            json!({ "role": "channel-beta", "delegator": "targets", "metadata": { "channel-beta": file } }),
        ),
        (
            round_trip::<StagedBody>,
            json!({ "data": { "metadata": { "root": file, "trusted_root": file } }, "message": "m" }),
        ),
        (round_trip::<StagedBody>, json!({ "data": null, "message": "m" })),
        (round_trip::<SignRequest>, json!({ "role": "root", "signature": { "keyid": "0a", "sig": "0b" } })),
        (round_trip::<StagedDeleteRequest>, json!({ "role": "root" })),
        (round_trip::<OnlineRequest>, json!({ "roles": ["timestamp"] })),
        (round_trip::<OnlineRequest>, json!({})),
        (
            round_trip::<TargetsPageBody>,
            json!({ "items": [target], "total": 1, "page": 1, "limit": 10, "keep": 5 }),
        ),
        (round_trip::<TargetsPublishRequest>, json!({ "app_id": "1", "version": "1.0.0" })),
        (
            round_trip::<TargetsDeleteRequest>,
            json!({ "id": "1", "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": ["x"] }),
        ),
    ]);
}

#[test]
fn publishers() {
    let named = json!({
        "repository": "acme/notes", "workflow": "release.yml", "reusable": "a/b/.github/workflows/c.yml", "project": "p",
        "unprotected": true, "environment": "e", "ref": "refs/tags/v*", "issuer": "i", "subject": "s",
    });
    let with = |more: Value| {
        let mut all = named.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let entry = with(json!({
        "id": "1", "app": "notes", "provider": "github", "name": "n", "may": ["upload"], "channels": ["beta"],
        "pinned": true, "last_used_at": null, "created_at": "t",
    }));
    let build = json!({
        "provider": "github", "repository": "acme/notes", "commit": "1a2b3c4d", "ref": "r", "workflow": "w", "run": "8",
        "url": "u", "files": 2,
    });
    check(&[
        (
            round_trip::<PublisherCreateBody>,
            with(json!({ "app": "notes", "provider": "github", "may": ["upload"], "channels": ["beta"] })),
        ),
        (round_trip::<PublishersBody>, json!({ "publishers": [entry] })),
        (round_trip::<ExchangeBody>, json!({ "token": "e.y.J", "owner": "ada", "app": "notes" })),
        (
            round_trip::<ExchangedBody>,
            json!({ "token": "sdt_0", "expires_at": "t", "may": ["upload"], "channels": null, "job": "j" }),
        ),
        (round_trip::<BuiltByBody>, build),
    ]);
}

#[test]
fn passkeys() {
    let question = json!({ "options": { "publicKey": {} }, "challenge": "c" });
    let entry = json!({ "id": "1", "name": "Laptop", "created_at": "t", "last_used_at": null });
    check(&[
        (round_trip::<PasskeyQuestionBody>, question.clone()),
        (round_trip::<PasskeysBody>, json!({ "passkeys": [entry], "recovery_codes": 9, "required": true })),
        (round_trip::<PasskeyNewBody>, json!({ "password": "p" })),
        (round_trip::<PasskeyCreateBody>, json!({ "name": "n", "challenge": "c", "credential": {} })),
        (round_trip::<PasskeyCreatedBody>, json!({ "passkey": entry, "recovery_codes": ["a"] })),
        (round_trip::<PasskeyCreatedBody>, json!({ "passkey": entry })),
        (round_trip::<PasskeyAnswerBody>, json!({ "challenge": "c", "credential": {} })),
        (round_trip::<RecoveryBody>, json!({ "username": "ada", "password": "p", "code": "c" })),
        (round_trip::<RecoveryCodesBody>, json!({ "recovery_codes": ["a"] })),
        (round_trip::<PasskeyRequirementBody>, json!({ "required": true })),
        (
            round_trip::<ErrorBody>,
            json!({ "error": "e", "code": "second_factor_required", "passkey": question }),
        ),
    ]);
}

#[test]
fn logins_of_programs() {
    check(&[
        (round_trip::<DeviceCodeBody>, json!({ "machine": "m" })),
        (
            round_trip::<DeviceCodeAnswer>,
            json!({
                "device_code": "d", "user_code": "u", "verification_uri": "v", "verification_uri_complete": "w",
                "expires_in": 600, "interval": 5,
            }),
        ),
        (round_trip::<DeviceTokenBody>, json!({ "device_code": "d" })),
        (
            round_trip::<DeviceBody>,
            json!({ "user_code": "u", "machine": "m", "address": null, "created_at": "t", "expires_at": "t" }),
        ),
        (round_trip::<DeviceAnswerBody>, json!({ "user_code": "u", "allow": true })),
    ]);
}

#[test]
fn single_sign_on() {
    check(&[
        (round_trip::<SsoBody>, json!({ "enabled": true, "name": "Acme" })),
        (round_trip::<SsoBody>, json!({ "enabled": false })),
        (round_trip::<SsoBeginBody>, json!({ "then": "/console/" })),
        (round_trip::<SsoQuestionBody>, json!({ "address": "a", "challenge": "c" })),
        (round_trip::<SsoFinishBody>, json!({ "challenge": "c", "code": "d", "state": "s", "iss": "i" })),
        (round_trip::<SsoLoginAnswer>, json!({ "token": "t", "then": "/console/" })),
        (round_trip::<SsoRequirementBody>, json!({ "password_login": false })),
    ]);
}
