use std::io::Write as _;
use std::time::Duration;

use bidiff::enc::Writer;
use bidiff::{DiffParams, Translator};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use spindrift_client::{Client, Config, Download, DownloadLimits, Downloaded, Patch, Way};

use crate::server::{Reply, Server, answer, raw};
use crate::world::{DownloadFolder, client, options};

/// The magic number and the version of bidiff.
const HEAD: [u8; 8] = [0xdf, 0xb1, 0, 0, 0, 0x10, 0, 0];
/// The file that records an unusable patch.
const NOTE: &str = "app.deb.patch.failed";
const TAG: (&str, &str) = ("ETag", "\"a\"");

fn sha256(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}

fn base() -> Vec<u8> {
    (0..100_000_u32).flat_map(|n| (n * 7919 % 10_007).to_le_bytes()).collect()
}

/// The next version: something in front of it, and another byte in the middle.
fn new() -> Vec<u8> {
    let mut new = [b"2.0 ".to_vec(), base()].concat();
    new[200_000] ^= 0xff;
    new
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    packed_in(22, bytes)
}

/// Compressed in a window of this binary logarithm.
fn packed_in(window: u32, bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    brotli::CompressorWriter::new(&mut packed, 4096, 5, window).write_all(bytes).unwrap();
    packed
}

fn patch() -> Vec<u8> {
    let (base, new, mut bytes) = (base(), new(), Vec::new());
    let mut writer = Writer::new(&mut bytes).unwrap();
    let mut translator = Translator::new(&base, &new, |control| writer.write(control));
    bidiff::diff(&base, &new, &DiffParams::default(), |found| translator.translate(found)).unwrap();
    translator.close().unwrap();
    pack(&bytes)
}

/// A server that has the new file, and answers requests for its patch with the result of `reply` for their
/// number.
struct Scene {
    server: Server,
    client: Client,
    place: DownloadFolder,
    offered: Patch,
}

impl Scene {
    /// `patch`: what the answer of the check describes.
    async fn new(patch: &[u8], reply: impl Fn(usize, Option<&str>) -> Reply + Send + Sync + 'static) -> Self {
        let offer = offer(patch).to_string();
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let server = Server::start(move |_, request| match request.target.as_str() {
            "/whole" => answer(200, &[TAG], new()),
            "/patch" => {
                let number = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                reply(number, request.header("range"))
            }
            _ => answer(200, &[], &offer),
        });
        let (client, _) = client(Config::new(&server.url));
        let update = client.check(&options()).await.unwrap().unwrap();
        let mut offered = update.patch_of("deb").unwrap().clone();
        offered.url = format!("{}/patch", server.url);
        let place = DownloadFolder::new();
        std::fs::write(place.target().with_extension("base"), base()).unwrap();
        Self { server, client, place, offered }
    }

    /// A scene in which the server sends the patch that it offers.
    async fn of(patch: Vec<u8>) -> Self {
        let body = patch.clone();
        Self::new(&patch, move |_, _| answer(200, &[TAG], &body)).await
    }

    fn request(&self) -> Download {
        Download::new(format!("{}/whole", self.server.url), self.place.target())
            .with_patch(self.offered.clone(), self.place.target().with_extension("base"))
    }

    async fn download(&self) -> Downloaded {
        self.run(&self.request()).await
    }

    async fn run(&self, download: &Download) -> Downloaded {
        let done = self.client.download(download, |_| {}).await.unwrap();
        assert!(self.place.content() == new(), "another file");
        let mut left = self.place.files();
        left.retain(|name| name != NOTE);
        assert_eq!(left, ["app.base", "app.deb"]);
        done
    }

    fn has_note(&self) -> bool {
        self.place.files().iter().any(|name| name == NOTE)
    }

    fn requests_of_the_patch(&self) -> usize {
        self.server.requests().iter().filter(|request| request.target == "/patch").count()
    }

    async fn why_not(&self) -> String {
        match self.download().await.way {
            Way::Unpatched { why } => why,
            way => format!("{way:?}"),
        }
    }
}

fn offer(patch: &[u8]) -> serde_json::Value {
    json!({
        "update_available": true, "critical": false, "version": "2.0", "update_url_deb": "http://unused.example/",
        "patches": { "deb": {
            "url": "http://unused.example/", "length": patch.len(), "sha256": sha256(patch), "format": "bidiff+brotli",
            "base_sha256": sha256(&base()), "file_length": new().len(), "file_sha256": sha256(&new()),
        } },
    })
}

#[tokio::test]
async fn an_interrupted_patch_is_resumed() {
    let length = patch().len();
    let scene = Scene::new(&patch(), |number, range| {
        let (patch, half) = (patch(), patch().len() / 2);
        if number == 0 {
            assert_eq!(range, None);
            let whole = patch.len().to_string();
            return Reply::Bytes(raw(200, &[("Content-Length", &whole), TAG], &patch[..half]));
        }
        assert_eq!(range, Some(format!("bytes={half}-").as_str()));
        let content_range = format!("bytes {half}-{}/{}", patch.len() - 1, patch.len());
        answer(206, &[("Content-Range", &content_range), TAG], &patch[half..])
    })
    .await;
    let done = scene.download().await;
    assert_eq!(done.way, Way::Patched { saved: (new().len() - length) as u64 });
    assert!(scene.server.requests().iter().all(|request| request.target != "/whole"));
}

