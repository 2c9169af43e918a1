//! Limits on failed attempts at a password or the `api_key`.
//!
//! An attempt is counted before the secret is compared, so parallel attempts gain nothing. It is uncounted if it did
//! not fail.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use spindrift_core::{ClientAddress, Timestamp, Window, subject_of};
use spindrift_service::rate_limits::{Admission, Limit, Uncounted, admit_or};
use spindrift_service::{Failure, Ports, settings};
use spindrift_settings::{LOGIN_FAILURES_PER_ADDRESS, LOGIN_FAILURES_PER_USER};
use spindrift_web::Request;

/// The header in which the host (Spin or the embedded host) passes the client's address and port. Spin appends it to
/// any value that the client sent under this name, so only the last value is the host's.
const PEER_HEADER: &str = "spin-client-addr";
/// The window in which failures are counted.
const WINDOW: Window = Window::QUARTER_HOUR;
/// The subject for all requests without an address from the host.
const NO_ADDRESS: &str = "unknown";

/// An admitted attempt. It counts as a failure until it is taken back or succeeds.
pub(crate) struct Attempt {
    admission: Admission,
    of_user: Limit,
    now: Timestamp,
}

impl Attempt {
    /// 429 if the name or the address has failed too often. The name need not exist.
    pub(crate) fn begin(
        ports: &impl Ports,
        request: &Request,
        username: &str,
        uncounted: Uncounted,
    ) -> Result<Self, Failure> {
        let limit = |kind, subject, max| Limit { kind, subject, window: WINDOW, max, refund: true };
        let of_address = limit(
            'a',
            address(ports, request)?.map_or_else(|| NO_ADDRESS.to_owned(), ClientAddress::subject),
            LOGIN_FAILURES_PER_ADDRESS.read(ports)?,
        );
        let of_user = limit('u', subject_of(username), LOGIN_FAILURES_PER_USER.read(ports)?);
        let now = ports.now();
        // The address comes first: an attempt refused because of its address does not use up the user's attempts.
        let limits = [of_address, of_user];
        let admission = admit_or(ports, &limits, now, uncounted)?;
        let [_, of_user] = limits;
        Ok(Self { admission, of_user, now })
    }

    /// The attempt did not fail, but proves nothing about the user.
    pub(crate) fn take_back(&self, ports: &impl Ports) {
        self.admission.refund(ports);
    }

    /// The user is authenticated: resets the failures of that name, but not those of the address.
    pub(crate) fn succeeded(&self, ports: &impl Ports) {
        self.take_back(ports);
        self.of_user.reset(ports, self.now);
    }
}

/// The address and port that the host gives to requests of other components of this application (the console). No
/// connection comes from there.
const COMPONENT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// The client's address. `None`: the host does not provide it. A component of this application is believed like a trusted
/// proxy: it says who asks it.
fn address(ports: &impl Ports, request: &Request) -> Result<Option<ClientAddress>, Failure> {
    let proxies = settings::trusted_proxies(ports)?;
    let peers = request.header_values(PEER_HEADER);
    let peer = peers.last().and_then(|value| value.to_str().ok()?.parse::<SocketAddr>().ok());
    let forwarded = request.header_values("x-forwarded-for");
    // A header that is not text contains no address.
    let lists = forwarded.iter().map(|list| list.to_str().unwrap_or_default());
    let proxies = if peer == Some(COMPONENT) { proxies.and(COMPONENT.ip()) } else { proxies };
    Ok(peer.map(|peer| proxies.client(peer.ip(), lists)))
}
