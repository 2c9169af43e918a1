use serde_json::{Value, json};

use super::*;
use crate::TokenRight;

fn claims(json: Value) -> JobClaims {
    let Value::Object(claims) = json else { unreachable!("claims are an object") };
    JobClaims::new(claims)
}

fn github(change: Value) -> JobClaims {
    let mut all = json!({
        "repository": "Acme/notes", "repository_id": "65", "repository_owner_id": "3",
        "workflow_ref": "Acme/notes/.github/workflows/release.yml@refs/tags/v2.0", "event_name": "push",
        "job_workflow_ref": "acme/s/.github/workflows/p.yml@refs/heads/main",
        "environment": "Production", "ref": "refs/tags/v2.0", "sha": "1a2b3c4d", "run_id": "1234567",
        "run_number": "812",
    });
    let Value::Object(change) = change else { unreachable!("claims are an object") };
    all.as_object_mut().unwrap().extend(change);
    claims(all)
}

fn gitlab(change: Value) -> JobClaims {
    let mut all = json!({
        "project_path": "acme/notes", "project_id": "22", "namespace_id": "72", "ref": "v2.0",
        "ref_protected": "true", "environment": "production", "sha": "1a2b3c4d", "pipeline_id": "574",
    });
    let Value::Object(change) = change else { unreachable!("claims are an object") };
    all.as_object_mut().unwrap().extend(change);
    claims(all)
}

fn publisher(conditions: Value) -> Publisher {
    Publisher {
        id: Id::from_text("1"),
        app_id: Id::from_text("2"),
        conditions: serde_json::from_value(conditions).unwrap(),
        grant: TokenGrant::everywhere(vec![TokenRight::Upload]),
        pinned: None,
        created_at: Timestamp::default(),
        last_used_at: None,
    }
}

fn of_github() -> Publisher {
    publisher(json!({
        "provider": "github", "repository": "acme/notes", "workflow": "release.yml", "environment": "production",
        "ref": "refs/tags/v*", "reusable": "acme/s/.github/workflows/p.yml",
    }))
}

fn of_gitlab() -> Publisher {
    publisher(json!({
        "provider": "gitlab", "project": "acme/notes", "environment": "production", "ref": "v*",
    }))
}

fn refusal(publisher: &Publisher, claims: &JobClaims) -> String {
    matching(std::slice::from_ref(publisher), claims).unwrap_err().to_string()
}

