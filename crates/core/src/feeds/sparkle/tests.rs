//! Tests of the Sparkle format as a whole.

use super::check::check;
use super::parse::parse;
use super::render::render_appcast;
use super::*;
use crate::feeds::testing::{Numbers, Stored, facts, file, link, names, offered, version};
use crate::feeds::{ReleaseFeed, UploadFacts};
use crate::{FileEntry, Version};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\"?>\r\n<rss \
     xmlns:sparkle=\"http://www.andymatuschak.org/xml-namespaces/sparkle\" \
     xmlns:dc='http://purl.org/dc/elements/1.1/' version=\"2.0\">\n<channel>\n<title>App</title>\n";
const TAIL: &str = "</channel>\n</rss>\n";

fn item(short: &str, build: &str, enclosures: &str) -> String {
    format!(
        "<item>\r\n  <title>Version {short}</title>\n  <sparkle:version>{build}</sparkle:version>\n  \
         <sparkle:shortVersionString>{short}</sparkle:shortVersionString>\n  <!-- notes -->\n  \
         <description sparkle:format=\"markdown\"><![CDATA[<b>&nbsp; ]] &gt;</b>]]></description>\n  \
         <sparkle:criticalUpdate/>\n  <sparkle:phasedRolloutInterval>86400</sparkle:phasedRolloutInterval>\n  \
         {enclosures}\n</item>"
    )
}

fn enclosure(url: &str, length: u64) -> String {
    format!(
        "<enclosure type=\"application/octet-stream\" url=\"{url}\" length=\"{length}\" sparkle:edSignature=\"x/y==\"/>"
    )
}

fn feed(items: &[String]) -> String {
    format!("{HEAD}{}{TAIL}", items.concat())
}

fn read(xml: &str) -> Appcast {
    parse(xml.as_bytes()).unwrap_or_else(|error| panic!("{error}: {xml}"))
}

fn refused(xml: &str) -> String {
    parse(xml.as_bytes()).unwrap_err().to_string()
}

fn checked(xml: &str, release: &str, files: &[FileEntry]) -> Result<SparkleFeed, String> {
    let release = version(release);
    check(&read(xml), &facts(&release, files)).map_err(|error| error.to_string())
}

fn signed(xml: &str) -> String {
    format!("{xml}<!-- sparkle-signatures:\nedSignature: AAAA==\nlength: {}\n-->\n", xml.len())
}

#[test]
fn files_of_the_tools_are_read() {
    let deltas = format!(
        "{}<sparkle:deltas>{}</sparkle:deltas>",
        enclosure("https://h.example/My%20App.zip?a=1&amp;b=2", 10),
        enclosure("App2-1.delta", 3)
    );
    let first = item("2.0", "200", &deltas);
    let old = "<item><enclosure url='App-1.zip' length='5' sparkle:version='100' sparkle:shortVersionString='1.0' \
               type='x'></enclosure></item>";
    let xml = format!("\u{feff}{}", feed(&[first.clone(), old.to_owned()]));
    let appcast = read(&xml);
    let [new, older] = appcast.items.as_slice() else { panic!("{appcast:?}") };
    assert_eq!(new.xml, first);
    assert_eq!((new.version.as_deref(), new.short_version.as_deref()), (Some("200"), Some("2.0")));
    assert_eq!(new.enclosures[0].url, "https://h.example/My%20App.zip?a=1&b=2");
    assert_eq!(new.enclosures[1].length, Some(3));
    let (start, end) = new.enclosures[0].url_at;
    assert_eq!(&new.xml[start..end], "https://h.example/My%20App.zip?a=1&amp;b=2");
    assert_eq!((older.version.as_deref(), older.short_version.as_deref()), (Some("100"), Some("1.0")));
    assert_eq!(older.xml, old);
    assert_eq!(appcast.namespaces.iter().map(|n| n.prefix.as_str()).collect::<Vec<_>>(), ["sparkle", "dc"]);
    assert_eq!(appcast.signed, None);
}

