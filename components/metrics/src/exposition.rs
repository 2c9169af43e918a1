//! The text that Prometheus reads.

use std::collections::BTreeMap;

use prometheus::{GaugeVec, Opts, Registry, TextEncoder};
use spindrift_core::Timestamp;
use spindrift_db::metrics::StateCount;
use spindrift_web::ApiError;

use crate::metric::Metric;

/// Values by metric and labels. The library writes and escapes them.
#[derive(Default)]
pub(crate) struct Exposition {
    registry: Registry,
    gauges: BTreeMap<&'static str, GaugeVec>,
}

impl Exposition {
    /// Sets the value of a metric for these values of its labels.
    pub(crate) fn set(&mut self, metric: &Metric, labels: &[&str], value: f64) -> Result<(), ApiError> {
        if !self.gauges.contains_key(metric.name) {
            let gauge = GaugeVec::new(Opts::new(metric.name, metric.help), metric.labels)
                .map_err(|error| internal(&error))?;
            self.registry.register(Box::new(gauge.clone())).map_err(|error| internal(&error))?;
            self.gauges.insert(metric.name, gauge);
        }
        if let Some(gauge) = self.gauges.get(metric.name) {
            gauge.get_metric_with_label_values(labels).map_err(|error| internal(&error))?.set(value);
        }
        Ok(())
    }

    /// Everything that was set, by name.
    pub(crate) fn text(&self) -> Result<String, ApiError> {
        TextEncoder::new().encode_to_string(&self.registry.gather()).map_err(|error| internal(&error))
    }
}

fn internal(error: &prometheus::Error) -> ApiError {
    ApiError::Internal { internal: error.to_string() }
}

/// Adds up the numbers of each state. A state without items is 0.
pub(crate) fn sums(
    to: &mut Exposition,
    metric: &Metric,
    states: &[&str],
    counts: &[StateCount],
) -> Result<(), ApiError> {
    states.iter().try_for_each(|state| {
        let sum = counts.iter().filter(|count| count.state == *state).map(|count| count.count).sum();
        to.set(metric, &[state], number(sum))
    })
}

#[expect(clippy::cast_precision_loss, reason = "Prometheus has only this type, which is exact to 2^53")]
pub(crate) fn number(count: u64) -> f64 {
    count as f64
}

/// Seconds from `since` to `until`.
#[expect(clippy::cast_precision_loss, reason = "Prometheus has only this type, which is exact to 2^53")]
pub(crate) fn seconds(until: Timestamp, since: Timestamp) -> f64 {
    (until.as_millis() - since.as_millis()) as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{APP_RELEASES, APPS};

    #[test]
    fn values_are_written_by_name_and_labels_are_escaped() {
        let mut exposition = Exposition::default();
        exposition.set(&APPS, &[], 2.0).unwrap();
        exposition.set(&APP_RELEASES, &["acme", "a \"b\" \\ c\nd", "draft"], 1.0).unwrap();
        exposition.set(&APPS, &[], 3.0).unwrap();
        assert_eq!(
            exposition.text().unwrap(),
            "# HELP spindrift_app_releases Releases of an application.\n\
             # TYPE spindrift_app_releases gauge\n\
             spindrift_app_releases{app=\"a \\\"b\\\" \\\\ c\\nd\",owner=\"acme\",state=\"draft\"} 1\n\
             # HELP spindrift_apps Applications.\n\
             # TYPE spindrift_apps gauge\n\
             spindrift_apps 3\n"
        );
    }

    #[test]
    fn a_wrong_number_of_labels_is_an_error() {
        assert!(Exposition::default().set(&APPS, &["x"], 1.0).is_err());
    }
}
