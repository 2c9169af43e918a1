//! Running a download: attempts, pauses, verification.

use std::time::Duration;

use url::Url;

use super::attempt::{Attempt, attempt};
use super::part::Part;
use super::patch;
use super::{Download, DownloadLimits, Downloaded, Progress, Way};
use crate::pause::{part_of, random};
use crate::{Client, Error, address};

impl Client {
    /// Downloads a file.
    ///
    /// The bytes go to `<target>.part`. When it is complete and matches everything in `download`, it is renamed to the
    /// target, replacing an existing file. Until then the target is not touched.
    ///
    /// An interrupted download is resumed: in this call as often as [`DownloadLimits::max_attempts`] allows, and in a
    /// later call with the same URL (or [`Download::with_identity`]) and target. This needs a server that honours `Range`
    /// and `If-Range` and sends a strong `ETag`, which is kept in `<target>.part.json`. With any other server, or if the
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
    /// With [`Download::with_patch`] the patch is downloaded to `<target>.patch`, in the same way, and the file is made in
    /// `<target>.patched` before it is renamed. This needs little memory, whatever the sizes are.
    ///
    /// `progress` is called for every piece written. Redirects are followed, but not from `https` to `http`. Needs a
    /// tokio runtime.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidUrl`], [`Error::Busy`] and [`Error::File`]. [`Error::RequestFailed`] if the server refuses or
    /// all attempts are used up; the partial file is kept. [`Error::WrongLength`], [`Error::WrongDigest`] and
    /// [`Error::FileTooLarge`]; the partial file is deleted.
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
    let Some((patch, base)) = &download.patch else { return whole(client, download, report).await };
    match patch::make(client, download, (patch, base), report).await {
        Ok(done) => Ok(done),
        Err(why) => {
            let way = Way::Unpatched { why: why.to_string() };
            let done = whole(client, download, report).await?;
            patch::clear(download).await;
            Ok(Downloaded { way, ..done })
        }
    }
}

/// Downloads the file itself.
pub(super) async fn whole(
    client: &Client,
    download: &Download,
    report: &mut (dyn FnMut(Progress) + Send),
) -> Result<Downloaded, Error> {
    let url = address::web(&download.url, "download url")?;
    let mut part = Part::open(&download.target, download.identity.as_deref().unwrap_or(url.as_str())).await?;
    match run(client, download, &url, &mut part, report).await {
        Ok(()) => {
            let (bytes, resumed_at) = (part.length(), part.resumed_at());
            part.publish(&download.target).await?;
            Ok(Downloaded { path: download.target.clone(), bytes, resumed_at, way: Way::Whole })
        }
        Err(error) => {
            let worthless = matches!(
                error,
                Error::WrongLength { .. } | Error::WrongDigest { .. } | Error::FileTooLarge { .. }
            );
            if worthless || part.length() == 0 {
                part.remove().await?;
            }
            Err(error)
        }
    }
}

/// Repeats attempts until the file is complete and verified.
async fn run(
    client: &Client,
    download: &Download,
    url: &Url,
    part: &mut Part,
    report: &mut (dyn FnMut(Progress) + Send),
) -> Result<(), Error> {
    if download.length.is_some_and(|expected| part.length() > expected) {
        part.clear().await?;
    }
    let mut most = part.length();
    let mut fruitless = 0;
    let mut again = true;
    loop {
        let ended = if may_be_whole(download, part) {
            Attempt::Complete
        } else {
            attempt(client, download, url, part, report).await?
        };
        match ended {
            Attempt::Complete => match verify(download, part).await? {
                Ok(()) => return Ok(()),
                // Bytes from several answers may not belong together after all, so the download is tried once more.
                Err(_) if part.is_pieced() && again => {
                    again = false;
                    part.clear().await?;
                }
                Err(error) => return Err(error),
            },
            Attempt::Discarded => fruitless += 1,
            Attempt::Broken(error) => {
                fruitless = if part.length() > most { 0 } else { fruitless + 1 };
                if fruitless >= download.limits.max_attempts.max(1) {
                    return Err(error.into());
                }
                client.sleep.sleep(pause(&download.limits, fruitless, error.retry_after, random())).await;
            }
        }
        most = most.max(part.length());
    }
}

/// Whether an earlier call may have downloaded everything: only digests can confirm that.
fn may_be_whole(download: &Download, part: &Part) -> bool {
    let total = download.length.or_else(|| part.resume()?.total);
    !download.digests.is_empty() && part.length() > 0 && total == Some(part.length())
}

async fn verify(download: &Download, part: &mut Part) -> Result<Result<(), Error>, Error> {
    let actual = part.length();
    if let Some(expected) = download.length.filter(|expected| *expected != actual) {
        return Ok(Err(Error::WrongLength { expected, actual }));
    }
    let verified = part.verify(&download.digests).await?;
    Ok(verified.map_err(Error::from))
}

/// The pause after `fruitless` failed attempts in a row; 0 means that the last one made progress. `random` is uniform.
fn pause(limits: &DownloadLimits, fruitless: u32, retry_after: Option<Duration>, random: u32) -> Duration {
    let doublings = fruitless.saturating_sub(1).min(31);
    let pause = limits.first_pause.saturating_mul(1 << doublings).max(retry_after.unwrap_or_default());
    pause.saturating_add(part_of(pause / 2, random)).min(limits.max_pause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit() {
        let limits = DownloadLimits::default();
        for (fruitless, retry_after, random, seconds) in [
            (0, None, 0, 1.0),
            (1, None, 0, 1.0),
            (1, None, u32::MAX, 1.5),
            (3, None, 0, 4.0),
            (3, Some(10), 0, 10.0),
            (5, Some(10), 0, 16.0),
            (40, None, 0, 60.0),
            (1, Some(u64::MAX), u32::MAX, 60.0),
        ] {
            let pause = pause(&limits, fruitless, retry_after.map(Duration::from_secs), random);
            assert_eq!(pause, Duration::from_secs_f64(seconds), "{fruitless} {retry_after:?}");
        }
    }
}
