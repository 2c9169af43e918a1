//! An edge deployment: everything that it answers, as one component. It has an origin instead of a database.

use spindrift_service::Ports;
use spindrift_updates::{check, feeds, responses};
use spindrift_web::{Reply, Request};

/// The part that answers a path. At the service, each is a component with routes of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Check,
    Feeds,
    /// Also the 404 for every other path.
    Responses,
}

impl Part {
    /// The part whose route in `spin.toml` matches. As there, slashes around the path make no difference.
    fn of(path: &str) -> Self {
        let mut segments = path.trim_matches('/').split('/');
        match (segments.next(), segments.next()) {
            (Some("checkVersion"), None) => Self::Check,
            (Some("update" | "velopack"), _) => Self::Feeds,
            _ => Self::Responses,
        }
    }
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    match Part::of(request.path()) {
        Part::Check => check::handle(ports, request).await,
        Part::Feeds => feeds::handle(ports, request).await,
        Part::Responses => responses::handle(ports, request).await,
    }
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle, spindrift_spin::EdgePlatform);

#[cfg(test)]
mod tests {
    use spindrift_web::Routes;

    use super::*;

    fn assert_reached<R>(routes: &Routes<R>, part: Part) {
        for (_, path, _) in routes.0 {
            assert_eq!(Part::of(path), part, "{path}");
        }
    }

    #[test]
    fn every_route_leads_to_its_part() {
        assert_reached(&check::ROUTES, Part::Check);
        assert_reached(&feeds::ROUTES, Part::Feeds);
        assert_reached(&responses::ROUTES, Part::Responses);
    }

    #[test]
    fn an_unknown_path_leads_where_the_routes_of_the_service_lead() {
        for (path, part) in [
            ("/checkVersion/", Part::Check),
            ("//checkVersion", Part::Check),
            ("/checkVersion/notes", Part::Responses),
            ("/update", Part::Feeds),
            ("/velopack//a/", Part::Feeds),
            ("/updates", Part::Responses),
            ("/", Part::Responses),
        ] {
            assert_eq!(Part::of(path), part, "{path}");
        }
    }
}
