//! Time and memory grow with the input, not with its square. One test, alone in its process, so that nothing else is
//! measured.

use std::time::Duration;

use cpu_time::ThreadTime;
use peak_alloc::PeakAlloc;
use spindrift_fuzz_properties::{self as properties, Property};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes of the shorter input.
const BYTES: usize = 6 * 1024;
/// How many times as long the longer input is.
const TIMES: usize = 8;
/// It may take this many times as long. A square would be 64 times.
const MAX_TIMES: u32 = 20;
/// Shorter times are not compared: the clock would decide.
const MIN_TIME: Duration = Duration::from_millis(2);
/// Runs of which the shortest counts.
const RUNS: usize = 3;
/// Most memory for each byte of the longer input, in bytes. The properties hold several copies of their input.
const MAX_MEMORY_PER_BYTE: usize = 200;

/// A repetition by strangers: a property, and the text around and in the repetition. A `#` becomes a number, so that no
/// two pieces are the same.
type Shape = (&'static str, Property, &'static str, &'static str, &'static str);

const RSS: &str = "<rss xmlns:sparkle=\"http://www.andymatuschak.org/xml-namespaces/sparkle\"><channel>";
const ITEM: &str = "<rss xmlns:sparkle=\"http://www.andymatuschak.org/xml-namespaces/sparkle\"><channel><item>\
    <sparkle:version>1.2.3</sparkle:version><enclosure url='App-1.2.3.zip' length='1'/>";
const END: &str = "</item></channel></rss>";
const FILES: &str = "version: 1.2.3\nfiles:\n  - url: App-1.2.3.zip\n    sha512: \
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==\n";
const PART: &str = "--b\r\nContent-Disposition: form-data; name=\"a#\"\r\n\r\nx\r\n";

