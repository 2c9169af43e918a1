//! The data that a version of the service left in its stores, as text, so that tests can show that later
//! versions read it.
//!
//! A folder in `tests/fixtures` has `database.sql`, `stores.json` (objects, kept records, and secrets), and
//! `answers.json`. It is made once for each release, with the code of the release.

mod answers;
mod content;
mod dump;

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use spindrift_core::Timestamp;
use spindrift_web::KeyValue as _;

use crate::driver::Driver;
use crate::manifest::workspace;
use crate::storage::{CDN_BUCKET, ObjectCopy, PRIVATE_BUCKET, PUBLIC_BUCKET};
use crate::world::World;
pub use answers::Asked;

/// The settings that answers depend on, the same wherever the fixture is used.
const SETTINGS: [(&str, &str); 3] = [
    ("api_url", "https://updates.example.com"),
    ("s3_public_url", "https://files.example.com"),
    ("device_hash_key", "a key of the tests"),
];

/// The stores of a version.
pub struct Fixture {
    folder: PathBuf,
    stores: Stores,
}

/// The stores besides the database, and secrets that no store has.
#[derive(Serialize, Deserialize)]
struct Stores {
    /// When they were written, in Unix milliseconds.
    made_at: i64,
    secrets: BTreeMap<String, String>,
    /// Kept records in base64, by key.
    records: BTreeMap<String, String>,
    objects: Vec<Object>,
}

/// An object of the storage. All are texts.
#[derive(Serialize, Deserialize)]
struct Object {
    bucket: String,
    key: String,
    headers: BTreeMap<String, String>,
    text: String,
}

impl Fixture {
    /// The folder for the fixture of a version.
    pub fn folder(version: &str) -> PathBuf {
        workspace().join("tests/fixtures").join(version)
    }

    /// The fixture of a version.
    pub fn read(version: &str) -> Self {
        let folder = Self::folder(version);
        let text = std::fs::read_to_string(folder.join("stores.json")).expect("a fixture");
        Self { folder, stores: serde_json::from_str(&text).expect("stores") }
    }

    /// Makes everything with this version, and writes it into a folder.
    pub fn make(folder: PathBuf) -> Self {
        std::fs::create_dir_all(&folder).expect("a folder");
        let builder = World::builder(Driver::InProcess).without_database();
        let world =
            SETTINGS.into_iter().fold(builder, |it, (name, value)| it.with_variable(name, value)).start();
        let secrets = content::fill(&world);
        answers::ask_everything(&world);
        let stores = Stores::of(&world, secrets);
        write(&folder.join("database.sql"), &dump::database(&file_of(&world)));
        write(&folder.join("stores.json"), &stores.to_text());
        let fixture = Self { folder, stores };
        let answers = answers::ask_everything(&fixture.world(true));
        write(&fixture.folder.join("answers.json"), &format!("{}\n", lines(&answers)));
        fixture
    }

    /// The answers when it was made.
    pub fn answers(&self) -> Vec<Asked> {
        let text = std::fs::read_to_string(self.folder.join("answers.json")).expect("answers");
        serde_json::from_str(&text).expect("answers")
    }

    /// The current answers to the same questions.
    pub fn ask(&self, world: &World) -> Vec<Asked> {
        answers::ask_everything(world)
    }

    /// When it was made, in Unix milliseconds.
    pub const fn made_at(&self) -> i64 {
        self.stores.made_at
    }

    pub fn secret(&self, name: &str) -> &str {
        &self.stores.secrets[name]
    }

    /// A world in this process with the stores, at the time when they were written.
    pub fn world(&self, with_records: bool) -> World {
        let builder = World::builder(Driver::InProcess).without_database();
        let builder = SETTINGS.into_iter().fold(builder, |it, (name, value)| it.with_variable(name, value));
        let world = builder.with_variable("s3_presign_endpoint", "https://s3.example.com").start();
        world.platform().set_time(Timestamp::from_millis(self.stores.made_at));
        let sql = std::fs::read_to_string(self.folder.join("database.sql")).expect("a database");
        file_of(&world).execute_batch(&sql).expect("a database");
        for Object { bucket, key, headers, text } in &self.stores.objects {
            let copy = ObjectCopy { headers: headers.clone(), bytes: text.clone().into_bytes() };
            world.store().copy_in(bucket, key, &copy);
        }
        for (key, value) in self.stores.records.iter().filter(|_| with_records) {
            world.platform().set(key, &STANDARD.decode(value).expect("base64")).expect("a record");
        }
        world
    }
}

impl Stores {
    fn of(world: &World, secrets: BTreeMap<String, String>) -> Self {
        let objects = [PUBLIC_BUCKET, PRIVATE_BUCKET, CDN_BUCKET].into_iter().flat_map(|bucket| {
            world.store().keys(bucket, "").into_iter().map(move |key| {
                let ObjectCopy { headers, bytes } = world.store().copy_out(bucket, &key).expect("an object");
                let text = String::from_utf8(bytes).expect("a text");
                Object { bucket: bucket.to_owned(), key, headers, text }
            })
        });
        let records = world.platform().values().into_iter();
        Self {
            made_at: jiff::Timestamp::now().as_millisecond(),
            secrets,
            records: records.map(|(key, value)| (key, STANDARD.encode(value))).collect(),
            objects: objects.collect(),
        }
    }

    /// As JSON with an object in each line.
    fn to_text(&self) -> String {
        let Self { made_at, secrets, records, objects } = self;
        let [secrets, records] =
            [secrets, records].map(|texts| serde_json::to_string_pretty(texts).expect("a text"));
        let objects = lines(objects);
        format!(
            "{{\"made_at\": {made_at}, \"secrets\": {secrets},\n\"records\": {records},\n\"objects\": {objects}}}\n"
        )
    }
}

/// A list as JSON with an element in each line.
fn lines(values: &[impl Serialize]) -> String {
    let lines: Vec<String> =
        values.iter().map(|value| serde_json::to_string(value).expect("a text")).collect();
    format!("[\n{}\n]", lines.join(",\n"))
}

fn write(path: &std::path::Path, text: &str) {
    std::fs::write(path, text).expect("a file");
}

/// The database, which is a file.
fn file_of(world: &World) -> Connection {
    world.database().into_file().expect("a database in a file")
}
