//! Bodies that no command would send: refused, with a short text that repeats nothing, and without a trace.

use serde_json::{Value, json};
use spindrift_tests::trust::key::TestKey;
use spindrift_tests::trust::publisher::{entry, file};
use spindrift_tests::trust::repository::TARGETS;
use spindrift_tests::trust::signed::signed_as;
use spindrift_tests::{Answer, Driver, TUF_SECRET, on_hosts};

use super::super::days_ago;
use super::hosted::{Hosted, json};

on_hosts! {
    every: [bodies_that_are_no_metadata, roots_against_the_rules, lists_against_the_rules, names_in_addresses],
    in_process: [one_changed_byte],
}

/// Levels of nesting.
const DEPTH: usize = 10_000;
/// Longest text of a refusal, in characters.
const MAX_TEXT: usize = 160;

/// Sends a body as it is.
fn post(hosted: &Hosted, path: &str, body: &str) -> Answer {
    let call = hosted.acme.post(&format!("/tuf/v1/{path}?appName=notes"));
    call.header("content-type", "application/json").body(body.as_bytes()).send()
}

/// Refused with one of these statuses, in a few words that do not repeat `secret`.
fn refused(answer: &Answer, statuses: &[u16], case: &str) {
    let text = answer.text();
    assert!(statuses.contains(&answer.status), "{case}: {} {}", answer.status, text);
    assert!(text.len() < MAX_TEXT, "{case}: {text}");
    assert!(!text.contains("zzz"), "{case}: {text}");
    println!("{case}: {} {}", answer.status, text);
}

/// What is current, and what waits.
fn state(hosted: &Hosted) -> Vec<Value> {
    ["bootstrap", "metadata/root", "metadata/targets", "metadata/sign"]
        .map(|path| hosted.publisher.get(path).json())
        .to_vec()
}

/// The next list, which nobody has signed yet.
fn next_list(hosted: &Hosted) -> Value {
    let mut next = hosted.repository.clone();
    next.write_list(TARGETS, days_ago(0));
    json(&next.metadata[&next.newest(TARGETS)])["signed"].take()
}

/// The next root, which nobody has signed yet.
fn next_root(hosted: &Hosted) -> Value {
    let mut next = hosted.repository.clone();
    next.write_root(next.keys.clone(), days_ago(0));
    json(next.root())["signed"].take()
}

