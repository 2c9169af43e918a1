//! The IP address of a request's client, as far as it can be trusted.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// The text is not a list of addresses and networks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an address or a network")]
pub struct InvalidNetwork;

/// A network: all addresses with the same prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    /// Length of the shared prefix, in bits.
    prefix: u8,
}

impl Network {
    fn contains(self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differing = own.to_bits() ^ other.to_bits();
                differing.checked_shr(u32::BITS - u32::from(self.prefix)).unwrap_or(0) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differing = own.to_bits() ^ other.to_bits();
                differing.checked_shr(u128::BITS - u32::from(self.prefix)).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    /// `10.1.2.3`, `10.0.0.0/8`, `::1`, `fd00::/8`.
    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(a, p)| (a, Some(p)));
        let address: IpAddr = address.parse().map_err(|_| InvalidNetwork)?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(longest), |prefix| prefix.parse().map_err(|_| InvalidNetwork))?;
        if prefix > longest { Err(InvalidNetwork) } else { Ok(Self { address, prefix }) }
    }
}

/// The proxies whose `X-Forwarded-For` is trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<Network>);

impl TrustedProxies {
    /// Adds a proxy.
    #[must_use]
    pub fn and(mut self, address: IpAddr) -> Self {
        let prefix = if address.is_ipv4() { 32 } else { 128 };
        self.0.push(Network { address, prefix });
        self
    }

    fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    /// The address of the client, for a request from `peer`. Each trusted proxy appends the address
    /// of its caller to `X-Forwarded-For`, so the client is the last address there that is not a
    /// trusted proxy. Earlier entries could be forged. Without a trusted proxy the client is
    /// `peer`. `forwarded`: the values of all such headers, in order.
    pub fn client<'a>(
        &self,
        peer: IpAddr,
        forwarded: impl DoubleEndedIterator<Item = &'a str>,
    ) -> ClientAddress {
        let mut address = peer.to_canonical();
        for hop in forwarded.rev().flat_map(|list| list.rsplit(',')) {
            if !self.contain(address) {
                break;
            }
            match parse_hop(hop.trim()) {
                Some(before) => address = before.to_canonical(),
                None => break,
            }
        }
        ClientAddress(address)
    }
}

impl FromStr for TrustedProxies {
    type Err = InvalidNetwork;

    /// Parses a comma-separated list. An empty text means no proxies.
    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

/// Parses an address, with or without a port, as proxies write it.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// The IP address of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(IpAddr);

impl ClientAddress {
    /// The address.
    pub const fn ip(self) -> IpAddr {
        self.0
    }

    /// The key for counting a client, made of letters and digits: an IPv4 address, or the first 64
    /// bits of an IPv6 address, because a machine can use every address in its network.
    pub fn subject(self) -> String {
        match self.0 {
            IpAddr::V4(address) => format!("{:08x}", address.to_bits()),
            IpAddr::V6(address) => format!("{:016x}", address.to_bits() >> 64),
        }
    }

    /// The key for counting the surrounding network: the first 48 bits of an IPv6 address, because
    /// many customers get that many networks of 64 bits. `None`: an IPv4 address, of which there
    /// are few.
    pub fn network(self) -> Option<String> {
        match self.0 {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => Some(format!("{:012x}", address.to_bits() >> 80)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks() {
        for (list, address, expected) in [
            ("", "10.0.0.1", false),
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1", "10.0.0.2", false),
            ("192.168.0.0/16, 10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8,", "11.0.0.1", false),
            ("10.0.0.0/31", "10.0.0.1", true),
            ("10.0.0.0/31", "10.0.0.2", false),
            ("0.0.0.0/0", "203.0.113.7", true),
            ("0.0.0.0/0", "::1", false),
            ("::/0", "2001:db8::1", true),
            ("fd00::/8", "fdff::1", true),
            ("fd00::/8", "fe00::1", false),
            ("::1", "::1", true),
            ("::1/128", "::2", false),
        ] {
            let proxies: TrustedProxies = list.parse().unwrap();
            assert_eq!(proxies.contain(address.parse().unwrap()), expected, "{list} {address}");
        }
        for bad in ["proxy", "10.0.0.1/33", "::1/129", "10.0.0.1/", "10.0.0.1/x", "10.0.0", "10.0.0.1;::1"] {
            assert_eq!(bad.parse::<TrustedProxies>(), Err(InvalidNetwork), "{bad}");
        }
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let proxies: TrustedProxies = "10.0.0.0/8,fd00::1".parse().unwrap();
        for (peer, forwarded, expected) in [
            ("203.0.113.7", &["198.51.100.1"][..], "203.0.113.7"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["1.1.1.1, 198.51.100.1,10.0.0.2 , fd00::1"], "198.51.100.1"),
            ("10.0.0.1", &["1.1.1.1", "198.51.100.1", "10.0.0.2"], "198.51.100.1"),
            // A value that is not an address was not written by a trusted proxy.
            ("10.0.0.1", &["198.51.100.1, unknown, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &[""], "10.0.0.1"),
            // The client is inside the trusted network.
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["198.51.100.1:1234"], "198.51.100.1"),
            ("10.0.0.1", &["[2001:db8::1]:1234"], "2001:db8::1"),
            ("10.0.0.1", &["[2001:db8::1]"], "2001:db8::1"),
            ("::ffff:10.0.0.1", &["::ffff:198.51.100.1"], "198.51.100.1"),
        ] {
            let client = proxies.client(peer.parse().unwrap(), forwarded.iter().copied());
            assert_eq!(client, ClientAddress(expected.parse().unwrap()), "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn a_network_of_ipv6_is_one_subject() {
        let subject = |address: &str| ClientAddress(address.parse().unwrap()).subject();
        assert_eq!(subject("203.0.113.7"), "cb007107");
        assert_eq!(subject("2001:db8:1:2:3::4"), "20010db800010002");
        assert_eq!(subject("2001:db8:1:2::"), subject("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(subject("2001:db8:1:2::"), subject("2001:db8:1:3::"));
        let network = |address: &str| ClientAddress(address.parse().unwrap()).network();
        assert_eq!(network("203.0.113.7"), None);
        assert_eq!(network("2001:db8:1:2:3::4").as_deref(), Some("20010db80001"));
        assert_eq!(network("2001:db8:1::"), network("2001:db8:1:ffff:ffff:ffff:ffff:ffff"));
        assert_ne!(network("2001:db8:1::"), network("2001:db8:2::"));
    }
}
