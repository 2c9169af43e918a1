//! How often somebody may be wrong about a password or the `api_key`.
//!
//! An attempt is counted before anything is compared, so that many at once get no further than one after the other, and
//! taken back when it was no failure.

use std::net::SocketAddr;

use spindrift_core::{ClientAddress, Timestamp, Window, subject_of};
use spindrift_service::rate_limits::{Admission, Limit, Uncounted, admit_or};
use spindrift_service::{Failure, Ports, settings};
use spindrift_settings::{LOGIN_FAILURES_PER_ADDRESS, LOGIN_FAILURES_PER_USER};
use spindrift_web::Request;

/// How the host says who is connected to it: Spin and the embedded host, address and port. Spin appends it to what a
/// client sent under this name, so only the last one is the host's.
const PEER_HEADER: &str = "spin-client-addr";
/// What failures are counted in.
const WINDOW: Window = Window::QUARTER_HOUR;
/// Who all are whose address the host does not say.
const NO_ADDRESS: &str = "unknown";

/// An attempt that was let in, and counts as a failure until something else is said of it.
pub(crate) struct Attempt {
    admission: Admission,
    of_user: Limit,
    now: Timestamp,
}

impl Attempt {
    /// 429 when the name, which need not be anybody's, or the address has failed too often.
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
        // The address first: one that is refused for its own sake does not use up the attempts of users.
        let limits = [of_address, of_user];
        let admission = admit_or(ports, &limits, now, uncounted)?;
        let [_, of_user] = limits;
        Ok(Self { admission, of_user, now })
    }

    /// It was no failure, and tells nothing of the user either.
    pub(crate) fn take_back(&self, ports: &impl Ports) {
        self.admission.refund(ports);
    }

    /// The user has proved to be the user: the failures of that name are forgotten, those from the address stay.
    pub(crate) fn succeeded(&self, ports: &impl Ports) {
        self.take_back(ports);
        self.of_user.reset(ports, self.now);
    }
}

/// Where the request comes from; `None` when the host does not say.
fn address(ports: &impl Ports, request: &Request) -> Result<Option<ClientAddress>, Failure> {
    let proxies = settings::trusted_proxies(ports)?;
    let peers = request.header_values(PEER_HEADER);
    let peer = peers.last().and_then(|value| value.to_str().ok()?.parse::<SocketAddr>().ok());
    let forwarded = request.header_values("x-forwarded-for");
    // A list that is no text holds no address either.
    let lists = forwarded.iter().map(|list| list.to_str().unwrap_or_default());
    Ok(peer.map(|peer| proxies.client(peer.ip(), lists)))
}