fn bodies_that_are_no_metadata(host: Driver) {
    let (hosted, _) = Hosted::new(host);
    let before = state(&hosted);
    let arrays = ["[".repeat(DEPTH), "]".repeat(DEPTH)].concat();
    let objects = ["{\"a\":".repeat(DEPTH), "1".to_owned(), "}".repeat(DEPTH)].concat();
    let list = file(&next_list(&hosted), &hosted.repository.keys.targets.keys).to_string();
    let with = |from: &str, to: &str| {
        let changed = list.replacen(from, to, 1);
        assert_ne!(changed, list, "{from}");
        format!("{{\"metadata\":{{\"targets\":{changed}}}}}")
    };
    let whole = |text: &str| format!("{{\"metadata\":{{\"targets\":{text}}}}}");
    let cases = [
        ("nothing", String::new()),
        ("no JSON", "zzz".to_owned()),
        ("an array", "[]".to_owned()),
        ("null", "null".to_owned()),
        ("no metadata", "{}".to_owned()),
        ("no files", r#"{"metadata":{}}"#.to_owned()),
        ("metadata in an array", r#"{"metadata":[]}"#.to_owned()),
        ("null for a file", whole("null")),
        ("a number for a file", whole("7")),
        ("a text for a file", whole("\"zzz\"")),
        ("deep arrays", whole(&arrays)),
        ("deep objects", whole(&objects)),
        ("a deep body", objects.clone()),
        ("half a file", whole(&list[..list.len() / 2])),
        ("two files at once", whole(&format!("{list}{list}"))),
        ("a role that there is not", format!("{{\"metadata\":{{\"zzz\":{list}}}}}")),
        ("a role that leads elsewhere", format!("{{\"metadata\":{{\"channel-../zzz\":{list}}}}}")),
        ("an encoded one", format!("{{\"metadata\":{{\"channel-%2e%2e%2fzzz\":{list}}}}}")),
        ("the service's role", format!("{{\"metadata\":{{\"timestamp\":{list}}}}}")),
        ("a list as root", format!("{{\"metadata\":{{\"root\":{list}}}}}")),
        ("a list of a channel without signers", format!("{{\"metadata\":{{\"channel-zzz\":{list}}}}}")),
        ("a version with a fraction", with("\"version\":", "\"version\":1.5,\"x\":")),
        ("an exponent", with("\"version\":", "\"version\":1e9,\"x\":")),
        ("a number too large", with("\"version\":", "\"version\":9007199254740992,\"x\":")),
        ("a negative number", with("\"version\":", "\"version\":-1,\"x\":")),
        ("a field twice", with("\"version\":", "\"version\":1,\"version\":")),
        ("a field that there is not", with("\"version\":", "\"zzz\":1,\"version\":")),
        ("a field beside", with("\"signatures\":", "\"zzz\":1,\"signatures\":")),
        ("a field of a target", with("\"length\":", "\"zzz\":1,\"length\":")),
        ("a field of custom", with("\"arch\":", "\"zzz\":1,\"arch\":")),
        ("a null", with("\"version\":", "\"version\":null,\"x\":")),
        ("a text that is not ASCII", with("\"amd64\"", "\"zzzä\"")),
        ("an escaped one", with("\"amd64\"", "\"zzz\\u00e4\"")),
        ("a line end", with("\"amd64\"", "\"zzz\\u0000\"")),
        ("another specification", with("1.0.31", "2.0.0")),
        ("a time that is none", with("\"expires\":\"", "\"expires\":\"zzz")),
        ("a time with an offset", with("Z\"", "+00:00\"")),
        ("a signature that is none", with("\"sig\":\"", "\"sig\":\"zzz")),
        ("a signature in capitals", with("\"sig\":\"", "\"sig\":\"ABCDEF")),
        ("a key id that is none", with("\"keyid\":\"", "\"keyid\":\"zzz")),
    ];
    for (case, body) in &cases {
        refused(&post(&hosted, "metadata", body), &[400], case);
    }
    let large = format!("{{\"metadata\":{{\"targets\":\"{}\"}}}}", "z".repeat(7 << 20));
    let answer = post(&hosted, "metadata", &large);
    assert_eq!(answer.status, 413, "{}", answer.text());
    for (path, body) in [
        ("metadata/sign", r#"{"role":"zzz","signature":{"keyid":"0","sig":"0"}}"#.to_owned()),
        ("metadata/sign", r#"{"role":"../zzz","signature":{"keyid":"0","sig":"0"}}"#.to_owned()),
        ("metadata/sign", r#"{"role":"targets","signature":{"keyid":1,"sig":1}}"#.to_owned()),
        ("metadata/sign", r#"{"role":"targets","signature":[]}"#.to_owned()),
        ("metadata/sign", format!("{{\"role\":\"targets\",\"signature\":{arrays}}}")),
        ("metadata/sign/delete", r#"{"role":"zzz"}"#.to_owned()),
        ("metadata/sign/delete", r#"{"role":7}"#.to_owned()),
        (
            "metadata/delegated/rotate",
            format!("{{\"role\":\"channel-../zzz\",\"metadata\":{{\"targets\":{list}}}}}"),
        ),
        ("metadata/delegated/rotate", r#"{"role":"targets","metadata":{}}"#.to_owned()),
        ("bootstrap", "{}".to_owned()),
        ("bootstrap", format!("{{\"appName\":\"../zzz\",\"metadata\":{{\"root\":{list}}}}}")),
        ("bootstrap", format!("{{\"appName\":\"notes\",\"metadata\":{{\"root\":{list}}}}}")),
        ("bootstrap", format!("{{\"appName\":\"notes\",\"metadata\":{{\"root\":{arrays}}}}}")),
    ] {
        refused(&post(&hosted, path, &body), &[400, 404], &format!("{path} {}", &body[..body.len().min(60)]));
    }
    assert_eq!(state(&hosted), before);
    // The list itself is good.
    let _taken = post(&hosted, "metadata", &whole(&list)).expect(200);
}

fn roots_against_the_rules(host: Driver) {
    let (hosted, _) = Hosted::new(host);
    let before = state(&hosted);
    let keys = hosted.repository.keys.root.keys.clone();
    let valid = next_root(&hosted);
    let with = |pointer: &str, value: Value| {
        let mut root = valid.clone();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        root.pointer_mut(parent).unwrap()[field] = value;
        file(&root, &keys)
    };
    let (first, second) = (keys[0].id(), keys[1].id());
    let other = "0".repeat(64);
    let twice = {
        let mut root = valid.clone();
        root["keys"][&other] = keys[0].public();
        root["roles"]["root"] = json!({ "keyids": [first, other], "threshold": 2 });
        json(&signed_as(&root, [(first.clone(), &keys[0]), (other.clone(), &keys[0])]))
    };
    let service = |purpose| TestKey::of_service(TUF_SECRET, &hosted.app_id, purpose, 1);
    let naming = |role: &str, key: &TestKey| {
        let mut root = valid.clone();
        root["keys"][key.id()] = key.public();
        root["roles"][role]["keyids"].as_array_mut().unwrap().push(json!(key.id()));
        file(&root, &keys)
    };
    // The same one again would change nothing, and be right.
    let another = {
        let mut root = valid.clone();
        root["version"] = json!(1);
        root["expires"] = json!((days_ago(-700)).strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        file(&root, &keys)
    };
    let mut long_key = entry(&keys[0]);
    let _id = long_key.as_object_mut().unwrap().remove("keyid");
    long_key["zzz"] = json!(1);
    let rsa = json!({ "keytype": "rsa", "scheme": "rsassa-pss-sha256", "keyval": { "public": "zzz" } });
    let cases = [
        ("threshold 0", with("/roles/root/threshold", json!(0))),
        ("threshold 0 of targets", with("/roles/targets/threshold", json!(0))),
        ("more than there are keys", with("/roles/root/threshold", json!(3))),
        ("one key under two ids", twice),
        ("a key id twice", with("/roles/root/keyids", json!([first, first, second]))),
        ("a key that is not there", with("/roles/root/keyids", json!([first, other]))),
        ("a key with a field more", with(&format!("/keys/{first}"), long_key)),
        ("an RSA key", with(&format!("/keys/{first}"), rsa)),
        ("no keys", with("/keys", json!({}))),
        ("a role more", with("/roles/mirrors", json!({ "keyids": [first], "threshold": 1 }))),
        (
            "a role that leads elsewhere",
            with("/roles/..%2fzzz", json!({ "keyids": [first], "threshold": 1 })),
        ),
        ("a role less", with("/roles", json!({ "root": valid["roles"]["root"] }))),
        ("no consistent snapshots", with("/consistent_snapshot", json!(false))),
        ("the version of now", another),
        ("the one after the next", with("/version", json!(3))),
        ("over", with("/expires", json!("2020-01-01T00:00:00Z"))),
        ("for ever", with("/expires", json!("2999-01-01T00:00:00Z"))),
        ("the online key in root", naming("root", &service("online"))),
        ("the service's key in root", naming("root", &service("targets"))),
        ("the online key in targets", naming("targets", &service("online"))),
        ("partly the service's targets", naming("targets", &service("targets"))),
        ("two online keys", naming("timestamp", &keys[0])),
        ("another online key", with("/roles/snapshot/keyids", json!([first]))),
    ];
    for (case, root) in &cases {
        let list = hosted.publisher.get("metadata/targets").json()["data"]["trusted_targets"].take();
        for metadata in [json!({ "root": root }), json!({ "root": root, "targets": list })] {
            let answer = hosted.publisher.send("metadata", json!({ "metadata": metadata }));
            refused(&answer, &[400], case);
        }
    }
    assert_eq!(state(&hosted), before);
    let root = file(&valid, &keys);
    let _taken = hosted.publisher.send("metadata", json!({ "metadata": { "root": root } })).expect(200);
}

fn lists_against_the_rules(host: Driver) {
    let (hosted, target) = Hosted::new(host);
    let before = state(&hosted);
    let keys = hosted.repository.keys.targets.keys.clone();
    let valid = next_list(&hosted);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut list = valid.clone();
        change(&mut list);
        file(&list, &keys)
    };
    let named = |name: &str| {
        with(&|list| {
            let entry = list["targets"][&target.name].take();
            list["targets"] = json!({ name: entry });
        })
    };
    let of_target =
        |field: &str, value: Value| with(&|list| list["targets"][&target.name][field] = value.clone());
    let of_custom = |field: &str, value: Value| {
        with(&|list| list["targets"][&target.name]["custom"][field] = value.clone())
    };
    let wrong = "0".repeat(64);
    let delegated = |name: &str, paths: Value, threshold: u64| {
        let key = TestKey::from_seed(99);
        with(&|list| {
            list["delegations"] = json!({
                "keys": { key.id(): key.public() },
                "roles": [{ "keyids": [key.id()], "name": name, "paths": paths, "terminating": true, "threshold": threshold }],
            });
        })
    };
    let cases = [
        ("a file that is not recorded", named("acme/notes/stable/linux/amd64/other-1.0.0.deb")),
        ("a name that leads elsewhere", named(&format!("../{}", target.name))),
        ("an encoded one", named(&target.name.replacen("notes", "%2e%2e", 1))),
        ("dots inside", named(&target.name.replacen("notes", "x/../notes", 1))),
        ("another encoding", named(&target.name.replacen("notes", "%6eotes", 1))),
        ("a slash before it", named(&format!("/{}", target.name))),
        ("another length", of_target("length", json!(1))),
        ("other digests", of_target("hashes", json!({ "sha256": wrong, "sha512": wrong.repeat(2) }))),
        ("one digest", of_target("hashes", json!({ "sha256": spindrift_tests::sha256_hex(&target.bytes) }))),
        ("another repository", of_custom("repository", json!("acme/zzz"))),
        ("another version", of_custom("version", json!("9.9.9"))),
        ("another channel", of_custom("channel", json!("nightly"))),
        ("another platform", of_custom("platform", json!("windows"))),
        ("another architecture", of_custom("arch", json!("arm64"))),
        ("another package", of_custom("package", json!("rpm"))),
        (
            "the version of now",
            with(&|list| {
                list["version"] = json!(hosted.repository.version(TARGETS));
                list["targets"] = json!({});
            }),
        ),
        ("far ahead", with(&|list| list["version"] = json!((1_u64 << 53) - 1))),
        (
            "two days ahead",
            with(&|list| list["version"] = json!(list["version"].as_u64().unwrap() + 2 * 24 * 60 * 60)),
        ),
        ("over", with(&|list| list["expires"] = json!("2020-01-01T00:00:00Z"))),
        ("for ever", with(&|list| list["expires"] = json!("2999-01-01T00:00:00Z"))),
        ("a role that leads elsewhere", delegated("channel-../zzz", json!(["*/*/zzz/*/*/*"]), 1)),
        ("a role that is no channel", delegated("zzz", json!(["*/*/zzz/*/*/*"]), 1)),
        ("patterns of everything", delegated("channel-beta", json!(["*"]), 1)),
        ("patterns of another channel", delegated("channel-beta", json!(["*/*/stable/*/*/*"]), 1)),
        ("no patterns", delegated("channel-beta", json!([]), 1)),
        ("threshold 0", delegated("channel-beta", json!(["*/*/beta/*/*/*"]), 0)),
    ];
    for (case, list) in &cases {
        let answer = hosted.publisher.send("metadata", json!({ "metadata": { "targets": list } }));
        refused(&answer, &[400], case);
    }
    assert_eq!(state(&hosted), before);
    let list = file(&valid, &keys);
    let _taken = hosted.publisher.send("metadata", json!({ "metadata": { "targets": list } })).expect(200);
}

fn names_in_addresses(host: Driver) {
    let (hosted, target) = Hosted::new(host);
    let (folder, file) = target.name.rsplit_once('/').unwrap();
    let long = "a".repeat(2000);
    for path in [
        "acme/notes/metadata/../../../../health".to_owned(),
        "acme/notes/metadata/%2e%2e%2f%2e%2e%2ftimestamp.json".to_owned(),
        "acme/notes/metadata/..%2ftimestamp.json".to_owned(),
        "acme/notes/metadata/timestamp.json%00".to_owned(),
        "acme/notes/metadata/timestamp.json/".to_owned(),
        "acme/notes/metadata//timestamp.json".to_owned(),
        "acme/notes/metadata/1.channel-..%2f..%2ftimestamp.json".to_owned(),
        format!("acme/notes/metadata/{long}.root.json"),
        "acme/../acme/notes/metadata/timestamp.json".to_owned(),
        "%2e%2e/notes/metadata/timestamp.json".to_owned(),
        "acme/%2e%2e/metadata/timestamp.json".to_owned(),
        format!("acme/notes/targets/../targets/{}", target.name),
        format!("acme/notes/targets/%2e%2e/{}", target.name),
        format!("acme/notes/targets/x/../{}", target.name),
        format!("acme/notes/targets/{folder}/./{file}"),
        format!("acme/notes/targets/{folder}/%2e%2e%2f{file}"),
        format!("acme/notes/targets/{folder}//{file}"),
        format!("acme/notes/targets/{folder}/{}.{file}", "0".repeat(64)),
        format!("acme/notes/targets/{}/{}", long, target.name),
        "acme/notes/targets/%ff%fe".to_owned(),
    ] {
        // Written by hand: a client would resolve dots before it asks.
        let request = format!("GET /tuf/repository/{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let answer = spindrift_tests::raw(&hosted.world.url(), request.as_bytes());
        let status = answer.split(' ').nth(1).unwrap_or_default().to_owned();
        let first = answer.lines().next().unwrap_or_default();
        assert!(["400", "404", "414"].contains(&status.as_str()), "{path}: {first}");
    }
    for (path, status) in
        [("metadata/timestamp.json".to_owned(), 200), (format!("targets/{}", target.name), 302)]
    {
        let answer = hosted.world.get(&format!("/tuf/repository/acme/notes/{path}")).send();
        assert_eq!(answer.status, status, "{path}");
    }
}

/// Each byte of a good body is changed in its turn; a few hundred of them, at the same places every time.
fn one_changed_byte(host: Driver) {
    let (hosted, _) = Hosted::new(host);
    let before = state(&hosted);
    let list = file(&next_list(&hosted), &hosted.repository.keys.targets.keys);
    let body = json!({ "metadata": { "targets": list } }).to_string();
    let mut random = 1_u32;
    let mut statuses = std::collections::BTreeMap::new();
    for at in (0..body.len()).step_by(7) {
        let mut bytes = body.clone().into_bytes();
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bytes[at] ^= u8::try_from(random >> 24).unwrap() | 1;
        let call =
            hosted.acme.post("/tuf/v1/metadata?appName=notes").header("content-type", "application/json");
        let answer = call.body(&bytes).send();
        assert!(matches!(answer.status, 400 | 409), "byte {at}: {} {}", answer.status, answer.text());
        *statuses.entry((answer.status, answer.text())).or_insert(0_u32) += 1;
    }
    println!("{statuses:?}");
    assert_eq!(state(&hosted), before);
    let _taken = post(&hosted, "metadata", &body).expect(200);
}
