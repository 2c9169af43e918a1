//! `allowed_outbound_hosts`: the hosts to which a component may connect.

use url::Host;

/// The hosts to which one component may connect.
#[derive(Debug, Clone, Default)]
pub struct AllowedHosts(Vec<AllowedHost>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct AllowedHost {
    /// `None` matches every scheme.
    scheme: Option<String>,
    host: HostRule,
    ports: PortRule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostRule {
    Any,
    /// `.example.com` matches any subdomain.
    Subdomains(String),
    Exact(Host),
    /// An IPv4 network: address and prefix length.
    Network(u32, u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PortRule {
    Any,
    /// From the first port up to, but not including, the second.
    Range(u32, u32),
}

impl AllowedHosts {
    /// Parses rules of the form `scheme://host[:port]`.
    ///
    /// # Errors
    /// An invalid rule, quoted in the text. As in Spin, an empty rule is invalid.
    pub fn new<'a>(rules: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let parse = |rule: &str| {
            AllowedHost::parse(rule.trim())
                .map_err(|reason| format!("`{rule}` is not an allowed outbound host: {reason}"))
        };
        Ok(Self(rules.into_iter().map(parse).collect::<Result<_, _>>()?))
    }

    /// Whether a connection to `host` (without port) is allowed. `port` defaults to the port of the scheme.
    pub fn allows(&self, scheme: &str, host: &str, port: Option<u16>) -> bool {
        let Ok(host) = Host::parse(host) else { return false };
        let Some(port) = port.or_else(|| default_port(scheme)) else { return false };
        self.0.iter().any(|rule| rule.allows(scheme, &host, port))
    }
}

impl AllowedHost {
    fn parse(rule: &str) -> Result<Self, String> {
        let (scheme, rest) = rule.split_once("://").ok_or("it has no scheme, such as `https://`")?;
        if scheme != "*" && (scheme.is_empty() || !scheme.bytes().all(|b| b.is_ascii_alphabetic())) {
            return Err("its scheme may have letters only, or be `*`".into());
        }
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port),
            _ => (rest, ""),
        };
        let ports = parse_ports(port, scheme)?;
        let scheme = (scheme != "*").then(|| scheme.to_owned());
        Ok(Self { scheme, host: HostRule::parse(host)?, ports })
    }

    fn allows(&self, scheme: &str, host: &Host, port: u16) -> bool {
        let PortRule::Range(from, to) = self.ports else {
            return self.allows_scheme(scheme) && self.host.allows(host);
        };
        (from..to).contains(&u32::from(port)) && self.allows_scheme(scheme) && self.host.allows(host)
    }

    fn allows_scheme(&self, scheme: &str) -> bool {
        self.scheme.as_deref().is_none_or(|allowed| allowed == scheme)
    }
}

impl HostRule {
    fn parse(host: &str) -> Result<Self, String> {
        if host == "*" {
            return Ok(Self::Any);
        }
        if let Some((address, length)) = host.split_once('/') {
            let address: std::net::Ipv4Addr = address.parse().map_err(|_| "it must not have a path")?;
            let length: u32 =
                length.parse().ok().filter(|n| *n <= 32).ok_or("its network length is not 0 to 32")?;
            return Ok(Self::Network(u32::from(address), length));
        }
        let parse = |name: &str| Host::parse(name).map_err(|error| error.to_string());
        match host.strip_prefix("*.") {
            Some(domain) if !domain.contains('*') => Ok(Self::Subdomains(format!(".{}", parse(domain)?))),
            _ if host.contains('*') => Err("`*` may only stand for the whole host or for subdomains".into()),
            _ => Ok(Self::Exact(parse(host)?)),
        }
    }

    fn allows(&self, host: &Host) -> bool {
        match (self, host) {
            (Self::Any, _) => true,
            (Self::Subdomains(suffix), Host::Domain(domain)) => domain.ends_with(suffix),
            (Self::Exact(exact), host) => exact == host,
            (Self::Network(network, length), Host::Ipv4(address)) => {
                let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
                network & mask == u32::from(*address) & mask
            }
            _ => false,
        }
    }
}

fn parse_ports(port: &str, scheme: &str) -> Result<PortRule, String> {
    let number =
        |text: &str| text.parse::<u16>().map(u32::from).map_err(|_| format!("`{text}` is not a port"));
    if port == "*" {
        return Ok(PortRule::Any);
    }
    if port.is_empty() {
        let port = default_port(scheme).ok_or("it needs a port, as its scheme has no default one")?;
        return Ok(PortRule::Range(u32::from(port), u32::from(port) + 1));
    }
    match port.split_once("..") {
        Some((from, to)) => Ok(PortRule::Range(number(from)?, number(to)?)),
        None => number(port).map(|port| PortRule::Range(port, port + 1)),
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_decide_by_scheme_host_and_port() {
        for (rule, scheme, host, port, expected) in [
            ("https://a.example", "https", "a.example", None, true),
            ("https://a.example", "https", "a.example", Some(443), true),
            ("https://a.example", "http", "a.example", None, false),
            ("https://a.example", "https", "a.example", Some(8443), false),
            ("http://127.0.0.1:9000", "http", "127.0.0.1", Some(9000), true),
            ("http://127.0.0.1:9000/", "http", "127.0.0.1", Some(9000), true),
            ("http://127.0.0.1:9000", "http", "localhost", Some(9000), false),
            ("https://*.example.com", "https", "x.example.com", None, true),
            ("https://*.example.com", "https", "example.com", None, false),
            ("https://*.example.com", "https", "badexample.com", None, false),
            ("*://*:*", "http", "anything", Some(1), true),
            ("http://10.0.0.0/8:80", "http", "10.200.1.1", None, true),
            ("http://10.0.0.0/8:80", "http", "11.0.0.1", None, false),
            ("http://a.example:8000..8010", "http", "a.example", Some(8009), true),
            ("http://a.example:8000..8010", "http", "a.example", Some(8010), false),
            ("http://[::1]:90", "http", "[::1]", Some(90), true),
        ] {
            let allowed = AllowedHosts::new([rule]).unwrap();
            assert_eq!(allowed.allows(scheme, host, port), expected, "{rule} {scheme} {host} {port:?}");
        }
        assert!(!AllowedHosts::default().allows("http", "a.example", None));
    }

    #[test]
    fn other_forms_are_refused() {
        for rule in ["", "a.example", "https://", "https://a/b", "https://a*b", "foo://a", "https://a:x"] {
            assert!(AllowedHosts::new([rule]).is_err(), "{rule}");
        }
    }
}
