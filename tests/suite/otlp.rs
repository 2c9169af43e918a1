//! Spin's own traces of requests, which `docs/metrics.md` describes.

/// Only Spin has it.
mod spin {
    use std::time::Duration;

    use spindrift_tests::{Collector, Driver, Release, World, run, until};

    /// How long Spin may take to send what it has. It is told to send every 200 ms.
    const SOON: Duration = Duration::from_secs(20);
    const SPANS: &str = "/v1/traces";
    const METRICS: &str = "/v1/metrics";

    fn watched(host: Driver, environment: &[(&str, &str)]) -> World {
        let settings = [
            ("OTEL_METRIC_EXPORT_INTERVAL", "200"),
            ("OTEL_BSP_SCHEDULE_DELAY", "200"),
            ("OTEL_SERVICE_NAME", "updates"),
        ];
        let all = settings.iter().chain(environment);
        all.fold(World::builder(host), |builder, (name, value)| builder.with_environment(name, value)).start()
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
            acme.publish(Release::new("1.0.0"));
            acme.check("0.1");

            arrives(
                &collector,
                METRICS,
                &[
                    "spin.request_count",
                    "spin.component_memory_used",
                    "component_id",
                    "check",
                    "catalog",
                    "updates",
                ],
            );
            arrives(
                &collector,
                SPANS,
                &[
                    "GET /checkVersion",
                    "execute_wasm_component check",
                    "http.response.status_code",
                    "spin_sqlite.open",
                    // Why only metrics should leave the house.
                    "url.query",
                    "app_name=notes",
                    // The upload went to the storage.
                    "url.full",
                ],
            );
            assert!(!collector.has(SPANS, "X-Amz-Signature"), "no address in a trace opens the storage");
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
