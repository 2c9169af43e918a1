//! Downloads.

use std::mem::MaybeUninit;

use spindrift_client::Download;

use crate::client::ClientHandle;
use crate::config::check_size;
use crate::error::{ErrorHandle, answer, given};
use crate::progress::ProgressHandle;
use crate::raw::CallerText;
use crate::status::{CallFailure, Status};
use crate::update::UpdateHandle;

/// A download. Set all bytes to 0, then `size`, and then the fields that you need. You keep the struct and
/// everything in it.
#[repr(C)]
pub struct DownloadOptions<'a> {
    /// `sizeof(spindrift_download_options)`. Later versions of the struct are longer.
    pub size: usize,
    /// The extension of the file without the dot, such as `deb`. NULL: the file without an extension.
    pub package: CallerText<'a>,
    /// The path of the file to write, in a folder that exists and to which only the application can write. A
    /// file at that path is replaced. Required.
    pub path: CallerText<'a>,
    /// The SHA-256 digest that the file must have: 64 lower-case hexadecimal digits. NULL: only signed
    /// metadata, if the client has it, and a patch say which file is the right one.
    pub sha256: CallerText<'a>,
    /// The path of the same file of the installed version. If the update has a patch for it, only the patch is
    /// downloaded. If the patch cannot be used, the whole file is. NULL: patches are not used.
    pub base: CallerText<'a>,
    /// Shows the progress to other threads. NULL: it is not shown.
    pub progress: Option<&'a ProgressHandle>,
}

/// Downloads a file of an update, and verifies it.
///
/// A client with signed metadata accepts only a file that was signed for this installed copy, with its length,
/// SHA-256 and SHA-512. Without signed metadata, set `sha256` to a digest that does not come from the answer
/// to the check, or verify the file before you install it.
///
/// The bytes go to `<path>.part`, which is renamed once they are verified. After an interruption, the next
/// call for the same file and path continues. A server that sends nothing for 30 seconds counts as an
/// interruption; after 5 attempts in a row without a new byte, the call fails.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_download(
    client: Option<&ClientHandle>,
    update: Option<&UpdateHandle>,
    options: Option<&DownloadOptions<'_>>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let (client, update) = (given(client, "client")?, given(update, "update")?);
        let options = given(options, "options")?;
        check_size(options.size, size_of::<DownloadOptions<'_>>(), "options")?;
        client.wait(run(client, update, options))
    })
}

async fn run(
    client: &ClientHandle,
    update: &UpdateHandle,
    options: &DownloadOptions<'_>,
) -> Result<(), CallFailure> {
    let shown = options.progress;
    let work = async {
        let download = prepare(client, update, options).await?;
        let show = |progress| {
            if let Some(shown) = shown {
                shown.set(progress);
            }
        };
        client.client.download(&download, show).await?;
        Ok(())
    };
    let Some(shown) = shown else { return work.await };
    tokio::select! {
        // A call to cancel that has come first wins.
        biased;
        () = shown.cancelled() => Err(CallFailure::new(Status::CANCELLED, "the download was cancelled")),
        done = work => done,
    }
}

/// The download, with everything that is known of the file.
async fn prepare(
    client: &ClientHandle,
    update: &UpdateHandle,
    options: &DownloadOptions<'_>,
) -> Result<Download, CallFailure> {
    let package = options.package.or_empty("package")?;
    let path = options.path.required("path")?;
    let sha256 = options.sha256.optional("sha256")?.map(str::parse).transpose();
    let sha256 = sha256.map_err(|_| CallFailure::invalid("sha256 is not a SHA-256 digest"))?;
    let base = options.base.optional("base")?;
    let offered = &update.update;
    let url = offered.url_of(package);
    let url = url.ok_or_else(|| CallFailure::invalid(format!("the update has no package \"{package}\"")))?;

    let mut download = match &client.trust {
        Some(trust) => trust.trusted(offered, package).await?.download(url, path),
        None => Download::new(url, path),
    };
    // Links may be signed again for each answer, so the URL does not say which file it is.
    let app = &client.options;
    download =
        download.with_identity(format!("{}/{} {} {package}", app.owner, app.app_name, offered.version));
    if let Some(sha256) = sha256 {
        download = download.with_sha256(sha256);
    }
    if let (Some(patch), Some(base)) = (offered.patch_of(package), base) {
        download = download.with_patch(patch.clone(), base);
    }
    if let Some(token) = client.token.clone() {
        download = download.with_token(token);
    }
    if let Some(token) = client.download_token.clone() {
        download = download.with_download_token(token);
    }
    Ok(download)
}
