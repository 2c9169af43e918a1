//! The signature that Sparkle 2.9 appends to an appcast: a comment with a signature of all
//! preceding bytes, and their number. Only the number can be checked here, because the keys belong
//! to the publisher.

use super::FEED;
use crate::feeds::FeedError;

/// The start of the comment.
const MARK: &str = "<!-- sparkle-signatures:";

/// Whether an appcast is signed as a whole. An appcast that was changed after signing, even only in
/// its line endings, is rejected, because clients would reject it too.
pub(super) fn is_signed(source: &str) -> Result<bool, FeedError> {
    let Some(at) = source.rfind(MARK) else { return Ok(false) };
    let rest = source.get(at + MARK.len()..).unwrap_or_default();
    let Some((block, after)) = rest.split_once("-->") else { return Ok(false) };
    if !after.trim().is_empty() {
        return Ok(false);
    }
    let field = |name: &str| {
        let value = |line: &str| line.trim().strip_prefix(name).map(|value| value.trim().to_owned());
        block.lines().find_map(value)
    };
    let has_signature = field("edSignature:").is_some_and(|signature| !signature.is_empty());
    let length = field("length:").and_then(|length| length.parse::<usize>().ok());
    if has_signature && length == Some(at) {
        Ok(true)
    } else {
        Err(FeedError::whole(FEED, "changed after it was signed"))
    }
}
