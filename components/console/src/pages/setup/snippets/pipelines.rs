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
/// The line after which the address is inserted.
const GITLAB_STAGE: &str = "  stage: deploy\n";

pub(super) fn github(target: &SnippetTarget) -> Guide {
    let mut text = String::from(
        "name: Release\non:\n  push:\n    tags: [\"v*\"]\njobs:\n  publish:\n    runs-on: ubuntu-latest\n",
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
        ("token", "${{ secrets.SPINDRIFT_TOKEN }}".to_owned()),
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
        purpose: secrets(target, "secret"),
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
    let address =
        format!("{GITLAB_STAGE}  variables:\n    SPINDRIFT_URL: {}\n", quoted(&target.place.api_url));
    let text = GITLAB.replace(GITLAB_NAMES, &names).replace(GITLAB_STAGE, &address);
    Guide {
        id: "gitlab",
        title: "GitLab",
        updater: None,
        purpose: secrets(target, "masked and protected variable"),
        snippets: vec![Snippet { file: ".gitlab-ci.yml", text }],
    }
}

fn secrets(target: &SnippetTarget, kind: &str) -> Markup {
    html! {
        "Create a " a href=(Address::page(["people", "tokens", "new"])) { "CI token" }
        " of the application, and keep it as the " (kind) " " code { "SPINDRIFT_TOKEN" } "."
        @if target.tuf {
            " " code { "SPINDRIFT_TARGETS_KEY" } " and " code { "SPINDRIFT_KEY_PASSWORD" }
            " have the publisher's key: see " code { "docs/trust.md" } "."
        }
    }
}
