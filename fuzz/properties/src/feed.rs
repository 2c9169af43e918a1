//! Properties of the feeds of all native updaters.

use std::collections::BTreeMap;

use serde_json::Value;
use spindrift_core::feeds::{
    CheckAnswer, FeedPart, NativeAnswer, NativeQuestion, ReleaseFeed, UpdaterRecord, UploadFacts,
};
use spindrift_core::{
    BasisPoints, Conditions, FileEntry, FileName, Id, MAX_FEED_BYTES, Md5Digest, NO_CLIENT_FACTS,
    PlatformUpdaters, Rollout, Scope, ScopeRecord, ScopeRelease, Stops, Timestamp, Updater, Version,
};

/// The version of the release that feeds are for.
pub(crate) const RELEASE: &str = "1.2.3";
/// The version of an older release.
const OLDER: &str = "1.1.0";
/// The version of the client that asks.
const CLIENT: &str = "1.0.0";
/// Most characters of a refusal: feed, place and problem, with 80 characters of the feed at most.
const MAX_REFUSAL_CHARS: usize = 200;

/// An updater, and the files of its release.
pub(crate) struct Format {
    pub(crate) updater: Updater,
    /// The name of its feed.
    pub(crate) feed: &'static str,
    /// The files that the storage has. The upload declares none, so that feeds need not list all of them.
    pub(crate) files: &'static [&'static str],
}

impl Format {
    /// Reads a feed. A feed that is read is kept, and survives being stored. `None`: it is refused.
    pub(crate) fn read(&self, bytes: &[u8]) -> Option<ReleaseFeed> {
        let stored: Vec<FileName> =
            self.files.iter().map(|name| name.parse().expect("a file name")).collect();
        let version = version(RELEASE);
        let facts = UploadFacts {
            version: &version,
            files: &[],
            stored: &stored,
            has_archs: true,
            rollout: BasisPoints::ALL,
        };
        self.declared(bytes, &version);
        let feed = match self.updater.read_feeds(&[bytes], &facts) {
            Ok(feed) => feed.expect("the updater has a feed"),
            Err(refusal) => {
                let text = refusal.to_string();
                assert!(text.chars().count() <= MAX_REFUSAL_CHARS, "{text}");
                assert!(!text.chars().any(char::is_control), "{text:?}");
                return None;
            }
        };
        assert!(bytes.len() as u64 <= MAX_FEED_BYTES);
        assert_eq!(feed.updater(), self.updater);
        assert_eq!(stored_and_read(&feed), feed, "a kept feed is read as it was written");
        for digests in feed.digests() {
            assert!(self.files.contains(&digests.file_name.as_str()), "{}", digests.file_name);
            for (digest, length) in [(digests.sha1, 40), (digests.sha256, 64), (digests.sha512, 128)] {
                assert!(digest.is_none_or(|digest| is_lower_hex(&digest, length)));
            }
        }
        // An item of an appcast may only inform, and name no file.
        let without_files = feed.clone().only_with(&|_| false);
        assert!(without_files.is_none_or(|left| !json(&left).to_string().contains("\"file_name\":")));
        assert_eq!(feed.clone().only_with(&|_| true).as_ref(), Some(&feed));
        Some(feed)
    }

    /// The same feed with files of the upload, whose lengths are compared: it is read or refused, and read twice it is the
    /// same.
    fn declared(&self, bytes: &[u8], version: &Version) {
        let entry = |name: &&str| FileEntry {
            name: name.parse().expect("a file name"),
            md5: Md5Digest::from_bytes([0; 16]),
            sha256: None,
            sha512: None,
            length: Some(5),
        };
        let files: Vec<FileEntry> = self.files.iter().map(entry).collect();
        let facts = UploadFacts {
            version,
            files: &files,
            stored: &[],
            has_archs: true,
            rollout: BasisPoints::from_percent(50),
        };
        let once = self.updater.read_feeds(&[bytes], &facts);
        if let Ok(Some(feed)) = &once {
            assert_eq!(&stored_and_read(feed), feed);
        }
        let twice = self.updater.read_feeds(&[bytes, bytes], &facts);
        assert!(once.is_ok() || twice.is_err(), "a refused feed is refused beside itself");
    }