#[test]
fn each_condition_of_github_must_hold() {
    let one = of_github();
    assert!(matching(std::slice::from_ref(&one), &github(json!({}))).is_ok());
    for (change, expected) in [
        (
            json!({"repository": "evil/notes"}),
            r#"repository must be "acme/notes", and the token says "evil/notes""#,
        ),
        (
            json!({"workflow_ref": "Acme/notes/.github/workflows/ci.yml@refs/tags/v2.0"}),
            r#"workflow_ref must be of "release.yml", and the token says "Acme/notes/.github/workflows/ci.yml@refs...""#,
        ),
        (
            json!({"workflow_ref": null}),
            r#"workflow_ref must be of "release.yml", and the token says nothing"#,
        ),
        (
            json!({"event_name": "pull_request"}),
            r#"event_name must be another one than pull_request and pull_request_target, and the token says "pull_request""#,
        ),
        (
            json!({"job_workflow_ref": "evil/s/.github/workflows/p.yml@v1"}),
            r#"job_workflow_ref must be "acme/s/.github/workflows/p.yml", and the token says "evil/s/.github/workflows/p.yml@v1""#,
        ),
        (
            json!({"environment": "staging"}),
            r#"environment must be "production", and the token says "staging""#,
        ),
        (json!({"environment": null}), r#"environment must be "production", and the token says nothing"#),
        (
            json!({"ref": "refs/heads/v2"}),
            r#"ref must be "refs/tags/v*", and the token says "refs/heads/v2""#,
        ),
        (json!({"repository_id": null}), "the token has no repository_id"),
    ] {
        assert_eq!(refusal(&one, &github(change)), expected);
    }
    for event in ["push", "release", "workflow_dispatch", "schedule"] {
        assert!(
            matching(std::slice::from_ref(&one), &github(json!({"event_name": event}))).is_ok(),
            "{event}"
        );
    }
    assert!(refusal(&one, &github(json!({"event_name": "pull_request_target"}))).starts_with("event_name"));
}

#[test]
fn each_condition_of_gitlab_must_hold() {
    let one = of_gitlab();
    assert!(matching(std::slice::from_ref(&one), &gitlab(json!({}))).is_ok());
    for (change, expected) in [
        (
            json!({"project_path": "Acme/notes"}),
            r#"project_path must be "acme/notes", and the token says "Acme/notes""#,
        ),
        (json!({"ref_protected": "false"}), r#"ref_protected must be "true", and the token says "false""#),
        (json!({"ref_protected": null}), r#"ref_protected must be "true", and the token says nothing"#),
        (
            json!({"environment": "Production"}),
            r#"environment must be "production", and the token says "Production""#,
        ),
        (json!({"ref": "main"}), r#"ref must be "v*", and the token says "main""#),
        (json!({"namespace_id": ""}), "the token has no namespace_id"),
    ] {
        assert_eq!(refusal(&one, &gitlab(change)), expected);
    }
    let any = publisher(json!({"provider": "gitlab", "project": "acme/notes", "unprotected": true}));
    let unprotected = gitlab(json!({"ref_protected": "false", "ref": "x"}));
    assert!(matching(&[any], &unprotected).is_ok());
}

#[test]
fn another_issuer_gives_only_a_subject() {
    let one =
        publisher(json!({"provider": "oidc", "issuer": "https://ci.example", "subject": "org:acme:notes"}));
    assert!(matching(std::slice::from_ref(&one), &claims(json!({"sub": "org:acme:notes"}))).is_ok());
    let other = refusal(&one, &claims(json!({"sub": "org:Acme:notes"})));
    assert_eq!(other, r#"sub must be "org:acme:notes", and the token says "org:Acme:notes""#);
}

#[test]
fn a_name_that_changed_hands_gets_nothing() {
    let job = github(json!({}));
    let mut one = of_github();
    one.pinned = Some(matching(std::slice::from_ref(&one), &job).unwrap().first.ids);
    assert!(matching(std::slice::from_ref(&one), &job).is_ok());
    for claim in ["repository_id", "repository_owner_id"] {
        let text = refusal(&one, &github(json!({claim: "99"})));
        assert!(text.starts_with(&format!("{claim} is 99, and was")), "{text}");
    }
    // A publisher that was registered again accepts the new one.
    assert!(matching(&[one, of_github()], &github(json!({"repository_id": "99"}))).is_ok());
}

#[test]
fn the_mismatch_that_came_closest_is_named() {
    let other = publisher(json!({"provider": "github", "repository": "acme/other", "workflow": "a.yml"}));
    let near = publisher(json!({"provider": "github", "repository": "acme/notes", "workflow": "a.yml"}));
    for all in [[other.clone(), near.clone()], [near, other]] {
        let text = matching(&all, &github(json!({}))).unwrap_err().to_string();
        assert!(text.starts_with("workflow_ref"), "{text}");
    }
    assert_eq!(
        matching(&[], &github(json!({}))).unwrap_err().to_string(),
        "the application has no publisher of this issuer"
    );
}

#[test]
fn jobs_have_names_and_links() {
    let built = BuiltBy::of(&of_github().conditions, &github(json!({})), "https://issuer.example");
    assert_eq!(built.job_name(), "Acme/notes release.yml v2.0 run 812");
    assert_eq!(built.url.as_deref(), Some("https://github.com/Acme/notes/actions/runs/1234567"));
    let built = BuiltBy::of(&of_gitlab().conditions, &gitlab(json!({})), "https://gitlab.example");
    assert_eq!(built.job_name(), "acme/notes v2.0 run 574");
    assert_eq!(built.url.as_deref(), Some("https://gitlab.example/acme/notes/-/pipelines/574"));
    // Texts with control characters or that are too long, and numbers that are none, are left out.
    let odd = github(json!({"sha": "a\nb", "ref": "x".repeat(300), "run_id": "1/../2", "run_number": "one"}));
    let built = BuiltBy::of(&of_github().conditions, &odd, "https://issuer.example");
    assert_eq!((built.commit, built.ref_name, built.run, built.url), (None, None, None, None));
}

#[test]
fn patterns_of_refs() {
    let matches = |pattern: &str, text: &str| pattern.parse::<RefPattern>().unwrap().matches(text);
    assert!(matches("refs/tags/v*", "refs/tags/v1") && matches("refs/tags/v*", "refs/tags/v"));
    assert!(matches("refs/*/v1", "refs/heads/v1") && !matches("refs/*/v1", "refs/v1"));
    assert!(matches("main", "main") && !matches("main", "main2") && matches("*", "anything"));
    // The start and the end may not share characters.
    assert!(!matches("aba*aba", "ababa") && matches("ab*ba", "abba"));
    for text in ["", "a b", "a\n", "*a*", "**", &"a".repeat(257)] {
        assert!(text.parse::<RefPattern>().is_err(), "{text:?}");
    }
}
