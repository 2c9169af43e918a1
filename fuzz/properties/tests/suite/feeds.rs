//! Feeds of native updaters.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use spindrift_fuzz_properties as properties;

use crate::cases::check;
use crate::mutation::sometimes_changed;

const CASES: u32 = 400;

/// A reference to a file: its name, or an address that ends in it.
fn reference(name: &str) -> impl Strategy<Value = String> + use<> {
    let name = name.to_owned();
    select(vec!["", "https://h.example/a/", "HTTP://h.example/", "a/"]).prop_flat_map(move |before| {
        let encoded = name.replace(' ', "%20");
        select(vec![format!("{before}{encoded}"), format!("{before}{encoded}?a=1&b"), name.clone()])
    })
}

#[test]
fn squirrel() {
    let hash = "[0-9a-fA-F]{40}";
    let own = (hash, reference("App-1.2.3-full.nupkg"), 0..99_u32, "(# ?100%|#| # note)?")
        .prop_map(|(sha1, name, size, note)| format!("{sha1} {name} {size}{note}"));
    let other = (hash, "[A-Za-z-]{1,9}-[0-9](\\.[0-9]){1,3}(-beta1)?(-full|-delta)?\\.nupkg", 0..u64::MAX)
        .prop_map(|(sha1, name, size)| format!("{sha1}\t{name}  {size}"));
    let delta = hash.prop_map(|sha1| format!("{sha1} App-1.2.3-delta.nupkg 3"));
    let more = prop_oneof![2 => other, 1 => delta, 1 => Just("# note".to_owned()), 1 => Just(String::new())];
    let feed = (select(vec!["", "\u{feff}"]), vec(more, 0..5), own, select(vec!["\n", "\r\n"]))
        .prop_map(|(mark, more, own, end)| format!("{mark}{}{end}{own}{end}", more.join(end)).into_bytes());
    check(
        properties::squirrel,
        CASES,
        sometimes_changed(feed, &["#", "%", " ", "\t", "/", "\\", "-full", ".", "\u{a0}"]),
    );
}

/// A text in one of YAML's styles.
fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z][a-zA-Z0-9 .]{0,20}",
        "[a-z .:#-]{0,20}".prop_map(|text| format!("'{text}'")),
        "[ !#-\\[\\]-~\u{e9}\u{85}\u{2028}\u{feff}\u{1f600}]{0,20}".prop_map(|text| format!("\"{text}\"")),
        vec("[a-z:# -]{1,20}", 1..4).prop_map(|lines| format!("|\n  {}", lines.join("\n  "))),
        vec("[a-z: -]{1,20}", 1..4).prop_map(|lines| format!(">-\n  {}", lines.join("\n\n  "))),
        Just("null".to_owned()),
    ]
}

#[test]
fn electron() {
    let digest = prop_oneof!["[A-Za-z0-9+/]{85}A==", "[0-9a-f]{128}"];
    let name = select(vec!["App Setup 1.2.3.exe", "App-1.2.3.zip", "app-1.2.3.7z"]).prop_flat_map(reference);
    let file = (name, digest.clone(), proptest::option::of(0..u64::MAX)).prop_map(|(name, digest, size)| {
        let size = size.map(|size| format!("    size: {size}\n")).unwrap_or_default();
        format!("  - url: {name}\n    sha512: {digest}\n{size}")
    });
    let field = (select(vec!["releaseName", "releaseNotes", "releaseDate", "unknown"]), scalar())
        .prop_map(|(name, text)| format!("{name}: {text}\n"));
    let notes = vec(scalar(), 0..3).prop_map(|notes| {
        let note = |note: &String| format!("  - {{version: '1', note: {}}}\n", quoted(note));
        format!("releaseNotes:\n{}", notes.iter().map(note).collect::<Vec<_>>().concat())
    });
    let package =
        digest.prop_map(|d| format!("packages:\n  x64:\n    path: app-1.2.3.7z\n    sha512: {d}\n"));
    let more = prop_oneof![4 => field, 1 => notes, 1 => package, 2 => Just(String::new())];
    let feed = (vec(file, 1..3), more)
        .prop_map(|(files, more)| format!("version: 1.2.3\nfiles:\n{}{more}", files.concat()).into_bytes());
    let words = &[
        "&a ",
        "*a",
        "!!str ",
        "- ",
        "? ",
        ": ",
        "\n",
        "\t",
        "[",
        "{",
        "|",
        "\"",
        "'",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
    ];
    check(properties::electron, CASES, sometimes_changed(feed, words));
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace(['\\', '"', '\n'], " "))
}

