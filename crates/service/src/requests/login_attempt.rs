//! Limits on failed attempts at a password or the `api_key`.
//!
//! An attempt is counted before the secret is compared, so parallel attempts gain nothing. It is uncounted if
//! it did not fail.

use spindrift_core::{ClientAddress, KnownAddresses, Timestamp, Window, address_of_user, subject_of};
use spindrift_settings::{LOGIN_FAILURES_PER_ADDRESS, LOGIN_FAILURES_PER_USER};
use spindrift_web::Request;

use crate::rate_limits::{AdmittedRequest, OnCounterFailure, RateLimit, admit, failed_attempts};
use crate::requests::client_address;
use crate::{Ports, ServiceError, log};

/// The window in which failures are counted.
const WINDOW: Window = Window::QUARTER_HOUR;

/// An admitted attempt. It counts as a failure until it is taken back or succeeds.
pub struct LoginAttempt {
    admission: AdmittedRequest,
    of_user: RateLimit,
    known: Option<KnownAddress>,
    now: Timestamp,
}

impl LoginAttempt {
    /// 429 if the name, the address or its network has failed too often. The name need not exist.
    /// Failures from an address with a recent login of this name are counted separately, so that
    /// nobody else can lock it out.
    pub fn begin(
        ports: &impl Ports,
        request: &Request,
        username: &str,
        on_failure: OnCounterFailure,
    ) -> Result<Self, ServiceError> {
        let (address, now) = (client_address(ports, request)?, ports.now());
        let known = address.map(|address| KnownAddress::load(ports, username, address));
        let (kind, subject) = match &known {
            Some(place) if place.is_known(now) => ('k', place.digest.clone()),
            _ => ('u', subject_of(username)),
        };
        let max = LOGIN_FAILURES_PER_USER.read(ports)?;
        let of_user = RateLimit { kind, subject, window: WINDOW, max, refund: true };
        // The address comes first: an attempt refused because of its address does not use up the user's
        // attempts.
        let mut limits = failed_attempts(address, LOGIN_FAILURES_PER_ADDRESS.read(ports)?);
        limits.push(of_user.clone());
        let admission = admit(ports, &limits, now, on_failure)?;
        Ok(Self { admission, of_user, known, now })
    }

    /// The attempt did not fail, but proves nothing about the user.
    pub fn take_back(&self, ports: &impl Ports) {
        self.admission.refund(ports);
    }

    /// The user is authenticated: resets the count that the attempt belongs to, but not that of the address,
    /// and notes the address.
    pub fn succeeded(self, ports: &impl Ports) {
        self.take_back(ports);
        self.of_user.reset(ports, self.now);
        if let Some(known) = self.known {
            known.note(ports, self.now);
        }
    }
}

/// A user name at an address, and the addresses from which that name logged in recently.
struct KnownAddress {
    /// Key of the addresses in the key-value store. Only a login writes it, so there is one for each user at
    /// most.
    key: String,
    digest: String,
    addresses: KnownAddresses,
}

impl KnownAddress {
    /// If the store does not answer, no address is known.
    fn load(ports: &impl Ports, username: &str, address: ClientAddress) -> Self {
        let key = format!("logins.{}", subject_of(username));
        let addresses = match ports.get(&key) {
            Ok(found) => KnownAddresses::from_text(&String::from_utf8_lossy(&found.unwrap_or_default())),
            Err(error) => {
                log::warn("the addresses of earlier logins were not read", &error);
                KnownAddresses::default()
            }
        };
        Self { key, digest: address_of_user(username, address), addresses }
    }

    fn is_known(&self, now: Timestamp) -> bool {
        self.addresses.contain(&self.digest, now)
    }

    fn note(mut self, ports: &impl Ports, now: Timestamp) {
        if !self.addresses.note(&self.digest, now) {
            return;
        }
        if let Err(error) = ports.set(&self.key, self.addresses.to_text().as_bytes()) {
            log::warn("the address of a login was not noted", &error);
        }
    }
}
