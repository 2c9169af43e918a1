//! What Spin itself tells about requests, which `docs/metrics.md` describes.

/// Only Spin has it.
mod spin {
    use std::time::Duration;

    use spindrift_tests::{Collector, Driver, Release, World, run, until};

    /// How long Spin may take to send what it has. It is told to send every 200 ms.
    const SOON: Duration = Duration::from_secs(20);
    const SPANS: &str = "/v1/traces";
    const METRICS: &str = "/v1/metrics";
    const PAGE: &str = include_str!("../../docs/metrics.md");

    /// The names in a table of the page, the first of each row.
    fn documented(head: &str) -> Vec<&'static str> {
        let table = PAGE.split(&format!("{head}\n|---|---|\n")).nth(1).unwrap().split("\n\n").next().unwrap();
        table.lines().map(|row| row.split('`').nth(1).unwrap()).collect()
    }

    /// Prometheus writes the names of metrics in its own way.
    fn in_prometheus(name: &str, is_counter: bool) -> String {
        format!("{}{}", name.replace('.', "_"), if is_counter { "_total" } else { "" })
    }

    fn watched(host: Driver, environment: &[(&str, &str)]) -> World {
        let settings = [
            ("OTEL_METRIC_EXPORT_INTERVAL", "200"),
            ("OTEL_BSP_SCHEDULE_DELAY", "200"),
            ("OTEL_SERVICE_NAME", "updates"),
        ];
        let all = settings.iter().chain(environment);
        let world = World::builder(host).with_variable("device_hash_key", "a key that nobody sees");
        all.fold(world, |builder, (name, value)| builder.with_environment(name, value)).start()
    }

    fn arrives(collector: &Collector, path: &str, texts: &[&str]) {
        for text in texts {
            until(&format!("{text} at {path}"), SOON, || collector.has(path, text).then_some(()));
        }
    }

    #[test]
    fn requests_are_counted_and_traced_by_component() {
        run(Driver::Spin, |host| {
            let collector = Collector::start();
            let world = watched(host, &[("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url())]);
            let acme = world.admin("acme").with_notes();
            acme.publish(Release::new("1.0.0").with("changelog", "owner of secrets"));
            acme.check("0.1");

            let metrics = [
                ("spin.request_count", true),
                ("spin.component_memory_used", false),
                ("spin.component_memory_used_on_init", false),
                ("outbound_http.concurrent_connection_permits_acquired", true),
            ];
            let named = metrics.map(|(name, is_counter)| in_prometheus(name, is_counter));
            assert_eq!(documented("| metric | |"), named);
            arrives(&collector, METRICS, &metrics.map(|(name, _)| name));
            arrives(&collector, METRICS, &["component_id", "check", "catalog", "updates"]);

            arrives(&collector, SPANS, &documented("| span | |"));
            arrives(
                &collector,
                SPANS,
                &[
                    "wasi_key_value.get",
                    "http.response.status_code",
                    "SELECT ",
                    // Why only metrics should leave the house.
                    "url.query",
                    "app_name=notes",
                    "network.peer.address",
                    "client.address",
                ],
            );
            for value in ["a key that nobody sees", "owner of secrets"] {
                assert!(!collector.has(SPANS, value), "{value}");
            }
        });
    }

    #[test]
    fn metrics_alone_carry_no_query() {
        run(Driver::Spin, |host| {
            let collector = Collector::start();
            let endpoint = format!("{}{METRICS}", collector.url());
            let world = watched(host, &[("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", &endpoint)]);
            let acme = world.admin("acme").with_notes();
            acme.publish(Release::new("1.0.0"));
            acme.check("0.1");

            arrives(&collector, METRICS, &["spin.request_count", "check"]);
            assert!(collector.paths().iter().all(|path| path == METRICS), "{:?}", collector.paths());
            assert!(!collector.has(METRICS, "app_name"));
        });
    }
}
