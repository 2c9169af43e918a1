//! Tests of the Velopack format as a whole.

use super::check::check;
use super::parse::parse;
use super::render::render_velopack;
use super::*;
use crate::feeds::ReleaseFeed;
use crate::feeds::testing::{Numbers, Stored, facts, file, offered, offered_one, version};

const SHA1: &str = "94689FEDE03FED7AB59C24337673A27837F0C3EC";

fn asset(release: &str, kind: &str, size: u64) -> String {
    format!(
        r#"{{"PackageId":"App","Version":"{release}","Type":"{kind}","FileName":"App-{release}-{}.nupkg","SHA1":"{SHA1}","Size":{size}}}"#,
        kind.to_ascii_lowercase()
    )
}

fn feed(assets: &[String]) -> String {
    format!("{{\"Assets\":[{}]}}", assets.join(","))
}

fn refused(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn files_of_the_tools_are_read() {
    let sha256 = "ab".repeat(32);
    let text = format!(
        "\u{feff}{{\r\n\"Assets\":[{{\"PackageId\":\"App\",\"Version\":\"1.0.0-beta.1\",\"Type\":\"Full\",\"FileName\":\
         \"https://h.example/My%20App.nupkg\",\"SHA1\":\"{SHA1}\",\"SHA256\":\"{sha256}\",\"Size\":12,\"NotesMarkdown\":\
         \"# x\",\"NotesHtml\":\"<h1>x</h1>\",\"NotesHTML\":\"<h1>x</h1>\",\"New\":[]}},{{\"Type\":\"Other\"}}]}}"
    );
    let index = parse(text.as_bytes()).unwrap();
    assert_eq!(index.assets.len(), 1);
    let asset = &index.assets[0];
    assert_eq!(
        (asset.version.as_str(), asset.size, asset.kind),
        ("1.0.0-beta.1", 12, VelopackAssetKind::Full)
    );
    assert_eq!(asset.notes_html.as_deref(), Some("<h1>x</h1>"));
    assert_eq!(asset.sha256.as_deref(), Some(sha256.as_str()));
    let nulls = asset_with("\"NotesMarkdown\":null,\"NotesHTML\":\"\",\"SHA256\":null,");
    assert_eq!(parse(nulls.as_bytes()).unwrap().assets[0].notes_html, None);
    assert_eq!(parse(br#"{"assets":[]}"#).unwrap().assets, []);
}

fn asset_with(more: &str) -> String {
    feed(&[asset("1.0.0", "Full", 1).replacen('{', &format!("{{{more}"), 1)])
}

#[test]
fn the_rest_is_refused() {
    let whole = "releases.{channel}.json: not a JSON object with Assets";
    for bad in ["", "[]", "{}", r#"{"Assets":{}}"#, r#"{"Assets":[]} x"#, &"[".repeat(100_000)] {
        assert_eq!(refused(bad), whole);
    }
    let at = |problem: &str| format!("releases.{{channel}}.json: Assets[0]: {problem}");
    let not_one = "a property stands twice";
    let one = feed(&[asset("1.0.0", "Full", 1)]);
    for (from, to, problem) in [
        (SHA1, "94", "SHA1 is not 40 hexadecimal digits"),
        ("\"SHA1\"", "\"SHA2\"", "missing SHA1"),
        ("\"Size\":1", "\"Size\":\"1\"", "Size is not a number"),
        ("\"Size\":1", "\"Size\":-1", "Size is not a number"),
        ("\"App\"", "null", "missing PackageId"),
        ("\"1.0.0\"", "\"\"", "missing Version"),
        ("\"Full\"", "1", "missing Type"),
        ("\"Full\"", "[{\"a\":[1]}]", "missing Type"),
        ("\"Size\":1", "\"Size\":1.0", "Size is not a number"),
        ("\"Size\":1", "\"Size\":true", "Size is not a number"),
    ] {
        assert_eq!(refused(&one.replace(from, to)), at(problem), "{to}");
    }
    let long = one.replace("App-1.0.0-full", &"x".repeat(250));
    assert_eq!(refused(&long), at("a file name of more than 255 bytes"));
    assert_eq!(refused(&asset_with("\"NotesHTML\":\"a\",\"NotesHtml\":\"b\",")), at(not_one));
    assert_eq!(refused(&asset_with("\"SHA256\":\"1\",")), at("SHA256 is not 64 hexadecimal digits"));
    assert_eq!(refused(r#"{"Assets":[1]}"#), whole);
    let many = format!("{{\"Assets\":[{}{{}}]}}", "{},".repeat(20_000));
    assert_eq!(refused(&many), "releases.{channel}.json: too many assets");
    let twice = feed(&[asset("1.0.0", "Full", 1), asset("1.0.0", "Full", 2)]);
    assert_eq!(refused(&twice), "releases.{channel}.json: App-1.0.0-full.nupkg: listed twice");
}

#[test]
fn an_upload_is_compared() {
    let release = version("1.1.0");
    let assets = [asset("1.1.0", "Full", 5), asset("1.1.0", "Delta", 2), asset("1.0.0", "Full", 4)];
    let index = parse(feed(&assets).as_bytes()).unwrap();
    let (full, delta) = ("App-1.1.0-full.nupkg", "App-1.1.0-delta.nupkg");
    let kept =
        check(&index, &facts(&release, &[file(full, 5), file(delta, 2), file("Setup.exe", 1)])).unwrap();
    assert_eq!(kept.assets.len(), 2);
    assert_eq!(kept.delta_base, Some(version("1.0.0")));
    let json = serde_json::to_string(&ReleaseFeed::Velopack(kept.clone())).unwrap();
    assert_eq!(serde_json::from_str::<ReleaseFeed>(&json).unwrap(), ReleaseFeed::Velopack(kept));

    let mut wrong_digest = file(full, 5);
    wrong_digest.sha256 = Some("cd".repeat(32));
    let with_digest =
        feed(&assets).replacen("\"Size\":5", &format!("\"SHA256\":\"{}\",\"Size\":5", "ab".repeat(32)), 1);
    let other_id = feed(&assets).replacen("\"App\"", "\"Other\"", 1);
    let renamed =
        feed(&[asset("1.1.0", "Full", 5), asset("1.0.0", "Full", 4).replacen("\"App\"", "\"Old\"", 1)]);
    let kept = check(&parse(renamed.as_bytes()).unwrap(), &facts(&release, &[file(full, 5)])).unwrap();
    assert_eq!((kept.assets.len(), kept.delta_base), (1, None), "history of another PackageId");
    let odd = feed(&[asset("1.1.0", "Full", 5)]).replace(full, "App#1.1.0-full.nupkg");
    for (text, files, problem) in [
        (
            feed(&assets),
            vec![file(full, 6)],
            "App-1.1.0-full.nupkg: size differs from the uploaded file: it has 6 bytes, not 5",
        ),
        (feed(&assets), vec![file(full, 5), file("x.nupkg", 1)], "x.nupkg: uploaded and not listed"),
        (feed(&assets), vec![file(delta, 2)], "no full package of the release"),
        (
            feed(&assets),
            vec![file("App-1.0.0-full.nupkg", 4)],
            "App-1.0.0-full.nupkg: Version is not the release's",
        ),
        (with_digest, vec![wrong_digest], "App-1.1.0-full.nupkg: SHA256 differs from the uploaded file"),
        (other_id, vec![file(full, 5), file(delta, 2)], "the release has more than one PackageId"),
        (
            odd,
            vec![file("App#1.1.0-full.nupkg", 5)],
            "App#1.1.0-full.nupkg: the name of a package must not contain % # ? or :",
        ),
    ] {
        let index = parse(text.as_bytes()).unwrap();
        let error = check(&index, &facts(&release, &files)).unwrap_err().to_string();
        assert_eq!(error, format!("releases.{{channel}}.json: {problem}"));
    }
}

fn stored(release: &str, base: Option<&str>) -> Stored<VelopackFeed> {
    let mut assets = vec![asset(release, "Full", 5)];
    let mut files = vec![file(&format!("App-{release}-full.nupkg"), 5)];
    if let Some(base) = base {
        assets.extend([asset(release, "Delta", 2), asset(base, "Full", 5)]);
        files.push(file(&format!("App-{release}-delta.nupkg"), 2));
    }
    let release = version(release);
    let kept = check(&parse(feed(&assets).as_bytes()).unwrap(), &facts(&release, &files)).unwrap();
    (release, 100, kept)
}

#[test]
fn exact_bytes() {
    let (release, _, mut kept) = stored("1.0.0", None);
    kept.assets[0].notes_html = Some("<p>ä</p>".into());
    let release = offered_one(&release, 100, &kept);
    let text = render_velopack(&[release], &version("0.9.0"), Some(&version("1.0.0")));
    assert_eq!(
        text,
        format!(
            r#"{{"Assets":[{{"PackageId":"App","Version":"1.0.0","Type":"Full","FileName":"App-1.0.0-full.nupkg","SHA1":"{SHA1}","Size":5,"NotesHTML":"<p>ä</p>","NotesHtml":"<p>ä</p>"}}]}}"#
        )
    );
    assert_eq!(render_velopack(&[release], &version("0.9.0"), None), r#"{"Assets":[]}"#);
}

#[test]
fn deltas_are_contiguous_and_feeds_are_read_back() {
    let mut numbers = Numbers(11);
    for _ in 0..200 {
        let mut history = Vec::new();
        for minor in 0..6 {
            let base = (minor > 0 && numbers.below(4) > 0).then(|| format!("1.{}.0", minor - 1));
            if numbers.below(5) > 0 {
                history.insert(0, stored(&format!("1.{minor}.0"), base.as_deref()));
            }
        }
        let Some((target, ..)) = history.first() else { continue };
        let client = version(&format!("1.{}.0", numbers.below(6)));
        let text = render_velopack(&offered(&history), &client, Some(target));
        let read = parse(text.as_bytes()).unwrap();
        let versions = |kind| {
            let of_kind = read.assets.iter().filter(move |a| a.kind == kind);
            of_kind.map(|a| version(&a.version)).collect::<Vec<_>>()
        };
        assert_eq!(versions(VelopackAssetKind::Full), std::slice::from_ref(target));
        let mut deltas = versions(VelopackAssetKind::Delta);
        deltas.reverse();
        if let Some(last) = deltas.last() {
            assert_eq!(last, target);
            let minor = |v: &Version| v.as_str().split('.').nth(1).unwrap().parse::<usize>().unwrap();
            assert_eq!(minor(target) - minor(&client), deltas.len(), "{text}");
        }
    }
}