#[test]
fn a_second_byte_order_mark_is_refused() {
    // The XML parser skips the byte order mark, and items would be cut three bytes too early.
    let xml =
        format!("\u{feff}\u{feff}{}", feed(&[item("2.0", "200", &enclosure("https://h.example/a.zip", 1))]));
    assert_eq!(refused(&xml), "appcast*.xml: two byte order marks");
}

#[test]
fn other_prefixes_and_escaped_versions() {
    let xml = "<rss xmlns:s=\"http://www.andymatuschak.org/xml-namespaces/sparkle\"><channel><item>\
               <s:shortVersionString>1.0&#x2D;b<![CDATA[eta]]></s:shortVersionString></item></channel></rss>";
    assert_eq!(read(xml).items[0].short_version.as_deref(), Some("1.0-beta"));
}

#[test]
fn bombs_and_nonsense_are_refused() {
    let bomb =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE rss [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n<rss/>";
    let external = "<!DOCTYPE rss SYSTEM \"file:///etc/passwd\"><rss/>";
    let in_channel = |text: &str| format!("<rss><channel>{text}</channel></rss>");
    let many = "<item/>".repeat(10_001);
    let attributes: String = (0..65).map(|n| format!(" a{n}=''")).collect::<Vec<_>>().concat();
    let bindings: String = (0..40).map(|n| format!(" xmlns:n{n}='u'")).collect::<Vec<_>>().concat();
    for (xml, problem) in [
        (bomb.to_owned(), "line 2: document type"),
        (external.to_owned(), "line 1: document type"),
        (in_channel("<item>\n&xxe;</item>"), "line 2: unknown entity"),
        (in_channel("<item a='&xxe;'/>"), "line 1: unknown entity"),
        (in_channel("<item>&#0;</item>"), "line 1: unknown entity"),
        ("<?xml version='1.0' encoding='UTF-16'?><rss/>".to_owned(), "line 1: encoding is not UTF-8"),
        (in_channel("<item>\n<a></b></item>"), "line 2: not well-formed XML"),
        (in_channel("<item><a></item>"), "line 1: not well-formed XML"),
        (in_channel("<item>a & b</item>"), "line 1: not well-formed XML"),
        (in_channel("<item>]]></item>"), "line 1: not well-formed XML"),
        (in_channel("<item><?xml version='1.0'?></item>"), "line 1: not well-formed XML"),
        (in_channel("<item><!-- a -- b --></item>"), "line 1: not well-formed XML"),
        (
            in_channel("<item><sparkle:version>1</sparkle:version></item>"),
            "line 1: prefix without a namespace",
        ),
        (in_channel("<item a='1' a='2'/>"), "line 1: invalid attribute"),
        (in_channel("<item a='<'/>"), "line 1: invalid attribute"),
        (in_channel("<item a=1/>"), "line 1: invalid attribute"),
        (in_channel("<item><1/></item>"), "line 1: invalid name"),
        (in_channel("<item><enclosure length='1'/></item>"), "line 1: enclosure without url"),
        (
            in_channel(&format!(
                "<item><enclosure url='https://h.example/{}.zip' length='1'/></item>",
                "x".repeat(252)
            )),
            "line 1: a file name of more than 255 bytes",
        ),
        (
            in_channel("<item><enclosure url='a'><enclosure url='b'/></enclosure></item>"),
            "line 1: enclosure inside an enclosure",
        ),
        (in_channel("<a><item/></a>"), "line 1: item outside the channel"),
        (in_channel("<item><item/></item>"), "line 1: item outside the channel"),
        (in_channel(&many), "line 1: too many items"),
        (in_channel(&"<a>".repeat(40)), "line 1: too deep"),
        (in_channel(&format!("<item{attributes}/>")), "line 1: too many attributes"),
        (in_channel(&format!("<a{bindings}/><a{bindings}/>")), "line 1: too many namespaces"),
        (in_channel(&format!("<a b='{}'/>", "x".repeat(17_000))), "line 1: tag too long"),
        ("<rss xmlns='x'><channel/></rss>".to_owned(), "line 1: default namespace"),
        ("<rss><channel/><channel/></rss>".to_owned(), "line 1: more than one channel"),
        ("<feed/>".to_owned(), "line 1: not an RSS document with a channel"),
        ("<rss><channel/></rss>x".to_owned(), "line 1: text outside the document"),
        ("<rss><channel/></rss><rss/>".to_owned(), "line 1: not an RSS document with a channel"),
        ("<rss></rss>".to_owned(), "not an RSS document with a channel"),
        ("<rss><channel>".to_owned(), "not an RSS document with a channel"),
        (String::new(), "not an RSS document with a channel"),
    ] {
        let shown: String = xml.chars().take(80).collect();
        assert_eq!(refused(&xml), format!("appcast*.xml: {problem}"), "{shown}");
    }
}

#[test]
fn only_utf_8_is_read() {
    let utf16: Vec<u8> = feed(&[]).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(
        parse(&utf16).unwrap_err().to_string(),
        "appcast*.xml: the control character U+0000, which UTF-8 text does not have"
    );
    let marked: Vec<u8> = [0xff, 0xfe].into_iter().chain(utf16).collect();
    assert_eq!(parse(&marked).unwrap_err().to_string(), "appcast*.xml: not UTF-8: save it in that encoding");
}

#[test]
fn an_upload_is_compared() {
    let both = format!(
        "{}<sparkle:deltas>{}</sparkle:deltas>",
        enclosure("My%20App.zip", 10),
        enclosure("d.delta", 3)
    );
    let history = item("1.0", "100", &enclosure("gone.zip", 1));
    let xml =
        feed(&[item("2.0", "200", &both), history, item("2.0", "201", &enclosure("other-arch.zip", 4))]);
    let files = [file("My App.zip", 10), file("d.delta", 3), file("notes.html", 1)];
    for release in ["2.0", "200"] {
        let SparkleFeed::Items(kept) = checked(&xml, release, &files).unwrap() else { panic!() };
        assert_eq!(kept.items.len(), 1);
        assert_eq!(kept.items[0].xml, item("2.0", "200", &both));
        assert_eq!(kept.items[0].enclosures[0].file_name, "My App.zip");
        let stored = ReleaseFeed::Sparkle(SparkleFeed::Items(kept));
        let json = serde_json::to_string(&stored).unwrap();
        assert_eq!(serde_json::from_str::<ReleaseFeed>(&json).unwrap(), stored);
    }
    for (release, files, problem) in [
        (
            "2.0",
            vec![file("My App.zip", 11), file("d.delta", 3)],
            "My App.zip: size differs from the uploaded file: it has 11 bytes, not 10",
        ),
        ("2.0", vec![file("My App.zip", 10)], "d.delta: listed and not uploaded"),
        ("2.0", vec![], "no item of the release"),
        ("3.0", vec![], "no item of the release"),
        (
            "2.0",
            vec![file("My App.zip", 10), file("d.delta", 3), file("App.dmg", 1)],
            "App.dmg: uploaded and without an enclosure in an item of the release",
        ),
    ] {
        assert_eq!(checked(&xml, release, &files), Err(format!("appcast*.xml: {problem}")));
    }
    let release = version("2.0");
    let stored = names(&["d.delta"]);
    let facts = UploadFacts { stored: &stored, ..facts(&release, &files[..1]) };
    assert!(check(&read(&xml), &facts).is_ok());
}

/// The enclosures of the stored items, rendered for a client.
fn rendered(xml: &str, has_archs: bool, files: &[FileEntry]) -> Result<String, String> {
    let release = version("2.0");
    let facts = UploadFacts { has_archs, ..facts(&release, files) };
    let kept = check(&read(xml), &facts).map_err(|error| error.to_string())?;
    let stored = [(version("2.0"), 100, kept)];
    let xml = render_appcast(&offered(&stored), Some(&release), "App");
    assert_eq!(read(&xml).items.len(), 1, "{xml}");
    let (start, end) = (xml.find("</sparkle:phasedRolloutInterval>").unwrap(), xml.find("</item>").unwrap());
    Ok(xml[start + 32..end].trim().to_owned())
}

#[test]
fn enclosures_get_the_lengths_of_their_files() {
    let url = "https://cdn.example/My%20App/a.zip";
    for (enclosure, expected) in [
        ("<enclosure url='a.zip'/>", format!("<enclosure url='{url}' length=\"41\"/>")),
        ("<enclosure url='a.zip' length=''/>", format!("<enclosure url='{url}' length='41'/>")),
        ("<enclosure length=\"0\" url=\"a.zip\"/>", format!("<enclosure length=\"41\" url=\"{url}\"/>")),
        ("<enclosure url='a.zip' length='?'/>", format!("<enclosure url='{url}' length='41'/>")),
        (
            "<enclosure url='a.zip' length='41'></enclosure>",
            format!("<enclosure url='{url}' length='41'></enclosure>"),
        ),
    ] {
        let xml = feed(&[item("2.0", "200", enclosure)]);
        assert_eq!(rendered(&xml, false, &[file("a.zip", 41)]), Ok(expected), "{enclosure}");
    }
    let mut unknown = file("a.zip", 41);
    unknown.length = None;
    let xml = feed(&[item("2.0", "200", "<enclosure url='a.zip'/>")]);
    assert!(checked(&xml, "2.0", &[unknown]).is_ok(), "the length is put in when it is known");
}

#[test]
fn an_architecture_keeps_its_own_enclosures() {
    let of =
        |os: &str, name: &str| format!("<enclosure url='{name}' sparkle:os='{os}' length='0' type='x'/>");
    let (intel, arm) = (of("windows-x64", "App-x64.exe"), of("windows-arm64", "App-arm64.exe"));
    let xml = feed(&[item("2.0", "200", &format!("{intel} {arm}"))]);
    let served = |os: &str, name: &str| {
        of(os, &format!("https://cdn.example/My%20App/{name}")).replace("length='0'", "length='7'")
    };
    for (name, os) in [("App-x64.exe", "windows-x64"), ("App-arm64.exe", "windows-arm64")] {
        assert_eq!(rendered(&xml, true, &[file(name, 7)]), Ok(served(os, name)), "{name}");
        let message = rendered(&xml, false, &[file(name, 7)]).unwrap_err();
        assert!(message.ends_with("listed and not uploaded"), "{message}");
    }
    let both = [file("App-x64.exe", 7), file("App-arm64.exe", 7)];
    let all =
        format!("{} {}", served("windows-x64", "App-x64.exe"), served("windows-arm64", "App-arm64.exe"));
    assert_eq!(rendered(&xml, true, &both), Ok(all));
    let forgotten = feed(&[item("2.0", "200", &format!("{intel}{}", of("windows-x64", "App-x64.msi")))]);
    let message = rendered(&forgotten, true, &both[..1]).unwrap_err();
    assert_eq!(message, "appcast*.xml: App-x64.msi: listed and not uploaded");
}

#[test]
fn an_item_may_only_inform() {
    let xml = feed(&[item("2.0", "200", "<link>https://acme.example/2.0</link>")]);
    assert_eq!(rendered(&xml, true, &[]), Ok("<link>https://acme.example/2.0</link>".to_owned()));
}

#[test]
fn signed_appcasts_are_kept_whole() {
    let body = feed(&[item("2.0", "200", &enclosure("https://h.example/a.zip", 1))]);
    for whole in [signed(&body), signed(&format!("\u{feff}{body}"))] {
        assert_eq!(read(&whole).signed.as_deref(), Some(whole.as_str()));
        let kept = checked(&whole, "2.0", &[file("a.zip", 1)]).unwrap();
        let signed = SignedAppcast { source: whole.clone(), file_names: vec!["a.zip".into()] };
        assert_eq!(kept, SparkleFeed::Signed(signed));
        let stored = [(version("2.0"), 100, kept)];
        assert_eq!(render_appcast(&offered(&stored), Some(&version("2.0")), "App"), whole);
    }
    let changed = signed(&body).replacen("\r\n", "\n", 1);
    assert_eq!(refused(&changed), "appcast*.xml: changed after it was signed");
    let unsigned = signed(&body).replace("AAAA==", "");
    assert_eq!(refused(&unsigned), "appcast*.xml: changed after it was signed");
    let relative = signed(&feed(&[item("2.0", "200", &enclosure("a.zip", 1))]));
    assert_eq!(
        checked(&relative, "2.0", &[file("a.zip", 1)]),
        Err("appcast*.xml: a.zip: not absolute in a signed appcast".into())
    );
    let (one, other) = (read(&signed(&body)), read(&body));
    let error = Appcast::merge([&one, &other].into_iter()).unwrap_err();
    assert_eq!(error.to_string(), "appcast*.xml: a signed appcast cannot come with another one");
}

fn stored(release: &str, rollout: u8, xml: &str) -> Stored<SparkleFeed> {
    let feed = checked(xml, release, &[file(&format!("App {release}.zip"), 1)]).unwrap();
    (version(release), rollout, feed)
}

#[test]
fn items_are_written_as_they_were() {
    let of = |short: &str| item(short, short, &enclosure(&format!("old/App%20{short}.zip"), 1));
    let all: Vec<_> = [("2.0", 50), ("1.2", 100), ("1.1", 20), ("1.0", 100)]
        .map(|(r, p)| stored(r, p, &feed(&[of(r)])))
        .into();
    let xml = render_appcast(&offered(&all), Some(&version("2.0")), "My <App>");
    let moved = |short: &str| of(short).replace("old/", "https://cdn.example/My%20App/");
    let head = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\" \
                xmlns:sparkle=\"http://www.andymatuschak.org/xml-namespaces/sparkle\" \
                xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n  <channel>\n    <title>My &lt;App&gt;</title>\n";
    let items = ["2.0", "1.2", "1.0"].map(|short| format!("    {}\n", moved(short))).concat();
    assert_eq!(xml, format!("{head}{items}  </channel>\n</rss>\n"));
    let read_back = read(&xml);
    assert_eq!(read_back.items.len(), 3);
    assert_eq!(read_back.items[0].enclosures[0].url, "https://cdn.example/My%20App/App%202.0.zip");
    // An intermediate hides newer releases. Without a target there are no items.
    assert_eq!(read(&render_appcast(&offered(&all), Some(&version("1.2")), "App")).items.len(), 2);
    assert_eq!(read(&render_appcast(&offered(&all), None, "App")).items, []);
}

#[test]
fn addresses_are_escaped_and_clashing_items_left_out() {
    let xml = feed(&[item("2.0", "2", &enclosure("App 2.0.zip", 1))]);
    let other = feed(&[item("1.0", "1", &enclosure("App 1.0.zip", 1))])
        .replace("http://purl.org/dc/elements/1.1/", "urn:x");
    let all = [stored("2.0", 100, &xml), stored("1.0", 100, &other)];
    let with_query = |name: &str| format!("https://h.example/d?key={name}&sig='x'");
    let releases: Vec<_> = offered(&all)
        .into_iter()
        .map(|release| crate::feeds::FeedRelease { links: &with_query, ..release })
        .collect();
    let appcast = read(&render_appcast(&releases, Some(&version("2.0")), "App"));
    assert_eq!(appcast.items.len(), 1);
    assert_eq!(appcast.items[0].enclosures[0].url, "https://h.example/d?key=App%202.0.zip&sig='x'");
}

/// Rendering and parsing repeatedly keeps the same items.
#[test]
fn appcasts_are_read_back() {
    const PIECES: [&str; 10] = [
        "<b>x</b>",
        "<![CDATA[<&]]>",
        "&amp;",
        "&#xe9;",
        "é💥",
        "\r\n",
        "<!-- a-b -->",
        "<?pi x?>",
        "<dc:x xmlns:dc='urn:y' a=\">\"/>",
        "<sparkle:version>9</sparkle:version>",
    ];
    let mut numbers = Numbers(5);
    for _ in 0..200 {
        let notes: String = (0..numbers.below(8)).map(|_| *numbers.pick(&PIECES)).collect();
        let enclosures = format!("{}<description>{notes}</description>", enclosure("App%201.0.zip", 1));
        let all = [stored("1.0", 100, &feed(&[item("1.0", "1", &enclosures)]))];
        let target: Version = version("1.0");
        let once = render_appcast(&offered(&all), Some(&target), "App");
        let again = [stored("1.0", 100, &once)];
        assert_eq!(render_appcast(&offered(&again), Some(&target), "App"), once);
        assert!(once.contains(&notes) && link("").starts_with("https://"));
    }
}
