//! Tests of the object storage with presigned URLs, as S3 clients use them.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::{Answer, delete, get, get_with, head, head_with, post, put};
use rusty_s3::actions::{CreateMultipartUpload, ListObjectsV2};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use spindrift_http::ConnectionLimits;
use spindrift_store::{Bucket as BucketOptions, Storage, StorageOptions};
use tempfile::TempDir;

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// MD5 of `hello` as an `ETag`.
const HELLO_ETAG: &str = "\"5d41402abc4b2a76b9719d911017c592\"";
const HELLO_MD5: &str = "XUFAKrxLKna5cZ2REBfFkg==";

struct World {
    storage: Storage,
    credentials: Credentials,
    _folder: TempDir,
}

fn options(folder: &Path) -> StorageOptions {
    let bucket = |name: &str, public| BucketOptions { name: name.to_owned(), public };
    StorageOptions {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        directory: folder.to_owned(),
        access_key: "key".to_owned(),
        secret_key: "secret".to_owned(),
        other_keys: Vec::new(),
        buckets: vec![bucket("public", true), bucket("private", false)],
        origins: Vec::new(),
        limits: ConnectionLimits::default(),
    }
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let storage = Storage::start(options(folder.path())).await.unwrap();
        Self { storage, credentials: Credentials::new("key", "secret"), _folder: folder }
    }

    fn bucket(&self, name: &str) -> Bucket {
        let endpoint = self.storage.url().parse().unwrap();
        Bucket::new(endpoint, UrlStyle::Path, name.to_owned(), "us-east-1").unwrap()
    }

    /// A URL for writing `key`, with these headers signed.
    fn put_url(&self, bucket: &str, key: &str, headers: &[(&'static str, &'static str)]) -> String {
        let bucket = self.bucket(bucket);
        let mut action = bucket.put_object(Some(&self.credentials), key);
        for (name, value) in headers {
            action.headers_mut().insert(*name, *value);
        }
        action.sign(HOUR).to_string()
    }

    fn get_url(&self, bucket: &str, key: &str) -> String {
        self.bucket(bucket).get_object(Some(&self.credentials), key).sign(HOUR).to_string()
    }

    fn put(&self, bucket: &str, key: &str, body: &[u8]) -> Answer {
        put(&self.put_url(bucket, key, &[]), &[], body)
    }

    fn get(&self, bucket: &str, key: &str) -> Answer {
        get(&self.get_url(bucket, key))
    }

    fn copy(&self, source: &'static str, bucket: &str, key: &str) -> Answer {
        let headers = [("x-amz-copy-source", source)];
        put(&self.put_url(bucket, key, &headers), &headers, b"")
    }

    fn list(&self, prepare: impl FnOnce(&mut ListObjectsV2<'_>)) -> rusty_s3::actions::ListObjectsV2Response {
        let bucket = self.bucket("public");
        let mut action = bucket.list_objects_v2(Some(&self.credentials));
        prepare(&mut action);
        ListObjectsV2::parse_response(&get(action.sign(HOUR).as_str()).text).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_comes_back_with_what_was_said_about_it() {
    let world = World::new().await;
    let headers =
        [("content-type", "text/x-note"), ("cache-control", "max-age=60"), ("x-amz-meta-colour", "red")];

    let answer = put(&world.put_url("public", "a.txt", &headers), &headers, b"hello");

    assert_eq!((answer.status, answer.header("etag")), (200, HELLO_ETAG));
    let url = format!("{}/public/a.txt", world.storage.url());
    for answer in [get(&url), head(&url)] {
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("etag"), HELLO_ETAG);
        assert_eq!(answer.header("content-length"), "5");
        for (name, value) in headers {
            assert_eq!(answer.header(name), value);
        }
    }
    assert_eq!(get(&url).text, "hello");
    let part = get_with(&url, &[("range", "bytes=1-3")]);
    assert_eq!((part.status, part.text.as_str(), part.header("content-range")), (206, "ell", "bytes 1-3/5"));
    assert_eq!(get_with(&url, &[("range", "bytes=9-")]).status, 416);
    assert_eq!(get_with(&url, &[("if-none-match", HELLO_ETAG)]).status, 304);
}

/// A summary of an answer: the status, the text of a success, and `Content-Range`.
fn short(answer: &Answer) -> (u16, &str, &str) {
    let text = if answer.status < 300 { answer.text.as_str() } else { "" };
    (answer.status, text, answer.header("content-range"))
}

/// The whole file that the tests of ranges use.
const WHOLE: (u16, &str, &str) = (200, "0123456789", "");

#[tokio::test(flavor = "multi_thread")]
async fn a_range_is_a_part_of_the_file() {
    let world = World::new().await;
    world.put("public", "a", b"0123456789");
    let url = format!("{}/public/a", world.storage.url());
    let none = (416, "", "bytes */10");
    for (range, expected) in [
        ("bytes=0-0", (206, "0", "bytes 0-0/10")),
        ("bytes=2-4", (206, "234", "bytes 2-4/10")),
        ("bytes=7-", (206, "789", "bytes 7-9/10")),
        ("bytes=8-30", (206, "89", "bytes 8-9/10")),
        ("bytes=8-99999999999999999999999", (206, "89", "bytes 8-9/10")),
        ("bytes=-3", (206, "789", "bytes 7-9/10")),
        ("bytes=-30", (206, "0123456789", "bytes 0-9/10")),
        ("Bytes=2-4", (206, "234", "bytes 2-4/10")),
        // One of several ranges exists.
        ("bytes=2-4,10-", (206, "234", "bytes 2-4/10")),
        ("bytes=,2-4 ,", (206, "234", "bytes 2-4/10")),
        // Not a range of this file: 416.
        ("bytes=10-", none),
        ("bytes=10-20", none),
        ("bytes=-0", none),
        ("bytes=99999999999999999999999-", none),
        ("bytes=10-,20-30", none),
        // Not a range at all: it is ignored.
        ("bytes=abc", WHOLE),
        ("bytes=5-2", WHOLE),
        ("bytes=5-2,0-1", WHOLE),
        ("bytes=0-1,abc", WHOLE),
        ("bytes=0-1x", WHOLE),
        ("bytes=+0-1", WHOLE),
        ("bytes=0x0-1", WHOLE),
        ("bytes=-", WHOLE),
        ("bytes=,", WHOLE),
        ("bytes=", WHOLE),
        ("bytes", WHOLE),
        ("0-4", WHOLE),
        ("lines=0-4", WHOLE),
        ("bytes 0-4", WHOLE),
    ] {
        let answer = get_with(&url, &[("range", range)]);
        assert_eq!(short(&answer), expected, "{range}");
        if answer.status < 300 {
            assert_eq!(answer.header("content-length"), answer.text.len().to_string(), "{range}");
            assert_eq!(answer.header("accept-ranges"), "bytes", "{range}");
        } else {
            assert!(answer.text.contains("InvalidRange"), "{range}: {}", answer.text);
            assert_eq!(answer.header("content-type"), "application/xml", "{range}");
        }
        // Only GET supports ranges.
        let answer = head_with(&url, &[("range", range)]);
        assert_eq!(short(&answer), (200, "", ""), "{range}");
        assert_eq!(answer.header("content-length"), "10", "{range}");
    }
    let twice = get_with(&url, &[("range", "bytes=0-1"), ("range", "bytes=4-5")]);
    assert_eq!(short(&twice), WHOLE);
    world.put("public", "empty", b"");
    let url = format!("{}/public/empty", world.storage.url());
    for (range, expected) in [
        ("bytes=0-", (416, "", "bytes */0")),
        ("bytes=-0", (416, "", "bytes */0")),
        ("bytes=-5", (200, "", "")),
    ] {
        assert_eq!(short(&get_with(&url, &[("range", range)])), expected, "{range}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_ranges_come_as_parts_in_the_order_of_the_request() {
    let world = World::new().await;
    let headers = [("content-type", "text/x-note")];
    put(&world.put_url("public", "a", &headers), &headers, b"0123456789");
    let url = format!("{}/public/a", world.storage.url());
    for (range, parts) in [
        ("bytes=0-1, 4-5", &[("01", "0-1"), ("45", "4-5")][..]),
        // As electron-updater requests them: it identifies the parts by their order and lengths, so they are
        // not merged.
        ("bytes=0-1, 2-3, 9-9", &[("01", "0-1"), ("23", "2-3"), ("9", "9-9")]),
        ("bytes=-1,0-0,20-", &[("9", "9-9"), ("0", "0-0")]),
        ("bytes=0-2,1-3", &[("012", "0-2"), ("123", "1-3")]),
    ] {
        let answer = get_with(&url, &[("range", range)]);

        assert_eq!((answer.status, answer.header("content-range")), (206, ""), "{range}");
        assert_eq!(answer.header("etag"), "\"781e5e245d69b566979b86e28d23f2c7\"", "{range}");
        let boundary = answer.header("content-type").strip_prefix("multipart/byteranges; boundary=").unwrap();
        let part = |(text, range): &(&str, &str)| {
            format!(
                "--{boundary}\r\nContent-Type: text/x-note\r\nContent-Range: bytes \
                 {range}/10\r\n\r\n{text}\r\n"
            )
        };
        let expected: String = parts.iter().map(part).collect();
        assert_eq!(answer.text, format!("{expected}--{boundary}--\r\n"), "{range}");
        assert_eq!(answer.header("content-length"), answer.text.len().to_string(), "{range}");
    }
    // More bytes than the file has.
    assert_eq!(short(&get_with(&url, &[("range", "bytes=0-,0-,0-")])), WHOLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_number_of_ranges_is_bounded() {
    let world = World::new().await;
    let bytes: Vec<u8> = (0..200_000_u32).map(|n| b'a' + u8::try_from(n % 26).unwrap()).collect();
    world.put("public", "a", &bytes);
    let url = format!("{}/public/a", world.storage.url());
    let ask = |count: usize| {
        let ranges: Vec<String> = (0..count).map(|n| format!("{}-{}", n * 190, n * 190 + 9)).collect();
        get_with(&url, &[("range", &format!("bytes={}", ranges.join(", ")))])
    };
    let most = ask(1000);
    assert_eq!(most.status, 206);
    let parts: Vec<&str> = most.text.split("\r\n\r\n").skip(1).map(|part| &part[..10]).collect();
    let expected = (0..1000).map(|n| std::str::from_utf8(&bytes[n * 190..n * 190 + 10]).unwrap());
    assert_eq!(parts, expected.collect::<Vec<_>>());
    let more = ask(1001);
    assert!(more.status == 200 && more.text.as_bytes() == bytes, "{}", more.status);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_file_comes_in_pieces_from_any_place() {
    let world = World::new().await;
    let bytes: Vec<u8> = (0..300_000_u32).map(|n| b'a' + u8::try_from(n % 23).unwrap()).collect();
    world.put("public", "a", &bytes);
    let url = format!("{}/public/a", world.storage.url());
    assert!(get(&url).text.as_bytes() == bytes);
    let answer = get_with(&url, &[("range", "bytes=100000-299998")]);
    assert!(answer.text.as_bytes() == &bytes[100_000..299_999]);
    let answer = get_with(&url, &[("range", "bytes=200000-299999,5-150004")]);
    let parts: Vec<&str> = answer.text.split("\r\n\r\n").skip(1).collect();
    assert!(parts[0].as_bytes()[..100_000] == bytes[200_000..]);
    assert!(parts[1].as_bytes()[..150_000] == bytes[5..150_005]);
}

/// Dates before and after all tests.
const PAST: &str = "Thu, 01 Jan 1998 00:00:00 GMT";
const FUTURE: &str = "Fri, 01 Jan 2100 00:00:00 GMT";

#[tokio::test(flavor = "multi_thread")]
async fn a_range_of_another_version_is_the_whole_file() {
    let world = World::new().await;
    world.put("public", "a", b"0123456789");
    let url = format!("{}/public/a", world.storage.url());
    let current = get(&url);
    let (etag, modified) = (current.header("etag"), current.header("last-modified"));
    let part = (206, "234", "bytes 2-4/10");
    for (condition, expected) in [
        (etag, part),
        ("\"other\"", WHOLE),
        (&format!("W/{etag}"), WHOLE),
        (&format!("{etag}, \"other\""), WHOLE),
        (etag.trim_matches('"'), WHOLE),
        ("*", WHOLE),
        ("", WHOLE),
        (modified, WHOLE),
        (PAST, WHOLE),
        (FUTURE, WHOLE),
    ] {
        let answer = get_with(&url, &[("range", "bytes=2-4"), ("if-range", condition)]);
        assert_eq!(short(&answer), expected, "{condition}");
    }
    let answer = get_with(&url, &[("range", "bytes=20-"), ("if-range", "\"other\"")]);
    assert_eq!(short(&answer), WHOLE, "another version may be shorter");
    let answer = get_with(&url, &[("range", "bytes=20-"), ("if-range", etag)]);
    assert_eq!(short(&answer), (416, "", "bytes */10"));
    assert_eq!(short(&get_with(&url, &[("if-range", etag)])), WHOLE);
}

/// Asserts the status of GET and HEAD with these headers.
fn assert_status(url: &str, current: &Answer, headers: &[(&str, &str)], status: u16) {
    for answer in [get_with(url, headers), head_with(url, headers)] {
        assert_eq!(answer.status, status, "{headers:?}");
        if status == 304 {
            for name in ["etag", "last-modified", "cache-control"] {
                assert_eq!(answer.header(name), current.header(name), "{name}");
            }
            assert_eq!((answer.header("content-type"), answer.text.as_str()), ("", ""));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_condition_is_on_the_tag_or_on_the_date() {
    let world = World::new().await;
    let headers = [("cache-control", "max-age=60"), ("content-type", "text/x-note")];
    put(&world.put_url("public", "a", &headers), &headers, b"0123456789");
    let url = format!("{}/public/a", world.storage.url());
    let current = get(&url);
    let (etag, modified) = (current.header("etag"), current.header("last-modified"));
    let (weak, bare, listed) = (format!("W/{etag}"), etag.trim_matches('"'), format!("\"x, y\", {etag}"));
    let second_before = httpdate::parse_http_date(modified).unwrap() - Duration::from_secs(1);
    let second_before = httpdate::fmt_http_date(second_before);
    for (name, value, status) in [
        ("if-match", etag, 200),
        ("if-match", bare, 200),
        ("if-match", "*", 200),
        ("if-match", &listed, 200),
        ("if-match", "\"x\", \"y\"", 412),
        ("if-match", &weak, 412),
        ("if-match", "\"x", 412),
        ("if-unmodified-since", modified, 200),
        ("if-unmodified-since", FUTURE, 200),
        ("if-unmodified-since", &second_before, 412),
        ("if-unmodified-since", PAST, 412),
        // The two older date formats, which every server has to understand.
        ("if-unmodified-since", "Thursday, 01-Jan-98 00:00:00 GMT", 412),
        ("if-unmodified-since", "Thu Jan  1 00:00:00 1998", 412),
        ("if-unmodified-since", "yesterday", 200),
        ("if-none-match", etag, 304),
        ("if-none-match", bare, 304),
        ("if-none-match", &weak, 304),
        ("if-none-match", "*", 304),
        ("if-none-match", &listed, 304),
        ("if-none-match", "\"x\", \"y\"", 200),
        ("if-none-match", "\"x", 200),
        ("if-modified-since", modified, 304),
        ("if-modified-since", FUTURE, 304),
        ("if-modified-since", &second_before, 200),
        ("if-modified-since", PAST, 200),
        ("if-modified-since", "Thursday, 01-Jan-60 00:00:00 GMT", 304),
        ("if-modified-since", "yesterday", 200),
    ] {
        assert_status(&url, &current, &[(name, value)], status);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conditions_are_looked_at_in_the_order_of_http() {
    let world = World::new().await;
    world.put("public", "a", b"0123456789");
    let url = format!("{}/public/a", world.storage.url());
    let current = get(&url);
    let (etag, other) = (current.header("etag"), "\"x\"");
    for (conditions, status) in [
        ([("if-match", other), ("if-match", etag)], 200),
        ([("if-none-match", other), ("if-none-match", etag)], 304),
        ([("if-modified-since", FUTURE), ("if-modified-since", FUTURE)], 200),
        // A tag takes precedence, and the date beside it is ignored.
        ([("if-match", etag), ("if-unmodified-since", PAST)], 200),
        ([("if-match", other), ("if-unmodified-since", FUTURE)], 412),
        ([("if-none-match", other), ("if-modified-since", FUTURE)], 200),
        ([("if-none-match", etag), ("if-modified-since", PAST)], 304),
        // `If-Match` is checked before `If-None-Match`.
        ([("if-match", other), ("if-none-match", etag)], 412),
        ([("if-match", etag), ("if-none-match", etag)], 304),
        ([("if-unmodified-since", PAST), ("if-none-match", etag)], 412),
        ([("if-unmodified-since", FUTURE), ("if-modified-since", FUTURE)], 304),
        // Both are checked before ranges.
        ([("if-match", other), ("range", "bytes=20-")], 412),
        ([("if-none-match", etag), ("range", "bytes=2-4")], 304),
    ] {
        assert_status(&url, &current, &conditions, status);
    }
    let missing = format!("{}/public/missing", world.storage.url());
    assert_eq!(get_with(&missing, &[("if-none-match", "*"), ("range", "bytes=0-")]).status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_may_cover_ranges_and_conditions() {
    let world = World::new().await;
    world.put("private", "a", b"0123456789");
    let bucket = world.bucket("private");
    let mut action = bucket.get_object(Some(&world.credentials), "a");
    let signed = [("range", "bytes=0-1, 4-5"), ("if-none-match", "\"x\", \"y\"")];
    for (name, value) in signed {
        action.headers_mut().insert(name, value);
    }
    let url = action.sign(HOUR).to_string();

    assert_eq!(get_with(&url, &signed).status, 206);
    assert_eq!(get_with(&url, &[("range", "bytes=0-1, 4-6"), signed[1]]).status, 403);
    assert_eq!(get(&url).status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_covers_every_byte() {
    let world = World::new().await;
    let url = world.put_url("private", "a.txt", &[]);

    assert_eq!(put(&url.replace("a.txt", "b.txt"), &[], b"x").status, 403);
    assert_eq!(put(&url.replace("X-Amz-Expires=3600", "X-Amz-Expires=9999"), &[], b"x").status, 403);
    assert_eq!(put(&url.replace("/private/", "/public/"), &[], b"x").status, 403);
    assert_eq!(get(&url).status, 403);
    let last = url.chars().last().unwrap();
    let other = if last == '0' { '1' } else { '0' };
    assert_eq!(put(&format!("{}{other}", &url[..url.len() - 1]), &[], b"x").status, 403);
    assert_eq!(put(&url, &[], b"x").status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_url_expires() {
    let world = World::new().await;
    world.put("private", "a.txt", b"x");
    let bucket = world.bucket("private");
    let action = bucket.get_object(Some(&world.credentials), "a.txt");

    let long_ago = jiff::Timestamp::now() - jiff::SignedDuration::from_secs(120);
    let answer = get(action.sign_with_time(Duration::from_mins(1), &long_ago).as_str());

    assert_eq!(answer.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn anybody_may_read_public_objects_and_nothing_else() {
    let world = World::new().await;
    world.put("public", "a", b"x");
    world.put("private", "a", b"x");
    let url = world.storage.url();

    assert_eq!(get(&format!("{url}/public/a")).status, 200);
    assert_eq!(get(&format!("{url}/public/missing")).status, 404);
    assert_eq!(get(&format!("{url}/private/a")).status, 403);
    assert_eq!(get(&format!("{url}/private/missing")).status, 403);
    assert_eq!(get(&format!("{url}/public")).status, 403);
    assert_eq!(get(&format!("{url}/")).status, 403);
    assert_eq!(put(&format!("{url}/public/a"), &[], b"y").status, 403);
    assert_eq!(delete(&format!("{url}/public/a")).status, 403);
    let stranger = Credentials::new("key", "wrong");
    assert_eq!(get(world.bucket("private").get_object(Some(&stranger), "a").sign(HOUR).as_str()).status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_signed_links_choose_headers_of_the_answer() {
    let world = World::new().await;
    let headers = [("content-type", "application/octet-stream")];
    put(&world.put_url("public", "a", &headers), &headers, b"<script>");
    let url = format!("{}/public/a", world.storage.url());

    for query in [
        "response-content-type=text/html",
        "response-content-disposition=inline",
        "response%2Dcontent-type=text/html",
        "x&response-cache-control=max-age=9",
    ] {
        for answer in [get(&format!("{url}?{query}")), head(&format!("{url}?{query}"))] {
            assert_eq!(answer.status, 400, "{query}");
            assert_ne!(answer.header("content-type"), "text/html");
        }
    }
    assert_eq!(get(&format!("{url}?version=1")).header("content-type"), "application/octet-stream");
    let bucket = world.bucket("public");
    let mut signed = bucket.get_object(Some(&world.credentials), "a");
    signed.query_mut().insert("response-content-disposition", "attachment");
    assert_eq!(get(signed.sign(HOUR).as_str()).header("content-disposition"), "attachment");
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_are_told_not_to_guess() {
    let world = World::new().await;
    world.put("public", "a", b"<script>");
    let url = world.storage.url();
    for answer in [
        get(&format!("{url}/public/a")),
        head(&format!("{url}/public/a")),
        world.get("public", "a"),
        get(&format!("{url}/public/missing")),
        get(&format!("{url}/private/a")),
    ] {
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{}", answer.status);
        let kept = if answer.status == 200 { "" } else { "no-store" };
        assert_eq!(answer.header("cache-control"), kept, "{}", answer.status);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_stops_arriving_ends() {
    let folder = tempfile::tempdir().unwrap();
    let limits = ConnectionLimits { body_grace: Duration::from_millis(100), ..ConnectionLimits::default() };
    let storage = Storage::start(StorageOptions { limits, ..options(folder.path()) }).await.unwrap();
    let world = World { storage, credentials: Credentials::new("key", "secret"), _folder: folder };
    let url = world.put_url("public", "a", &[]);
    let (authority, target) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();

    let mut stream = std::net::TcpStream::connect(authority).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "PUT /{target} HTTP/1.1\r\nhost: {authority}\r\ncontent-length: 100\r\n\r\nonly this")
        .unwrap();
    let mut answer = String::new();
    let ended = stream.read_to_string(&mut answer);

    assert!(ended.is_ok() && answer.starts_with("HTTP/1.1 400"), "{ended:?} {answer}");
    assert_eq!(world.get("public", "a").status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_not_the_announced_ones_leave_nothing_behind() {
    let world = World::new().await;
    world.put("public", "a", b"old");
    let headers = [("content-md5", HELLO_MD5)];

    for key in ["a", "new"] {
        let answer = put(&world.put_url("public", key, &headers), &headers, b"other");
        assert_eq!(answer.status, 400);
        assert!(answer.text.contains("BadDigest"), "{}", answer.text);
    }
    let unreadable = [("content-md5", "nonsense")];
    assert_eq!(put(&world.put_url("public", "a", &unreadable), &unreadable, b"x").status, 400);
    let unsigned = put(&world.put_url("public", "a", &[]), &headers, b"other");
    assert_eq!(unsigned.status, 400, "also when the header is not signed");

    assert_eq!(world.get("public", "a").text, "old");
    assert_eq!(world.get("public", "new").status, 404);
    assert_eq!(put(&world.put_url("public", "a", &headers), &headers, b"hello").status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_length_is_kept() {
    let world = World::new().await;
    let url = world.put_url("public", "a", &[("content-length", "5")]);

    assert_eq!(put(&url, &[], b"too long").status, 403);
    assert_eq!(put(&url, &[], b"hell").status, 403);
    assert_eq!(world.get("public", "a").status, 404);
    assert_eq!(put(&url, &[], b"hello").status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_breaks_off_leaves_the_old_object() {
    let world = World::new().await;
    world.put("public", "a", b"old");
    let url = world.put_url("public", "a", &[]);
    let (authority, target) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();

    let mut stream = std::net::TcpStream::connect(authority).unwrap();
    write!(stream, "PUT /{target} HTTP/1.1\r\nhost: {authority}\r\ncontent-length: 100\r\n\r\nonly this")
        .unwrap();
    drop(stream);
    let options = world.storage.options().clone();
    world.storage.stop(Duration::from_secs(10)).await;

    let world = World { storage: Storage::start(options).await.unwrap(), ..world };
    assert_eq!(world.get("public", "a").text, "old");
}

#[tokio::test(flavor = "multi_thread")]
async fn any_text_is_a_key() {
    let world = World::new().await;
    let long = format!("{}/{}", "folder-with-a-long-name".repeat(20), "ü".repeat(100));
    for key in [
        "my app/Setup 1.0 (x64).exe",
        "ünïcödé/日本語.bin",
        "a+b",
        "100%",
        "a%20b",
        "a/b",
        "a",
        "x..y",
        &long,
    ] {
        assert_eq!(world.put("public", key, key.as_bytes()).status, 200, "{key}");
        assert_eq!(world.get("public", key).text, key);
    }
    let list = world.list(|_| ());
    assert_eq!(list.contents.len(), 9);

    let answer = world.copy(
        "/public/%C3%BCn%C3%AFc%C3%B6d%C3%A9/%E6%97%A5%E6%9C%AC%E8%AA%9E.bin",
        "private",
        "kopie ä",
    );
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(world.get("private", "kopie ä").text, "ünïcödé/日本語.bin");
    let bucket = world.bucket("public");
    assert_eq!(
        delete(bucket.delete_object(Some(&world.credentials), "100%").sign(HOUR).as_str()).status,
        204
    );
    assert_eq!(world.get("public", "100%").status, 404);
    assert_eq!(world.get("public", "a%20b").status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_independent_and_keeps_the_etag() {
    let world = World::new().await;
    let headers = [("content-type", "text/x-note")];
    put(&world.put_url("private", "a", &headers), &headers, b"hello");

    let answer = world.copy("/private/a", "public", "b");

    assert!(answer.text.contains("5d41402abc4b2a76b9719d911017c592"), "{}", answer.text);
    let copied = get(&format!("{}/public/b", world.storage.url()));
    assert_eq!((copied.text.as_str(), copied.header("etag")), ("hello", HELLO_ETAG));
    assert_eq!(copied.header("content-type"), "text/x-note");
    let replacing = [
        ("x-amz-copy-source", "/private/a"),
        ("x-amz-metadata-directive", "REPLACE"),
        ("content-type", "application/zip"),
        ("content-disposition", "attachment"),
    ];
    put(&world.put_url("public", "d", &replacing), &replacing, b"");
    let replaced = get(&format!("{}/public/d", world.storage.url()));
    assert_eq!(replaced.header("content-type"), "application/zip");
    assert_eq!(replaced.header("content-disposition"), "attachment");
    world.put("private", "a", b"changed");
    delete(world.bucket("private").delete_object(Some(&world.credentials), "a").sign(HOUR).as_str());
    assert_eq!(world.get("public", "b").text, "hello");
    assert_eq!(world.copy("/private/a", "public", "c").status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_become_one_object() {
    let world = World::new().await;
    let bucket = world.bucket("public");
    let credentials = Some(&world.credentials);
    let begun = post(bucket.create_multipart_upload(credentials, "big").sign(HOUR).as_str(), b"");
    let begun = CreateMultipartUpload::parse_response(&begun.text).unwrap();
    let id = begun.upload_id();
    let parts = [vec![b'a'; 5 << 20], vec![b'b'; 100]];

    let etags: Vec<String> = (1..)
        .zip(&parts)
        .map(|(number, part)| {
            let answer =
                put(bucket.upload_part(credentials, "big", number, id).sign(HOUR).as_str(), &[], part);
            answer.header("etag").trim_matches('"').to_owned()
        })
        .collect();
    assert_eq!(world.get("public", "big").status, 404);
    let wrong = bucket.complete_multipart_upload(credentials, "big", id, ["0123", "4567"].into_iter());
    let (url, body) = (wrong.sign(HOUR), wrong.body());
    assert_eq!(post(url.as_str(), body.as_bytes()).status, 400);
    let right = bucket.complete_multipart_upload(credentials, "big", id, etags.iter().map(String::as_str));
    let (url, body) = (right.sign(HOUR), right.body());
    let answer = post(url.as_str(), body.as_bytes());

    assert_eq!(answer.status, 200, "{}", answer.text);
    let whole = world.get("public", "big");
    assert!(whole.text.as_bytes() == parts.concat());
    assert!(whole.header("etag").ends_with("-2\""), "{}", whole.header("etag"));
    assert_eq!(post(url.as_str(), body.as_bytes()).status, 404, "an upload is completed once");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_aborted_upload_is_gone() {
    let world = World::new().await;
    let bucket = world.bucket("public");
    let credentials = Some(&world.credentials);
    let begun = post(bucket.create_multipart_upload(credentials, "big").sign(HOUR).as_str(), b"");
    let begun = CreateMultipartUpload::parse_response(&begun.text).unwrap();
    let part = bucket.upload_part(credentials, "big", 1, begun.upload_id()).sign(HOUR);
    put(part.as_str(), &[], b"x");

    let abort = bucket.abort_multipart_upload(credentials, "big", begun.upload_id()).sign(HOUR);
    assert_eq!(delete(abort.as_str()).status, 204);

    assert_eq!(put(part.as_str(), &[], b"x").status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn open_uploads_are_listed_until_they_end() {
    let world = World::new().await;
    let bucket = world.bucket("public");
    let credentials = Some(&world.credentials);
    let begin = |key: &str| {
        let begun = post(bucket.create_multipart_upload(credentials, key).sign(HOUR).as_str(), b"");
        CreateMultipartUpload::parse_response(&begun.text).unwrap().upload_id().to_owned()
    };
    let list = |query: &[(&str, &str)]| {
        let mut query = [&[("uploads", "")], query].concat();
        query.sort_unstable();
        let (now, headers) = (jiff::Timestamp::now(), std::iter::empty::<(&str, &str)>());
        let (url, life) = (bucket.base_url().clone(), HOUR.as_secs());
        let url = rusty_s3::signing::sign(
            &now,
            rusty_s3::Method::Get,
            url,
            "key",
            "secret",
            None,
            "us-east-1",
            life,
            query.into_iter(),
            headers,
        );
        get(url.as_str()).text
    };
    let field = |list: &str, name: &str| {
        let parts: Vec<String> = list
            .split(&format!("<{name}>"))
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('<')?.0.to_owned()))
            .collect();
        parts
    };
    let first = begin("a/1");
    let (second, _) = (begin("a/2"), begin("b/1"));
    let again = begin("a/1");

    let mut of_one = [first.clone(), again.clone()];
    of_one.sort();
    assert_eq!(field(&list(&[]), "Key"), ["a/1", "a/1", "a/2", "b/1"]);
    let page = list(&[("prefix", "a/"), ("max-uploads", "1")]);
    assert_eq!(field(&page, "UploadId"), of_one[..1]);
    assert_eq!(field(&page, "IsTruncated"), ["true"]);
    let (key, id) = (field(&page, "NextKeyMarker"), field(&page, "NextUploadIdMarker"));
    let rest = list(&[("prefix", "a/"), ("key-marker", &key[0]), ("upload-id-marker", &id[0])]);
    assert_eq!(field(&rest, "UploadId"), [&of_one[1], &second].map(String::as_str));
    assert_eq!(field(&list(&[("key-marker", "a/1")]), "Key"), ["a/2", "b/1"]);
    for id in [&first, &again] {
        delete(bucket.abort_multipart_upload(credentials, "a/1", id).sign(HOUR).as_str());
    }
    assert_eq!(field(&list(&[]), "Key"), ["a/2", "b/1"]);
}

/// Makes a file appear this old.
fn age(file: &Path, age: Duration) {
    let file = std::fs::OpenOptions::new().write(true).open(file).unwrap();
    file.set_modified(std::time::SystemTime::now() - age).unwrap();
}

/// The contents and paths of the files with the bytes of objects, sorted by content.
fn blobs(folder: &Path) -> Vec<(String, PathBuf)> {
    let folders = std::fs::read_dir(folder.join("blobs")).unwrap().map(|folder| folder.unwrap().path());
    let files =
        folders.flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let mut blobs: Vec<_> = files.map(|file| (std::fs::read_to_string(&file).unwrap(), file)).collect();
    blobs.sort();
    blobs
}

fn contents(blobs: &[(String, PathBuf)]) -> Vec<&str> {
    blobs.iter().map(|(text, _)| text.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_a_killed_process_left_are_gone_after_a_day() {
    let world = World::new().await;
    world.put("public", "a", b"an object");
    let bucket = world.bucket("public");
    let begun =
        post(bucket.create_multipart_upload(Some(&world.credentials), "big").sign(HOUR).as_str(), b"");
    let begun = CreateMultipartUpload::parse_response(&begun.text).unwrap();
    let part = bucket.upload_part(Some(&world.credentials), "big", 1, begun.upload_id()).sign(HOUR);
    put(part.as_str(), &[], b"a part");
    let options = world.storage.options().clone();
    world.storage.stop(Duration::from_secs(10)).await;
    let folder = options.directory.as_path();
    for (text, file) in blobs(folder) {
        assert!(["a part", "an object"].contains(&text.as_str()), "{text}");
        age(&file, 100 * DAY);
    }
    let incoming = folder.join("incoming");
    std::fs::create_dir_all(folder.join("blobs").join("00")).unwrap();
    for (name, text) in [("00aa", "left"), ("00bb", "of now"), ("00cc", "of tomorrow")] {
        for file in [folder.join("blobs").join("00").join(name), incoming.join(name)] {
            std::fs::write(&file, text).unwrap();
        }
    }
    for file in [folder.join("blobs").join("00"), incoming.clone()] {
        age(&file.join("00aa"), DAY);
        age(&file.join("00bb"), 23 * HOUR);
        let tomorrow = std::fs::OpenOptions::new().write(true).open(file.join("00cc")).unwrap();
        tomorrow.set_modified(std::time::SystemTime::now() + DAY).unwrap();
    }

    let _storage = Storage::start(options.clone()).await.unwrap();

    assert_eq!(contents(&blobs(folder)), ["a part", "an object", "of now", "of tomorrow"]);
    let files = std::fs::read_dir(incoming).unwrap().map(|file| file.unwrap().file_name());
    let mut files: Vec<_> = files.collect();
    files.sort();
    assert_eq!(files, ["00bb", "00cc"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_leaves_the_work_of_the_first() {
    let world = World::new().await;
    let options = world.storage.options().clone();
    let folder = options.directory.as_path();
    world.put("private", "staged", b"staged");
    age(&blobs(folder)[0].1, 100 * DAY);
    world.copy("/private/staged", "public", "published");
    world.put("public", "b", b"uploaded");
    // Both files as they are before the last step of a write, which adds their entries.
    let index = rusqlite::Connection::open(folder.join("index.db")).unwrap();
    let removed = index.execute("DELETE FROM objects WHERE bucket = 'public'", []).unwrap();
    assert_eq!(removed, 2);
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));

    let _second = Storage::start(StorageOptions { listen, ..options.clone() }).await.unwrap();

    assert_eq!(contents(&blobs(folder)), ["staged", "staged", "uploaded"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_goes_on_while_a_second_process_starts() {
    let world = World::new().await;
    let options = world.storage.options().clone();
    let url = world.put_url("public", "a", &[]);
    let (authority, target) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = std::net::TcpStream::connect(authority).unwrap();
    write!(
        stream,
        "PUT /{target} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\ncontent-length: 5\r\n\r\nhel"
    )
    .unwrap();
    let incoming = options.directory.join("incoming");
    while std::fs::read_dir(&incoming).unwrap().count() == 0 {
        std::thread::yield_now();
    }
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));

    let _second = Storage::start(StorageOptions { listen, ..options }).await.unwrap();

    write!(stream, "lo").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(world.get("public", "a").text, "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_see_whole_objects_while_writers_replace_them() {
    let world = World::new().await;
    let bodies: Vec<Vec<u8>> = (b'a'..=b'd').map(|letter| vec![letter; 300_000]).collect();
    world.put("public", "a", &bodies[0]);

    std::thread::scope(|scope| {
        for body in &bodies {
            scope.spawn(|| (0..10).for_each(|_| assert_eq!(world.put("public", "a", body).status, 200)));
        }
        for _ in 0..40 {
            let answer = world.get("public", "a");
            assert_eq!(answer.status, 200);
            let body = bodies.iter().find(|body| body[0] == answer.text.as_bytes()[0]).unwrap();
            assert!(answer.text.as_bytes() == body, "a mixture of two objects");
        }
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_on_the_same_address_brings_everything_back() {
    let world = World::new().await;
    world.put("public", "a", b"kept");
    let options = world.storage.options().clone();
    let url = world.storage.url().to_owned();
    world.storage.stop(Duration::from_secs(10)).await;
    assert!(ureq::get(format!("{url}/public/a")).call().is_err());

    let storage = Storage::start(options).await.unwrap();

    assert_eq!(storage.url(), url);
    assert_eq!(get(&format!("{url}/public/a")).text, "kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_come_in_pages_and_in_groups() {
    let world = World::new().await;
    for key in ["a/1", "a/2", "b", "c/1", "d", "e"] {
        world.put("public", key, b"x");
    }

    let mut seen = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let page = world.list(|list| {
            list.with_delimiter("/");
            list.with_max_keys(2);
            if let Some(token) = token.take() {
                list.with_continuation_token(token);
            }
        });
        assert!(page.contents.len() + page.common_prefixes.len() <= 2);
        seen.extend(page.contents.into_iter().map(|object| object.key));
        seen.extend(page.common_prefixes.into_iter().map(|group| group.prefix));
        token = page.next_continuation_token;
        if token.is_none() {
            break;
        }
    }
    seen.sort();
    assert_eq!(seen, ["a/", "b", "c/", "d", "e"]);
    let under = world.list(|list| list.with_prefix("a/"));
    assert_eq!(under.contents.len(), 2);
    assert_eq!(
        under.contents[0].etag.as_deref().unwrap().trim_matches('"'),
        "9dd4e461268c8034f5c8564e155c67a6"
    );
}
