//! The address of a client, for limits on what one client may do.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use spindrift_core::ClientAddress;
use spindrift_web::Request;

use crate::{Ports, ServiceError, settings};

/// The header in which the host passes the client's address and port. Spin appends it to
/// any value that the client sent under this name, so only the last value is the host's.
const PEER_HEADER: &str = "spin-client-addr";
/// The address and port that the host gives to requests of other components of this application (the
/// console). No connection comes from there.
const COMPONENT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// The client's address. `None`: the host does not provide it. A component of this application is trusted
/// like a proxy: it names its own client.
pub fn client_address(ports: &impl Ports, request: &Request) -> Result<Option<ClientAddress>, ServiceError> {
    let proxies = settings::trusted_proxies(ports)?;
    let peers = request.header_values(PEER_HEADER);
    let peer = peers.last().and_then(|value| value.to_str().ok()?.parse::<SocketAddr>().ok());
    let forwarded = request.header_values("x-forwarded-for");
    // A header that is not text contains no address.
    let lists = forwarded.iter().map(|list| list.to_str().unwrap_or_default());
    let proxies = if peer == Some(COMPONENT) { proxies.and(COMPONENT.ip()) } else { proxies };
    Ok(peer.map(|peer| proxies.client(peer.ip(), lists)))
}
