//! The form field `files`: the files to upload.

use std::collections::HashSet;

use super::fields::{FieldError, JsonFields};
use super::{FileName, InvalidPackages, Md5Digest, Packages, Sha256Hex, Sha512Hex};
use crate::InvalidValue;

/// Maximum number of files in an upload.
pub const MAX_FILES_PER_UPLOAD: usize = 200;

/// Maximum size of `files`, in bytes: 1 MiB, five times the size of a full list with the longest
/// names.
pub const MAX_MANIFEST_BYTES: usize = 1024 * 1024;

/// Maximum size of a file, in bytes: 5 GiB, the limit of object storage for one request.
pub const MAX_FILE_BYTES: u64 = 5 * 1024 * 1024 * 1024;

/// The rule for lengths.
const LENGTH: &str = "a number of bytes, at most 5368709120";

/// The problem with `files`. Positions count from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidManifest {
    /// The text is larger than [`MAX_MANIFEST_BYTES`].
    #[error("files too large: at most {MAX_MANIFEST_BYTES} bytes")]
    TooLarge,
    /// Not JSON, or not an array of objects.
    #[error("invalid files: not a JSON array of objects")]
    NotAnArray,
    /// There are more than [`MAX_FILES_PER_UPLOAD`] entries.
    #[error("too many files: at most {MAX_FILES_PER_UPLOAD}")]
    TooMany,
    /// A required field of an entry is missing, `null` or empty.
    #[error("missing files[{0}].{1}")]
    Missing(usize, &'static str),
    /// A field of an entry has the wrong type or form.
    #[error("invalid files[{0}].{1}")]
    Invalid(usize, InvalidValue),
    /// A field occurs twice in an entry.
    #[error("duplicate field `{1}` in files[{0}]")]
    DuplicateField(usize, String),
    /// Two entries have the same name.
    #[error("duplicate file name: {0}")]
    DuplicateName(FileName),
    /// An entry gives its file a package that it cannot have.
    #[error(transparent)]
    Package(#[from] InvalidPackages),
    /// A feed file, which must be part of the request itself.
    #[error("feed file must be sent inline: {0}")]
    Feed(FileName),
}

/// One file that the uploader will send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its name, unique within the upload.
    pub name: FileName,
    /// Its MD5 digest, which the storage verifies.
    pub md5: Md5Digest,
    /// The SHA-256 as given, unchecked. See [`Self::tuf_digests`].
    pub sha256: Option<String>,
    /// The SHA-512 as given, unchecked.
    pub sha512: Option<String>,
    /// Its length in bytes, at most [`MAX_FILE_BYTES`], if declared.
    pub length: Option<u64>,
}

impl FileEntry {
    /// Both digests that an application with TUF needs. `None`: one is missing or malformed.
    pub fn tuf_digests(&self) -> Option<(Sha256Hex, Sha512Hex)> {
        let sha256 = self.sha256.as_ref()?.parse().ok()?;
        let sha512 = self.sha512.as_ref()?.parse().ok()?;
        Some((sha256, sha512))
    }
}

