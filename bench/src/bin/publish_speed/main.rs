//! Measures the speed of `spindrift publish` compared with the speed of its storage, its memory use, and the
//! cost of a killed run. Needs a running service:
//!
//! ```bash
//! cargo build --release -p spindrift-cli -p spindrift-bench
//! SPINDRIFT_API_KEY=$(jq -r .api_key .spindrift/secrets.json) target/release/publish-speed http://127.0.0.1:3000
//! ```
//!
//! The second argument is the size of each of the four files in MiB (default 256), the third is the number of
//! rounds, and the others are flags for `publish`. Everything is published to an application of a new user.
#![expect(clippy::expect_used, reason = "a failure ends the measurement")]

mod files;
mod raw;
mod spindrift;

use files::{FILES, MIB, write_files};
use spindrift::Spindrift;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().expect("the address of a service");
    let size = arguments.next().map_or(256, |text| text.parse().expect("MiB of each file"));
    let rounds: u32 = arguments.next().map_or(3, |text| text.parse().expect("the number of rounds"));
    let folder = tempfile::tempdir().expect("a folder");
    let spindrift = Spindrift::sign_up(&url, folder.path(), arguments.collect());
    let total = size * MIB * FILES as u64;
    println!("{FILES} files of {size} MiB, {rounds} rounds\n");
    println!("round    raw PUT          publish          share  hashing before  peak memory");

    let (mut raws, mut publishes) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        write_files(folder.path(), size, round);
        let put = || raw::put_all(&spindrift, folder.path(), &format!("1.{round}.0")).as_secs_f64();
        let publish = || spindrift.publish(&format!("2.{round}.0"));
        // Takes turns: the second one finds fuller caches and a busier disk.
        let (raw, published) = if round % 2 == 1 {
            let raw = put();
            (raw, publish())
        } else {
            let published = publish();
            (put(), published)
        };
        let seconds = published.time.as_secs_f64();
        println!(
            "{round:<8} {raw:5.2} s {:4.0} MiB/s {seconds:5.2} s {:4.0} MiB/s {:4.0} % {:13.2} s {:9} KiB",
            speed(total, raw),
            speed(total, seconds),
            100.0 * raw / seconds,
            published.hashing,
            published.peak_memory_kib.map_or_else(|| "?".to_owned(), |kib| kib.to_string()),
        );
        raws.push(raw);
        publishes.push(seconds);
    }
    raws.sort_by(f64::total_cmp);
    publishes.sort_by(f64::total_cmp);
    for (name, place) in [("best", 0), ("median", raws.len() / 2)] {
        let (raw, publish) = (raws[place], publishes[place]);
        println!("{name:8} {raw:5.2} s {publish:23.2} s {:17.0} %", 100.0 * raw / publish);
    }
    println!();

    write_files(folder.path(), size, rounds + 1);
    let killed = spindrift.publish_and_kill("3.0.0");
    let again = spindrift.publish("3.0.0");
    println!(
        "killed with {killed} of {FILES} files sent; the next run resumed: {}, sent {}, {:.2} s",
        again.resumed,
        again.sent,
        again.time.as_secs_f64()
    );
}

/// Bytes per time in seconds, as MiB per second.
#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn speed(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 / MIB as f64 / seconds
}
