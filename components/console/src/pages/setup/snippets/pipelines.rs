//! Pipelines that publish: `action.yml` and `deploy/ci/gitlab.yml`.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::guide::{Guide, Snippet, quoted};
use super::target::SnippetTarget;
use crate::Address;

/// The job in this repository.
const GITLAB: &str = include_str!("../../../../../../deploy/ci/gitlab.yml");
/// The names in the job that are replaced.
const GITLAB_NAMES: &str =
    "--app notes --version \"$CI_COMMIT_TAG\" --channel stable --platform linux --arch amd64";
/// The address in the job that is replaced.
const GITLAB_ADDRESS: &str = "https://updates.example.com";
/// The line after which the owner is inserted.
const GITLAB_URL: &str = "    SPINDRIFT_URL: ";

pub(super) fn github(target: &SnippetTarget) -> Guide {
    let mut text = String::from(
        "name: Release\non:\n  push:\n    tags: [\"v*\"]\npermissions:\n  contents: read\n  id-token: write\njobs:\n  \
         publish:\n    runs-on: ubuntu-latest\n",
    );
    if target.tuf {
        text.push_str(
            "    env:\n      SPINDRIFT_TARGETS_KEY: ${{ secrets.SPINDRIFT_TARGETS_KEY }}\n      \
             SPINDRIFT_KEY_PASSWORD: ${{ secrets.SPINDRIFT_KEY_PASSWORD }}\n",
        );
    }
    text.push_str(
        "    steps:\n      - uses: actions/checkout@v4\n      # Build what is published into dist/ here.\n      \
         - uses: <owner>/spindrift@<tag> # your copy of the repository\n        with:\n",
    );
    let inputs = [
        ("url", quoted(&target.place.api_url)),
        ("owner", quoted(&target.place.owner)),
        ("app", quoted(&target.place.app)),
        ("version", "${{ github.ref_name }}".to_owned()),
    ];
    let scope = [
        ("channel", &target.place.channel),
        ("platform", &target.place.platform),
        ("arch", &target.place.arch),
    ];
    let scope = scope.into_iter().filter_map(|(name, value)| Some((name, quoted(value.as_ref()?))));
    let updater = target.updater.as_deref().map(|updater| ("updater", quoted(updater)));
    let tuf = target.tuf.then(|| ("tuf", "true".to_owned()));
    let publish = [("publish", "true".to_owned()), ("files", "dist/*".to_owned())];
    for (name, value) in inputs.into_iter().chain(scope).chain(updater).chain(tuf).chain(publish) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "          {name}: {value}");
    }
    Guide {
        id: "github",
        title: "GitHub Actions",
        updater: None,
        purpose: purpose(target, "github"),
        snippets: vec![Snippet { file: ".github/workflows/release.yml", text }],
    }
}

pub(super) fn gitlab(target: &SnippetTarget) -> Guide {
    let mut names = format!("--app {} --version \"$CI_COMMIT_TAG\"", quoted(&target.place.app));
    for (flag, value) in [
        ("--channel", &target.place.channel),
        ("--platform", &target.place.platform),
        ("--arch", &target.place.arch),
        ("--updater", &target.updater),
    ] {
        if let Some(value) = value {
            let _ = write!(names, " {flag} {}", quoted(value));
        }
    }
    if target.tuf {
        names.push_str(" --tuf");
    }
    let owner = format!("    SPINDRIFT_OWNER: {}\n{GITLAB_URL}", quoted(&target.place.owner));
    let text = GITLAB.replace(GITLAB_NAMES, &names).replace(GITLAB_URL, &owner);
    let text = text.replace(GITLAB_ADDRESS, &quoted(&target.place.api_url));
    Guide {
        id: "gitlab",
        title: "GitLab",
        updater: None,
        purpose: purpose(target, "gitlab"),
        snippets: vec![Snippet { file: ".gitlab-ci.yml", text }],
    }
}

/// How the job proves who it is, and what else it needs.
fn purpose(target: &SnippetTarget, provider: &str) -> Markup {
    let page = Address::page(["people", "publishers", "new"]);
    let page = page.with("provider", provider).with("app", &target.place.app);
    html! {
        a href=(page) { "Register the job" } ": then it proves who it is, and needs no token."
        @if target.tuf {
            " Keep the publisher's key in " code { "SPINDRIFT_TARGETS_KEY" } " and "
            code { "SPINDRIFT_KEY_PASSWORD" } ": see " code { "docs/trust.md" } "."
        }
    }
}