#[tokio::test]
async fn a_patch_that_is_not_there_ends_in_the_whole_file() {
    let scene = Scene::new(&[0; 10], |_, _| answer(404, &[], "")).await;
    assert!(scene.why_not().await.starts_with("the patch: "));
    assert!(!scene.has_note(), "it may be there later");
    let scene = Scene::new(&[0; 10], |_, _| answer(200, &[], "not ten bytes")).await;
    assert!(scene.why_not().await.starts_with("the patch: the file has 13 bytes instead of 10"));
}

/// It would make the right file.
#[tokio::test]
async fn another_patch_than_the_offered_one_is_not_applied() {
    let offered = vec![0; patch().len()];
    let scene = Scene::new(&offered, |_, _| answer(200, &[TAG], patch())).await;
    let why = scene.why_not().await;
    assert!(why.starts_with("the patch: the file's sha256 digest is "), "{why}");
    let scene = Scene::of(vec![0; new().len()]).await;
    assert_eq!(scene.why_not().await, "the patch is as large as the file");
    assert_eq!(scene.requests_of_the_patch(), 0);
}

/// A few bytes that would need a GiB of memory. RFC 7932 does not have such windows.
fn with_large_window() -> Vec<u8> {
    let params = brotli::enc::BrotliEncoderParams {
        large_window: true,
        lgwin: 30,
        ..brotli::enc::BrotliEncoderParams::default()
    };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &[&HEAD[..], &[0; 1000]].concat()[..], &mut packed, &params).unwrap();
    packed
}

/// Each of these patches would exhaust memory, disk or time, or read another file, if it was
/// trusted.
#[tokio::test]
async fn a_hostile_patch_ends_in_the_whole_file() {
    // Records without any bytes, each of which moves the place in the base.
    let nowhere = [&HEAD[..], &vec![0; 50_000_000]].concat();
    let to_and_fro = [&HEAD[..], &b"\x00\x00\x80\x80\x06\x00\x00\xff\xff\x05".repeat(3_000_000)].concat();
    // Records of one byte each.
    let single = [&HEAD[..], &[0, 1, b'x', 0].repeat(400_000)].concat();
    // Adds to bytes before the beginning of the base: no bytes from it, none of its own, and back by one.
    let before = [&HEAD[..], &[0, 0, 1], &[4, 0, 0, 0, 0, 0]].concat();
    // Copies more bytes than the patch has.
    let beyond = [&HEAD[..], &[0, 0xff, 0xff, 0xff, 0x7f, b'x']].concat();
    // Makes a file without an end from a patch with few bytes.
    let bomb = [&HEAD[..], &[0, 0x80, 0xf0, 0xfa, 0x17], &vec![b'x'; 50_000_000]].concat();
    let wrong_number = [1, 2, 3, 4, 5, 6, 7, 8].to_vec();
    for (bytes, expected) in [
        (pack(&nowhere), "the patch cannot be applied: it has too many records"),
        (pack(&to_and_fro), "the patch cannot be applied: it has too many records"),
        (pack(&single), "the patch cannot be applied: it has too many records"),
        (with_large_window(), "the patch cannot be applied: its window is not at most 4 MiB"),
        (packed_in(24, &HEAD), "the patch cannot be applied: its window is not at most 4 MiB"),
        (pack(&before), "the patch cannot be applied: "),
        (pack(&beyond), "the patch cannot be applied: "),
        (pack(&bomb), "the patch makes another file"),
        (pack(&wrong_number), "the patch cannot be applied: "),
        (b"not compressed".to_vec(), "the patch cannot be applied: "),
        (pack(&HEAD), "the patch makes another file"),
    ] {
        let scene = Scene::of(bytes).await;
        let why = scene.why_not().await;
        assert!(why.starts_with(expected), "{why}, in place of {expected}");
        assert!(scene.has_note());
    }
}

#[tokio::test]
async fn a_patch_that_failed_is_not_tried_again() {
    let mut scene = Scene::of(pack(&HEAD)).await;
    assert_eq!(scene.why_not().await, "the patch makes another file");
    // A new client, as after a restart of the program.
    scene.client = client(Config::new(&scene.server.url)).0;
    assert_eq!(scene.why_not().await, "the patch could not be used before");
    assert_eq!(scene.requests_of_the_patch(), 1);

    let good = Scene::of(patch()).await;
    std::fs::copy(scene.place.target().with_file_name(NOTE), good.place.target().with_file_name(NOTE))
        .unwrap();
    assert!(matches!(good.download().await.way, Way::Patched { .. }), "the note is about another patch");
    assert!(!good.has_note());
}

#[tokio::test]
async fn a_patch_that_takes_too_long_ends_in_the_whole_file() {
    let scene = Scene::of(patch()).await;
    let limits = DownloadLimits { max_patch_time: Duration::ZERO, ..DownloadLimits::default() };
    match scene.run(&scene.request().with_limits(limits)).await.way {
        Way::Unpatched { why } => assert!(why.contains("it takes longer than max_patch_time"), "{why}"),
        way => panic!("{way:?}"),
    }
}

/// Each download makes the file under its own name, or downloads it.
#[tokio::test]
async fn two_downloads_of_one_file_do_not_disturb_each_other() {
    let scene = Scene::of(patch()).await;
    let request = scene.request();
    for _ in 0..10 {
        let (one, other) =
            tokio::join!(scene.client.download(&request, |_| {}), scene.client.download(&request, |_| {}));
        assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
        assert!(scene.place.content() == new(), "another file");
        std::fs::remove_file(scene.place.target()).unwrap();
        assert_eq!(scene.place.files(), ["app.base"]);
    }
}
