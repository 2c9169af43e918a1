//! Updates.

use std::ffi::{CString, c_char, c_int};
use std::ptr;

use spindrift_client::Update;

use crate::error::quietly;
use crate::raw::{CallerText, for_c};

/// A release that this installed copy should install.
pub struct UpdateHandle {
    pub(crate) update: Update,
    version: CString,
    notes: Option<CString>,
    signature: Option<CString>,
    /// The URLs by package. The empty package is the file without an extension.
    urls: Vec<(String, CString)>,
}

impl UpdateHandle {
    pub(crate) fn new(update: Update) -> Self {
        let packages = update.package_urls.iter().map(|link| (link.package.as_str(), link.url.as_str()));
        let file = update.update_url.as_deref().map(|url| ("", url));
        let urls = packages.chain(file).map(|(package, url)| (package.to_owned(), for_c(url)));
        Self {
            version: for_c(&update.version),
            notes: update.changelog.as_deref().map(for_c),
            signature: update.signature.as_deref().map(for_c),
            urls: urls.collect(),
            update,
        }
    }
}

fn text(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

/// Its version. It belongs to the update. NULL if `update` is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_update_version(update: Option<&UpdateHandle>) -> *const c_char {
    text(update.map(|update| &update.version))
}

/// Its release notes, which may be Markdown. They belong to the update. NULL: there are none.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_update_notes(update: Option<&UpdateHandle>) -> *const c_char {
    text(update.and_then(|update| update.notes.as_ref()))
}

/// The signature that was uploaded with it, unchanged. The library does not verify it. It belongs to the
/// update. NULL: there is none.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_update_signature(update: Option<&UpdateHandle>) -> *const c_char {
    text(update.and_then(|update| update.signature.as_ref()))
}

/// The URL of one of its files. It belongs to the update. `package` is the file's extension without the dot,
/// such as `deb`; NULL or an empty text stands for the file without an extension. NULL: the release does not
/// have it.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_update_url(
    update: Option<&UpdateHandle>,
    package: CallerText<'_>,
) -> *const c_char {
    let url = quietly(|| {
        let package = package.or_empty("package").ok()?;
        update?.urls.iter().find(|(name, _)| name == package).map(|(_, url)| url.as_ptr())
    });
    url.flatten().unwrap_or(ptr::null())
}

/// A flag: whether it, or a release between it and the installed version, is critical.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_update_is_critical(update: Option<&UpdateHandle>) -> c_int {
    update.is_some_and(|update| update.update.critical).into()
}

/// A flag: whether it must be installed before anything newer is offered.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_update_is_required(update: Option<&UpdateHandle>) -> c_int {
    update.is_some_and(|update| update.update.is_intermediate_required).into()
}

/// Frees an update.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_update_free(update: Option<Box<UpdateHandle>>) {
    drop(update);
}
