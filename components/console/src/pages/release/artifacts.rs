//! The files of a release.

use maud::{Markup, html};
use percent_encoding::percent_decode_str;
use spindrift_api::{ArtifactEntry, BuiltByBody, ReleaseBody};

use super::requested_release::RequestedRelease;
use crate::parts;
use crate::table::{column, columns, table, value};

pub(super) fn section(found: &RequestedRelease, release: &ReleaseBody) -> Markup {
    let artifacts = &found.release.artifacts;
    let head = html! {
        (columns(["File", "Platform", "Architecture", "Updater"])) (value("Size")) (column("Digests"))
        @if found.may_delete() { (column("Actions")) }
    };
    html! {
        section {
            h2 { "Artifacts" }
            @if artifacts.is_empty() {
                (parts::empty("No files are left.", &html! { "Nobody is offered this release until it has some." }))
            } @else {
                (table("Artifacts", &head, &html! { @for artifact in artifacts { (row(found, artifact)) } }))
            }
            (builds(release))
            @if found.app.private {
                p.hint { "Downloads of this private application need a login or a download token." }
            }
        }
    }
}

/// Where the files were built, if jobs have proved it.
fn builds(release: &ReleaseBody) -> Markup {
    html! {
        @for build in &release.built_by {
            p {
                "Built from "
                @match &build.url { Some(url) => a href=(url) { (build) }, None => (build) }
                @if release.built_by.len() > 1 { " (" (parts::count(build.files, "file")) ")" }
            }
        }
        @if BuiltByBody::differ(&release.built_by) {
            p { (parts::badge("warn", "different commits")) " These files do not belong to one state of the source." }
        }
        @if release.files_without_build > 0 {
            p { (parts::badge("warn", "unknown origin"))
                " " (parts::count(release.files_without_build, "file")) " came from somebody else than a publisher." }
        }
    }
}

fn row(found: &RequestedRelease, artifact: &ArtifactEntry) -> Markup {
    let delete = || {
        found.address().with_segment("artifacts").with_segment(artifact.id.as_str()).with_segment("delete")
    };
    html! {
        tr {
            th scope="row" {
                a href=(artifact.link) { (file_name(&artifact.link)) }
                @if let Some(patch) = &artifact.patch { " " (parts::badge("", &format!("patch from {}", patch.base_version))) }
                @if artifact.has_signature { " " (parts::badge("", "with signature")) }
                @if artifact.tuf_signed { " " (parts::badge("good", "in signed metadata")) }
                @else if !artifact.offered { " " (parts::badge("warn", "waits for signed metadata")) }
            }
            td { (artifact.platform) }
            td { (artifact.arch) }
            td { (artifact.updater) }
            td.value { (parts::size(artifact.size)) }
            td { (digests(artifact)) }
            @if found.may_delete() { td { div.links { a href=(delete()) { "Delete" } } } }
        }
    }
}

fn digests(artifact: &ArtifactEntry) -> Markup {
    let rows = [
        ("MD5", Some(&artifact.md5)),
        ("SHA-256", artifact.sha256.as_ref()),
        ("SHA-512", artifact.sha512.as_ref()),
    ];
    html! {
        details {
            summary { "Show" }
            dl.pairs {
                @for (name, digest) in rows {
                    @if let Some(digest) = digest { dt { (name) } dd { (parts::copyable(digest)) } }
                }
            }
        }
    }
}

/// The file name in a link: the end of its path or, in a private link, of its key.
pub(super) fn file_name(link: &str) -> String {
    let path = private_key(link).unwrap_or_else(|| {
        let path = link.split(['?', '#']).next().unwrap_or_default();
        path.rsplit('/')
            .next()
            .map(|name| percent_decode_str(name).decode_utf8_lossy().into_owned())
            .unwrap_or_default()
    });
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// The key in a private link. `None`: the link is public.
pub(crate) fn private_key(link: &str) -> Option<String> {
    let (_, query) = link.split_once("/download?")?;
    let key = query.split('&').find_map(|pair| pair.strip_prefix("key="))?;
    Some(percent_decode_str(key).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_as_in_their_links() {
        for (link, name) in [
            ("https://s3.example/b/acme/notes/stable/linux/amd64/notes-1.0.0.deb", "notes-1.0.0.deb"),
            ("https://s3.example/b/a%20b%3Cc.deb", "a b<c.deb"),
            ("https://u.example/download?key=acme%2Fnotes%2Fa%20b.zip", "a b.zip"),
            ("https://u.example/download?x=1&key=acme/notes/a.zip", "a.zip"),
            ("", ""),
        ] {
            assert_eq!(file_name(link), name);
        }
    }
}
