//! Restricts where files are read from. The old server chooses the addresses, and their content
//! gets published. So it must not choose addresses that only this machine and its neighbours can
//! reach, unless its own address is one of these.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};
use http::{Request, Response};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use spindrift_client::{Body, Transport, TransportError};
use url::Url;

use crate::error::{CliError, network_reason};
use crate::http::{CallLimits, client_with};

/// Reads files from allowed addresses.
#[derive(Debug, Clone)]
pub(super) struct AllowedReach {
    http: reqwest::Client,
    rule: Arc<AddressRule>,
}

/// Kinds of addresses that only nearby machines can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NearbyAddress {
    Loopback,
    LinkLocal,
    Private,
}

/// The addresses that are allowed in addition to public ones.
#[derive(Debug)]
struct AddressRule {
    kinds: BTreeSet<NearbyAddress>,
    /// Given by the user, in lower case.
    hosts: BTreeSet<String>,
}

/// A host that files must not be read from.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RefusedHost {
    host: String,
    address: IpAddr,
}

impl fmt::Display for RefusedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, address } = self;
        write!(
            f,
            "{host} is at {address}, which only machines nearby reach: pass --allow-host {host} if files may \
             come from there"
        )
    }
}

impl std::error::Error for RefusedHost {}

impl AllowedReach {
    /// `from`: the old server. `hosts`: allowed at any address. `stall`: how long a request may
    /// wait for the next byte.
    pub(super) async fn new(
        from: &str,
        hosts: &[String],
        limits: CallLimits,
        stall: Duration,
    ) -> Result<Self, CliError> {
        let addresses = match Url::parse(from) {
            Ok(url) => addresses(&url).await,
            Err(_) => Vec::new(),
        };
        let kinds = addresses.into_iter().filter_map(nearby).collect();
        let hosts = hosts.iter().map(|host| host.to_lowercase()).collect();
        let rule = Arc::new(AddressRule { kinds, hosts });
        let resolver = Arc::clone(&rule);
        let http = client_with(limits, |builder| {
            builder.dns_resolver(GuardedResolver(resolver)).read_timeout(stall)
        })?;
        Ok(Self { http, rule })
    }

    /// Checks that files may be read from this URL. A name without an address is allowed, because
    /// nothing can be read there anyway.
    pub(super) async fn check(&self, url: &Url) -> Result<(), RefusedHost> {
        self.rule.check(host(url), addresses(url).await)
    }

    /// The HTTP client. It resolves names itself, and enforces the rule on the resolved addresses.
    pub(super) const fn http(&self) -> &reqwest::Client {
        &self.http
    }
}

/// The host of a URL, without the brackets of an IPv6 address.
fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
}

async fn addresses(url: &Url) -> Vec<IpAddr> {
    let host = host(url);
    if let Ok(address) = host.parse() {
        return vec![address];
    }
    look_up(host).await.unwrap_or_default().into_iter().map(|address| address.ip()).collect()
}

async fn look_up(host: &str) -> std::io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host((host, 0)).await?.collect())
}

fn nearby(address: IpAddr) -> Option<NearbyAddress> {
    match address.to_canonical() {
        IpAddr::V4(v4) => match v4.octets() {
            [0 | 127, ..] => Some(NearbyAddress::Loopback),
            [169, 254, ..] => Some(NearbyAddress::LinkLocal),
            // RFC 6598: shared by the customers of a provider.
            [100, 64..128, ..] => Some(NearbyAddress::Private),
            _ => v4.is_private().then_some(NearbyAddress::Private),
        },
        IpAddr::V6(v6) if v6.is_loopback() || v6.is_unspecified() => Some(NearbyAddress::Loopback),
        IpAddr::V6(v6) if v6.is_unicast_link_local() => Some(NearbyAddress::LinkLocal),
        IpAddr::V6(v6) => v6.is_unique_local().then_some(NearbyAddress::Private),
    }
}

