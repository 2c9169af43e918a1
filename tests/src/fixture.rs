//! The data that a version of the service left in its stores, as text, so that tests can show that later versions read
//! it.
//!
//! `cargo run -p spindrift-tests --bin fixture -- 0.1.0` writes the folder `tests/fixtures/0.1.0` with the runner in `tests/spin-host`:
//! `database.sql`, `stores.json` (objects, kept records, and the owners' secrets), and `answers.json`. That is done
//! once for each release, with the code of the release.

mod answers;
mod dump;
mod stores;

use std::path::PathBuf;

use rusqlite::Connection;
use spindrift_core::Timestamp;
use spindrift_native::NativePlatform;
use spindrift_web::KeyValue as _;

use crate::driver::Driver;
use crate::manifest::workspace;
use crate::world::World;
use crate::world_builder::WorldBuilder;
pub use answers::Asked;
use answers::ask_everything;
use stores::Kept;

/// The settings that answers depend on, the same wherever the fixture is used.
const SETTINGS: [(&str, &str); 3] = [
    ("api_url", "https://updates.example.com"),
    ("s3_public_url", "https://files.example.com"),
    ("device_hash_key", "a key of the tests"),
];

/// The stores of a version.
pub struct Fixture {
    folder: PathBuf,
    kept: Kept,
}

impl Fixture {
    /// The folder of a fixture.
    fn folder(name: &str) -> PathBuf {
        workspace().join("tests/fixtures").join(name)
    }

    /// A fixture that was written.
    pub fn read(name: &str) -> Self {
        let folder = Self::folder(name);
        let text = std::fs::read_to_string(folder.join("stores.json")).expect("a fixture");
        Self { folder, kept: serde_json::from_str(&text).expect("stores") }
    }

    /// Lets `spin-host` make everything, and writes it.
    pub fn make(name: &str) {
        let folder = Self::folder(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let world = settings(World::builder(Driver::Embedded)).start();
        let known = crate::inhabited::inhabit(&world);
        let made_at = jiff::Timestamp::now().as_millisecond();
        let kept = Kept::of(&world, known, made_at);
        std::fs::write(folder.join("database.sql"), dump::database(&file_of(&world))).expect("a file");
        write(&folder.join("stores.json"), &kept);
        let fixture = Self { folder, kept };
        let answers = fixture.ask(&fixture.world(true));
        write(&fixture.folder.join("answers.json"), &answers);
    }

    /// The answers when it was made.
    pub fn answers(&self) -> Vec<Asked> {
        let text = std::fs::read_to_string(self.folder.join("answers.json")).expect("answers");
        serde_json::from_str(&text).expect("answers")
    }

    /// The current answers to all questions.
    pub fn ask(&self, world: &World) -> Vec<Asked> {
        ask_everything(world, &self.kept)
    }

    /// A secret of an owner.
    pub fn known(&self, what: &str) -> &str {
        self.kept.known(what)
    }

    /// A world in this process with the stores, at the time when they were written.
    pub fn world(&self, with_records: bool) -> World {
        let builder = settings(World::builder(Driver::InProcess));
        let world = builder.with_variable("s3_presign_endpoint", "https://s3.example.com").start();
        world.platform().set_time(Timestamp::from_millis(self.kept.made_at));
        let sql = std::fs::read_to_string(self.folder.join("database.sql")).expect("a database");
        file_of(&world).execute_batch(&sql).expect("a database");
        for object in &self.kept.objects {
            object.write(world.store());
        }
        for (key, value) in self.kept.records().into_iter().filter(|_| with_records) {
            set(world.platform(), &key, &value);
        }
        world
    }
}

/// Sets a value, or a counter. In a file that is eight bytes in little-endian order, which no other value of a fixture
/// has; the in-process driver keeps the two apart.
fn set(platform: &NativePlatform, key: &str, value: &[u8]) {
    let done = match value.try_into() {
        Ok(count) => platform.increment(key, i64::from_le_bytes(count)).map(drop),
        Err(_) => platform.set(key, value),
    };
    done.expect("a record");
}

fn settings(builder: WorldBuilder) -> WorldBuilder {
    SETTINGS.into_iter().fold(builder, |builder, (name, value)| builder.with_variable(name, value))
}

fn write(path: &std::path::Path, value: &impl serde::Serialize) {
    let text = serde_json::to_string_pretty(value).expect("a text");
    std::fs::write(path, text + "\n").expect("a file");
}

/// The database, which is a file.
fn file_of(world: &World) -> Connection {
    world.database().into_file().expect("a database in a file")
}
