//! Logins that were valid a moment ago. Their calls have separate permits, so that a halt gets through while
//! strangers flood the service.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http::{HeaderMap, header};
use sha2::{Digest as _, Sha256};

/// How long a login counts as known after it was last accepted.
const KNOWN_FOR: Duration = Duration::from_mins(10);
/// Maximum number of logins that are known at a time. If there would be more, those that have been unused for
/// longest are forgotten.
const MAX_KNOWN: usize = 4096;

/// A digest of a credential, which is useless as a credential.
pub(crate) type Fingerprint = [u8; 32];

/// The known logins. They only decide about permits: the components check every login again.
#[derive(Debug, Default)]
pub(crate) struct KnownLogins(Mutex<HashMap<Fingerprint, Instant>>);

impl KnownLogins {
    /// Whether a request carries a known login, as a bearer token or in a cookie.
    pub(crate) fn has(&self, headers: &HeaderMap, now: Instant) -> bool {
        let mut credentials = credentials(headers).peekable();
        if credentials.peek().is_none() {
            return false;
        }
        let known = self.lock();
        let is_fresh = |at: &Instant| now.saturating_duration_since(*at) < KNOWN_FOR;
        credentials.any(|text| known.get(&fingerprint(text)).is_some_and(is_fresh))
    }

    /// Remembers a bearer token that was accepted.
    pub(crate) fn note(&self, token: Fingerprint, now: Instant) {
        let mut known = self.lock();
        if known.len() >= MAX_KNOWN {
            forget_older_half(&mut known);
        }
        known.insert(token, now);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Fingerprint, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bearer token of a request, valid or not.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<Fingerprint> {
    bearer(headers).map(fingerprint)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The texts in a request that may be login tokens. The console keeps its token in a cookie.
fn credentials(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let values =
        cookies.flat_map(|list| list.split(';')).filter_map(|pair| Some(pair.split_once('=')?.1.trim()));
    bearer(headers).into_iter().chain(values)
}

fn fingerprint(credential: &str) -> Fingerprint {
    Sha256::digest(credential).into()
}

fn forget_older_half(known: &mut HashMap<Fingerprint, Instant>) {
    let mut times: Vec<Instant> = known.values().copied().collect();
    let middle = times.len() / 2;
    let (_, median, _) = times.select_nth_unstable(middle);
    let median = *median;
    known.retain(|_, at| *at > median);
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn a_login_is_known_as_a_token_and_in_a_cookie_for_some_minutes() {
        let (logins, now) = (KnownLogins::default(), Instant::now());
        let token = headers(header::AUTHORIZATION, "Bearer abc");
        assert!(!logins.has(&token, now));
        logins.note(bearer_token(&token).unwrap(), now);
        assert!(logins.has(&token, now));
        assert!(logins.has(&headers(header::COOKIE, "a=b; spindrift_session=abc"), now));
        assert!(!logins.has(&headers(header::COOKIE, "spindrift_session=abd"), now));
        assert!(!logins.has(&HeaderMap::new(), now));
        assert!(!logins.has(&token, now + KNOWN_FOR));
    }

    #[test]
    fn memory_is_bounded_and_the_newest_stay() {
        let (logins, now) = (KnownLogins::default(), Instant::now());
        let token = |n: usize| headers(header::AUTHORIZATION, &format!("Bearer {n}"));
        for n in 0..=MAX_KNOWN {
            logins.note(bearer_token(&token(n)).unwrap(), now + Duration::from_millis(n as u64));
        }
        assert!(logins.lock().len() <= MAX_KNOWN);
        let later = now + Duration::from_millis(MAX_KNOWN as u64);
        assert!(logins.has(&token(MAX_KNOWN), later) && !logins.has(&token(0), later));
    }
}
