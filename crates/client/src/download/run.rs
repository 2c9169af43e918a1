//! Downloading one file: attempts, pauses, verification.

use std::time::Duration;

use url::Url;

use super::attempt::{AttemptEnd, attempt};
use super::partial_file::PartialFile;
use super::{Download, DownloadLimits, Downloaded, Progress, Way};
use crate::pause::{part_of, random};
use crate::{Client, Error, address};

/// Downloads the file itself.
pub(super) async fn download_whole(
    client: &Client,
    download: &Download,
    report: &mut (dyn FnMut(Progress) + Send),
) -> Result<Downloaded, Error> {
    let part = download_verified(client, download, report).await?;
    let (bytes, resumed_at) = (part.length(), part.resumed_at());
    part.publish(&download.target).await?;
    Ok(Downloaded { path: download.target.clone(), bytes, resumed_at, way: Way::Whole })
}

/// The verified file, before it is renamed to its target.
pub(super) async fn download_verified(
    client: &Client,
    download: &Download,
    report: &mut (dyn FnMut(Progress) + Send),
) -> Result<PartialFile, Error> {
    let url = address::parse_web_url(&download.url, "download url")?;
    let mut part =
        PartialFile::open(&download.target, download.identity.as_deref().unwrap_or(url.as_str())).await?;
    match run(client, download, &url, &mut part, report).await {
        Ok(()) => Ok(part),
        Err(error) => {
            if error.is_about_content() || part.length() == 0 {
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
    part: &mut PartialFile,
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
            AttemptEnd::Complete
        } else {
            attempt(client, download, url, part, report).await?
        };
        match ended {
            AttemptEnd::Complete => match verify(download, part).await? {
                Ok(()) => return Ok(()),
                // Bytes from several answers may not belong together after all, so the download is tried once
                // more.
                Err(_) if part.has_several_sources() && again => {
                    again = false;
                    part.clear().await?;
                }
                Err(error) => return Err(error),
            },
            AttemptEnd::Discarded => fruitless += 1,
            AttemptEnd::Broken(error) => {
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
fn may_be_whole(download: &Download, part: &PartialFile) -> bool {
    let total = download.length.or_else(|| part.resume()?.total);
    !download.digests.is_empty() && part.length() > 0 && total == Some(part.length())
}

async fn verify(download: &Download, part: &mut PartialFile) -> Result<Result<(), Error>, Error> {
    let actual = part.length();
    if let Some(expected) = download.length.filter(|expected| *expected != actual) {
        return Ok(Err(Error::WrongLength { expected, actual }));
    }
    let verified = part.verify(&download.digests).await?;
    Ok(verified.map_err(Error::from))
}

/// The pause after `fruitless` failed attempts in a row; 0 means that the last one made progress. `random` is
/// uniform.
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