    /// The answer to a client, from the record of a scope whose only release has this feed.
    pub(crate) fn answer(&self, feed: &ReleaseFeed) -> String {
        let record = self.record(feed, &[RELEASE]);
        let (client, scope) = (version(CLIENT), scope());
        let mut question = NativeQuestion {
            updater: self.updater,
            file: self.feed,
            scope: &scope,
            client: &client,
            device: None,
            bundle: None,
            facts: &NO_CLIENT_FACTS,
            at: Timestamp::default(),
        };
        let NativeAnswer::Body { text, .. } = record.answer(&question) else {
            unreachable_answer(self.feed);
        };
        assert!(matches!(record.check_answer(&question), CheckAnswer::Own(_) | CheckAnswer::Feed(_)));
        question.device = Some("device");
        let NativeAnswer::Body { text: for_device, .. } = record.answer(&question) else {
            unreachable_answer(self.feed);
        };
        assert_eq!(text, for_device, "a release for all devices is the same for all");
        // Also beside an older release, which the answer may list too.
        assert!(matches!(self.record(feed, &[RELEASE, OLDER]).answer(&question), NativeAnswer::Body { .. }));
        text
    }

    /// Reads an answer as a feed: clients read at least what publishers may write.
    pub(crate) fn reread(&self, answer: &str) -> ReleaseFeed {
        self.read(answer.as_bytes()).unwrap_or_else(|| unreadable(self, answer))
    }

    /// The record of a scope with these releases, newest first, which all have this feed.
    fn record(&self, feed: &ReleaseFeed, versions: &[&str]) -> UpdaterRecord {
        let address = |name: &str| format!("https://cdn.example/My App/{}", name.replace(' ', "%20"));
        let links: BTreeMap<String, String> =
            self.files.iter().map(|name| ((*name).to_owned(), address(name))).collect();
        let release = |text: &&str| ScopeRelease {
            version: version(text),
            intermediate: false,
            rollout: Rollout::fixed(BasisPoints::ALL, "seed".into()),
            changelog: String::new(),
            released_at: Timestamp::from_millis(0),
            artifacts: Vec::new(),
            conditions: Conditions::default(),
        };
        let part = FeedPart {
            arch: None,
            feed_name: self.feed.parse().expect("a file name"),
            feed: feed.clone(),
            links,
        };
        let scope = ScopeRecord {
            app_id: Id::from_text("app"),
            groups: Vec::new(),
            cdn: false,
            derived_at: Timestamp::from_millis(0),
            read_at: Timestamp::from_millis(0),
            revision: 0,
            link_settings: 0,
            stands_for: None,
            updaters: PlatformUpdaters::default(),
            releases: versions.iter().map(release).collect(),
            critical: Vec::new(),
            stops: Stops::default(),
            valid_until: None,
        };
        let feeds = versions.iter().map(|_| vec![part.clone()]).collect();
        let record = UpdaterRecord { scope, feeds, feed_names: Vec::new() }.pruned();
        let stored = serde_json::to_vec(&record).expect("a record is JSON");
        let read: UpdaterRecord = serde_json::from_slice(&stored).expect("a stored record");
        assert_eq!(read, record);
        record
    }
}

fn stored_and_read(feed: &ReleaseFeed) -> ReleaseFeed {
    let stored = serde_json::to_vec(feed).expect("a kept feed is JSON");
    serde_json::from_slice(&stored).expect("a stored feed")
}

fn unreachable_answer(feed: &str) -> ! {
    panic!("an offered release has no {feed}")
}

fn unreadable(format: &Format, answer: &str) -> ReleaseFeed {
    let stored: Vec<FileName> = format.files.iter().filter_map(|name| name.parse().ok()).collect();
    let version = version(RELEASE);
    let facts = UploadFacts {
        version: &version,
        files: &[],
        stored: &stored,
        has_archs: true,
        rollout: BasisPoints::ALL,
    };
    panic!(
        "{:?} for the service's own answer: {answer}",
        format.updater.read_feeds(&[answer.as_bytes()], &facts)
    )
}

/// A kept feed as JSON, to compare parts of it.
pub(crate) fn json(feed: &ReleaseFeed) -> Value {
    serde_json::to_value(feed).expect("a kept feed is JSON")
}

fn version(text: &str) -> Version {
    text.parse().expect("a version")
}

fn scope() -> Scope {
    Scope {
        owner: "ada".parse().expect("a name"),
        app: "My App".parse().expect("a name"),
        channel: None,
        platform: None,
        arch: None,
    }
}

fn is_lower_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
