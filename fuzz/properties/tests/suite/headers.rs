//! Bodies, queries and tokens: the parts of every request.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use spindrift_fuzz_properties as properties;

use crate::cases::check;
use crate::mutation::sometimes_changed;

#[test]
fn multipart() {
    let header =
        select(vec!["", "Content-Type: text/plain\r\n", "X-Y:z\r\n", "content-transfer-encoding: 8bit\r\n"]);
    let file = "(; ?filename=\"[a-z. \u{e9}]{0,9}\")?";
    let bytes = prop_oneof![
        vec(any::<u8>(), 0..40),
        "(\r|\n|-|b|--b|\r\n--|\r\n-|a){0,8}".prop_map(String::into_bytes),
        vec(Just(b'x'), 1000..1100),
    ];
    let part = (0..9_u8, header, file, bytes, select(vec!["", " ", "\t  "])).prop_map(
        |(n, header, file, bytes, padding)| {
            let name = if file.is_empty() { format!("n{n}") } else { "file".to_owned() };
            let mut part = format!(
                "--b{padding}\r\n{header}Content-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n"
            )
            .into_bytes();
            part.extend(bytes);
            part.extend(b"\r\n");
            part
        },
    );
    let body = (
        select(vec!["", "preamble\r\n"]),
        vec(part, 0..4),
        select(vec!["--b--\r\n", "--b--", "--b--\r\nepilogue"]),
    )
        .prop_map(|(before, parts, end)| [before.as_bytes().to_vec(), parts.concat(), end.into()].concat());
    let words =
        &["--b", "\r\n", "\r\n\r\n", "--", "\r", "\n", "name=", "filename*=UTF-8''a", ";", "\"", "\\", "\0"];
    check(properties::multipart, 400, sometimes_changed(body, words));
}

#[test]
fn queries() {
    let part = prop_oneof!["[a-z]{0,5}", "(%[0-9a-fA-F]{2}){1,3}", Just("+".to_owned()), "[ -~\u{e9}]{0,5}"];
    let text = vec(part, 0..3).prop_map(|parts| parts.concat());
    let pair = prop_oneof![
        3 => (text.clone(), text).prop_map(|(name, value)| format!("{name}={value}")),
        1 => "(page|limit)=[0-9-]{0,10}",
        1 => "version=(1\\.2\\.3([+-][a-z0-9]{1,3})?|[0-9]{1,3})",
    ];
    let query = vec(pair, 0..6).prop_map(|pairs| pairs.join("&"));
    let tags = "(W/)?\"[0-9a-f]{16}\"(, ?(W/)?\"[ -~]{0,9}\"){0,3}";
    let address =
        prop_oneof!["[0-9]{1,3}(\\.[0-9]{1,3}){3}", "\\[?[0-9a-f:]{2,20}\\]?(:80)?", "192\\.0\\.2\\.[0-9]"];
    let forwarded = vec(address, 1..5).prop_map(|addresses| addresses.join(", "));
    let json = "\\{(\"[a-z]\":(1|null|\\[\\]|\"x\"),?){0,4}\\}";
    let inputs = prop_oneof![6 => query, 1 => tags, 1 => forwarded, 1 => json].prop_map(String::into_bytes);
    check(
        properties::queries,
        1000,
        sometimes_changed(inputs, &["%", "&", "=", "+", "%00", "%ff", "\"", "*", ",", "::"]),
    );
}

#[test]
fn tokens() {
    let digits = "[0-9a-f]{64}";
    let key =
        (select(vec!["", "Bearer ", "bearer  ", "Basic "]), select(vec!["sdt_", "sdd_", "rpk_"]), digits)
            .prop_map(|(scheme, prefix, digits)| format!("{scheme}{prefix}{digits}"));
    let jwt = "[Bb]earer [A-Za-z0-9_-]{1,40}\\.[A-Za-z0-9_-]{1,90}\\.[A-Za-z0-9_-]{43}";
    let claims = (0..3_000_000_000_u64, 0..9_u64, "[a-z@.]{0,9}", proptest::option::of(0..3_000_000_000_u64)).prop_map(
        |(exp, epoch, username, nbf)| {
            let claims = serde_json::json!({ "exp": exp, "nbf": nbf, "epoch": epoch, "username": username, "sub": "id" });
            claims.to_string()
        },
    );
    let inputs = prop_oneof![key, jwt.prop_map(String::from), claims].prop_map(String::into_bytes);
    let words = &[
        "\"exp\":1e99,",
        "\"exp\":-1,",
        "null",
        " ",
        "\t",
        ".",
        "=",
        "Bearer",
        "sdt_",
        "\"aud\":[],",
        "\u{e9}",
    ];
    check(properties::tokens, 1000, sometimes_changed(inputs, words));
}

#[test]
fn identities() {
    let text =
        || prop_oneof!["[a-z/.@*]{0,12}", Just("acme/notes".to_owned()), Just("refs/tags/v2".to_owned())];
    let claims = (text(), text(), text(), "(push|pull_request|pull_request_target|release)").prop_map(
        |(repository, of_ref, subject, event)| {
            let workflow = format!("{repository}/.github/workflows/release.yml@{of_ref}");
            let claims = serde_json::json!({
                "iss": "https://issuer.example", "aud": "https://updates.example.com", "sub": subject, "repository": repository,
                "repository_id": 1, "repository_owner_id": "2", "workflow_ref": workflow, "event_name": event, "ref": of_ref,
                "project_path": repository, "project_id": "3", "namespace_id": "4", "ref_protected": true,
                "environment": "production", "run_id": "5", "exp": 1_795_225_700, "iat": 1_795_225_400,
            });
            claims.to_string()
        },
    );
    let token = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ\\.[A-Za-z0-9_-]{1,90}\\.[A-Za-z0-9_-]{86}";
    let key = "\\{\"kty\":\"(EC|RSA|oct)\",\"kid\":\"k\",\"crv\":\"P-256\",\"x\":\"[A-Za-z0-9_-]{43}\",\"n\":\"[A-Za-z0-9_-]{342}\",\"e\":\"AQAB\"\\}";
    let keys = vec(key, 0..3).prop_map(|keys| format!("{{\"keys\":[{}]}}", keys.join(",")));
    let inputs = prop_oneof![claims, token.prop_map(String::from), keys].prop_map(String::into_bytes);
    let words = &["\"kid\"", "null", ".", "=", "{", "}", "\\n", "\0", "acme/notes", "true"];
    check(properties::identities, 400, sometimes_changed(inputs, words));
}

#[test]
fn passkeys() {
    let base64 = "[A-Za-z0-9_-]{2,60}";
    let answer = (base64, base64, base64, base64).prop_map(|(id, first, second, third)| {
        serde_json::json!({
            "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": first, "authenticatorData": second, "signature": third, "userHandle": "A".repeat(43),
                "attestationObject": second, "transports": [],
            },
        })
        .to_string()
    });
    let recovery_codes = "[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}";
    let user_codes = "[BCDFGHJKLMNPQRSTVWXZ]{4}-?[bcdfghjklmnpqrstvwxz]{4}";
    let sealed = "[A-Za-z0-9_-]{4,90}\\.[A-Za-z0-9_-]{43}";
    let inputs = prop_oneof![
        answer,
        recovery_codes.prop_map(String::from),
        user_codes.prop_map(String::from),
        sealed.prop_map(String::from),
    ];
    let words = &["\"id\"", "null", ".", "=", "{", "}", "-", "\0", "public-key", "true"];
    check(properties::passkeys, 200, sometimes_changed(inputs.prop_map(String::into_bytes), words));
}
