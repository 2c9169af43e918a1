//! Reports which build of the service this machine's Spin can run.

use std::process::Command;

use url::{Host, Url};

use super::finding::Finding;

const SPIN: &str = "spin";
/// The first version that runs the fast build, which uses WASI 0.3.0.
const FAST_SINCE: (u32, u32) = (4, 1);

/// Asks Spin for its version. `None`: the service is on another machine, or Spin is not installed
/// here.
pub(super) fn spin(service: &str) -> Option<Finding> {
    if !is_here(service) {
        return None;
    }
    let said = Command::new(SPIN).arg("--version").output().ok()?;
    Some(suited(version(&String::from_utf8_lossy(&said.stdout))?))
}

fn is_here(service: &str) -> bool {
    match Url::parse(service).ok().as_ref().and_then(Url::host) {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Finds the version in Spin's output: `spin 4.1.0 (93a2be9 2026-08-21)`.
fn version(said: &str) -> Option<&str> {
    said.strip_prefix("spin ")?.split_whitespace().next()
}

fn suited(version: &str) -> Finding {
    let mut numbers = version.split('.').map_while(|number| number.parse().ok());
    let parsed = numbers.next().zip(numbers.next());
    match parsed {
        Some(parsed) if parsed >= FAST_SINCE => Finding::good(
            SPIN,
            format!(
                "Spin {version} runs spin.toml, and the fast build (deploy/fast/spin.toml). Behind a proxy \
                 that keeps connections open, use spin.toml: there the fast build answers late"
            ),
        ),
        _ => Finding::note(
            SPIN,
            format!(
                "Spin {version} runs spin.toml. It cannot load the fast build (deploy/fast/spin.toml), which \
                 needs Spin 4.1: it would say that `wasi:http/types@0.3.0` was not found in the linker"
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_build_needs_spin_4_1() {
        for (said, state) in [
            ("spin 3.6.3 (0000000 2026-01-01)", "note"),
            ("spin 4.0.2 (0000000 2026-01-01)\n", "note"),
            ("spin 4.1.0-pre0 (0000000 2026-01-01)", "ok"),
            ("spin 4.10.0", "ok"),
            ("spin 5.0.0", "ok"),
        ] {
            assert_eq!(suited(version(said).unwrap()).row()[0], state, "{said}");
        }
        assert_eq!(version("something else 4.1.0"), None);
    }

    #[test]
    fn only_a_service_on_this_machine_may_run_on_its_spin() {
        for here in ["http://127.0.0.1:3000", "http://[::1]:3000", "http://localhost:3000"] {
            assert!(is_here(here), "{here}");
        }
        assert!(!is_here("https://updates.example.com") && !is_here("http://10.0.0.1"));
    }
}
