//! How to verify a download.

use maud::{Markup, html};
use spindrift_core::{Listing, System};

use crate::current::{CurrentFile, systems};

/// The digests of the files, and the commands that compute them. Only what the files have is mentioned.
pub(crate) fn section(files: &[CurrentFile], shown: &CurrentFile) -> Markup {
    let with_digest = || files.iter().filter(|file| !file.is_private() && file.row.sha256.is_some());
    let is_listed = files.iter().any(|file| file.row.listing == Listing::Listed);
    let has_signatures = files.iter().any(|file| file.row.has_signature);
    let has_digests = with_digest().next().is_some();
    html! {
        @if has_digests || is_listed || has_signatures {
            section aria-labelledby="verify" {
                h2 #verify { "How to verify a download" }
                @if has_digests {
                    p { "Compute the SHA-256 checksum of the file, and compare it with the one below." }
                    @for (where_to_run, command) in commands(files, shown) {
                        p { (where_to_run) ":" }
                        pre { code { (command) } }
                    }
                    ul.files {
                        @for file in with_digest() {
                            li {
                                (file.row.file_name)
                                @if let Some(digest) = &file.row.sha256 { br; code { (digest.as_str()) } }
                            }
                        }
                    }
                }
                @if is_listed {
                    p {
                        "The publisher has signed the list of these files. Installed copies with signed updates take "
                        "only files in that list."
                    }
                }
                @if has_signatures {
                    p { "The updater of the application verifies a signature of the publisher before it installs an update." }
                }
            }
        }
    }
}

/// A command for each system that there are files for, with its name.
fn commands(files: &[CurrentFile], shown: &CurrentFile) -> Vec<(&'static str, String)> {
    let systems = systems(files);
    let has = |system| systems.is_empty() || systems.contains(&system);
    let file = argument(shown.row.file_name.as_str());
    [
        (has(System::Windows), "In PowerShell on Windows", format!("Get-FileHash {file}")),
        (has(System::MacOs), "In a terminal on macOS", format!("shasum -a 256 {file}")),
        (has(System::Linux) || has(System::Android), "In a terminal on Linux", format!("sha256sum {file}")),
    ]
    .into_iter()
    .filter(|(is_used, ..)| *is_used)
    .map(|(_, system, command)| (system, command))
    .collect()
}

/// The name of a file for a shell. A name that a shell might read in another way is left to the reader.
fn argument(name: &str) -> &str {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    if name.chars().all(is_plain) && !name.starts_with('-') { name } else { "FILE" }
}

#[cfg(test)]
mod tests {
    use super::argument;

    #[test]
    fn names_are_harmless_in_a_shell() {
        for (name, shown) in [
            ("notes-2.0.0_amd64.deb", "notes-2.0.0_amd64.deb"),
            ("My App.dmg", "FILE"),
            ("$(reboot).deb", "FILE"),
            ("a;b.exe", "FILE"),
            ("-rf", "FILE"),
        ] {
            assert_eq!(argument(name), shown);
        }
    }
}