/// Parses `files` into entries and the packages that they name: at most [`MAX_FILES_PER_UPLOAD`] entries;
/// unknown keys are ignored. The list may be empty; [`check_upload`](super::check_upload) decides whether an
/// upload may have no files.
pub fn parse_manifest(files: &str) -> Result<(Vec<FileEntry>, Packages), InvalidManifest> {
    if files.len() > MAX_MANIFEST_BYTES {
        return Err(InvalidManifest::TooLarge);
    }
    let list: Vec<JsonFields> = serde_json::from_str(files).map_err(|_| InvalidManifest::NotAnArray)?;
    if list.len() > MAX_FILES_PER_UPLOAD {
        return Err(InvalidManifest::TooMany);
    }
    let mut names = HashSet::with_capacity(list.len());
    let mut entries = Vec::with_capacity(list.len());
    let mut packages = Packages::default();
    for (position, fields) in list.iter().enumerate() {
        if let Some(name) = fields.duplicate() {
            return Err(InvalidManifest::DuplicateField(position, name));
        }
        let at = |error: FieldError| match error {
            FieldError::Missing(name) => InvalidManifest::Missing(position, name),
            FieldError::Invalid(value) => InvalidManifest::Invalid(position, value),
        };
        let entry = parse_entry(fields).map_err(at)?;
        if entry.name.is_feed() {
            return Err(InvalidManifest::Feed(entry.name));
        }
        if !names.insert(entry.name.clone()) {
            return Err(InvalidManifest::DuplicateName(entry.name));
        }
        let package = fields.text("package").map_err(at)?;
        if let Some(package) = package.filter(|text| !text.is_empty()) {
            packages.name(entry.name.clone(), package)?;
        }
        entries.push(entry);
    }
    Ok((entries, packages))
}