#[test]
fn sparkle() {
    let name = select(vec!["App-1.2.3.zip", "App1.2.3-1.0.0.delta", "My App.dmg"]).prop_flat_map(reference);
    let enclosure = (
        name,
        0..9_u32,
        select(vec!["", " sparkle:os='macos'", " sparkle:version=\"1.2.3\"", " a='&lt;&#x2d;'"]),
    )
        .prop_map(|(url, length, more)| {
            format!("<enclosure{more} url=\"{}\" length='{length}'/>", url.replace('&', "&amp;"))
        });
    let other = prop_oneof![
        "<description><!\\[CDATA\\[[a-z<>&:]{0,30}\\]\\]></description>",
        "<sparkle:(os|channel|minimumSystemVersion)>[a-z:>0-9.]{0,9}</sparkle:x>".prop_map(|element| {
            let name = element.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
            element.replace("sparkle:x", &name)
        }),
        "<!-- [a-z:>=]{0,20} -->",
        "[a-z &;]{0,9}".prop_map(|text| text.replace('&', "&amp;")),
    ];
    let item = (vec(enclosure, 1..3), vec(other, 0..3)).prop_map(|(enclosures, others)| {
        format!(
            "<item><sparkle:version>1.2.3</sparkle:version>{}{}</item>",
            others.concat(),
            enclosures.concat()
        )
    });
    let feed = (vec(item, 1..3), any::<bool>()).prop_map(|(items, is_signed)| {
        let xml = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss xmlns:sparkle=\"http://www.andymatuschak.org/xml-namespaces/sparkle\">\
             <channel><title>App</title>\n{}</channel></rss>\n",
            items.join("\n")
        );
        let end = format!("<!-- sparkle-signatures:\nedSignature: AAAA==\nlength: {}\n-->\n", xml.len());
        if is_signed { (xml + &end).into_bytes() } else { xml.into_bytes() }
    });
    let words = &[
        "<",
        ">",
        "&",
        "\"",
        "<!DOCTYPE a>",
        "<![CDATA[",
        "]]>",
        "<?x?>",
        "xmlns:a='b' ",
        ":os=",
        ":os>",
        "<item>",
        "</item>",
    ];
    check(properties::sparkle, CASES, sometimes_changed(feed, words));
}

#[test]
fn velopack() {
    let asset = |name: &'static str, kind: &'static str, version: &'static str| {
        let end = name.replace(' ', "%20");
        (reference(&end), "[0-9A-F]{40}", proptest::option::of("[0-9a-f]{64}"), any::<u32>(), "[a-z\u{e9}<>&]{0,9}").prop_map(
            move |(name, sha1, sha256, size, notes)| {
                let mut asset = serde_json::json!({
                    "PackageId": "App", "Version": version, "Type": kind, "FileName": name, "SHA1": sha1, "Size": size,
                    "NotesHTML": notes,
                });
                if let Some(sha256) = sha256 {
                    asset["SHA256"] = sha256.into();
                }
                asset
            },
        )
    };
    let more = prop_oneof![
        asset("App-1.2.3-delta.nupkg", "Delta", "1.2.3"),
        asset("App-1.0.0-full.nupkg", "Full", "1.0.0"),
        asset("App-win-Setup.exe", "Installer", "1.2.3"),
        asset("x.y", "Other", "x"),
    ];
    let feed =
        (asset("App-1.2.3-full.nupkg", "Full", "1.2.3"), vec(more, 0..3)).prop_map(|(own, mut more)| {
            more.push(own);
            serde_json::json!({ "Assets": more }).to_string().into_bytes()
        });
    let words = &[
        "null",
        "{}",
        "[",
        "]",
        "\"",
        ",",
        "\"SHA1\":1,",
        "\"size\":1,",
        "1e9",
        "\\u0000",
        "\\ud800",
        "releases.win.json",
    ];
    check(properties::velopack, CASES, sometimes_changed(feed, words));
}
