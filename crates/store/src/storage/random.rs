//! Unique names.

use base16ct::lower::encode_string as hex;
use s3s::{S3Error, S3Result};

/// 32 random bytes as hexadecimal digits.
pub(super) fn random_id() -> S3Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(S3Error::internal_error)?;
    Ok(hex(&bytes))
}