fn parse_entry(fields: &JsonFields) -> Result<FileEntry, FieldError> {
    Ok(FileEntry {
        name: fields.required("name")?,
        md5: fields.required("md5")?,
        sha256: fields.text_unchecked("sha256").map(str::to_owned),
        sha512: fields.text_unchecked("sha512").map(str::to_owned),
        length: fields.read("length", LENGTH, |value| value.as_u64().filter(|n| *n <= MAX_FILE_BYTES))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextRule as _;

    const MD5: &str = "0123456789abcdefABCDEF0123456789";

    /// An array with one entry that has a name, a digest and `more`.
    fn one(more: &str) -> String {
        format!(r#"[{{"name":"a.zip","md5":"{MD5}"{more}}}]"#)
    }

    fn named(names: &[String]) -> String {
        let entries: Vec<_> =
            names.iter().map(|name| serde_json::json!({ "name": name, "md5": MD5 }).to_string()).collect();
        format!("[{}]", entries.join(","))
    }

    fn error(files: &str) -> String {
        parse_manifest(files).unwrap_err().to_string()
    }

    #[test]
    fn entries() {
        let files = format!(
            r#"[{{"name":"My App ä.zip","md5":"{MD5}","sha256":"not looked at","sha512":"","length":5368709120}},
               {{"name":"b.deb","md5":"{MD5}","sha256":null,"sha512":7,"length":null,"mode":420}}]"#
        );
        let (entries, _) = parse_manifest(&files).unwrap();
        assert_eq!(entries[0].name.as_str(), "My App ä.zip");
        assert_eq!(entries[0].md5.to_string(), MD5.to_lowercase());
        assert_eq!(
            (entries[0].sha256.as_deref(), entries[0].sha512.as_deref()),
            (Some("not looked at"), Some(""))
        );
        assert_eq!(entries[0].length, Some(MAX_FILE_BYTES));
        assert_eq!((&entries[1].sha256, &entries[1].sha512, entries[1].length), (&None, &None, None));
        assert_eq!(parse_manifest("[]"), Ok((Vec::new(), Packages::default())));
    }

    #[test]
    fn entries_name_packages() {
        let (entries, packages) = parse_manifest(&one(r#","package":"portable""#)).unwrap();
        assert_eq!(packages.of(&entries[0].name).as_str(), "portable");
        assert!(parse_manifest(&one(r#","package":"""#)).unwrap().1.is_empty());
        assert!(parse_manifest(&one(r#","package":null"#)).unwrap().1.is_empty());
        assert_eq!(error(&one(r#","package":1"#)), "invalid files[0].package: a text, not 1");
        let message = error(&one(r#","package":"deb""#));
        assert!(message.starts_with("a.zip cannot have the package \"deb\": use 1 to 32"), "{message}");
    }

    #[test]
    fn lengths() {
        for good in ["0", "1", "5368709120"] {
            assert!(parse_manifest(&one(&format!(r#","length":{good}"#))).is_ok(), "{good}");
        }
        for bad in ["-1", "5368709121", "1.5", "1e3", "\"1\"", "true", "99999999999999999999", "[]"] {
            let message = error(&one(&format!(r#","length":{bad}"#)));
            assert!(
                message.starts_with(&format!("invalid files[0].length: {LENGTH}, not ")),
                "{bad}: {message}"
            );
        }
    }

    #[test]
    fn errors_say_where() {
        let of_name =
            |at: usize, sent: &str| format!("invalid files[{at}].name: {}, not {sent}", FileName::RULE);
        for (files, text) in [
            (r#"[{"md5":"x"}]"#.to_owned(), "missing files[0].name"),
            (r#"[{"name":"a"}]"#.to_owned(), "missing files[0].md5"),
            (r#"[{"name":"a","md5":""}]"#.to_owned(), "missing files[0].md5"),
            (
                r#"[{"name":"a","md5":"abc"}]"#.to_owned(),
                "invalid files[0].md5: 32 hexadecimal digits, not \"abc\"",
            ),
            (r#"[{"name":"a","md5":1}]"#.to_owned(), "invalid files[0].md5: 32 hexadecimal digits, not 1"),
            (one(r#","md5":"x""#), "duplicate field `md5` in files[0]"),
            (one(r#","extra":1,"extra":2"#), "duplicate field `extra` in files[0]"),
            (named(&["x/a.zip".into()]), &of_name(0, "\"x/a.zip\"")),
            (named(&["ok".into(), "..".into()]), &of_name(1, "\"..\"")),
            (named(&["x".repeat(300)]), &of_name(0, &format!("\"{}...\"", "x".repeat(40)))),
            (named(&["a.zip".into(), "a.zip".into()]), "duplicate file name: a.zip"),
            (named(&["latest.yml".into()]), "feed file must be sent inline: latest.yml"),
            (named(&["RELEASES".into()]), "feed file must be sent inline: RELEASES"),
        ] {
            assert_eq!(error(&files), text, "{files}");
        }
        assert!(
            parse_manifest(&named(&["a.zip".into(), "A.zip".into()])).is_ok(),
            "names are compared exactly"
        );
    }

    #[test]
    fn limits() {
        let names = |n: usize| (0..n).map(|i| format!("{i}.zip")).collect::<Vec<_>>();
        assert_eq!(
            parse_manifest(&named(&names(MAX_FILES_PER_UPLOAD))).unwrap().0.len(),
            MAX_FILES_PER_UPLOAD
        );
        assert_eq!(parse_manifest(&named(&names(MAX_FILES_PER_UPLOAD + 1))), Err(InvalidManifest::TooMany));
        let padded = format!("[]{}", " ".repeat(MAX_MANIFEST_BYTES));
        assert_eq!(parse_manifest(&padded), Err(InvalidManifest::TooLarge));
        for bad in ["", "{}", "null", "[1]", "[[]]", "[", r#"["a"]"#] {
            assert_eq!(parse_manifest(bad), Err(InvalidManifest::NotAnArray), "{bad:?}");
        }
    }

    #[test]
    fn tuf_needs_both_digests_well_formed() {
        let digests = |a: &str, b: &str| {
            let files = one(&format!(r#","sha256":"{a}","sha512":"{b}""#));
            parse_manifest(&files).unwrap().0[0].tuf_digests()
        };
        let (sha256, sha512) = ("Ab".repeat(32), "cD".repeat(64));
        let (a, b) = digests(&sha256, &sha512).unwrap();
        assert_eq!((a.as_str(), b.as_str()), ("ab".repeat(32).as_str(), "cd".repeat(64).as_str()));
        assert_eq!(digests(&sha256, "x"), None);
        assert_eq!(digests("", &sha512), None);
        assert_eq!(parse_manifest(&one("")).unwrap().0[0].tuf_digests(), None);
    }
}
