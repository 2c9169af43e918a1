//! The default updater of an upload: that of its feed files.

use spindrift_api::ReleaseData;
use spindrift_core::{FileName, updater_of_feeds};

use super::files::ReleaseFiles;
use crate::error::CliError;
use crate::output::Output;

/// Sets the updater according to the feed files. Fails if they are for several updaters.
pub(super) fn infer(data: &mut ReleaseData, files: &ReleaseFiles, output: Output) -> Result<(), CliError> {
    if data.updater.is_some() {
        return Ok(());
    }
    let names: Vec<FileName> = files.feeds.iter().filter_map(|file| file.name.parse().ok()).collect();
    let found =
        updater_of_feeds(&names).map_err(|error| CliError::usage(format!("{error} with --updater")))?;
    if let Some((updater, feed)) = found {
        output.message(&format!("{feed} is a feed of {updater}: publishing for that updater"));
        data.updater = Some(updater.to_string());
    }
    Ok(())
}