impl AddressRule {
    fn check(&self, host: &str, addresses: impl IntoIterator<Item = IpAddr>) -> Result<(), RefusedHost> {
        if self.hosts.contains(&host.to_lowercase()) {
            return Ok(());
        }
        let is_refused =
            |address: &IpAddr| nearby(*address).is_some_and(|nearby| !self.kinds.contains(&nearby));
        match addresses.into_iter().find(is_refused) {
            Some(address) => Err(RefusedHost { host: host.to_owned(), address }),
            None => Ok(()),
        }
    }
}

/// Resolves names for the HTTP client, so that it connects to the same address that was checked.
struct GuardedResolver(Arc<AddressRule>);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let rule = Arc::clone(&self.0);
        Box::pin(async move {
            let found = look_up(name.as_str()).await?;
            rule.check(name.as_str(), found.iter().map(SocketAddr::ip))?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// The transport for downloads.
impl Transport for AllowedReach {
    fn send(
        &self,
        request: Request<Bytes>,
        time_out: Option<Duration>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let mut request = reqwest::Request::try_from(request).map_err(transport_error)?;
            *request.timeout_mut() = time_out;
            let answer = self.http.execute(request).await.map_err(transport_error)?;
            let (status, headers) = (answer.status(), answer.headers().clone());
            let mut response = Response::new(answer.bytes_stream().map_err(transport_error).boxed());
            *response.status_mut() = status;
            *response.headers_mut() = headers;
            Ok(response)
        })
    }
}

fn transport_error(error: reqwest::Error) -> TransportError {
    if error.is_timeout() { TransportError::TimedOut } else { TransportError::Failed(network_reason(error)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(from: &[&str], hosts: &[&str]) -> AddressRule {
        let kinds = from.iter().filter_map(|address| nearby(address.parse().unwrap())).collect();
        AddressRule { kinds, hosts: hosts.iter().map(|host| (*host).to_owned()).collect() }
    }

    #[test]
    fn only_hosts_as_near_as_the_old_server_are_allowed() {
        let near = ["127.0.0.1", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"];
        let linked = ["169.254.169.254", "fe80::1"];
        let private =
            ["10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fd00:ec2::254", "::ffff:10.0.0.1"];
        let public = ["93.184.216.34", "100.128.0.1", "172.32.0.1", "2606:2800:220:1::1"];
        for (from, allowed) in [
            ("93.184.216.34", &[][..]),
            ("127.0.0.1", &near),
            ("169.254.1.1", &linked),
            ("10.1.1.1", &private),
        ] {
            let rule = rule(&[from], &[]);
            for address in near.iter().chain(&linked).chain(&private).chain(&public) {
                let is_allowed = rule.check("host", [address.parse().unwrap()]).is_ok();
                let expected = allowed.contains(address) || public.contains(address);
                assert_eq!(is_allowed, expected, "{from} names {address}");
            }
        }
    }

    #[test]
    fn a_host_that_is_named_is_allowed() {
        let (public, near) = ("93.184.216.34".parse().unwrap(), "127.0.0.1".parse().unwrap());
        let rule = rule(&[], &["minio.internal"]);
        assert_eq!(rule.check("MinIO.internal", [near]), Ok(()));
        let refused = rule.check("other.internal", [public, near]).unwrap_err();
        assert_eq!(refused.address, near, "one such address is enough");
        assert!(
            refused.to_string().ends_with("pass --allow-host other.internal if files may come from there")
        );
    }

    #[tokio::test]
    async fn a_name_is_looked_up_where_it_is_connected_to() {
        let guard = GuardedResolver(Arc::new(rule(&[], &[])));
        let error = guard.resolve("localhost".parse().unwrap()).await.err().unwrap();
        assert!(error.is::<RefusedHost>(), "{error}");
        let guard = GuardedResolver(Arc::new(rule(&["127.0.0.1"], &[])));
        assert!(guard.resolve("localhost".parse().unwrap()).await.is_ok());
    }
}