const SHAPES: &[Shape] = &[
    (
        "packages",
        properties::squirrel,
        "",
        "94689fede03fed7ab59c24337673a27837f0c3ec App-#-full.nupkg 1\n",
        "",
    ),
    (
        "one package",
        properties::squirrel,
        "",
        "94689fede03fed7ab59c24337673a27837f0c3ec App-1.2.3-full.nupkg 1\n",
        "",
    ),
    ("dashes", properties::squirrel, "94689fede03fed7ab59c24337673a27837f0c3ec ", "-1", ".nupkg 1"),
    ("keys", properties::electron, FILES, "k#: v\n", ""),
    ("files", properties::electron, FILES, "  - url: a#.zip\n    sha512: x\n", ""),
    ("comments", properties::electron, FILES, "# x\n", ""),
    ("folded lines", properties::electron, FILES, "  x\n\n", ""),
    ("a quoted text", properties::electron, "version: \"", "a\\n\n \n", "\""),
    ("a plain text", properties::electron, "releaseName: ", "a b\n  ", ""),
    ("open lists", properties::electron, "a: ", "[", ""),
    ("open maps", properties::electron, "a: ", "{a: ", ""),
    ("nested lists", properties::electron, "", "- ", "a"),
    ("complex keys", properties::electron, "", "? ", "a"),
    ("anchors", properties::electron, "", "&a", " b"),
    ("a list in brackets", properties::electron, "a: [", "b, ", "]"),
    ("notes", properties::electron, "version: 1.2.3\nreleaseNotes:\n", "  - version: '1'\n    note: n\n", ""),
    ("items", properties::sparkle, RSS, "<item/>", "</channel></rss>"),
    ("marks of requirements", properties::sparkle, ITEM, ":os>", END),
    ("marks of attributes", properties::sparkle, ITEM, ":os=", END),
    ("requirements", properties::sparkle, ITEM, "<sparkle:os>a</sparkle:os>", END),
    ("references", properties::sparkle, ITEM, "&amp;", END),
    ("elements", properties::sparkle, RSS, "<a>", ""),
    ("attributes", properties::sparkle, "<rss ", "a#='' ", "/>"),
    ("namespaces", properties::sparkle, "<rss ", "xmlns:a#='b' ", "/>"),
    ("comments", properties::sparkle, RSS, "<!-- -->", "</channel></rss>"),
    ("a comment", properties::sparkle, "<!--", " - ", ""),
    ("text", properties::sparkle, ITEM, "]]", END),
    ("assets", properties::velopack, "{\"Assets\":[", "{\"Type\":\"x\",\"a#\":1},", "{}]}"),
    ("nested lists", properties::velopack, "{\"Assets\":", "[", ""),
    ("properties", properties::velopack, "{\"Assets\":[{", "\"a#\":1,", "\"b\":1}]}"),
    (
        "files",
        properties::uploads,
        "[",
        "{\"name\":\"a#\",\"md5\":\"0123456789abcdef0123456789abcdef\"},",
        "1]",
    ),
    ("fields", properties::uploads, "{\"app_name\":\"a\",\"version\":\"1\",", "\"a#\":1,", "\"b\":1}"),
    ("fields of a file", properties::uploads, "[{", "\"a#\":1,", "\"b\":1}]"),
    ("parts", properties::multipart, "", PART, "--b--\r\n"),
    ("a preamble", properties::multipart, "", "--a", ""),
    ("headers", properties::multipart, "--b\r\n", "a#: b\r\n", ""),
    (
        "almost ends",
        properties::multipart,
        "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n",
        "\r\n--",
        "",
    ),
    ("padding", properties::multipart, "--b", " ", "\r\n"),
    ("fields", properties::queries, "", "a#=b&", ""),
    ("one field", properties::queries, "", "&a=%41", ""),
    ("tags", properties::queries, "", "\"a\", ", ""),
    ("addresses", properties::queries, "", "192.0.2.1, ", ""),
    ("claims", properties::tokens, "{", "\"a#\":1,", "\"exp\":2000000000}"),
    ("a token", properties::tokens, "Bearer ", "a.", ""),
    ("targets", properties::metadata, "{\"signed\":{\"targets\":{", "\"a#\":{},", "\"b\":1}}}"),
    ("nested lists", properties::metadata, "{\"signed\":", "[", ""),
    ("signatures", properties::metadata, "{\"signatures\":[", "{\"keyid\":\"a#\",\"sig\":\"00\"},", "1]}"),
    (
        "objects",
        properties::storage_answers,
        "<ListBucketResult>",
        "<Contents><Key>a#</Key><Size>1</Size></Contents>",
        "</ListBucketResult>",
    ),
    ("attributes", properties::storage_answers, "<ListBucketResult ", "a#='' ", "></ListBucketResult>"),
    ("unknown elements", properties::storage_answers, "<ListBucketResult>", "<a#/>", "</ListBucketResult>"),
    ("nested elements", properties::storage_answers, "<ListBucketResult>", "<a>", ""),
    (
        "references",
        properties::storage_answers,
        "<ListBucketResult><Prefix>",
        "&lt;",
        "</Prefix></ListBucketResult>",
    ),
    ("lines", properties::settings, "", "s3_bucket=a#\n", ""),
    ("a host", properties::settings, "s3_api_endpoint=https://", "a.", ""),
    ("segments", properties::names, "", "a/", "a"),
    (
        "digests",
        properties::names,
        "",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b/",
        "a",
    ),
    ("dots", properties::names, "a", ".", "a"),
    ("numbers", properties::versions, "1", ".1", ""),
    ("lines", properties::versions, "", "1.#\n", ""),
    ("an object", properties::reports, "{", "\"a#\":1,", "\"b\":1}"),
    ("releases", properties::records, "\0{\"releases\":[", "{\"version\":\"1.#\"},", "1]}"),
    ("lengths", properties::records, "\0R", "\u{7f}", ""),
];

#[test]
fn nothing_grows_with_the_square_of_the_input() {
    let mut found = Vec::new();
    for shape in SHAPES {
        let (name, property, ..) = *shape;
        let (short, long) = (repeated(shape, BYTES), repeated(shape, BYTES * TIMES));
        let (before, after) = (shortest(property, &short), shortest(property, &long));
        let times = after.as_nanos() / before.as_nanos().max(1);
        if after > MIN_TIME && times > u128::from(MAX_TIMES) {
            found.push(format!("{name}: {before:?} for {} bytes, {after:?} for {}", short.len(), long.len()));
        }
        let memory = memory(property, &long);
        if memory > long.len() * MAX_MEMORY_PER_BYTE {
            found.push(format!("{name}: {memory} bytes of memory for {}", long.len()));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// In time of the processor, which other processes hardly change.
fn shortest(property: Property, input: &[u8]) -> Duration {
    let run = || {
        let start = ThreadTime::now();
        property(input);
        start.elapsed()
    };
    (0..RUNS).map(|_| run()).min().unwrap_or_default()
}

/// The most memory that is used at once, in bytes.
fn memory(property: Property, input: &[u8]) -> usize {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    property(input);
    MEMORY.peak_usage().saturating_sub(before)
}

/// The input of a shape with about this many bytes.
fn repeated((_, _, start, piece, end): &Shape, bytes: usize) -> Vec<u8> {
    let piece = |number: usize| piece.replace('#', &format!("{number:05}"));
    let pieces: String = (0..=bytes / piece(0).len()).map(piece).collect();
    [start, &*pieces, end].concat().into_bytes()
}
