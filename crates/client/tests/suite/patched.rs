use std::io::Write as _;

use bidiff::enc::Writer;
use bidiff::{DiffParams, Translator};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use spindrift_client::{Client, Config, Download, Downloaded, Patch, Way};

use crate::server::{Reply, Server, answer, raw};
use crate::world::{Place, client, options};

/// The magic number and the version of bidiff.
const HEAD: [u8; 8] = [0xdf, 0xb1, 0, 0, 0, 0x10, 0, 0];
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

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    brotli::CompressorWriter::new(&mut packed, 4096, 9, 22).write_all(bytes).unwrap();
    packed
}

fn patch() -> Vec<u8> {
    let (base, new, mut bytes) = (base(), new(), Vec::new());
    let mut writer = Writer::new(&mut bytes).unwrap();
    let mut translator = Translator::new(&base, &new, |control| writer.write(control));
    bidiff::diff(&base, &new, &DiffParams::default(), |found| translator.translate(found)).unwrap();
    translator.close().unwrap();
    packed(&bytes)
}

/// A server that has the new file, and answers requests for its patch with the result of `reply` for their number.
struct Scene {
    server: Server,
    client: Client,
    place: Place,
    offered: Patch,
}

impl Scene {
    async fn new(
        patch_length: usize,
        reply: impl Fn(usize, Option<&str>) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let server = Server::start(move |_, request| match request.target.as_str() {
            "/whole" => answer(200, &[TAG], new()),
            "/patch" => {
                let number = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                reply(number, request.header("range"))
            }
            _ => answer(200, &[], offer(patch_length).to_string()),
        });
        let (client, _) = client(Config::new(&server.url));
        let update = client.check(&options()).await.unwrap().unwrap();
        let mut offered = update.patch_of("deb").unwrap().clone();
        offered.url = format!("{}/patch", server.url);
        let place = Place::new();
        std::fs::write(place.target().with_extension("base"), base()).unwrap();
        Self { server, client, place, offered }
    }

    async fn download(&self) -> Downloaded {
        let download = Download::new(format!("{}/whole", self.server.url), self.place.target())
            .with_patch(self.offered.clone(), self.place.target().with_extension("base"));
        let done = self.client.download(&download, |_| {}).await.unwrap();
        assert!(self.place.content() == new(), "another file");
        assert_eq!(self.place.files(), ["app.base", "app.deb"]);
        done
    }

    async fn why_not(&self) -> String {
        match self.download().await.way {
            Way::Unpatched { why } => why,
            way => format!("{way:?}"),
        }
    }
}

fn offer(patch_length: usize) -> serde_json::Value {
    json!({
        "update_available": true, "critical": false, "version": "2.0", "update_url_deb": "http://unused.example/",
        "patches": { "deb": {
            "url": "http://unused.example/", "length": patch_length, "format": "bidiff+brotli",
            "base_sha256": sha256(&base()), "file_length": new().len(), "file_sha256": sha256(&new()),
        } },
    })
}

#[tokio::test]
async fn an_interrupted_patch_is_resumed() {
    let length = patch().len();
    let scene = Scene::new(length, |number, range| {
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
    assert!(scene.server.seen().iter().all(|request| request.target != "/whole"));
}

#[tokio::test]
async fn a_patch_that_is_not_there_ends_in_the_whole_file() {
    let scene = Scene::new(10, |_, _| answer(404, &[], "")).await;
    assert!(scene.why_not().await.starts_with("the patch: "));
    let scene = Scene::new(10, |_, _| answer(200, &[], "not ten bytes")).await;
    assert!(scene.why_not().await.starts_with("the patch: the file has 13 bytes instead of 10"));
}

/// Each would use up memory, disk or time, or read another file, if it was believed.
#[tokio::test]
async fn a_hostile_patch_ends_in_the_whole_file() {
    let endless = [&HEAD[..], &vec![0; 50_000_000]].concat();
    // Adds to bytes before the beginning of the base: no bytes from it, none of its own, and back by one.
    let before = [&HEAD[..], &[0, 0, 1], &[4, 0, 0, 0, 0, 0]].concat();
    // Copies more bytes than the patch has.
    let beyond = [&HEAD[..], &[0, 0xff, 0xff, 0xff, 0x7f, b'x']].concat();
    // Makes a file without an end from a patch with few bytes.
    let bomb = [&HEAD[..], &[0, 0x80, 0xf0, 0xfa, 0x17], &vec![b'x'; 50_000_000]].concat();
    let wrong_number = [1, 2, 3, 4, 5, 6, 7, 8].to_vec();
    for (bytes, expected) in [
        (packed(&endless), "the patch makes another file"),
        (packed(&before), "the patch cannot be applied: "),
        (packed(&beyond), "the patch cannot be applied: "),
        (packed(&bomb), "the patch makes another file"),
        (packed(&wrong_number), "the patch cannot be applied: "),
        (b"not compressed".to_vec(), "the patch cannot be applied: "),
        (packed(&HEAD), "the patch makes another file"),
    ] {
        let body = bytes.clone();
        let scene = Scene::new(bytes.len(), move |_, _| answer(200, &[TAG], &body)).await;
        let why = scene.why_not().await;
        assert!(why.starts_with(expected), "{why}, in place of {expected}");
    }
}
