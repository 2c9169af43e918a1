//! The call: by a patch, or the whole file.

use super::run::download_whole;
use super::{Download, Downloaded, Progress, Way, patch};
use crate::{Client, Error};

impl Client {
    /// Downloads a file.
    ///
    /// The bytes go to `<target>.part`. When it is complete and matches everything in `download`, it is
    /// renamed to the target, replacing an existing file. Until then the target is not touched.
    ///
    /// An interrupted download is resumed: in this call as often as
    /// [`max_attempts`](crate::DownloadLimits::max_attempts) allows, and in a later call with the same URL
    /// (or [`Download::with_identity`]) and target. This needs a server that honours `Range` and `If-Range`
    /// and sends a strong `ETag`, which is kept in `<target>.part.json`. With any other server, or if the
    /// file has changed in the meantime, the download starts again.
    ///
    /// ```
    /// use spindrift_client::{Client, Config, Download};
    /// # use spindrift_client::MemoryTransport;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = MemoryTransport::new().with_answer("/a.deb", 200, "hello");
    /// # let client = Client::with_transport(Config::new("https://updates.example"), service)?;
    /// # let folder = tempfile::tempdir()?;
    /// # let folder = folder.path();
    /// let download = Download::new("https://d.example/a.deb", folder.join("a.deb"))
    ///     .with_length(5)
    ///     .with_sha256("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824".parse()?);
    ///
    /// let done = client.download(&download, |progress| println!("{} bytes", progress.bytes)).await?;
    /// # assert_eq!(std::fs::read(done.path)?, b"hello");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// With [`Download::with_patch`] the patch is downloaded to `<target>.patch.part`, in the same way. Its
    /// digest is compared before the file is made, in `<target>.patched-<random>`, which is open and locked
    /// until it is renamed. This needs little memory, whatever the sizes are.
    ///
    /// To cancel a download, drop the future, for example with `tokio::select!` or `tokio::time::timeout`.
    /// Threads that compare files or apply a patch end within the next 64 KiB.
    ///
    /// `progress` is called for every piece written. Redirects are followed, but not from `https` to `http`.
    /// Needs a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidUrl`], [`Error::Busy`] and [`Error::File`]. [`Error::RequestFailed`] if the server
    /// refuses or all attempts are used up; the partial file is kept. [`Error::WrongLength`],
    /// [`Error::WrongDigest`] and [`Error::FileTooLarge`]; the partial file is deleted.
    pub async fn download(
        &self,
        download: &Download,
        mut progress: impl FnMut(Progress) + Send,
    ) -> Result<Downloaded, Error> {
        download_with(self, download, &mut progress).await
    }
}

async fn download_with(
    client: &Client,
    download: &Download,
    report: &mut (dyn FnMut(Progress) + Send),
) -> Result<Downloaded, Error> {
    let Some((patch, base)) = &download.patch else { return download_whole(client, download, report).await };
    match patch::make(client, download, (patch, base), report).await {
        Ok(done) => Ok(done),
        Err(why) => {
            let way = Way::Unpatched { why: why.to_string() };
            let done = download_whole(client, download, report).await?;
            if !why.is_busy() {
                patch::clear(download).await;
            }
            Ok(Downloaded { way, ..done })
        }
    }
}
