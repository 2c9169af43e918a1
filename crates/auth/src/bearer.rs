//! Bearer tokens in headers.

use crate::AuthError;

/// The token in an `Authorization: Bearer` header ([RFC 6750
/// §2.1](https://www.rfc-editor.org/rfc/rfc6750#section-2.1)). The case of the scheme is ignored.
pub fn bearer(authorization: Option<&str>) -> Result<&str, AuthError> {
    let header = authorization.ok_or(AuthError::MissingHeader)?;
    let (scheme, token) = header.trim().split_once(' ').ok_or(AuthError::BadFormat)?;
    let token = token.trim_start();
    if scheme.eq_ignore_ascii_case("bearer") && token.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(token)
    } else {
        Err(AuthError::BadFormat)
    }
}
